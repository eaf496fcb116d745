"""Which counts of sensitive values can be published: Definition 1, and the most of a snapshot.

Notes
-----
The paper suppresses the most frequent value, record by record, until a snapshot is l-eligible.
What is left is min(n_s, L*) of each value s, where L* is the largest L with
Σ min(n_s, L) ≥ l·L. Now Σ min(n_s, L) is the least, over k, of k·L plus the records of all but
the k most frequent values; so L* is the smallest of the bounds L ≤ rest_k / (l − k), k < l, and
of the largest n_s. No other l-eligible choice keeps more of any value, so it costs least
whatever a record of each value costs.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from anachron.arrays import Array

__all__ = ["is_eligible", "kept", "level"]


def is_eligible(counts: Array, ell: Fraction) -> bool:
    """Say whether no value has more than one in l of the records; none at all are eligible."""
    if not len(counts):
        return True
    return int(counts.max()) * ell.numerator <= int(counts.sum()) * ell.denominator


def level(counts: Array, ell: Fraction) -> int:
    """Give L*, the most records of one value that can be kept."""
    if not len(counts):
        return 0
    num, den = ell.numerator, ell.denominator
    most, rest = int(counts.max()), int(counts.sum())
    if most * num <= rest * den:
        return most
    tops = min(ceil(ell) - 1, len(counts))
    frequent = np.sort(np.partition(counts, len(counts) - tops)[len(counts) - tops :])
    best = min(most, rest * den // num)
    for k, top in enumerate(reversed(frequent.tolist()), start=1):
        rest -= top
        best = min(best, rest * den // (num - k * den))
    return best


def kept(counts: Array, ell: Fraction) -> Array:
    """Give the most records of each value that make an l-eligible snapshot."""
    return np.minimum(counts, level(counts, ell))
