"""Keyed digests of people and of records, as rows of numbers: each is looked for among others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Words
from anachron.auditing.reading.columns import descends

__all__ = ["ascends", "find", "range_of", "repeated", "words_of"]

_SIEVE_BITS, _FEW = 22, 8


def words_of(column: pa.Array) -> Words:
    """Read digests as they stand in a state: 16 or 32 bytes, as two or four numbers."""
    wide = column.type.byte_width // 8
    if not len(column):
        return np.zeros((0, wide), dtype=np.uint64)
    words = np.frombuffer(column.buffers()[1], dtype=">u8").reshape(-1, wide)
    return words[column.offset : column.offset + len(column)].astype(np.uint64)


def ascends(digests: Words) -> bool:
    """Whether no digest is less than the one before."""
    return not descends(digests.T, len(digests))[0].any()


def repeated(digests: Words) -> int:
    """How many of some ascending digests are there twice."""
    return int((digests[1:] == digests[:-1]).all(axis=1).sum())


def find(wanted: Words, ascending: Words) -> Array:
    """The place of each wanted digest among ascending ones; -1 where it is not there."""
    found = np.full(len(wanted), -1, dtype=np.int64)
    if not len(ascending):
        return found
    rows = _sieved(wanted[:, 0], ascending[:, 0])
    head = wanted[:, 0].take(rows)
    if (head[1:] < head[:-1]).any():  # neighbours are found near each other
        rows = rows[np.argsort(head)]
    here = wanted.take(rows, axis=0)
    at = np.searchsorted(ascending[:, 0].copy(), here[:, 0].copy())
    at = np.minimum(at, len(ascending) - 1)
    there = ascending.take(at, axis=0)
    same = (there == here).all(axis=1)
    # A part of a digest may be that of another, once in a very long time.
    for row in np.flatnonzero(~same & (there[:, 0] == here[:, 0])).tolist():
        while at[row] < len(ascending) and ascending[at[row], 0] == here[row, 0]:
            if (ascending[at[row]] == here[row]).all():
                same[row] = True
                break
            at[row] += 1
    found[rows] = np.where(same, at, -1)
    return found


def _sieved(wanted: Words, listed: Words) -> Array:
    """The places of what may be listed: where little is, most is told by some of its bits."""
    if len(listed) > len(wanted) // _FEW:
        return np.arange(len(wanted))
    shift = np.uint64(64 - _SIEVE_BITS)
    sieve = np.zeros(1 << _SIEVE_BITS, dtype=bool)
    sieve[(listed >> shift).astype(np.int64)] = True
    return np.flatnonzero(sieve[(wanted >> shift).astype(np.int64)])


def range_of(digests: Words, parts: int) -> Array:
    """The range that each digest is in, of so many that ascend and are equally wide.

    >>> range_of(np.array([[0], [2**63 - 1], [2**63], [2**64 - 1]], dtype=np.uint64), 2).tolist()
    [0, 0, 1, 1]
    """
    high = digests[:, 0] >> np.uint64(32)
    return ((high * np.uint64(parts)) >> np.uint64(32)).astype(np.int64)
