"""``anachron init``: look at a table and write a plan to begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, aligned, shown
from anachron.cli.options import json_option, output_option
from anachron.cli.proposals import Given, Proposing
from anachron.registry import METHODS

if TYPE_CHECKING:
    from anachron.ladders import Ladder
    from anachron.plan import Plan
    from anachron.source.propose import Proposal

__all__ = ["init"]


@click.command(short_help="Look at a table and propose a plan.")
@click.argument("table")
@output_option("plan.toml", "The plan to write; never overwritten.")
@click.option("--for", "method", type=click.Choice(tuple(METHODS)), default=next(iter(METHODS)),
              show_default=True,
              help="Events, a register that is released again, a feed, or series.")  # fmt: skip
@click.option("--subject", help="The column that identifies the person.")
@click.option("--time", help="The column with the time of the event.")
@click.option("--quasi", multiple=True, help="A column that outsiders may know; repeatable.")
@click.option("--sensitive", multiple=True, help="A column to publish as it is; repeatable.")
@click.option("--time-zone", default="UTC", help="The zone whose calendar is meant.")
@click.option("-k", type=click.IntRange(min=2), default=5, show_default=True,
              help="How many people must share each published combination.")  # fmt: skip
@json_option
def init(
    table: str,
    output: Path,
    method: str,
    subject: str | None,
    time: str | None,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    time_zone: str,
    k: int,
) -> Answer:
    """Look at TABLE and write a plan that proposes a role for each column, with the reason.

    TABLE is a file, a folder of Parquet files, or a table of a database such as
    sqlite:FILE#TABLE. Read the plan and correct it before you publish.
    """
    from anachron.plan import Plan
    from anachron.schema import Schema

    if output.exists():
        raise click.UsageError(f"{output} exists already. Name another file with -o.")
    proposing: Proposing = METHODS[method].proposal.load()
    found = proposing.look(Given(table, subject, time, quasi, sensitive))
    roles = (found.subject, found.time, found.quasi, found.sensitive)
    plan = Plan(
        table,
        Schema(*roles, time_zone, found.time_unit, found.series),
        proposing.promise(k, found),
        releases=output.parent / "releases",
        ledger=output.parent / "ledger",
    )
    plan.write(output, _notes(plan, found, proposing.notes))
    return _answer(plan, found, output, proposing.is_feed)


def _notes(plan: Plan, found: Proposal, keys: Mapping[str, str]) -> dict[str, str]:
    """A comment for every proposal, so that nothing is decided in silence."""

    def about(columns: tuple[str, ...]) -> str:
        return "\n".join(f"{column}: {found.reasons[column]}" for column in columns) or "none found"

    offered: Iterable[tuple[str, Ladder]] = getattr(plan.guarantee, "ladders", ())
    ladders = {
        f"guarantee.ladders.{column}": f"May be published: {'; '.join(ladder.describe())}."
        for column, ladder in offered
    }
    zone = "Fill in the zone whose clock and calendar are meant, such as Europe/Rome."
    left_out = about(found.left_out) if found.left_out else ""
    return {
        "source": f"A proposal, made from a look at {found.rows:,} rows. Correct it before use.",
        "schema": f"Columns that are not named below never leave.\n{left_out}",
        "schema.subject": found.reasons[found.subject],
        "schema.time": found.reasons[found.time] if found.time else "",
        "schema.quasi": about(found.quasi),
        "schema.sensitive": about(found.sensitive),
        "schema.series": about(found.series),
        "schema.time_zone": zone if plan.schema.time_zone == "UTC" else "as you said",
        **{f"guarantee.{key}": note for key, note in keys.items()},
        **ladders,
        "destination": "The releases may be handed out. The ledger stays with you.",
    }


def _answer(plan: Plan, found: Proposal, output: Path, is_feed: bool) -> Answer:
    rows = [
        ("subject", found.subject, found.reasons[found.subject]),
        *(("time", column, found.reasons[column]) for column in (found.time,) if column),
        *(("quasi", column, found.reasons[column]) for column in found.quasi),
        *(("sensitive", column, found.reasons[column]) for column in found.sensitive),
        *(("series", column, found.reasons[column]) for column in found.series),
        *(("-", column, found.reasons[column]) for column in found.left_out),
    ]
    clock = ", the time zone above all" if found.time else ""
    text = [
        f"Wrote {shown(output)}, a proposal: read it and correct it{clock}.",
        *aligned(rows),
        f"Next: anachron publish {shown(output)}",
    ]
    if is_feed:
        text.append(f"or, as snapshots arrive: anachron push {shown(output)} SNAPSHOT")
    data = {
        "plan": str(output),
        "rows": found.rows,
        "schema": plan.schema.to_dict(),
        "guarantee": plan.guarantee.to_dict(),
        "reasons": dict(found.reasons),
        "left_out": list(found.left_out),
    }
    return Answer(data, "\n".join(text))
