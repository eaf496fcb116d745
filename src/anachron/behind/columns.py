"""Columns as codes: a number for each row, and the value that each number stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Codes

__all__ = ["Coded", "ascending", "coded", "coded_texts"]


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


def coded_texts(texts: pa.ChunkedArray, hashes: pa.ChunkedArray) -> Coded:
    """The same for texts, of which each has its hash beside it: in half the time.

    Hashes are numbered instead of texts, and every text is then compared with the first one of its
    number; where two that differ have one hash, or a text is missing, texts are numbered after all.
    """
    if texts.null_count:
        return coded(texts)
    numbers = coded(hashes)
    # Written from the end, so that of each number the first row stays.
    first = np.zeros(len(numbers.values), dtype=np.int64)
    np.put(first, numbers.codes[::-1], np.arange(len(numbers.codes) - 1, -1, -1))
    values = texts.take(pa.array(first)).combine_chunks()
    at = 0
    for chunk in texts.chunks:
        expected = values.take(pa.array(numbers.codes[at : at + len(chunk)]))
        if not pc.all(pc.equal(expected, chunk)).as_py():
            return coded(texts)
        at += len(chunk)
    return Coded(numbers.codes, values)


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
