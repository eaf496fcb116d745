"""Turn the chosen view into what is published, and say what each column means."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import pyarrow as pa

from anachron.engines.base import Table
from anachron.errors import AlreadyPublished
from anachron.guarantees import TimeGranularity
from anachron.ladders import Bins, Drop, Parents, Prefix, Step
from anachron.methods.doubts import ask_about_strangers, known_at
from anachron.methods.granularity.choose import Search, plan
from anachron.methods.granularity.explain import EventsExplained, explain
from anachron.methods.granularity.view import Spans
from anachron.methods.outcome import Outcome, Past, Record
from anachron.published import ways

__all__ = ["EventsFacts", "apply", "carry_out", "remembered"]


@dataclass(frozen=True)
class EventsFacts(Record):
    """What a recipient must know of a table of events."""

    suppressed_rows: int


def carry_out(
    table: Table,
    promise: TimeGranularity,
    past: Past,
    told: Callable[[str], None],
    accept: Collection[str] = (),
    max_views: int | None = None,
) -> Outcome[EventsExplained]:
    """Search, and recode the rows as the first answer says."""

    def tested(n: int, about: int) -> None:
        told(f"searching, {n:,} views tested" + (f" of about {about:,}" if about > 100 else ""))

    found = plan(table, promise, tested, max_views)
    return apply(table, promise, found, past, accept)


def apply(
    table: Table,
    promise: TimeGranularity,
    found: Search,
    past: Past,
    accept: Collection[str] = (),
) -> Outcome[EventsExplained]:
    """Carry out the first answer of a search."""
    lattice, chosen = found.offer.lattice, found.answers[0]
    view = lattice.view(chosen.node)
    schema = table.schema
    columns: dict[str, ways.Way] = {}
    for column, rungs, step in zip(
        schema.quasi, lattice.ladders, lattice.steps[chosen.node], strict=True
    ):
        columns[column] = _way(column, rungs[step].step)
    granularity = next(g for g in promise.granularities if g.name == view.time.name)
    columns[schema.time] = ways.Granules(schema.time, granularity)
    columns |= {column: ways.Content(column) for column in schema.sensitive}
    return Outcome(
        {"data": found.counting.publish(view)},
        columns,
        EventsFacts(chosen.counts.lost_rows),
        remembered(found.counting.spans(view), past, accept),
        explain(table, promise, found),
    )


def remembered(spans: Spans, past: Past, accept: Collection[str]) -> pa.Table:
    """What the ledger keeps of the people in a release; refuses people it knows already."""
    people = past.pseudonyms(spans.subject)
    overlapping = past.overlapping(people, spans.first, spans.until)
    if overlapping:
        number, many = next(iter(overlapping.items()))
        raise AlreadyPublished(
            f"{many:,} people of this table already stand in release {number}, for a time that "
            "this release would cover again. Two releases of the same events intersect and give "
            "people away. Publish only rows that are later than that release covers."
        )
    if len(people):
        times = int(spans.first.min()), int(spans.until.max())
        known = known_at(people, times, past.state())
        if known is not None:
            ask_about_strangers(known[0], len(people), known[1], accept)
    return pa.table({"subject": people, "first": spans.first, "until": spans.until})


def _way(column: str, step: Step) -> ways.Way:
    if isinstance(step, Bins):
        return ways.Bins(column, step.width, step.origin)
    if isinstance(step, Prefix):
        return ways.Prefix(column, step.length)
    if isinstance(step, Parents):
        covers: dict[str, tuple[str, ...]] = {}
        for value, parent in step.parents:
            covers[parent] = (*covers.get(parent, ()), value)
        return ways.Parents(column, covers)
    return (ways.LeftOut if isinstance(step, Drop) else ways.AsItIs)(column)
