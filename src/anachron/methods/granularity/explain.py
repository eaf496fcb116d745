"""What the search found, as plain values: for the owner's ledger and the report."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from anachron.calendar.definitions import BUILT_IN
from anachron.calendar.zones import DAY
from anachron.engines.base import Counts, Table
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.choose import Answer, Found
from anachron.methods.granularity.search import HOLDS
from anachron.methods.recorded import day_or_unit

__all__ = ["explain"]

_MOST_NODES = 500
"""A product of ladders may have thousands of nodes; those tested tell the story."""


def explain(table: Table, promise: TimeGranularity, found: Found) -> dict[str, Any]:
    """Say what was on offer, what each view would have cost, and why finer ones fail."""
    lattice = found.offer.lattice
    names = lattice.order.names
    return {
        "method": promise.method,
        "rows": table.rows,
        "subjects": table.subjects,
        "recorded_by": table.recorded_by,
        "time_zone": table.schema.time_zone,
        "first": day_or_unit(table, table.first),
        "last": day_or_unit(table, table.last),
        "order": {
            "names": list(names),
            "edges": [[names[i], names[j]] for i, j in lattice.order.directly_coarser()],
            "dropped": found.offer.dropped,
        },
        "ladders": {
            column: [rung.title for rung in rungs]
            for column, rungs in zip(table.schema.quasi, lattice.ladders, strict=True)
            if len(rungs) > 1
        },
        "nodes": [_node(table, promise, found, node) for node in _worth_telling(found)],
        "answers": [_answer(table, found, answer) for answer in found.answers],
        "notes": [*table.notes, *_unsearched(found)],
    }


def _unsearched(found: Found) -> list[str]:
    """Whoever thought out a granularity wants to know that it was not even tried."""
    return [
        f"the granularity {name!r} was left out of the search: {why}"
        for name, why in found.offer.dropped.items()
        if name not in BUILT_IN
    ]


def _worth_telling(found: Found) -> list[int]:
    nodes = range(len(found.states))
    if len(found.states) <= _MOST_NODES:
        return list(nodes)
    return [node for node in nodes if node in found.counts][:_MOST_NODES]


def _place(table: Table, found: Found, node: int) -> dict[str, Any]:
    lattice = found.offer.lattice
    steps = zip(table.schema.quasi, lattice.ladders, lattice.steps[node], strict=True)
    return {
        "granularity": lattice.order.names[lattice.time[node]],
        "steps": {column: int(step) for column, rungs, step in steps if len(rungs) > 1},
    }


def _node(table: Table, promise: TimeGranularity, found: Found, node: int) -> dict[str, Any]:
    counts = found.counts.get(node)
    holds = bool(found.states[node] == HOLDS)
    return {
        **_place(table, found, node),
        "state": "holds" if holds else "fails",
        "measured": counts is not None,
        "counts": None if counts is None else asdict(counts),
        "because": _implied(found, node, holds)
        if counts is None
        else _because(counts, promise, holds),
    }


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


def _implied(found: Found, node: int, holds: bool) -> str:
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


def _answer(table: Table, found: Found, answer: Answer) -> dict[str, Any]:
    share = answer.counts.lost_rows / answer.counts.rows
    return {
        **_place(table, found, answer.node),
        "gen_c": list(answer.gen_c),
        "groups": answer.counts.groups,
        "mean_length_days": float(answer.mean_length / DAY),
        "suppressed_rows": answer.counts.lost_rows,
        "suppressed_share": f"{share:.6g}",
        "quasi_loss": f"{float(answer.loss):.6g}",
    }
