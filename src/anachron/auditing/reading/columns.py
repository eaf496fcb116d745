"""Columns as arrays: what all that is read shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Array, Flags, Numbers
from anachron.behind import Microdata

__all__ = [
    "HIGHEST",
    "LOWEST",
    "TALLIED",
    "coded",
    "combined",
    "descends",
    "is_number",
    "joined",
    "misnumbered",
    "of_loaded",
    "places",
    "plain_zero",
    "plain_zero_values",
    "ranked",
    "read",
    "runs",
    "tally",
    "whole",
]


LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


TALLIED = 1 << 24
"""Numbers that are counted without sorting."""


_LARGEST = 2**62


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


def ranked(column: pa.ChunkedArray) -> tuple[Array, pa.Array]:
    """Give each row's value as a place among all values, which are given too, ascending."""
    found = coded(column)
    ascending = pc.sort_indices(found.dictionary)
    rank = np.empty(len(ascending) + 1, dtype=np.int64)
    rank[ascending.to_numpy()] = np.arange(len(ascending))
    rank[-1] = len(ascending)
    return rank[whole(found.indices, -1)], found.dictionary.take(ascending)


def coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column with a dictionary of its values."""
    found = column.combine_chunks().dictionary_encode()
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


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


def combined(parts: Iterable[tuple[Numbers, int]]) -> tuple[Array, int]:
    """One number for each combination of codes, and a bound of these numbers.

    Parts are taken one by one and let go: each may be as long as the table.
    """
    key, size = None, 1
    for codes, count in parts:
        if key is None:
            key, size = codes.astype(np.int64), count
            continue
        if size * count > _LARGEST:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key *= count
        key += codes
        size *= count
    return (np.zeros(0, dtype=np.int64) if key is None else key), size


def joined(pairs: Iterable[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Lay pairs of arrays that come some at a time behind each other."""
    none = np.zeros(0, dtype=np.int64)
    first, second = zip((none, none), *pairs, strict=True)
    return np.concatenate(first), np.concatenate(second)


def descends(keys: Iterable[Numbers], size: int) -> tuple[Flags, Flags]:
    """For each of so many but the last: whether the next should stand before it, or is alike."""
    later = np.zeros(max(size - 1, 0), dtype=bool)
    tied = np.ones(len(later), dtype=bool)
    for key in keys:
        later |= tied & (key[1:] < key[:-1])
        tied &= key[1:] == key[:-1]
    return later, tied


def misnumbered(row_group: Array) -> int:
    """How many rows break the numbering of groups as 1, 2, 3, … in the order of the rows."""
    steps = np.diff(row_group, prepend=0)
    odd = (steps < 0) | (steps > 1)
    odd[:1] = steps[:1] != 1
    return int(odd.sum())


def is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def read(file: Path, columns: Sequence[str] | None = None, *, coded: bool = False) -> pa.Table:
    """Read a Parquet file, or some of its columns; texts with a dictionary if they are coded."""
    texts = [f.name for f in pq.read_schema(file) if pa.types.is_string(f.type)] if coded else []
    with pq.ParquetFile(file, read_dictionary=texts) as content:
        return content.read(None if columns is None else list(columns))


def of_loaded(loaded: Microdata) -> pa.Table:
    """All sensitive columns of the microdata."""
    return pa.Table.from_batches(list(loaded.sensitive(_BATCH)), loaded.sensitive_schema)


_BATCH = 1 << 17
