"""Turn the chosen view into what is published, and say what each column means."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from anachron.engines.base import SUBJECT, Batch, Rows, Table
from anachron.guarantees import TimeGranularity
from anachron.ladders import Bins, Drop, Parents, Prefix, Step
from anachron.methods.granularity.choose import Search, plan
from anachron.methods.granularity.explain import EventsExplained, explain
from anachron.methods.meeting import refuse_known
from anachron.methods.outcome import Outcome, Past, Record
from anachron.progress import Tell
from anachron.published import ways
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = ["EventsFacts", "apply", "carry_out", "remembered"]


@dataclass(frozen=True)
class EventsFacts(Record):
    """What a recipient must know of a table of events."""

    suppressed_rows: int


def carry_out(
    table: Table,
    promise: TimeGranularity,
    past: Past,
    told: Tell,
    accept: Collection[str] = (),
    max_views: int | None = None,
) -> Outcome[EventsExplained]:
    """Search, and recode the rows as the first answer says."""

    def tested(n: int, about: int) -> None:
        many = f" of about {about:,}" if about > 100 else ""
        told(f"searching, {n:,} views tested{many}", 0.8 * min(n / max(about, 1), 1.0))

    found = plan(table, promise, tested, max_views)
    told("recoding the rows", 0.8)
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
        remembered(found.counting.spans(view), schema, past, accept),
        explain(table, promise, found),
    )


def remembered(spans: Rows, schema: Schema, past: Past, accept: Collection[str]) -> Streamed:
    """What the ledger keeps of the people in a release; refuses people it knows already."""
    people = spans.map(partial(_digested, past.pseudonyms))
    state = past.aside(*people.ordered((SUBJECT, "first", "until")))
    remedy = (
        "Two releases of the same events intersect and give people away. Publish only rows that "
        "are later than that release covers."
    )
    refuse_known(state, schema, past, accept, remedy)
    return state


def _digested(pseudonyms: Callable[[pa.Array], pa.Array], batch: Batch) -> Batch:
    return {SUBJECT: pseudonyms(batch[SUBJECT])}


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
