"""Sets of sensitive values as bits: one row for each set, sixty-four values in each word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from anachron.arrays import Array, Words

__all__ = ["bits_of", "sizes", "united"]


def bits_of(of: Array, value: Array, sets: int, values: int) -> Words:
    """Gather ``sets`` sets of ``values`` possible values, from pairs of a set and a value in it.

    >>> sizes(bits_of(np.array([0, 0, 1]), np.array([3, 70, 3]), 2, 80))
    array([2, 1])
    """
    words = max(1, -(-values // 64))
    bits = np.zeros((sets, words), dtype=np.uint64)
    bit = np.left_shift(np.uint64(1), (value % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (of, value // 64), bit)
    return bits


def united(sets: Sequence[Iterable[int]], values: int) -> Words:
    """Give sets of numbers as bits.

    >>> sizes(united([{1, 2}, {1}, ()], 3))
    array([2, 1, 0])
    """
    listed = [list(one) for one in sets]
    of = np.repeat(np.arange(len(listed)), [len(one) for one in listed])
    value = np.array([value for one in listed for value in one], dtype=np.int64)
    return bits_of(of, value, len(listed), values)


def sizes(bits: Words) -> Array:
    """Count the values of each set."""
    counted: Array = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return counted
