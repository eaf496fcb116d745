"""What an attack gives back, and how it is told from luck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from anachron.arrays import Floats

__all__ = ["Figures", "Finding", "beyond_chance", "percent"]

Figures = dict[str, int | float | str]
"""Counts and shares by name, and words; no personal values."""
_SURE = 3.0
"""So many standard deviations above what is expected are no luck."""


@dataclass(frozen=True)
class Finding:
    """What an adversary with a stated knowledge learns from a release.

    Parameters
    ----------
    attack
        The name of the attack, which is that of its module.
    title
        The same for people.
    knows
        What the adversary knows, in plain words.
    exposed
        How many people are exposed.
    people
        How many people were looked at.
    promised
        What the guarantee promises against this attack.
    measured
        What was measured, in words; never a value of the microdata.
    holds
        Whether the promise holds; None if no promise of the guarantee covers the attack.
    figures
        All that was measured: counts and shares, no personal values.
    sampled
        What was sampled, if not everyone was looked at.
    about
        One sentence that says what the attack does.
    """

    attack: str
    title: str
    knows: str
    exposed: int
    people: int
    promised: str
    measured: str
    holds: bool | None
    figures: Mapping[str, int | float | str] = field(default_factory=dict)
    sampled: str | None = None
    about: str = ""

    def __str__(self) -> str:
        word = {True: "holds", False: "fails", None: "not promised"}[self.holds]
        return f"{self.title}: {self.exposed:,} of {self.people:,} people exposed ({word})"

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as plain values."""
        return {**asdict(self), "figures": dict(self.figures)}


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
