"""The command ``anachron``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from typing import Any

import click

from anachron.cli.answer import Answer, stdout_for_json, tell
from anachron.cli.trouble import explained
from anachron.stopping import STOPS, stoppable

__all__ = ["COMMANDS", "anachron", "main"]

COMMANDS = (
    "demo",
    "init",
    "frontier",
    "publish",
    "push",
    "ask",
    "audit",
    "attack",
    "utility",
    "report",
    "ledger",
    "studio",
    "completion",
)
"""In the order in which a person meets them."""


class Commands(click.Group):
    """Loads a command when it is asked for, and prints what it answers."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the file of a command."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"anachron.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command, print its answer, and exit with its code."""
        words = list(sys.argv[1:] if args is None else args)
        run = partial(super().main, words, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        options = list(takewhile(lambda word: word != "--", words))
        as_json = "--json" in options and "--help" not in options
        quietly = "--quiet" in options
        answer = Answer({}, "")
        try:
            with stdout_for_json(as_json) as stdout:
                answer = _answer(run)
                tell(answer, as_json, stdout, quietly=quietly)
        except BrokenPipeError:
            _hush()
        sys.exit(answer.exit_code)


def _answer(run: Callable[[], Any]) -> Answer:
    try:
        with stoppable():
            given = run()
    except (Exception, *STOPS) as error:  # noqa: BLE001
        # The one place that lets nothing through: no traceback ever reaches a person.
        return explained(error)
    if isinstance(given, Answer):
        return given
    return Answer({}, "", given if isinstance(given, int) else 0)


def _hush() -> None:
    """Whoever read us has heard enough: let Python find nothing to complain of at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


@click.group(cls=Commands, invoke_without_command=True)
@click.version_option(import_module("anachron").__version__, prog_name="anachron")
@click.pass_context
def anachron(ctx: click.Context) -> None:
    """Publish temporal personal data without exposing the people in it."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    anachron(prog_name="anachron")
