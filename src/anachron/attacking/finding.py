"""What an attack gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Finding"]


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
