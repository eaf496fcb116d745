"""Long columns as arrays: read some rows at a time, and held in half the memory where they may be.

What comes of a column is the same as if it had been read as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Numbers
from anachron.auditing.reading.columns import batches, coded, whole

__all__ = ["long_column", "long_ranked"]

Made = Callable[[pa.ChunkedArray], Numbers]
_SMALL = np.iinfo(np.int32).max


def long_column(files: Sequence[Path], name: str, made: Made) -> Numbers:
    """What is made of the cells of a column, row by row."""
    rows = sum(pq.read_metadata(file).num_rows for file in files)
    found: Numbers = np.empty(rows, dtype=np.int32 if rows else np.int64)
    at = 0
    for batch in batches(files, [name]):
        some = made(pa.chunked_array([batch.column(0)]))
        if found.dtype == np.int32 and not _are_small(some):
            found = found.astype(some.dtype)
        found[at : at + len(some)] = some
        at += len(some)
    return found


def _are_small(numbers: Numbers) -> bool:
    """Whether 32 bits are enough for numbers that are not negative."""
    whole_ones = np.issubdtype(numbers.dtype, np.integer)
    return bool(whole_ones and numbers.min(initial=0) >= 0 and numbers.max(initial=0) <= _SMALL)


def long_ranked(files: Sequence[Path], name: str) -> tuple[Numbers, pa.Array]:
    """Give each row's value as a place among all values, which are given too, ascending.

    A missing value has the place after the last.
    """
    parts = [coded(pa.chunked_array([b.column(0)])).dictionary for b in batches(files, [name])]
    kind = pq.read_schema(files[0]).field(name).type
    found = coded(pa.chunked_array(parts or [pa.array([], kind)])).dictionary
    domain = found.take(pc.sort_indices(found))

    def rank(column: pa.ChunkedArray) -> Numbers:
        place = whole(pc.index_in(column, value_set=domain), -1)
        place[place < 0] = len(domain)
        return place

    return long_column(files, name, rank), domain
