"""Columns as arrays: what all that is read shares."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Array, Flags, Floats, Numbers, Words, distinct
from anachron.behind import Microdata

__all__ = [
    "HIGHEST",
    "LOWEST",
    "NO_MEMORY",
    "TALLIED",
    "Span",
    "batches",
    "coded",
    "combined",
    "descends",
    "exceeds",
    "floats",
    "is_number",
    "joined",
    "largest_share",
    "misnumbered",
    "notes_of",
    "of_loaded",
    "one_each",
    "places",
    "plain_zero",
    "plain_zero_values",
    "ranked",
    "read",
    "runs",
    "some_groups",
    "spread",
    "tally",
    "whole",
]

LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
TALLIED = 1 << 24
"""Numbers that are counted without sorting."""
_LARGEST = 2**62
Span = tuple[int, int | None]
"""The first row, and the one after the last; None for the end of the table."""


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


def floats(column: pa.ChunkedArray) -> Floats:
    """A column of numbers as fractions; NaN where one is missing."""
    return np.asarray(pc.cast(column, pa.float64(), safe=False).fill_null(np.nan), np.float64)


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
    length = np.full(len(first), len(key))
    length[:-1] = first[1:]
    length -= first
    return first, length


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
            key = np.zeros(len(codes), dtype=np.int64)
        elif size * count > _LARGEST:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key *= count
        key += codes
        size *= count
        del codes
    return (np.zeros(0, dtype=np.int64) if key is None else key), size


def joined(pairs: Iterable[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Lay pairs of arrays that come some at a time behind each other."""
    none = np.zeros(0, dtype=np.int64)
    first, second = zip((none, none), *pairs, strict=True)
    return np.concatenate(first), np.concatenate(second)


def spread(first: Array, count: Array) -> tuple[Array, Array]:
    """Pair each place i with each of the ``count[i]`` numbers from ``first[i]`` on."""
    who = np.repeat(np.arange(len(count)), count)
    before = np.cumsum(count) - count
    return who, np.repeat(first - before, count) + np.arange(len(who))


def descends(keys: Iterable[Numbers], size: int) -> tuple[Flags, Flags]:
    """For each of so many but the last: whether the next should stand before it, or is alike."""
    later = np.zeros(max(size - 1, 0), dtype=bool)
    tied = np.ones(len(later), dtype=bool)
    for key in keys:
        later |= tied & (key[1:] < key[:-1])
        tied &= key[1:] == key[:-1]
    return later, tied


def one_each(same: Sequence[Numbers], ranks: Sequence[Array | Flags | Words] = ()) -> Flags:
    """Choose one of all that are the same: the first by these ranks, or as they stand."""
    order = np.lexsort((*ranks[::-1], *same[::-1]))
    _, again = descends((key[order] for key in same), len(order))
    chosen = np.ones(len(order), dtype=bool)
    chosen[order[1:]] = ~again
    return chosen


def misnumbered(row_group: Array, before: int = 0) -> int:
    """How many rows break the numbering of groups as 1, 2, 3, … in the order of the rows.

    ``before`` is the group of the row before them.
    """
    steps = np.diff(row_group, prepend=before)
    odd = (steps < 0) | (steps > 1)
    odd[:1] = steps[:1] != 1
    return int(odd.sum())


def some_groups(start: Array, size: Array) -> Iterator[tuple[int, int]]:
    """Groups from one to before another, of so many rows as are looked at at once.

    Given are where the rows of each begin, and how many there are.
    """
    first, ends = 0, start + size
    while first < len(ends):
        most = int(start[first]) + _AT_ONCE
        end = max(int(np.searchsorted(ends, most, side="right")), first + 1)
        yield first, end
        first = end


_AT_ONCE = 1 << 17


def exceeds(part: Array, of: Array, limit: Fraction) -> Flags:
    """Whether part / of > limit, exactly: fractions such as 3/7 are no binary ones."""
    over, under = limit.numerator, limit.denominator
    if max(int(part.max(initial=0)) * under, int(of.max(initial=0)) * over) < 2**63:
        return np.asarray(part * under > of * over, dtype=bool)
    pairs = zip(part.tolist(), of.tolist(), strict=True)
    return np.array([n * under > total * over for n, total in pairs], dtype=bool)


def largest_share(part: Array, of: Array) -> Fraction:
    """The largest of the shares part / of, exactly."""
    width = int(of.max(initial=1)) + 1
    pairs = distinct(part * width + np.maximum(of, 1)).tolist()
    return max((Fraction(pair // width, pair % width) for pair in pairs), default=Fraction(0))


def is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def read(
    files: Sequence[Path],
    columns: Sequence[str] | None = None,
    *,
    coded: bool = False,
    only: Span = (0, None),
) -> pa.Table:
    """Read a table, or some of its columns or rows; texts with a dictionary if they are coded."""
    first, end = only
    schema = pq.read_schema(files[0])
    texts = [field.name for field in schema if pa.types.is_string(field.type)] if coded else []
    names = None if columns is None else list(columns)
    parts, before = [], 0
    for file in files:
        with pq.ParquetFile(file, read_dictionary=texts) as content:
            groups, starts = [], []
            for number in range(content.num_row_groups):
                many = content.metadata.row_group(number).num_rows
                if before + many > first and (end is None or before < end):
                    groups.append(number)
                    starts.append(before)
                before += many
            found = content.read_row_groups(groups, names)
            at = max(first - starts[0], 0) if starts else 0
            parts.append(found.slice(at, None if end is None else max(end - starts[0] - at, 0))
                         if starts else found)  # fmt: skip
    return pa.concat_tables(parts)


def batches(files: Sequence[Path], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of some columns of a table, some at a time."""
    for file in files:
        with pq.ParquetFile(file) as content:
            yield from content.iter_batches(_BATCH, columns=list(columns))


def of_loaded(loaded: Microdata) -> pa.Table:
    """All sensitive columns of the microdata."""
    return pa.Table.from_batches(list(loaded.sensitive(_BATCH)), loaded.sensitive_schema)


_BATCH = 1 << 17


def notes_of(table: pa.Table) -> Any:
    """What a ledger says beside the rows of a table that it keeps."""
    return json.loads((table.schema.metadata or {})[b"anachron"])


NO_MEMORY = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""What is raised by a memory that is none: wrong JSON, and pyarrow's errors about columns, too."""
