"""``anachron init``: look at a table and write a plan to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, aligned, json_option
from anachron.cli.paths import shown

if TYPE_CHECKING:
    from anachron.guarantees import Guarantee
    from anachron.plan import Plan
    from anachron.source.propose import Proposal

__all__ = ["init"]

METHODS = ("granularity", "invariance", "reposition", "patterns")


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
@click.option("--for", "method", type=click.Choice(METHODS), default="granularity",
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
    from anachron.source.propose import propose
    from anachron.source.propose_others import propose_feed, propose_series
    from anachron.source.propose_register import propose_register

    if output.exists():
        raise click.UsageError(f"{output} exists already. Name another file with -o.")
    if method == "patterns":
        if quasi:
            raise click.UsageError("--quasi has no meaning for time series.")
        found = propose_series(table, subject, time, sensitive)
    elif method == "invariance":
        if time:
            raise click.UsageError("--time has no meaning for a register of people.")
        found = propose_register(table, subject, quasi, sensitive)
    else:
        look = propose_feed if method == "reposition" else propose
        found = look(table, subject, time, quasi, sensitive)
    roles = (found.subject, found.time, found.quasi, found.sensitive)
    plan = Plan(
        table,
        Schema(*roles, time_zone, found.time_unit, found.series),
        _promise(method, k, found),
        releases=output.parent / "releases",
        ledger=output.parent / "ledger",
    )
    plan.write(output, _notes(plan, found))
    return _answer(plan, found, output)


def _promise(method: str, k: int, found: Proposal) -> Guarantee:
    from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity
    from anachron.ladders import Ladder

    if method == "invariance":
        # Of the first people, at most one in m may have the same value.
        m = 3 if len(found.values) >= 8 and 3 * found.most <= found.rows else 2
        return MInvariance(
            m=m,
            # With fewer values there may be no set for somebody whose value changes.
            mode="transparent" if len(found.values) >= 3 * m - 1 else "paper",
            widths=found.widths,
            orders=found.orders,
            values=found.values,
        )
    if method == "reposition":
        return Reposition(l=3, window=3, snapshot=found.granularities[0])
    if method == "patterns":
        step = found.granularities[0] if found.granularities else None
        return KPAnonymity(k=k, P=2, precision=found.precision, granularity=step)
    return TimeGranularity(
        k=k,
        granularities=found.granularities,
        ladders={c: Ladder.from_dict(values) for c, values in found.ladders.items()},
    )


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
        "schema.time": found.reasons[found.time] if found.time else "",
        "schema.quasi": about(found.quasi),
        "schema.sensitive": about(found.sensitive),
        "schema.series": about(found.series),
        "schema.time_zone": zone if plan.schema.time_zone == "UTC" else "as you said",
        **{f"guarantee.{key}": note for key, note in _GUARANTEE[plan.guarantee.method].items()},
        **ladders,
        "destination": "The releases may be handed out. The ledger stays with you.",
    }


_GUARANTEE = {
    "granularity": {
        "k": "At least so many people share each published combination.",
        "granularities": "Not finer than the times are recorded, and not coarser than "
        "twice the span of the table.",
        "max_suppressed": "A share of the rows, such as 0.01, may be left out to stay finer.",
    },
    "invariance": {
        "m": "So many sensitive values remain possible for each person, in all releases.",
        "mode": "paper needs the fewest counterfeits; transparent tells nothing to whoever knows "
        "the\nalgorithm, and wants 3 m - 1 values; sticky never regroups people.",
        "when_ineligible": "New people with too many of one value: refuse the release, or hold "
        "the fewest back\n(in mode paper).",
        "widths": "The least width of a published interval, for columns with fractions.",
        "orders": "Texts in the order in which neighbours are alike. They are in alphabetical "
        "order now.",
        "values": "All values that there can be. These occur in the table: add those that may "
        "come.\nThey are published with the guarantee.",
    },
    "reposition": {
        "l": "No sensitive value has more than one in l of the records of a published group.\n"
        "A value that has more of all records cannot be published often enough: choose a smaller "
        "l.",
        "window": "Records are published at most window - 1 snapshots late. 1 moves nothing.",
        "snapshot": "The finest, from a day on, that has records enough.",
        "mu": "What a delay costs: linear, quadratic, or a list such as [0, 1, 3].",
        "beta": "What it costs to leave a record out.",
        "late": "Records that arrive after their snapshot: refuse, recycle or drop.",
        "repeated": "Several records of a person in a snapshot: refuse, or publish one.",
        "then": "anatomy publishes the quasi columns as they are; generalize as intervals.",
        "careful": "false tells more, and promises less to those who are published on time.",
    },
    "patterns": {
        "k": "At least so many people share each published envelope of values.",
        "P": "At least so many people of a group share each published pattern.",
        "precision": "Published bounds are multiples of it.",
        "granularity": "What two neighbouring times are apart.",
        "gaps": "Series that miss a value: refuse, interpolate, trim or drop.",
    },
}
"""What the keys of a promise are about, by method."""


def _answer(plan: Plan, found: Proposal, output: Path) -> Answer:
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
    if plan.guarantee.method == "reposition":
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
