"""``anachron studio``: a page on a folder, for those who do not live on a command line."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from anachron.cli.answer import Answer
from anachron.cli.options import PATH, json_option

__all__ = ["studio"]

_NEEDED = ("starlette", "uvicorn", "python_multipart")


@click.command(short_help="Open a page on a folder: see, try, publish, hand over.")
@click.argument("folder", type=PATH, default=Path())
@click.option("--port", type=click.IntRange(0, 65_535), default=0,
              help="The port to listen on; a free one if not given.")  # fmt: skip
@click.option("--read-only", is_flag=True, help="Write nothing: to look, check and sign.")
@click.option("--no-browser", is_flag=True, help="Only say the address; open no browser.")
@json_option
def studio(folder: Path, port: int, read_only: bool, no_browser: bool) -> Answer:
    """Open a page on FOLDER, its plans, tables, ledgers and releases, until Ctrl-C.

    The page is for this machine and for whoever knows its address, which holds a secret. Nothing
    leaves the machine.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"the page needs {' and '.join(missing)}: install them with "
            "pip install 'anachron[studio]'."
        )
    if not folder.is_dir():
        raise click.UsageError(f"{folder} is not a folder.")
    from anachron.studio.serve import Address, serve
    from anachron.studio.studio import Studio

    def ready(address: Address) -> None:
        click.echo(f"Anachron Studio on {folder.resolve()}\n\n  {address}\n\nCtrl-C ends it.",
                   err=True)  # fmt: skip
        if not no_browser:
            click.launch(str(address))

    serve(Studio.of(folder, read_only=read_only), port, ready)
    return Answer({"folder": str(folder)}, "The page is closed.")
