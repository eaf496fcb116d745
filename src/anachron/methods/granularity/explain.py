"""What the search found: for the owner's ledger and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anachron.calendar.definitions import BUILT_IN
from anachron.calendar.zones import DAY
from anachron.engines.base import Table
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.choose import LeastView, Search
from anachron.methods.granularity.lattice import Lattice
from anachron.methods.granularity.search import HOLDS
from anachron.methods.granularity.view import Counts
from anachron.methods.outcome import Explanation, Record
from anachron.methods.recorded import day_or_unit

__all__ = ["EventsExplained", "Least", "explain", "least_told", "titles"]

_MOST_NODES = 500
"""A product of ladders may have thousands of nodes; those tested tell the story."""


@dataclass(frozen=True)
class Offered(Record):
    """The granularities on offer, and which is directly coarser than which."""

    names: Sequence[str]
    edges: Sequence[tuple[str, str]]
    dropped: Mapping[str, str]
    """Those that were not searched, and why."""


@dataclass(frozen=True)
class Place(Record):
    """A view: a granularity, and the step of each ladder that has several."""

    granularity: str
    steps: Mapping[str, int]


@dataclass(frozen=True)
class Node(Place):
    """A view, and whether it keeps the promise."""

    state: str
    measured: bool
    counts: Counts | None
    because: str


@dataclass(frozen=True)
class Least(Place):
    """A view that keeps the promise, while no finer one does, and what it costs."""

    gen_c: Sequence[int]
    groups: int
    mean_length_days: float
    suppressed_rows: int
    suppressed_share: str
    quasi_loss: str


@dataclass(frozen=True)
class EventsExplained(Explanation):
    """What was on offer, what each view would have cost, and why finer ones fail."""

    rows: int
    subjects: int
    recorded_by: str
    time_zone: str
    first: str
    last: str
    order: Offered
    ladders: Mapping[str, Sequence[str]]
    nodes: Sequence[Node]
    answers: Sequence[Least]


def explain(table: Table, promise: TimeGranularity, found: Search) -> EventsExplained:
    """Tell the story of a search."""
    lattice = found.offer.lattice
    names = lattice.order.names
    return EventsExplained(
        method=promise.method,
        notes=[*table.notes, *_unsearched(found)],
        rows=table.rows,
        subjects=table.subjects,
        recorded_by=table.recorded_by,
        time_zone=table.schema.time_zone,
        first=day_or_unit(table, table.first),
        last=day_or_unit(table, table.last),
        order=Offered(
            names,
            [(names[i], names[j]) for i, j in lattice.order.directly_coarser()],
            found.offer.dropped,
        ),
        ladders=titles(table, lattice),
        nodes=[_node(table, promise, found, node) for node in _worth_telling(found)],
        answers=[least_told(table, lattice, answer) for answer in found.answers],
    )


def titles(table: Table, lattice: Lattice) -> dict[str, list[str]]:
    """The steps of each ladder that has several, in words."""
    return {
        column: [rung.title for rung in rungs]
        for column, rungs in zip(table.schema.quasi, lattice.ladders, strict=True)
        if len(rungs) > 1
    }


def _unsearched(found: Search) -> list[str]:
    """Whoever thought out a granularity wants to know that it was not even tried."""
    return [
        f"the granularity {name!r} was left out of the search: {why}"
        for name, why in found.offer.dropped.items()
        if name not in BUILT_IN
    ]


def _worth_telling(found: Search) -> list[int]:
    nodes = range(len(found.states))
    if len(found.states) <= _MOST_NODES:
        return list(nodes)
    return [node for node in nodes if node in found.counts][:_MOST_NODES]


def _place(table: Table, lattice: Lattice, node: int) -> tuple[str, dict[str, int]]:
    steps = zip(table.schema.quasi, lattice.ladders, lattice.steps[node], strict=True)
    return (
        lattice.order.names[lattice.time[node]],
        {column: int(step) for column, rungs, step in steps if len(rungs) > 1},
    )


def _node(table: Table, promise: TimeGranularity, found: Search, node: int) -> Node:
    counts = found.counts.get(node)
    holds = bool(found.states[node] == HOLDS)
    return Node(
        *_place(table, found.offer.lattice, node),
        state="holds" if holds else "fails",
        measured=counts is not None,
        counts=counts,
        because=_implied(found, node, holds)
        if counts is None
        else _because(counts, promise, holds),
    )


def _because(counts: Counts, promise: TimeGranularity, holds: bool) -> str:
    if holds and not counts.lost_rows:
        return f"every group covers at least {counts.smallest:,} people"
    broken = f"{counts.failing_people:,} people stand in {counts.failing_groups:,} groups of fewer "
    broken += f"than {promise.k:,} people"
    if promise.max_share is not None:
        broken += f", or in which one person has more than {promise.max_share} of the rows"
    if counts.outside:
        broken += f"; {counts.outside:,} rows lie in no granule"
    lost = f"{counts.lost_rows:,} of {counts.rows:,} rows"
    return f"{lost} left out: {broken}" if holds else f"{broken} ({lost})"


def _implied(found: Search, node: int, holds: bool) -> str:
    """Name a tested node from which the state of this one follows."""
    lattice = found.offer.lattice
    related = lattice.finer(node) if holds else lattice.coarser(node)
    tested = [n for n in found.counts if related[n] and found.states[n] == found.states[node]]
    same = [n for n in tested if np.array_equal(lattice.steps[n], lattice.steps[node])]
    witness = (same or tested)[0]
    name = lattice.order.names[lattice.time[witness]]
    if not np.array_equal(lattice.steps[witness], lattice.steps[node]):
        name += " with other ladder steps"
    return f"coarser than {name}, which holds" if holds else f"finer than {name}, which fails"


def least_told(table: Table, lattice: Lattice, answer: LeastView) -> Least:
    """Tell what a least view costs."""
    share = answer.counts.lost_rows / answer.counts.rows
    return Least(
        *_place(table, lattice, answer.node),
        gen_c=answer.gen_c,
        groups=answer.counts.groups,
        mean_length_days=float(answer.mean_length / DAY),
        suppressed_rows=answer.counts.lost_rows,
        suppressed_share=f"{share:.6g}",
        quasi_loss=f"{float(answer.loss):.6g}",
    )
