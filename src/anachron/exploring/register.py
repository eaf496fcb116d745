"""Registers: what the next release comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anachron.exploring.ahead import ahead
from anachron.exploring.common import ATTACK, QUESTIONS, UNIQUE
from anachron.exploring.rehearsal import Rehearsal
from anachron.exploring.yardsticks import Exploring, Resolution, Yardstick
from anachron.guarantees import MInvariance
from anachron.trying.register import RegisterFigures
from anachron.trying.run import Looked

__all__ = ["REGISTER"]


def _left_out(figures: RegisterFigures, _own: MInvariance) -> float:
    missing = figures.held_back + figures.left_out
    return missing / max(figures.published + missing, 1)


_YARDSTICKS = (
    Yardstick("value", "risk", "largest chance to know a value", share=True,
              told=lambda figures, _: figures.chance, promised=lambda own: 1 / own.m),
    UNIQUE, ATTACK,
    Yardstick("counterfeits", "loss", "rows of nobody", share=True,
              told=lambda figures, _: figures.counterfeit_share),
    Yardstick("left_out", "loss", "people left out", share=True, told=_left_out),
    QUESTIONS,
)  # fmt: skip


def _over(own: MInvariance) -> Mapping[str, Sequence[Any]]:
    return {
        "m": sorted({2, 3, 4, 5, 6, 8, 10, own.m}),
        "when_ineligible": list(dict.fromkeys([own.when_ineligible, "hold"])),
    }


def _resolution(_own: MInvariance, _figures: RegisterFigures) -> Resolution:
    return Resolution("")


def _closer(rehearsal: Rehearsal, looked: Looked) -> dict[str, Any]:
    """Releases that might follow."""
    return {"ahead": tuple(ahead(rehearsal, looked))}


REGISTER = Exploring(
    _YARDSTICKS,
    _over,
    _resolution,
    shown=frozenset({"groups", "counterfeits"}),
    closer=_closer,
)
