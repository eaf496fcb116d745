"""Records by their keyed hash: 16 bytes, as two numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Words

__all__ = ["RECORD", "ascends", "find", "keys_of", "repeated"]

"""One row for each record: the high and the low word of its hash."""

RECORD = pa.binary(16)
_SIEVE_BITS = 22


def keys_of(column: pa.Array) -> Words:
    """Read hashes as they stand in a state."""
    if not len(column):
        return np.zeros((0, 2), dtype=np.uint64)
    words = np.frombuffer(column.buffers()[1], dtype=">u8").reshape(-1, 2)
    return words[column.offset : column.offset + len(column)].astype(np.uint64)


def ascends(keys: Words) -> bool:
    """Whether no hash is less than the one before."""
    high, low = keys[:, 0], keys[:, 1]
    tied = high[1:] == high[:-1]
    return bool(((high[1:] > high[:-1]) | (tied & (low[1:] >= low[:-1]))).all())


def repeated(keys: Words) -> int:
    """How many of some ascending hashes are there twice."""
    return int((keys[1:] == keys[:-1]).all(axis=1).sum())


def find(wanted: Words, ascending: Words) -> Array:
    """The place of each wanted hash among ascending ones; -1 where it is not there."""
    found = np.full(len(wanted), -1, dtype=np.int64)
    if not len(ascending):
        return found
    # Few are ever listed: most are told by some of their bits.
    shift = np.uint64(64 - _SIEVE_BITS)
    sieve = np.zeros(1 << _SIEVE_BITS, dtype=bool)
    sieve[(ascending[:, 0] >> shift).astype(np.int64)] = True
    rows = np.flatnonzero(sieve[(wanted[:, 0] >> shift).astype(np.int64)])
    here = wanted[rows]
    at = np.minimum(np.searchsorted(ascending[:, 0], here[:, 0]), len(ascending) - 1)
    same = ascending[at] == here
    # Half a hash may be that of another, once in a very long time.
    for row in np.flatnonzero(same[:, 0] & ~same[:, 1]).tolist():
        while at[row] < len(ascending) and ascending[at[row], 0] == here[row, 0]:
            if ascending[at[row], 1] == here[row, 1]:
                same[row] = True
                break
            at[row] += 1
    found[rows] = np.where(same.all(axis=1), at, -1)
    return found
