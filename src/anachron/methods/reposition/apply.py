"""Write out the snapshots that became due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.engines.base import KEY, Batch, Resources
from anachron.guarantees import Reposition
from anachron.kernels.sorting import numbered
from anachron.methods.outcome import Outcome, Record
from anachron.methods.reposition.explain import FeedExplained, explain
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import HOME, NOWHERE, POSITION
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
_DIGEST = pa.binary(16)
_RECORD, _OTHER = "record", "other"


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
        elsewhere(feed),
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


def elsewhere(feed: Advanced) -> Streamed:
    """What the ledger remembers: the records that are not published in their own snapshot."""
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    bounds = np.stack(feed.time.bounds(due), axis=1).tolist()
    schema = pa.schema(
        [(_RECORD, _DIGEST), (HOME, pa.int64()), ("snapshot", pa.int64())],
        metadata={b"anachron": json.dumps({"snapshots": bounds})},
    )
    placings = feed.chosen.placings
    other = _is_elsewhere(due, placings.home, placings.position)
    rows = feed.chosen.rows.map(partial(_elsewhere, due)).where(_OTHER)
    sorted_rows = rows.listed((_RECORD, HOME, POSITION), int(placings.count[other].sum()))

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in sorted_rows.batches():
            home, position = (batch.column(name).to_numpy() for name in (HOME, POSITION))
            lost = position == NOWHERE
            there = feed.time.bounds(np.where(lost, home, position))[0]
            columns = [feed.time.bounds(home)[0], pa.array(there, mask=lost)]
            yield pa.RecordBatch.from_arrays([batch.column(_RECORD), *columns], schema=schema)

    return Streamed(schema, sorted_rows.rows, batches)


def _elsewhere(due: Array, batch: Batch) -> Batch:
    words = pa.py_buffer(np.ascontiguousarray(batch[KEY].astype(">u8")))
    return {
        _RECORD: pa.FixedSizeBinaryArray.from_buffers(_DIGEST, len(batch[KEY]), [None, words]),
        _OTHER: _is_elsewhere(due, batch[HOME], batch[POSITION]),
    }


def _is_elsewhere(due: Array, home: Array, position: Array) -> Flags:
    """Which records are published in another snapshot than theirs, or missing from theirs."""
    found: Flags = (position != home) & ((position != NOWHERE) | np.isin(home, due))
    return found
