"""The groups of a release of a register, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.verify.invariance_shape import Interval, Register

__all__ = [
    "HIGHEST",
    "LOWEST",
    "Counterfeits",
    "Groups",
    "bounds_of",
    "coded",
    "groups_of",
    "places",
    "ranked",
    "whole",
]

"""Whole numbers, fractions, or places in an order."""

LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """The table of counterfeits, as it stands: the paper's R."""

    group: Array
    count: Array


@dataclass(frozen=True, eq=False)
class Groups:
    """What is published: groups by number, and the rows of each by value."""

    row_group: Array
    """Of each row of the file, in the order of the file; 0 if it is missing."""
    row_value: Array
    """Likewise, as a place in ``domain``; a missing value is the place after the last."""
    domain: pa.Array
    """The published sensitive values, ascending."""
    exact: bool
    """Whether values count as they are spelled."""
    number: Array
    """Of each group, ascending."""
    size: Array
    start: Array
    """Where the rows of each group begin in ``value``."""
    value: Array
    """Of all rows, by group and ascending: as places in ``domain``."""
    low: tuple[Numbers, ...]
    """For each quasi column the lower bound of each group."""
    high: tuple[Numbers, ...]
    uneven: Flags
    """Whether the rows of a group have different bounds."""
    table: Counterfeits
    counterfeits: Array
    """Of each group."""

    def places(self, number: Array) -> Array:
        """The place of each of these group numbers; -1 where there is no such group."""
        return places(self.number, number)


def groups_of(shape: Register, *, boxed: bool = True) -> Groups:
    """Read the groups of a release, whose columns were checked before; with or without bounds."""
    quasi = shape.quasi if boxed else ()
    wanted = ["group", *(n for q in quasi for n in (q.low, q.high)), shape.sensitive]
    rows, fakes = _read(shape.file, wanted), _read(shape.counterfeit_file)
    row_group = whole(rows["group"], 0)
    row_value, domain = ranked(rows[shape.sensitive])
    by_group = np.lexsort((row_value, row_group))
    number, start, size = np.unique(row_group[by_group], return_index=True, return_counts=True)
    low: list[Numbers] = []
    high: list[Numbers] = []
    uneven = np.zeros(len(number), dtype=bool)
    for interval in quasi:
        for name, bounds, missing in (
            (interval.low, low, HIGHEST),
            (interval.high, high, LOWEST),
        ):
            all_rows = bounds_of(interval, rows[name], missing)[by_group]
            bounds.append(all_rows[start])
            differs = all_rows != np.repeat(all_rows[start], size)
            if len(number):
                uneven |= np.logical_or.reduceat(differs, start)
    table = Counterfeits(whole(fakes["group"], 0), whole(fakes["counterfeits"], 0))
    counterfeits = np.zeros(len(number), dtype=np.int64)
    place = places(number, table.group)
    np.add.at(counterfeits, place[place >= 0], table.count[place >= 0])
    return Groups(
        row_group=row_group,
        row_value=row_value,
        domain=domain,
        exact=shape.exact,
        number=number,
        size=size,
        start=start,
        value=row_value[by_group],
        low=tuple(low),
        high=tuple(high),
        uneven=uneven,
        table=table,
        counterfeits=counterfeits,
    )


def places(ascending: Array, wanted: Array) -> Array:
    """The place of each wanted number among different ascending ones; -1 where it is not there."""
    if not len(ascending):
        return np.full(len(wanted), -1, dtype=np.int64)
    if ascending[-1] - ascending[0] == len(ascending) - 1:  # 1, 2, 3, …: no need to search
        inside = (wanted >= ascending[0]) & (wanted <= ascending[-1])
        return np.where(inside, wanted - ascending[0], -1)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[at] == wanted, at, -1)


def whole(column: pa.ChunkedArray | pa.Array, missing: int) -> Array:
    """A column of whole numbers, with a number for missing ones."""
    return np.asarray(column.fill_null(missing), dtype=np.int64)


def _read(file: Path, columns: list[str] | None = None) -> pa.Table:
    with pq.ParquetFile(file) as content:
        return content.read(columns)


def ranked(column: pa.ChunkedArray) -> tuple[Array, pa.Array]:
    """Give each row's value as a place among all values, which are given too, ascending."""
    found = coded(column)
    ascending = pc.sort_indices(found.dictionary)
    rank = np.empty(len(ascending) + 1, dtype=np.int64)
    rank[ascending.to_numpy()] = np.arange(len(ascending))
    rank[-1] = len(ascending)
    return rank[whole(found.indices, -1)], found.dictionary.take(ascending)


def bounds_of(interval: Interval, column: pa.ChunkedArray, missing: int) -> Numbers:
    """Read a column of bounds: numbers, or places in the order of texts."""
    if interval.order is not None:
        return _in_order(interval.order, column)
    if pa.types.is_floating(column.type):
        return np.asarray(column.fill_null(np.nan), dtype=np.float64)
    # A missing bound makes the interval an empty one.
    return whole(column, missing)


def _in_order(order: Sequence[str], column: pa.ChunkedArray) -> Array:
    found = coded(column)
    place = pc.index_in(found.dictionary, value_set=pa.array(order, pa.string()))
    return np.append(whole(place, -1), -1)[whole(found.indices, -1)]


def coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column with a dictionary of its values."""
    found = column.combine_chunks().dictionary_encode()
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
