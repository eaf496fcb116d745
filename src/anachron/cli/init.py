"""``anachron init``: look at a table and write a plan to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, aligned, json_option
from anachron.cli.paths import shown

if TYPE_CHECKING:
    from anachron.plan import Plan
    from anachron.source.propose import Proposal

__all__ = ["init"]


@click.command(short_help="Look at a table and propose a plan.")
@click.argument("table")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("plan.toml"),
    show_default=True,
    help="The plan to write; never overwritten.",
)
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
    from anachron.guarantees import TimeGranularity
    from anachron.ladders import Ladder
    from anachron.plan import Plan
    from anachron.schema import Schema
    from anachron.source.propose import propose

    if output.exists():
        raise click.UsageError(f"{output} exists already. Name another file with -o.")
    found = propose(table, subject, time, quasi, sensitive)
    plan = Plan(
        table,
        Schema(found.subject, found.time, found.quasi, found.sensitive, time_zone, found.time_unit),
        TimeGranularity(
            k=k,
            granularities=found.granularities,
            ladders={c: Ladder.from_dict(values) for c, values in found.ladders.items()},
        ),
        releases=output.parent / "releases",
        ledger=output.parent / "ledger",
    )
    plan.write(output, _notes(plan, found))
    return _answer(plan, found, output)


def _notes(plan: Plan, found: Proposal) -> dict[str, str]:
    """A comment for every proposal, so that nothing is decided in silence."""
    from anachron.guarantees import TimeGranularity

    def about(columns: tuple[str, ...]) -> str:
        return "\n".join(f"{column}: {found.reasons[column]}" for column in columns) or "none found"

    offered = plan.guarantee.ladders if isinstance(plan.guarantee, TimeGranularity) else ()
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
        "schema.time": found.reasons[found.time],
        "schema.quasi": about(found.quasi),
        "schema.sensitive": about(found.sensitive),
        "schema.time_zone": zone if plan.schema.time_zone == "UTC" else "as you said",
        "guarantee.k": "At least so many people share each published combination.",
        "guarantee.granularities": "Not finer than the times are recorded, and not coarser than "
        "twice the span of the table.",
        "guarantee.max_suppressed": "A share of the rows, such as 0.01, may be left out to stay "
        "finer.",
        **ladders,
        "destination": "The releases may be handed out. The ledger stays with you.",
    }


def _answer(plan: Plan, found: Proposal, output: Path) -> Answer:
    rows = [
        ("subject", found.subject, found.reasons[found.subject]),
        ("time", found.time, found.reasons[found.time]),
        *(("quasi", column, found.reasons[column]) for column in found.quasi),
        *(("sensitive", column, found.reasons[column]) for column in found.sensitive),
        *(("-", column, found.reasons[column]) for column in found.left_out),
    ]
    text = [
        f"Wrote {shown(output)}, a proposal: read it and correct it, the time zone above all.",
        *aligned(rows),
        f"Next: anachron publish {shown(output)}",
    ]
    data = {
        "plan": str(output),
        "rows": found.rows,
        "schema": plan.schema.to_dict(),
        "guarantee": plan.guarantee.to_dict(),
        "reasons": dict(found.reasons),
        "left_out": list(found.left_out),
    }
    return Answer(data, "\n".join(text))
