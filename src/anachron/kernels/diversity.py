"""The one comparison that l-diversity rests on, exact for any rational l."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags

__all__ = ["diverse"]


def diverse(most: Array, size: Array, l: int | Fraction) -> Flags:  # noqa: E741
    """Tell of which parts at most 1/l has the same value: most · l ≤ size, without rounding."""
    if int(size.max(initial=0)) * l.numerator < 2**63:  # most is never more than size
        enough: Flags = most * l.numerator <= size * l.denominator
        return enough
    exact = most.astype(object) * l.numerator <= size.astype(object) * l.denominator
    return np.asarray(exact, dtype=bool)
