"""Exact linear programs in two variables, thousands at once: Section 6.2 of Shou et al.

==============  ==========================================================================
``mu, sigma``   mean and standard deviation of a series, both unknown; sigma ≥ 0
``A_j, B_j``    lower and upper cut of letter j: its values are in mu + sigma·[A_j, B_j]
``L_j, H_j``    known of the values with letter j: one is ≥ L_j, one is ≤ H_j (−∞, ∞: none)
program         L_j ≤ mu + sigma·B_j and mu + sigma·A_j ≤ H_j for every letter, sigma ≥ 0
certificate     weights p_j, q_i ≥ 0 of at most two of these inequalities whose sum says
                mu + sigma·a ≥ Σ p_j·L_j − Σ q_i·H_i
==============  ==========================================================================

The least mu + sigma·a of a program is the best of its certificates: the vertices of the dual
program, of which there are few. The weights depend on the cuts alone and not on what is known,
so all programs of the same cuts share them: a program costs a few products for each
certificate, and no search.

Three kinds of weights satisfy Σp − Σq = 1 and Σ p_j·B_j − Σ q_i·A_i ≤ a with two of them at
most: p_j = 1 where B_j ≤ a (Lemma 1 of the paper); p_j + p_k = 1 where a is between B_j and
B_k; and p_j = 1 + q_i where that makes the second an equality.

Notes
-----
Each certificate alone proves its bound. A weight is a quotient of differences of cuts, so its
relative error is a few units in the last place, however close the cuts: widen every L and H by
such a share of itself, and the result is a proven bound in spite of rounding. Cuts closer than
``PARALLEL`` are not made to meet, which can only weaken a bound.

Cuts may be uncertain by a ``slack``, as letters are cut from rounded numbers. A cut is off by
the same for all values that it divides, so that letters keep their order whatever the slack:
p_j = 1 needs none, and two weights are those of cuts moved outwards.

The paper solves each program by the simplex algorithm, with strict inequalities. We take them
closed: letters are closed on the left, and a series without spread has sigma = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anachron.arrays import Array, Floats

__all__ = ["PARALLEL", "Certificates", "certificates", "least", "most"]


PARALLEL = 1e-9
"""Two lines whose slopes differ by less are not made to meet."""

CELLS = 1 << 16
"""Certificates times programs in one go: few enough that they stay near the processor."""


class Certificates(NamedTuple):
    """All proofs of a lower bound of mu + sigma·a; column j is L_j, column J + i is −H_i."""

    single: Array
    """The columns that are a bound by themselves."""
    pair: Array
    """Two columns for each proof by two inequalities."""
    weight: Floats
    """Their weights, all positive."""


def certificates(A: Floats, B: Floats, a: float, slack: float = 0.0) -> Certificates:
    """List the vertices of the dual of: minimise mu + sigma·a.

    Example
    -------
    Of three letters with cuts −2, −1, 1 and 2, the lower cut of the last is a = 1. What is
    known to have a letter below is a bound, and two letters apart show how wide sigma is:

    >>> certificates(np.array([-2.0, -1, 1]), np.array([-1.0, 1, 2]), 1.0).single.tolist()
    [0, 1]
    """
    letters = len(A)
    single = np.flatnonzero(a >= B)
    A, B, a = A - slack, B + slack, a - slack
    j, k = np.meshgrid(np.arange(letters), np.arange(letters), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (a - B[j]) / (B[k] - B[j])
        again = (a - B[j]) / (B[j] - A[k])
    between = (B[j] < a) & (a < B[k])
    crossing = (np.abs(B[j] - A[k]) >= PARALLEL + 2 * slack) & (again > 0)
    other = ((B[k] - a) / np.where(between, B[k] - B[j], 1.0))[between]
    return Certificates(
        single,
        np.concatenate(
            [
                np.stack([j[between], k[between]], axis=1),
                np.stack([j[crossing], k[crossing] + letters], axis=1),
            ]
        ),
        np.concatenate(
            [
                np.stack([other, share[between]], axis=1),
                np.stack([1 + again[crossing], again[crossing]], axis=1),
            ]
        ),
    )


def least(L: Floats, H: Floats, A: Floats, B: Floats, a: float, slack: float = 0.0) -> Floats:
    """Give the smallest mu + sigma·a of each program; −∞ where nothing bounds it.

    Parameters
    ----------
    L, H
        One row for each program, one column for each letter.
    A, B
        The cuts, finite, the same for all programs.
    a
        The objective.
    slack
        By how much each cut, and a, may be off.

    Returns
    -------
    One number for each program. Of a program without a solution it means nothing.
    """
    proofs = certificates(A, B, a, slack)
    result = np.full(len(L), -np.inf)
    step = CELLS // (len(proofs.pair) + 1) + 1
    for start in range(0, len(L), step):
        here = slice(start, start + step)
        result[here] = _best(proofs, np.concatenate([L[here].T, -H[here].T]))
    return result


def most(L: Floats, H: Floats, A: Floats, B: Floats, b: float, slack: float = 0.0) -> Floats:
    """Give the largest mu + sigma·b of each program; ∞ where nothing bounds it.

    It is the smallest of the same series upside down.
    """
    return -least(-H, -L, -B, -A, -b, slack)


def _best(proofs: Certificates, known: Floats) -> Floats:
    """Give the best bound of each program that a certificate proves."""
    some = np.any(known > -np.inf, axis=1)
    usable = some[proofs.pair].all(axis=1)
    one, two = known[proofs.pair[usable, 0]], known[proofs.pair[usable, 1]]
    p, q = proofs.weight[usable, :1], proofs.weight[usable, 1:]
    alone: Floats = known[proofs.single].max(axis=0, initial=-np.inf)
    together: Floats = (p * one + q * two).max(axis=0, initial=-np.inf)
    return np.maximum(alone, together)
