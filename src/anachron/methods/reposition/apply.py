"""Write out the snapshots that became due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import Resources
from anachron.guarantees import Reposition
from anachron.kernels.sorting import numbered
from anachron.methods.outcome import Outcome, Record
from anachron.methods.reposition.explain import FeedExplained, explain
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import NOWHERE
from anachron.methods.values import kind_from_text
from anachron.methods.values import typed as values_as
from anachron.published.ways import Content, Snapshots, Way
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = [
    "GROUP",
    "Written",
    "batches",
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
    figures: Record


def outcome(feed: Advanced, promise: Reposition, schema: Schema) -> Outcome[FeedExplained]:
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
        Record(),
        Streamed.of(elsewhere(feed)),
        explain(feed, promise, written.figures),
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
