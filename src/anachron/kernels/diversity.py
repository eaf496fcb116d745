"""l-diversity, exact for any rational l, and how large cells must be to have it by chance.

A cell is a part of a snapshot that was formed without a look at sensitive values. So it is a
sample: of s rows, about Binomial(s, p) have a value with share p of the snapshot. Above s/l they
are too many.

==========  ==============================================================================
``n``       rows of the snapshot
``p``       share of each value in it
``s``       rows of a cell
``t``       floor(s/l): the most rows of one value that a cell may have
``e``       E[(X − t)⁺] = s·p·P(X' ≥ t) − t·P(X > t), X ~ B(s, p), X' ~ B(s − 1, p): the rows
            of a value that are too many, expected
==========  ==============================================================================

Notes
-----
The size is that for which Σ e is at most a given share of s. It decides how much is told and left
out, never whether a promise holds: where values go with quasi values, more is left out. It depends
on how often each value occurs in a snapshot, and on nothing else: who has which value has no say.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Floats

__all__ = ["cell_size", "diverse"]

_DIGITS = 9
"""Expectations are compared when rounded, so that they are the same on every machine."""


def diverse(most: Array, size: Array, l: int | Fraction) -> Flags:  # noqa: E741
    """Tell of which parts at most 1/l has the same value: most · l ≤ size, without rounding."""
    if int(size.max(initial=0)) * l.numerator < 2**63:  # most is never more than size
        enough: Flags = most * l.numerator <= size * l.denominator
        return enough
    exact = most.astype(object) * l.numerator <= size.astype(object) * l.denominator
    return np.asarray(exact, dtype=bool)


def cell_size(counts: Array, l: Fraction, lost: Fraction) -> int:  # noqa: E741
    """The least size of cells of which at most a share ``lost`` is too much; 0 if there is none.

    Cells of more than half of a snapshot are none: it would not be cut.
    """
    counts = counts[counts > 0]
    n = int(counts.sum())
    sizes = _sizes(l, n // 2)
    if not len(sizes):
        return 0
    most = sizes * l.denominator // l.numerator
    crowded = _too_many(counts / n, sizes[:, None], most[:, None]).sum(axis=1)
    good = np.flatnonzero(np.round(crowded / sizes, _DIGITS) <= round(float(lost), _DIGITS))
    return int(sizes[good[0]]) if len(good) else 0


def _sizes(l: Fraction, largest: int) -> Array:  # noqa: E741
    """Whole multiples of l, rounded up, about a tenth apart."""
    multiples = np.arange(1, max(int(largest / l), 0) + 1)
    steps = np.unique(np.ceil(1.1 ** np.arange(400)).astype(np.int64))
    multiples = multiples[np.isin(multiples, steps)]
    sizes: Array = -(-multiples * l.numerator // l.denominator)
    return sizes[sizes <= largest]


def _too_many(p: Floats, s: Array, t: Array) -> Floats:
    """The rows of each value, expected, beyond t of s."""
    from scipy.special import bdtrc

    at_least = np.where(t > 0, bdtrc(np.maximum(t - 1, 0), np.maximum(s - 1, 1), p), 1.0)
    found: Floats = s * p * at_least - t * bdtrc(t, s, p)
    return np.maximum(found, 0.0)
