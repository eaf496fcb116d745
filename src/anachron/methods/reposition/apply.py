"""Write out the snapshots that became due, and say what became of the records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import Resources
from anachron.guarantees import Reposition
from anachron.kernels.sorting import numbered
from anachron.methods.outcome import Outcome
from anachron.methods.reposition.notes import notes, too_frequent
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import NOWHERE
from anachron.methods.values import kind_from_text
from anachron.methods.values import typed as values_as
from anachron.published.ways import Content, Snapshots, Way
from anachron.schema import Schema

__all__ = [
    "GROUP",
    "Written",
    "batches",
    "explanation",
    "outcome",
    "time_columns",
    "typed",
]

GROUP = "group"

_INSTANT = pa.timestamp("us", "UTC")
_RECORD = pa.binary(16)


@dataclass(frozen=True, eq=False)
class Written:
    """The published tables, what their columns mean, and what the owner must know."""

    resources: Resources
    columns: Mapping[str, Way]
    figures: Mapping[str, Any]


def outcome(feed: Advanced, promise: Reposition, schema: Schema) -> Outcome:
    """Turn the snapshots that became due into a release."""
    if promise.then == "anatomy":
        from anachron.methods.reposition.anatomy import write
    else:
        from anachron.methods.reposition.recode import write
    written = write(feed, promise, schema)
    return Outcome(
        written.resources,
        {
            **written.columns,
            schema.time: Snapshots(schema.time, promise.snapshot),
            schema.sensitive[0]: Content(schema.sensitive[0]),
        },
        {},
        elsewhere(feed),
        {**explanation(feed, promise), **written.figures},
    )


def time_columns(feed: Advanced, name: str, position: Array) -> dict[str, pa.Array]:
    """The published time columns of rows, given the snapshot of each, in ascending order."""
    different, place = numbered(position)
    count = np.bincount(place, minlength=len(different))
    labels = pa.array(feed.time.labels(different), pa.string())
    start, end = (np.repeat(bound, count) for bound in feed.time.bounds(different))
    return {
        name: labels.take(pa.array(place)),
        f"{name}_start": pa.array(start, _INSTANT),
        f"{name}_end": pa.array(end, _INSTANT),
    }


def batches(columns: dict[str, pa.Array]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Give a table as it is written."""
    table = pa.table(columns)
    return table.schema, iter(table.to_batches(max_chunksize=1 << 17))


def typed(feed: Advanced) -> tuple[pa.Array, Array]:
    """The sensitive values as they are published, and the place of each in ascending order."""
    values = values_as(feed.memory.values, kind_from_text(feed.memory.kind))
    place = np.empty(len(values), dtype=np.int64)
    place[pa.compute.sort_indices(values).to_numpy()] = np.arange(len(values))
    return values, place


def elsewhere(feed: Advanced) -> pa.Table:
    """What the ledger remembers: the records that are not published in their own snapshot."""
    records, position = feed.records, feed.chosen.position
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    other = (position != records.home) & ((position != NOWHERE) | np.isin(records.home, due))
    rows = np.flatnonzero(other)
    rows = rows[np.lexsort((records.key[rows, 1], records.key[rows, 0]))]
    lost = position[rows] == NOWHERE
    there = feed.time.bounds(np.where(lost, records.home[rows], position[rows]))[0]
    words = pa.py_buffer(np.ascontiguousarray(records.key[rows].astype(">u8")))
    table = pa.table(
        {
            "record": pa.FixedSizeBinaryArray.from_buffers(_RECORD, len(rows), [None, words]),
            "home": pa.array(feed.time.bounds(records.home[rows])[0]),
            "snapshot": pa.array(there, mask=lost),
        }
    )
    bounds = np.stack(feed.time.bounds(due), axis=1).tolist()
    return table.replace_schema_metadata({b"anachron": json.dumps({"snapshots": bounds})})


def explanation(feed: Advanced, promise: Reposition) -> dict[str, Any]:
    """For the owner: how the snapshots came about, in numbers."""
    records, position = feed.records, feed.chosen.position
    here = position != NOWHERE
    delay = (position - records.home)[here]
    lost = int(sum(int(due.suppressed.count.sum()) for due in feed.dues))
    lost += len(feed.chosen.dropped) + len(feed.held)
    distances = np.bincount(delay, minlength=promise.window).tolist()
    loss = sum((c * n for c, n in zip(promise.mu_table, distances, strict=True)), Fraction(0))
    new = feed.arrivals
    return {
        "method": promise.method,
        "l": str(promise.l),
        "window": promise.window,
        "solver": promise.solver,
        "then": promise.then if isinstance(promise.then, str) else promise.then.method,
        "rows": int(sum(row["arrived"] for row in snapshots(feed))),
        "published": int(here.sum()),
        "moved": int((delay > 0).sum()),
        "suppressed": lost,
        "conflicts": feed.chosen.conflicts,
        "given_up": len(feed.chosen.dropped) - feed.chosen.conflicts,
        "refused": len(feed.refused),
        "late": 0 if new is None else len(new.late),
        "repeated": 0 if new is None else len(new.doubles),
        "loss": str(loss + _hidden(feed, promise)),
        "proved": all(due.proved for due in feed.dues),
        "distances": distances,
        "snapshots": snapshots(feed),
        "too_frequent": too_frequent(feed, promise),
        "notes": notes(feed, promise),
    }


def _hidden(feed: Advanced, promise: Reposition) -> Fraction:
    """What the records cost that are left out or refused."""
    cost = [promise.betas.get(text, promise.beta_default) for text in feed.memory.values]
    total = Fraction(0)
    for due in feed.dues:
        lost = np.bincount(due.suppressed.value, due.suppressed.count, len(cost))
        total += sum((cost[v] * int(lost[v]) for v in np.flatnonzero(lost)), Fraction(0))
    others = np.concatenate([feed.chosen.dropped, feed.held, feed.refused])
    dropped = feed.records.value[others]
    return total + sum((cost[v] for v in dropped.tolist()), Fraction(0))


def snapshots(feed: Advanced) -> list[dict[str, Any]]:
    """Each snapshot that is due, in numbers."""
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    records, position = feed.records, feed.chosen.position
    first, size = int(due[0]), int(due[-1] - due[0]) + 1
    here = np.flatnonzero(position != NOWHERE)
    moved = here[position[here] != records.home[here]]
    width = len(feed.memory.values)
    own = np.flatnonzero((records.home >= first) & (records.home < first + size))

    def by_value(rows: Array, where: Array) -> Array:
        cells = (where - first) * width + records.value[rows]
        return np.bincount(cells, minlength=size * width).reshape(size, width)

    cells, before = by_value(here, position[here]), by_value(own, records.home[own])
    arrived = before.sum(axis=1)
    into = np.bincount(position[moved] - first, minlength=size)
    total = cells.sum(axis=1)
    return [
        {
            "snapshot": label,
            "arrived": int(arrived[p]),
            "published": int(total[p]),
            "moved_in": int(into[p]),
            "left": int(arrived[p] - (total[p] - into[p])),
            "share_before": _largest_share(before[p]),
            "largest_share": _largest_share(cells[p]),
        }
        for label, p in zip(feed.time.labels(due), (due - first).tolist(), strict=True)
    ]


def _largest_share(counts: Array) -> float:
    total = int(counts.sum())
    return round(int(counts.max()) / total, 6) if total else 0.0
