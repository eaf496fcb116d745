"""``anachron completion``: let a shell complete commands and options."""

from __future__ import annotations

import click

from anachron.cli.answer import Answer
from anachron.cli.options import json_option

__all__ = ["completion"]

_HOW = {
    "bash": '# Put into ~/.bashrc:  eval "$(anachron completion bash)"',
    "zsh": '# Put into ~/.zshrc:  eval "$(anachron completion zsh)"',
    "fish": "# Put into ~/.config/fish/config.fish:  anachron completion fish | source",
}


@click.command(short_help="Print what makes a shell complete commands.")
@click.argument("shell", type=click.Choice(list(_HOW)))
@json_option
def completion(shell: str) -> Answer:
    """Print what makes SHELL complete the commands and options of anachron."""
    from click.shell_completion import ShellComplete, get_completion_class

    from anachron.cli.main import anachron

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not known to this version of click.")
    # The base class: bash's own starts a bash to ask its version.
    script = ShellComplete.source(kind(anachron, {}, "anachron", "_ANACHRON_COMPLETE"))
    return Answer({"shell": shell, "script": script}, f"{_HOW[shell]}\n{script}")
