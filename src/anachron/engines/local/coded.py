"""Columns as codes: every distinct value once, and a number for each row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Codes
from anachron.engines.local.marked import problem_at
from anachron.errors import Problem

__all__ = ["Coded", "encode", "encode_texts", "in_order", "quasi_problems"]


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: a code for each row, and the value of each code."""

    codes: Codes
    values: pa.Array


def encode(column: pa.ChunkedArray) -> Coded:
    """Number the distinct values in the order in which they come; missing is -1."""
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    encoded = column.dictionary_encode()
    codes = np.empty(len(column), dtype=np.int32)
    values = pa.array([], column.type)
    at = 0
    for chunk in encoded.chunks:
        # Every chunk carries the whole dictionary.
        values = chunk.dictionary
        indices = chunk.indices.fill_null(-1) if chunk.null_count else chunk.indices
        codes[at : at + len(chunk)] = indices.to_numpy(zero_copy_only=False)
        at += len(chunk)
    return Coded(codes, values)


def encode_texts(texts: pa.ChunkedArray, hashes: pa.ChunkedArray) -> Coded:
    """Number texts by their hashes, which takes half the time; the same codes as of the texts.

    Should two texts have one hash, or one be missing, the texts themselves are numbered.
    """
    if texts.null_count:
        return encode(texts)
    by_hash = encode(hashes)
    first = np.empty(len(by_hash.values), dtype=np.int64)
    first[by_hash.codes[::-1]] = np.arange(len(by_hash.codes))[::-1]
    found = Coded(by_hash.codes, texts.take(pa.array(first)).combine_chunks())
    return found if _stands_for(found, texts) else encode(texts)


def _stands_for(coded: Coded, column: pa.ChunkedArray) -> bool:
    """Whether the value of each row's code is that of the row."""
    ends = np.cumsum([0, *(len(chunk) for chunk in column.chunks)]).tolist()
    return all(
        coded.values.take(pa.array(coded.codes[start:end])).equals(chunk)
        for start, end, chunk in zip(ends, ends[1:], column.chunks, strict=False)
    )


def in_order(coded: Coded) -> Coded:
    """Renumber by ascending value; missing is a value of its own, and the last."""
    ascending = pc.sort_indices(coded.values).to_numpy()
    rank = np.empty(len(ascending) + 1, dtype=np.int32)
    rank[ascending] = np.arange(len(ascending), dtype=np.int32)
    # Code -1 finds the last place.
    rank[-1] = len(ascending)
    values = coded.values.take(pa.array(ascending))
    if np.any(coded.codes < 0):
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return Coded(rank[coded.codes], values)


def quasi_problems(coded: Coded, column: str, file: str) -> Iterable[Problem]:
    """Say where a column holds what is no number."""
    if not pa.types.is_floating(coded.values.type):
        return
    wrong = ~np.isfinite(coded.values.to_numpy(zero_copy_only=False).astype(float))
    if wrong.any():
        # Code -1 finds the last place: a missing value is welcome.
        yield problem_at(
            np.append(wrong, False)[coded.codes],
            "is not a finite number (NaN or infinite) in {n}.",
            "Leave the cell empty where the value is not known.",
            column,
            file,
        )
