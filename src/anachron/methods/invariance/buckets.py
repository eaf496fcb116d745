"""Signatures, and buckets of people that share one: the tables that all phases work on.

=============  ===========================================================================
signature      set of sensitive values (Definition 16), as a sorted tuple of value codes
bucket         the people of a release with one signature (Section 4.1, Division)
slot           one pair (bucket, value of its signature)
height         tuples of the value that most tuples of a bucket have
shortage       height less the tuples of a slot's value: what keeps the bucket unbalanced
=============  ===========================================================================

Notes
-----
Signatures are sets, so the paper's buckets need one canonical form and one canonical order:
a signature is sorted, and buckets stand in the order of (number of values, values). Neither
the order of the input nor that of earlier releases has an influence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from anachron.arrays import Array

__all__ = ["NEW", "Buckets", "Signature", "canonical", "in_order"]

Signature = tuple[int, ...]

NEW = -1
"""Stands for a bucket, signature or group where there is none."""

_DENSE = 4
"""Look slots up in a table of all pairs while it is at most this often larger than the data."""


def canonical(values: Iterable[int]) -> Signature:
    """Give a set of values the form of a signature.

    >>> canonical([3, 1, 3])
    (1, 3)
    """
    return tuple(sorted({int(value) for value in values}))


def in_order(signatures: Iterable[Signature]) -> tuple[Signature, ...]:
    """Give different signatures in canonical order: the shorter first, then by values."""
    return tuple(sorted(set(signatures), key=lambda signature: (len(signature), signature)))


@dataclass(frozen=True, eq=False)
class Buckets:
    """Signatures, and their slots side by side in one row."""

    signatures: tuple[Signature, ...]
    """All different, but for those of a bucket that was halved."""

    @cached_property
    def sizes(self) -> Array:
        """The number of values of each signature: the paper's s."""
        return np.fromiter(map(len, self.signatures), np.int64, len(self.signatures))

    @cached_property
    def start(self) -> Array:
        """Where the slots of each bucket begin, and after the last one where they end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def value(self) -> Array:
        """The value of each slot."""
        return np.fromiter(chain.from_iterable(self.signatures), np.int64, int(self.start[-1]))

    @cached_property
    def bucket(self) -> Array:
        """The bucket of each slot."""
        return np.repeat(np.arange(len(self.signatures)), self.sizes)

    @cached_property
    def number(self) -> dict[Signature, int]:
        """The bucket of each signature."""
        return {signature: number for number, signature in enumerate(self.signatures)}

    def slot(self, bucket: Array, value: Array) -> Array:
        """Find the slot of each pair of bucket and value; ``NEW`` where there is none."""
        if not len(self.value):
            return np.full(len(bucket), NEW, dtype=np.int64)
        width = max(int(self.value.max()), int(value.max(initial=0))) + 1
        keys = self.bucket * width + self.value
        wanted = np.where(bucket == NEW, len(self.signatures), bucket) * width + value
        space = (len(self.signatures) + 1) * width
        if space <= _DENSE * (len(value) + len(keys)):
            table = np.full(space, NEW, dtype=np.int64)
            table[keys] = np.arange(len(keys))
            return table[wanted]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, at, NEW)

    def heights(self, counts: Array) -> Array:
        """The largest count of each bucket, given the count of each slot."""
        if not len(self.signatures):
            return np.zeros(0, dtype=np.int64)
        return np.maximum.reduceat(counts, self.start[:-1])

    def shortages(self, counts: Array) -> Array:
        """What each slot lacks for its bucket to be balanced."""
        return self.heights(counts)[self.bucket] - counts
