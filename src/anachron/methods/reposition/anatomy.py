"""Publish eligible snapshots as two tables: quasi values as they are, and values by group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import COUNT, KEY, Batch, Rows, quasi
from anachron.guarantees import Reposition
from anachron.kernels.anatomy import bucketize
from anachron.kernels.sorting import numbered, order
from anachron.methods.outcome import Record
from anachron.methods.reposition.apply import GROUP, Written, time_columns, typed
from anachron.methods.reposition.deal import deal
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import HOME, NOWHERE, POSITION, VALUE
from anachron.published.ways import AsItIs
from anachron.schema import Schema

__all__ = ["AnatomyFigures", "write"]

_HERE, _HEAD = "here", "head"


@dataclass(frozen=True)
class AnatomyFigures(Record):
    """What became of the snapshots as two tables."""

    groups: int
    missing: int


def write(feed: Advanced, promise: Reposition, schema: Schema) -> Written:
    """Deal the rows of each snapshot into groups, and take the two tables apart."""
    values, ascending = typed(feed)
    quasis = tuple(map(quasi, schema.quasi))
    kernel = partial(_grouped, promise, quasis, ascending, _largest(feed, promise))
    rows = feed.chosen.rows.map(_published).where(_HERE).by(POSITION, kernel)
    told = rows.counts((POSITION,), {"last": ("most", GROUP)}).collect(POSITION, "last")
    by = np.argsort(told[POSITION])
    positions, ends = told[POSITION][by], np.cumsum(told["last"][by] + 1)
    before = np.append(0, ends[:-1])
    rows = rows.map(partial(_numbered, positions, before))
    data = partial(_data, feed, schema, positions, ends)
    sensitive = partial(
        _sensitive, schema.sensitive[0], values.take(pa.array(np.argsort(ascending)))
    )
    several = rows.where(_HEAD)
    return Written(
        {
            "data": _shown(rows, (GROUP, *quasis), data),
            "sensitive": _shown(several, (GROUP, VALUE, COUNT), sensitive),
        },
        {column: AsItIs(column) for column in schema.quasi},
        AnatomyFigures(int(ends[-1]), _missing(feed)),
    )


def _published(batch: Batch) -> Batch:
    return {_HERE: batch[POSITION] != NOWHERE}


def _largest(feed: Advanced, promise: Reposition) -> int:
    """How many rows the largest snapshot has that groups are formed of."""
    placings = feed.chosen.placings
    here, position = placings.here, placings.position - placings.position.min()
    total = np.bincount(position[here], placings.count[here]).astype(np.int64)
    if not promise.careful:
        return int(total.max())
    here = here & (placings.position == placings.home)
    on_time = np.bincount(position[here], placings.count[here], len(total)).astype(np.int64)
    return int(np.where(on_time, on_time, total).max())


def _grouped(
    promise: Reposition, quasis: Sequence[str], ascending: Array, largest: int, batch: Batch
) -> Batch:
    """Number the groups of each snapshot from 0, and count each value at one of its rows."""
    positions, snapshot = numbered(batch[POSITION])
    # Lots of their own: by those that say who waits, the last groups would show who came late.
    lot = batch[KEY][:, 1]
    if promise.careful:
        late = batch[POSITION] != batch[HOME]
        group = deal(snapshot, batch[VALUE], lot, late, promise.l, largest)
    else:
        group = bucketize(snapshot, batch[VALUE], lot, promise.l, largest)
    value = ascending[batch[VALUE]]
    count = _counted(group * len(ascending) + value)
    first = np.full(len(positions), len(group), dtype=np.int64)
    np.minimum.at(first, snapshot, group)
    return {
        POSITION: batch[POSITION],
        GROUP: group - first[snapshot],
        VALUE: value,
        COUNT: count,
        **{name: batch[name] for name in quasis},
    }


def _counted(cells: Array) -> Array:
    """How often each of some numbers occurs, told once where it does; 0 elsewhere."""
    by = order(cells)
    inorder = cells[by]
    heads = np.flatnonzero(np.diff(inorder, prepend=-1))
    count = np.zeros(len(cells), dtype=np.int64)
    count[by[heads]] = np.diff(heads, append=len(cells))
    return count


def _numbered(positions: Array, before: Array, batch: Batch) -> Batch:
    """Number the groups through all snapshots, from 1."""
    first = before[np.searchsorted(positions, batch[POSITION])]
    return {GROUP: batch[GROUP] + first + 1, _HEAD: batch[COUNT] > 0}


def _shown(
    rows: Rows, keys: Sequence[str], table: Callable[[pa.RecordBatch], dict[str, pa.Array]]
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Give a table as it is written, sorted by what is published."""
    schema, batches = rows.ordered(keys)

    def shown() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict(table(batch))

    return pa.table(table(pa.RecordBatch.from_pylist([], schema=schema))).schema, shown()


def _data(
    feed: Advanced, schema: Schema, positions: Array, ends: Array, batch: pa.RecordBatch
) -> dict[str, pa.Array]:
    """The groups, the snapshots that they are of, and quasi values."""
    group = batch.column(GROUP)
    position = positions[np.searchsorted(ends, group.to_numpy())]
    data = {GROUP: group, **time_columns(feed, schema.time, position)}
    for column in schema.quasi:
        data[column] = feed.records.quasi[column].take(batch.column(quasi(column)))
    return data


def _sensitive(name: str, values: pa.Array, batch: pa.RecordBatch) -> dict[str, pa.Array]:
    """How often each value occurs in each group."""
    return {
        GROUP: batch.column(GROUP),
        name: values.take(batch.column(VALUE)),
        COUNT: batch.column(COUNT),
    }


def _missing(feed: Advanced) -> int:
    """How many records are missing from their own snapshot, for who knows their exact values.

    Quasi values are published as they are, so that it shows who is not there; and those are
    mostly records of the most frequent values.
    """
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    placings = feed.chosen.placings
    missing = np.isin(placings.home, due) & (placings.position != placings.home)
    return int(placings.count[missing].sum())
