"""The rows of a release of a feed, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.verify.invariance_groups import (
    HIGHEST,
    LOWEST,
    bounds_of,
    coded,
    places,
    ranked,
    whole,
)
from anachron.auditing.verify.reposition_shape import COUNT, Feed

__all__ = [
    "TALLIED",
    "Cells",
    "Published",
    "Ranked",
    "Snapshots",
    "plain_zero",
    "plain_zero_values",
    "published_of",
    "runs",
    "tally",
]

TALLIED = 1 << 24
"""Numbers that are counted without sorting."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """A column: a number for each row that sorts like it, and what the numbers stand for."""

    rank: Array
    """A missing value is the number after the last."""
    domain: pa.Array
    """Ascending."""


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The different times that are published, by start."""

    start: Array
    end: Array
    label: list[str]


@dataclass(frozen=True, eq=False)
class Cells:
    """How often a value occurs in a group: one place for each that is published."""

    group: Array
    """Its number."""
    value: Array
    """As a place in the domain; a missing value is the place after the last."""
    count: Array
    place: Array
    """The place of the group; -1 if there is none of that number."""


@dataclass(frozen=True, eq=False)
class Published:
    """What is published: rows as they stand in the file, groups by number."""

    row_group: Array
    """0 if it is missing."""
    row_snapshot: Array
    """As a place among ``snapshots``."""
    snapshots: Snapshots
    number: Array
    """Of each group, ascending."""
    size: Array
    """Of each group."""
    snapshot: Array
    """Of each group: that of one of its rows, as a place among ``snapshots``."""
    torn: Flags
    """Whether rows of a group are in different snapshots."""
    values: Cells
    domain: pa.Array
    """The published sensitive values, ascending."""
    exact: bool
    """Whether values count as they are spelled."""
    row_value: Array | None
    """Of each row, if values stand in the rows."""
    quasi: tuple[Ranked, ...]
    """Quasi columns that are published as they are."""
    low: tuple[Numbers, ...]
    """For each quasi column that is published as intervals, the lower bound of each group."""
    high: tuple[Numbers, ...]
    uneven: Flags
    """Whether the rows of a group have different intervals."""

    @property
    def row_place(self) -> Array:
        """Of each row: the place of its group."""
        if (self.row_group[1:] >= self.row_group[:-1]).all():
            return np.repeat(np.arange(len(self.number)), self.size)
        return places(self.number, self.row_group)

    def by_snapshot(self, position: Array) -> tuple[Array, Array, int]:
        """Count values in snapshots, given the position of each: as numbers, counts, and a bound.

        The number of a value in a snapshot is position times ``width`` and the value's place.
        """
        cells = self.values
        known = cells.place >= 0
        key = position[self.snapshot[cells.place[known]]] * self.width + cells.value[known]
        return key, cells.count[known], (int(position.max(initial=0)) + 1) * self.width

    @property
    def width(self) -> int:
        """Places of values, with one for a missing value and one for a strange one."""
        return len(self.domain) + 2


def published_of(shape: Feed) -> Published:
    """Read the rows of a release, whose columns were checked before."""
    rows = _read(shape.file)
    row_group = whole(rows["group"], 0)
    row_snapshot, snapshots = _snapshots(shape, rows)
    ordered = bool((row_group[1:] >= row_group[:-1]).all())
    by_group = np.arange(len(row_group)) if ordered else np.argsort(row_group, kind="stable")
    first, size = runs(row_group[by_group])
    number = row_group[by_group[first]]
    value = None if shape.value_file else Ranked(*ranked(rows[shape.sensitive]))
    low, high, uneven = _intervals(shape, rows, by_group, first, size)
    if value is not None:
        domain, cells = value.domain, _counted(row_group, value, number)
    else:
        domain, cells = _values(shape, number)
    there = row_snapshot[by_group]
    return Published(
        row_group=row_group,
        row_snapshot=row_snapshot,
        snapshots=snapshots,
        number=number,
        size=size,
        snapshot=there[first],
        torn=_differs(there, first, size),
        values=cells,
        domain=domain,
        exact=shape.exact,
        row_value=None if value is None else value.rank,
        quasi=tuple(Ranked(*ranked(plain_zero(rows[name]))) for name in shape.quasi),
        low=low,
        high=high,
        uneven=uneven,
    )


def runs(key: Array) -> tuple[Array, Array]:
    """Where each run of equal numbers begins, and how long it is."""
    heads = np.ones(len(key), dtype=bool)
    heads[1:] = key[1:] != key[:-1]
    first = np.flatnonzero(heads)
    return first, np.diff(first, append=len(key))


def tally(key: Array, count: Array | None, size: int) -> tuple[Array, Array]:
    """The different numbers below ``size``, ascending, and how many there are of each."""
    if size <= TALLIED:
        total = np.bincount(key, count, size).astype(np.int64)
        there = np.flatnonzero(total)
        return there, total[there]
    different, which = np.unique(key, return_inverse=True)
    return different, np.bincount(which, count, len(different)).astype(np.int64)


def plain_zero(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """There are two zeros among fractions, which are equal and must not be told apart."""
    return pc.add(column, 0.0) if column.type in (pa.float64(), pa.float32()) else column


def plain_zero_values(values: pa.Array) -> pa.Array:
    """Likewise for one array."""
    return plain_zero(pa.chunked_array([values])).combine_chunks()


def _read(file: Path) -> pa.Table:
    texts = [f.name for f in pq.read_schema(file) if pa.types.is_string(f.type)]
    with pq.ParquetFile(file, read_dictionary=texts) as content:
        return content.read()


def _snapshots(shape: Feed, rows: pa.Table) -> tuple[Array, Snapshots]:
    """Find the different times; rows of one snapshot stand together, if all is right."""
    start, end = (whole(rows[name].cast(pa.int64()), LOWEST) for name in (shape.start, shape.end))
    label, names = ranked(rows[shape.time])
    new = np.ones(len(start), dtype=bool)
    new[1:] = (start[1:] != start[:-1]) | (end[1:] != end[:-1]) | (label[1:] != label[:-1])
    heads = np.flatnonzero(new)
    triples = np.stack([start[heads], end[heads], label[heads]])
    different, place = np.unique(triples, axis=1, return_inverse=True)
    texts = [*names.cast(pa.string()).to_pylist(), ""]
    snapshots = Snapshots(different[0], different[1], [texts[at] for at in different[2].tolist()])
    return np.repeat(place.reshape(-1), np.diff(heads, append=len(start))), snapshots


def _values(shape: Feed, number: Array) -> tuple[pa.Array, Cells]:
    """Read the table of sensitive values, in the order of the file."""
    table = _read(shape.value_file or shape.file)
    value, domain = ranked(table[shape.sensitive])
    group = whole(table["group"], 0)
    return domain, Cells(group, value, whole(table[COUNT], 0), places(number, group))


def _counted(row_group: Array, value: Ranked, number: Array) -> Cells:
    width = len(value.domain) + 1
    key = row_group * width + value.rank
    if (key[1:] < key[:-1]).any():
        key = np.sort(key)
    first, count = runs(key)
    group = key[first] // width
    return Cells(group, key[first] - group * width, count, places(number, group))


def _intervals(
    shape: Feed, rows: pa.Table, by_group: Array, first: Array, size: Array
) -> tuple[tuple[Numbers, ...], tuple[Numbers, ...], Flags]:
    low: list[Numbers] = []
    high: list[Numbers] = []
    uneven = np.zeros(len(first), dtype=bool)
    for interval in shape.intervals:
        # A missing bound makes the interval an empty one.
        sides = ((interval.low, low, HIGHEST), (interval.high, high, LOWEST))
        for name, bounds, missing in sides:
            column = rows[name]
            if pa.types.is_dictionary(column.type):
                column = pa.chunked_array([coded(column)])
            all_rows = bounds_of(interval, column, missing)[by_group]
            bounds.append(all_rows[first])
            uneven |= _differs(all_rows, first, size)
    return tuple(low), tuple(high), uneven


def _differs(values: Numbers, first: Array, size: Array) -> Flags:
    """Whether a group has different values, given row by row, group after group."""
    if not len(first):
        return np.zeros(0, dtype=bool)
    return np.logical_or.reduceat(values != np.repeat(values[first], size), first)
