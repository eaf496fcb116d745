"""Find the rows that carry the same word in the same node, exactly and in one pass.

A table of the different (node, word) seen so far, found by a hash and compared letter by letter:
two rows get the same number if and only if they are equal. No order of words is needed, so
nothing is sorted.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Bytes
from anachron.kernels.compiled import compiled

__all__ = ["alike"]


def alike(letters: Bytes, node: Array) -> Array:
    """Number the different pairs of node and word 0, 1, 2, … as they come, one for each row."""
    slots = 1 << max(4, (2 * len(node)).bit_length())
    number: Array = _number(letters, node, np.full(slots, -1, dtype=np.int64))
    return number


@compiled
def _number(letters: Bytes, node: Array, slots: Array) -> Array:
    """Walk from the hashed slot to the first one that is free or holds an equal row."""
    n, T = letters.shape
    number = np.empty(n, dtype=np.int64)
    hashes = np.empty(n, dtype=np.uint64)
    found = 0
    mask = np.uint64(len(slots) - 1)
    for i in range(n):
        h = np.uint64(14695981039346656037) ^ np.uint64(node[i])
        h *= np.uint64(0x9E3779B97F4A7C15)
        for t in range(T):
            h = (h ^ np.uint64(letters[i, t])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(32)
        hashes[i] = h
        at = h & mask
        while True:
            other = slots[at]
            if other < 0:
                slots[at] = i
                number[i] = found
                found += 1
                break
            if hashes[other] == h and node[other] == node[i]:
                same = True
                for t in range(T):
                    if letters[other, t] != letters[i, t]:
                        same = False
                        break
                if same:
                    number[i] = number[other]
                    break
            at = (at + np.uint64(1)) & mask
    return number
