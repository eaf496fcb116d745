"""Equal values that stand together in the groups of a release, as its rows pass by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.arrays import Array
from anachron.auditing.reading.columns import coded, largest_share, plain_zero, runs, whole

__all__ = ["longest_run"]


def longest_run(files: Sequence[Path], column: str) -> Fraction:
    """The largest share that a run of equal values has in the rows of its group.

    Rows of a group stand together; a missing value is a value of its own.
    """
    share, last, rows, most = Fraction(0), 0, 0, 0
    for group, length in _runs(files, column):
        first, _ = runs(group)
        sizes, longest = np.add.reduceat(length, first), np.maximum.reduceat(length, first)
        if rows and group[0] == last:
            sizes[0] += rows
            longest[0] = max(int(longest[0]), most)
        elif rows:
            share = max(share, Fraction(most, rows))
        share = max(share, largest_share(longest[:-1], sizes[:-1]))
        # The group may go on.
        last, rows, most = int(group[-1]), int(sizes[-1]), int(longest[-1])
    return max(share, Fraction(most, rows)) if rows else share


def _runs(files: Sequence[Path], column: str) -> Iterator[tuple[Array, Array]]:
    """The group of each run of equal values, and how many rows it has; some at a time."""
    group, length = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    value: pa.Array | None = None
    for groups, values in _parts(files, column):
        codes = whole(values.indices, -1)
        heads = np.ones(len(codes), dtype=bool)
        heads[1:] = (groups[1:] != groups[:-1]) | (codes[1:] != codes[:-1])
        first = np.flatnonzero(heads)
        found = np.diff(np.append(first, len(codes)))
        if value is not None and group[0] == groups[0] and _alike(value, values[:1]):
            found[0] += length[0]
        elif value is not None:
            yield group, length
        if len(first) > 1:
            yield groups[first[:-1]], found[:-1]
        # The run may go on.
        group, length, value = groups[-1:], found[-1:], values[-1:]
    if value is not None:
        yield group, length


def _parts(files: Sequence[Path], column: str) -> Iterator[tuple[Array, pa.DictionaryArray]]:
    """Groups and values of rows, as many as are written together."""
    for file in files:
        is_text = pa.types.is_string(pq.read_schema(file).field(column).type)
        with pq.ParquetFile(file, read_dictionary=[column] if is_text else []) as content:
            for number in range(content.num_row_groups):
                rows = content.read_row_group(number, ["group", column])
                if rows.num_rows:
                    values = coded(plain_zero(rows.column(column)))
                    yield whole(rows.column("group"), 0), values


def _alike(one: pa.Array, other: pa.Array) -> bool:
    """Whether two values are equal, or both are missing."""
    cells = [value.dictionary.take(value.indices) for value in (one, other)]
    first, second = whole(coded(pa.chunked_array(cells)).indices, -1)
    return bool(first == second)
