"""``python -m anachron`` is the command line."""

from anachron.cli.main import main

main()
