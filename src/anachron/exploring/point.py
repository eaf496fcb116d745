"""One candidate: what it is, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anachron.exploring.yardsticks import Resolution, Yardstick
from anachron.guarantees import Guarantee
from anachron.plan import Plan
from anachron.trying.figures import Figures
from anachron.trying.show import plain, words

__all__ = ["Point", "line_of"]


@dataclass(frozen=True)
class Point:
    """One least answer of a setting; or that it cannot be kept, and why."""

    number: int
    """By which it is chosen; the first is 1."""
    method: str
    setting: Mapping[str, Any]
    """The parts of the promise that were tried."""
    plan: Plan | None
    """What to publish to get this very point; None if it cannot be kept."""
    own: bool
    """Whether the plan that was given has this setting."""
    first: bool
    """Whether this is what the setting publishes; others are as little general, and are
    published with the narrower offer of :attr:`plan`."""
    risks: Mapping[str, float | None]
    """By the names of yardsticks; None where there is nothing to measure."""
    losses: Mapping[str, float | None]
    resolution: Resolution
    """How fine time is."""
    figures: Figures | None
    """All that a trial tells; None if the setting cannot be kept."""
    beside: tuple[int, ...] = ()
    """The other least answers of the same setting: none of them is finer or coarser than this."""
    reason: str = ""
    """Why it cannot be kept."""
    given: int = 0
    """Of which of the plans that were given it is a candidate; the first is 0."""

    @property
    def kept(self) -> bool:
        """Whether the promise can be kept."""
        return self.figures is not None

    @property
    def guarantee(self) -> Guarantee | None:
        """What is promised."""
        return None if self.plan is None else self.plan.guarantee

    @property
    def title(self) -> str:
        """The setting, and which of its answers this is, in a line."""
        told = [f"{name} = {words(value)}" for name, value in self.setting.items()]
        if self.kept and self.resolution.name:
            told.append(f"by {self.resolution.name}")
        return ", ".join(told) or "the plan"

    def measure(self, name: str) -> float | None:
        """A risk or a loss by its name."""
        return self.risks[name] if name in self.risks else self.losses.get(name)

    def to_dict(self) -> dict[str, Any]:
        """Give all as plain values."""
        return {
            "point": self.number,
            "method": self.method,
            "setting": {name: plain(value) for name, value in self.setting.items()},
            "title": self.title,
            "own": self.own,
            "kept": self.kept,
            "first": self.first,
            "beside": list(self.beside),
            "resolution": self.resolution.name,
            "resolution_days": self.resolution.days,
            "risks": dict(self.risks),
            "losses": dict(self.losses),
            "figures": None if self.figures is None else self.figures.to_dict(),
            "reason": self.reason or None,
        }


def line_of(points: Iterable[Point], risk: Yardstick, loss: Yardstick) -> tuple[int, ...]:
    """The points that nothing beats in both, by their numbers, from the least risk to the most.

    A point that another one equals in both is on the line with it.
    """
    there = [
        (risk.worse(x), loss.worse(y), point.number)
        for point in points
        if (x := point.risks.get(risk.name)) is not None
        and (y := point.losses.get(loss.name)) is not None
    ]
    return tuple(number for _, _, number in _efficient(sorted(there)))


def _efficient(
    ascending: Sequence[tuple[float, float, int]],
) -> Iterable[tuple[float, float, int]]:
    """Of triples in order of their first: those whose second is below all before, or equal."""
    least, at = float("inf"), float("nan")
    for one in ascending:
        if one[1] < least:
            least, at = one[1], one[0]
            yield one
        elif one[:2] == (at, least):
            yield one
