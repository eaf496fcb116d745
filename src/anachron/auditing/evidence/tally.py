"""Numbers that come some at a time, and how often each came."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array

__all__ = ["RunningCount", "merged", "paired", "parted"]

_HALF = 32


class RunningCount:
    """Counts numbers."""

    def __init__(self) -> None:
        self.number = np.zeros(0, dtype=np.int64)
        """Those that came, ascending."""
        self.count = np.zeros(0, dtype=np.int64)

    def add(self, numbers: Array) -> None:
        """Count some more."""
        found, count = np.unique(numbers, return_counts=True)
        both = np.concatenate([self.number, found])
        self.number, which = np.unique(both, return_inverse=True)
        total = np.zeros(len(self.number), dtype=np.int64)
        np.add.at(total, which, np.concatenate([self.count, count]))
        self.count = total

    def of(self, numbers: Array) -> Array:
        """How often each of these numbers, which all came, did."""
        return self.count[np.searchsorted(self.number, numbers)]

    def each(self) -> dict[int, int]:
        """The count of each."""
        return dict(zip(self.number.tolist(), self.count.tolist(), strict=True))


def merged(known: Array, more: Array) -> Array:
    """Different numbers, ascending, and those that came."""
    return np.union1d(known, more)


def paired(first: Array, second: Array) -> Array:
    """Pairs of numbers below 2 ** 31, from -1 on, as one number each; in the order of pairs.

    >>> [side.tolist() for side in parted(paired(np.array([-1, 5]), np.array([7, -1])))]
    [[-1, 5], [7, -1]]
    """
    return ((first + 1) << _HALF) | (second + 1)


def parted(pairs: Array) -> tuple[Array, Array]:
    """The sides of such pairs."""
    return (pairs >> _HALF) - 1, (pairs & ((1 << _HALF) - 1)) - 1
