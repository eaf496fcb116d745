"""What a person claims of a table that Anachron did not make: options of ``anachron audit``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from anachron.auditing.foreign import Claim

__all__ = ["claim_options"]

_MODELS = ("k-anonymity", "l-diversity", "m-invariance")
_FORMS = ("distinct", "frequency")


def claim_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that make a claim; it gets ``claim``, None without ``--as``."""

    @click.option("--as", "model", type=click.Choice(_MODELS), help="Check a table as this.")
    @click.option("--k", type=int, help="People in each group, at least.")
    @click.option("--l", "l_", metavar="NUMBER", help="Diversity of values: 3, 2.5 or 5/2.")
    @click.option("--m", type=int, help="Different values in each group, at least.")
    @click.option("--form", type=click.Choice(_FORMS), help="How l is meant; distinct if not said.")
    @click.option("--quasi", multiple=True, metavar="COLUMN",
                  help="What outsiders may know; an interval as LOW/HIGH. Repeat it.")  # fmt: skip
    @click.option("--time", metavar="COLUMN", help="A time or period that outsiders may know.")
    @click.option("--sensitive", multiple=True, metavar="COLUMN", help="What is to be hidden.")
    @click.option("--subject", metavar="COLUMN",
                  help="What tells people apart; without it rows are counted.")  # fmt: skip
    @click.option("--group", metavar="COLUMN", help="What numbers the groups, if anything does.")
    @click.option("--releases", multiple=True, metavar="TABLE",
                  help="For m-invariance: the next release, in order. Repeat it.")  # fmt: skip
    @click.option("--skip-suppressed", is_flag=True, default=None,
                  help="Leave out rows whose quasi cells are all '*' or missing.")  # fmt: skip
    @wraps(command)
    def with_claim(*args: Any, model: str | None, **options: Any) -> Any:
        names = ("k", "l_", "m", "form", "quasi", "time", "sensitive", "subject", "group",
                 "releases", "skip_suppressed")  # fmt: skip
        given = {name: options.pop(name) for name in names}
        said = {name: value for name, value in given.items() if value not in (None, ())}
        if model is None and said:
            first = next(iter(said)).rstrip("_").replace("_", "-")
            raise click.UsageError(f"--{first} needs --as, which says what the table is.")
        return command(*args, claim=None if model is None else _claim(model, said), **options)

    return with_claim


def _claim(model: str, said: dict[str, Any]) -> Claim:
    from anachron.auditing.foreign import Claim

    letters = {"l": said.pop("l_")} if "l_" in said else {}
    return Claim(model, **letters, **said)
