"""Columns as codes: a number for each row, and the value that each number stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Codes

__all__ = ["Coded", "ascending", "coded"]


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: a code for each row, and the value of each code."""

    codes: Codes
    values: pa.Array


def coded(column: pa.ChunkedArray) -> Coded:
    """Number the different values; a missing one has the number -1."""
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    whole = column.combine_chunks().dictionary_encode()
    return Coded(np.asarray(whole.indices.fill_null(-1), dtype=np.int32), whole.dictionary)


def ascending(column: Coded) -> Coded:
    """Number the values by their order; a missing one is a value of its own, the last."""
    order = np.asarray(pc.sort_indices(column.values))
    # A missing value has the number -1, and so the last place.
    rank = np.full(len(order) + 1, len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    values = column.values.take(pa.array(order))
    if (column.codes < 0).any():
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return Coded(rank[column.codes], values)
