"""Draw lots: which tuples move, and what comes first among equals.

Notes
-----
"Randomly move α tuples" (Figure 3, line 11) carries the promise: if quasi values or names
decided who moves, an adversary who knows the algorithm could be certain about some people.
So members of a value are ranked by a keyed hash, and moved in that order. The hash is uniform
and secret, gives the same answer when a release is computed again, and does not depend on the
order of the input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anachron.arrays import Array, Bytes, Words
from anachron.kernels import hashing
from anachron.kernels.hashing import SUBJECT_BYTES, shuffled

__all__ = ["KeyedLots", "Lots"]


class Lots(Protocol):
    """A source of fair draws."""

    def subjects(self, purpose: str, subjects: Bytes) -> Words:
        """Draw a number for each subject, of one word or two: the smallest comes first."""
        ...

    def values(self, purpose: str, domain: int) -> Array:
        """Give each value code its place, the same for all subjects."""
        ...

    def drawn(self, purpose: str, domain: int, subject: bytes) -> Iterator[int]:
        """Draw value codes for one subject, one after the other, until all are drawn."""
        ...


@dataclass(frozen=True)
class KeyedLots:
    """Lots that are drawn by SHA-256 with the ledger's secret key, for one release."""

    key: bytes
    release: int

    def subjects(self, purpose: str, subjects: Bytes) -> Words:
        """Draw a number for each subject: the smallest comes first."""
        return hashing.rank_keys(self.key, self.release, purpose, subjects)

    def values(self, purpose: str, domain: int) -> Array:
        """Give each value code its place, the same for all subjects."""
        nobody = np.zeros((domain, SUBJECT_BYTES), dtype=np.uint8)
        codes = [code.to_bytes(8, "big") for code in range(domain)]
        return hashing.ranks(self.key, self.release, purpose, nobody, codes)

    def drawn(self, purpose: str, domain: int, subject: bytes) -> Iterator[int]:
        """Draw value codes for one subject, one after the other, until all are drawn."""
        return shuffled(self.key, self.release, purpose, subject, domain)

    def __repr__(self) -> str:
        return f"KeyedLots(release={self.release})"
