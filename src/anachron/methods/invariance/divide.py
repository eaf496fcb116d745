"""Division (Section 4.1): known people into buckets by remembered signature, the rest is S−.

=========  ================================================================================
``T(n)``   the snapshot to publish
``S∩``     its tuples of people that were published before: in the bucket of their signature
``S−``     its tuples of people that never were
=========  ================================================================================

Notes
-----
The paper's S∩ is T(n) ∩ T(n−1). Ours holds everyone who was ever published, so a returner gets
his old signature, and people are matched by pseudonym, so that a changed value does not look
like one person leaving and another coming. People whose value left their signature get a new
one beforehand: see ``changes``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array
from anachron.engines.base import COUNT, Batch
from anachron.methods.invariance.buckets import NEW, Buckets, Signature, in_order

__all__ = ["Division", "divide"]


@dataclass(frozen=True, eq=False)
class Division:
    """S∩ in buckets, as counts, and what is left as S−."""

    buckets: Buckets
    bucket: Array
    """Of each signature, if it is in use, and after the last one ``NEW``."""
    counts: Array
    """Tuples in each slot."""
    new: Array
    """Tuples of S− with each value."""


def divide(signatures: tuple[Signature, ...], counted: Batch, domain: int) -> Division:
    """Gather tuples by signature, and count S−.

    Parameters
    ----------
    signatures
        The signatures that those of the tuples count in.
    counted
        How many tuples have each ``signature``, or ``NEW``, and ``value``, as a code from 0 up to
        but not including ``domain``.
    """
    signature, values, count = (counted[name] for name in ("signature", "value", COUNT))
    known = signature != NEW
    used = np.unique(signature[known])
    buckets = Buckets(in_order(signatures[s] for s in used.tolist()))
    number = np.full(len(signatures) + 1, NEW, dtype=np.int64)
    for s in used.tolist():
        number[s] = buckets.number[signatures[s]]
    slot = buckets.slot(number[signature[known]], values[known])
    if (slot == NEW).any():
        raise ValueError("a signature lacks the value of one of its tuples")
    counts, new = (np.zeros(size, dtype=np.int64) for size in (len(buckets.value), domain))
    np.add.at(counts, slot, count[known])
    np.add.at(new, values[~known], count[~known])
    return Division(buckets, number, counts, new)
