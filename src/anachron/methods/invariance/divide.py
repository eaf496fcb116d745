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
from anachron.methods.invariance.buckets import NEW, Buckets, Signature, in_order

__all__ = ["Division", "divide"]


@dataclass(frozen=True, eq=False)
class Division:
    """S∩ in buckets, as tuples and as counts, and what is left as S−."""

    buckets: Buckets
    bucket: Array
    """Of each tuple; ``NEW`` for S−."""
    counts: Array
    """Tuples in each slot."""
    new: Array
    """Tuples of S− with each value."""


def divide(
    signatures: tuple[Signature, ...], signature: Array, values: Array, domain: int
) -> Division:
    """Gather tuples by signature, and count S−.

    Parameters
    ----------
    signatures
        The signatures that ``signature`` counts in.
    signature
        Of each tuple, or ``NEW``.
    values
        The sensitive value of each tuple, as a code from 0 up to but not including ``domain``.
    """
    known = np.flatnonzero(signature != NEW)
    used = np.unique(signature[known])
    buckets = Buckets(in_order(signatures[s] for s in used.tolist()))
    number = np.full(len(signatures) + 1, NEW, dtype=np.int64)
    for s in used.tolist():
        number[s] = buckets.number[signatures[s]]
    bucket = number[signature]
    slot = buckets.slot(bucket[known], values[known])
    if (slot == NEW).any():
        raise ValueError("a signature lacks the value of one of its tuples")
    counts = np.bincount(slot, minlength=len(buckets.value))
    return Division(
        buckets, bucket, counts, np.bincount(values[signature == NEW], minlength=domain)
    )
