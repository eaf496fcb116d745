"""Assignment (Section 4.2): place all of S− into balanced buckets.

=========  ================================================================================
``m``      the promise: a signature has at least m values
``n_i``    tuples of S− with its i-th most frequent value; 0 beyond the last (λ-th) value
``γ``      tuples of S−
``β``      number of values of the signature of an iteration
``α``      tuples of each of these values that the iteration moves
=========  ================================================================================

S− is m-eligible if m·n_1 ≤ γ. It is then assigned to the last tuple (Lemma 5).

Notes
-----
α has a closed form, so nothing is searched for. Inequalities 5 to 7 say
α ≤ n_β, α·(β − m) ≤ γ − m·n_1 and α·β ≤ γ − m·n_{β+1}. The paper does not define n_{λ+1}: it
is 0. λ is counted anew in every iteration.

The second inequality (6) need not be tested. For β = m it is m-eligibility itself. A larger β
is tried only if no α ≥ 1 satisfies (7) for the one before, γ < m·n_β + β − 1; since
γ ≥ (β − 1)·n_1 + n_β when the β − 1 before are equal (and γ ≥ m·n_1 for the first),
n_β > n_1 − 1, so all β are equal. Then γ − m·n_1 ≥ (β − m)·n_β ≥ (β − m)·α.

Where the paper does not publish (S− is not m-eligible), :func:`held_back` says exactly how many
tuples of each value are too many, the fewest possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from anachron.arrays import Array
from anachron.methods.invariance.buckets import Signature, canonical

__all__ = ["Step", "assign", "eligible", "held_back", "level"]

_Frequency = tuple[int, int, int]
"""Tuples left of a value, as a number below 0; its place in the draw; its code."""


@dataclass(frozen=True)
class Step:
    """One iteration of Figure 3: ``alpha`` tuples of each value of ``signature`` move."""

    alpha: int
    signature: Signature


def eligible(counts: Array, m: int) -> bool:
    """Tell whether at most 1/m of the tuples have the same value.

    >>> eligible(np.array([2, 1, 1]), 2), eligible(np.array([2, 1]), 2)
    (True, False)
    """
    return bool(m * counts.max(initial=0) <= counts.sum())


def assign(counts: Array, m: int, lots: Array) -> tuple[Step, ...]:
    """Run the algorithm Assign on the number of tuples of each value.

    ``lots`` ranks the values, and decides between equally frequent ones.

    >>> assign(np.array([3, 3, 1, 1]), 2, np.arange(4))
    (Step(alpha=3, signature=(0, 1)), Step(alpha=1, signature=(2, 3)))
    """
    if not eligible(counts, m):
        raise ValueError("S− is not m-eligible")
    # The most frequent value first, as in a list that is sorted anew at every iteration: only
    # those that moved change their places in it.
    heap = [(-int(counts[v]), int(lots[v]), v) for v in np.flatnonzero(counts).tolist()]
    heapify(heap)
    gamma = int(counts.sum())
    steps = []
    while heap:
        alpha, moved = _moved(heap, gamma, m)
        gamma -= alpha * len(moved)
        steps.append(Step(alpha, canonical(value for _, _, value in moved)))
        for n, lot, value in moved:
            if alpha < -n:
                heappush(heap, (n + alpha, lot, value))
    return tuple(steps)


def _moved(heap: list[_Frequency], gamma: int, m: int) -> tuple[int, list[_Frequency]]:
    """Take the β most frequent values off, for the smallest β that has an α; its largest α."""
    first: list[_Frequency] = []
    while heap:
        first.append(heappop(heap))
        beta, n = len(first), -first[-1][0]
        following = -heap[0][0] if heap else 0
        if beta >= m and (alpha := min(n, (gamma - m * following) // beta)) >= 1:
            return alpha, first
    raise AssertionError("Lemma 5 fails")


def level(counts: Array, m: int) -> int:
    """Find the largest L for which S−, cut down to L tuples of each value, has m·L of them.

    Σ min(n, L) − m·L is concave in L and 0 at L = 0, so it is not negative up to the answer
    and negative after it: bisection is exact.
    """
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() >= m * middle:
            low = middle
        else:
            high = middle - 1
    return low


def held_back(counts: Array, m: int, used: Array | None = None) -> Array:
    """Say how many tuples of each value cannot be published: the fewest in all.

    ``used`` is how many tuples of each value the buckets could take beforehand. What remains
    for Assign has at most L tuples of a value and needs m·L in all, so at most
    min(n, used + L) tuples of a value find a place. That grows with L, and the largest L that
    S− allows is its :func:`level`.

    >>> held_back(np.array([5, 1, 1]), 2)
    array([3, 0, 0])
    """
    takes = np.zeros_like(counts) if used is None else np.minimum(used, counts)
    return np.maximum(counts - takes - level(counts, m), 0)
