"""Telling what an attack finds from what luck finds."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Floats

__all__ = ["beyond_chance", "percent"]

_SURE = 3.0
"""So many standard deviations above what is expected are no luck."""


def beyond_chance(hits: float, chances: Floats) -> int:
    """How many more guesses were right than the given chances explain; 0 if luck explains them.

    >>> beyond_chance(60, np.full(100, 0.5)), beyond_chance(90, np.full(100, 0.5))
    (0, 40)
    """
    more = hits - float(chances.sum())
    spread = float(np.sqrt((chances * (1 - chances)).sum()))
    return round(more) if more > _SURE * spread and more >= 1 else 0


def percent(share: float) -> str:
    """Write a share as people read it.

    >>> percent(0.1234)
    '12.3 %'
    """
    return f"{100 * share:.1f} %"
