"""Publish eligible snapshots as two tables: quasi values as they are, and values by group."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.guarantees import Reposition
from anachron.kernels.anatomy import bucketize
from anachron.kernels.sorting import numbered, order, side_by_side
from anachron.methods.outcome import Record
from anachron.methods.reposition.apply import GROUP, Written, batches, time_columns, typed
from anachron.methods.reposition.deal import deal
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import NOWHERE, Records
from anachron.published.ways import AsItIs
from anachron.schema import Schema

__all__ = ["AnatomyFigures", "write"]

COUNT = "count"


@dataclass(frozen=True)
class AnatomyFigures(Record):
    """What became of the snapshots as two tables."""

    groups: int
    missing: int


def write(feed: Advanced, promise: Reposition, schema: Schema) -> Written:
    """Deal the rows of each snapshot into groups, and take the two tables apart."""
    records, position = feed.records, feed.chosen.position
    rows = np.flatnonzero(position != NOWHERE)
    value = records.value[rows]
    _, snapshot = numbered(position[rows])
    # Lots of their own: by those that say who waits, the last groups would show who came late.
    lot = records.key[rows, 1]
    if promise.careful:
        late = position[rows] != records.home[rows]
        group = deal(snapshot, value, lot, late, promise.l)
    else:
        group = bucketize(snapshot, value, lot, promise.l)
    by = order(_keys(records, schema, rows, group))
    rows, group = rows[by], group[by]
    with ThreadPoolExecutor(max_workers=1) as beside:
        # The two tables have nothing to do with each other.
        counted = beside.submit(_values, feed, schema, group, value[by])
        data: dict[str, pa.Array] = {GROUP: pa.array(group + 1)}
        data |= time_columns(feed, schema.time, position[rows])
        for column in schema.quasi:
            coded = records.quasi[column]
            codes = coded.indices.to_numpy(zero_copy_only=False)[rows]
            data[column] = coded.dictionary.take(pa.array(codes))
        values = counted.result()
    return Written(
        {"data": batches(data), "sensitive": batches(values)},
        {column: AsItIs(column) for column in schema.quasi},
        AnatomyFigures(int(group[-1]) + 1, _missing(feed)),
    )


def _keys(records: Records, schema: Schema, rows: Array, group: Array) -> Array:
    """A number for each row that sorts by group and quasi columns: by what is published."""
    coded = [records.quasi[column] for column in schema.quasi]
    codes = [one.indices.to_numpy(zero_copy_only=False)[rows] for one in coded]
    sizes = [int(group.max()) + 1, *(max(len(one.dictionary), 1) for one in coded)]
    return side_by_side([group, *codes], sizes)


def _values(feed: Advanced, schema: Schema, group: Array, value: Array) -> dict[str, pa.Array]:
    """How often each value occurs in each group."""
    values, ascending = typed(feed)
    back = np.argsort(ascending)
    cells = group * len(values)
    cells += ascending[value]
    cells, count = _counted(cells)
    return {
        GROUP: pa.array(cells // len(values) + 1),
        schema.sensitive[0]: values.take(pa.array(back[cells % len(values)])),
        COUNT: pa.array(count),
    }


def _counted(cells: Array) -> tuple[Array, Array]:
    """The different numbers in ascending order, and how often each occurs."""
    cells.sort()
    heads = np.flatnonzero(np.concatenate(([True], cells[1:] != cells[:-1])))
    return cells[heads], np.diff(heads, append=len(cells))


def _missing(feed: Advanced) -> int:
    """How many records are missing from their own snapshot, for who knows their exact values.

    Quasi values are published as they are, so that it shows who is not there; and those are
    mostly records of the most frequent values.
    """
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    home = np.isin(feed.records.home, due)
    return int((home & (feed.chosen.position != feed.records.home)).sum())
