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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anachron.arrays import Array, Bytes
from anachron.kernels.hashing import SUBJECT_BYTES, ranks, shuffled

__all__ = ["KeyedLots", "Lots", "choose"]


class Lots(Protocol):
    """A source of fair draws. Every answer is an order of 0, 1, 2, …"""

    def subjects(self, purpose: str, subjects: Bytes) -> Array:
        """Give each subject its place."""
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

    def subjects(self, purpose: str, subjects: Bytes) -> Array:
        """Give each subject its place."""
        return ranks(self.key, self.release, purpose, subjects)

    def values(self, purpose: str, domain: int) -> Array:
        """Give each value code its place, the same for all subjects."""
        nobody = np.zeros((domain, SUBJECT_BYTES), dtype=np.uint8)
        codes = [code.to_bytes(8, "big") for code in range(domain)]
        return ranks(self.key, self.release, purpose, nobody, codes)

    def drawn(self, purpose: str, domain: int, subject: bytes) -> Iterator[int]:
        """Draw value codes for one subject, one after the other, until all are drawn."""
        return shuffled(self.key, self.release, purpose, subject, domain)

    def __repr__(self) -> str:
        return f"KeyedLots(release={self.release})"


def choose(
    values: Array, places: Array, destinations: Sequence[tuple[Array, Array, Array]]
) -> Array:
    """Give each tuple of S− its destination.

    Parameters
    ----------
    values, places
        The value of each tuple, and its place in the draw.
    destinations
        Parts of (value, destination, how many tuples of that value go there). The tuples of a
        value go to them in this order, the first in the draw first; each tuple goes somewhere.
    """
    value, destination, count = (np.concatenate(part) for part in zip(*destinations, strict=True))
    by_value = np.argsort(value, kind="stable")
    goes_to = np.repeat(destination[by_value], count[by_value])
    if len(goes_to) != len(values):
        raise ValueError("not as many places as tuples")
    order = np.argsort(values * max(len(values), 1) + places)
    chosen = np.empty(len(values), dtype=np.int64)
    chosen[order] = goes_to
    return chosen
