"""``anachron init``: look at a table and write a plan to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, aligned, shown
from anachron.cli.options import json_option, output_option, source_options
from anachron.registry import METHODS, MethodName
from anachron.scratch import near

if TYPE_CHECKING:
    from anachron.plan import Source
    from anachron.proposing.proposal import Proposal

__all__ = ["init"]

_SETS = 5
"""So many sets of columns are shown by which people are unique."""


@click.command(short_help="Look at a table and propose a plan.")
@click.argument("table")
@source_options
@output_option("plan.toml", "The plan to write; never overwritten.")
@click.option("--for", "method", type=click.Choice(tuple(METHODS)),
              help="Events, a register that is released again, a feed, or series. If not given, "
              "what fits the table.")  # fmt: skip
@click.option("--subject", multiple=True,
              help="The column that identifies the person; repeatable, if several do so together; "
              "or 'each row'.")  # fmt: skip
@click.option("--time", help="The column with the time of the event.")
@click.option("--quasi", multiple=True, help="A column that outsiders may know; repeatable.")
@click.option("--sensitive", multiple=True, help="A column to publish as it is; repeatable.")
@click.option("--time-zone", default="UTC", help="The zone whose calendar is meant.")
@click.option("--time-format", help="How times are written, if not as ISO 8601: '%d.%m.%Y'.")
@click.option("--stored-zone", help="The zone whose clock the times show, if it is another one.")
@click.option("-k", type=click.IntRange(min=2), default=5, show_default=True,
              help="How many people must share each published combination.")  # fmt: skip
@json_option
def init(
    table: Source,
    output: Path,
    method: MethodName | None,
    subject: tuple[str, ...],
    time: str | None,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    time_zone: str,
    time_format: str | None,
    stored_zone: str | None,
    k: int,
) -> Answer:
    """Look at TABLE and write a plan that proposes a role for each column, with the reason.

    TABLE is a file, such as CSV, Excel or Parquet, a folder of files, or a table of a database
    such as sqlite:FILE#TABLE. Read the plan and correct it before you publish.
    """
    from anachron.proposing.notes import notes_of
    from anachron.proposing.propose import propose

    if output.exists():
        raise click.UsageError(f"{output} exists already. Name another file with -o.")
    ledger = output.parent / "ledger"
    with near(ledger):
        found = propose(
            table, method, subject, time, quasi, sensitive, time_zone, k, time_format, stored_zone
        )
    plan = found.plan(output.parent / "releases", ledger)
    plan.write(output, notes_of(plan, found))
    return _answer(found, output)


def _answer(found: Proposal, output: Path) -> Answer:
    rows = [(role.name, role.column, role.reason) for role in found.ordered]
    text = [
        f"Wrote {shown(output)}, a proposal: read it and correct it"
        f"{', the time zone above all' if found.columns('time') else ''}.",
        *aligned(rows),
        *(f"Look: {warning}" for warning in found.warnings),
        *(
            f"Look: {one.people:,} people are unique by {' and '.join(one.columns)}."
            for one in found.identifying.sets[:_SETS]
        ),
        f"Next: anachron publish {shown(output)}",
    ]
    if found.promising.is_feed:
        text.append(f"or, as snapshots arrive: anachron push {shown(output)} SNAPSHOT")
    return Answer({"plan": str(output), **found.to_dict()}, "\n".join(text))
