"""Series: envelopes and patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anachron.exploring.common import ATTACK, QUESTIONS, UNIQUE
from anachron.exploring.rehearsal import Rehearsal
from anachron.exploring.yardsticks import Exploring, Resolution, Yardstick
from anachron.guarantees import KPAnonymity
from anachron.trying.run import Looked
from anachron.trying.series import SeriesFigures

__all__ = ["SERIES"]


def _left_out(figures: SeriesFigures, _own: KPAnonymity) -> float:
    return figures.left_out / max(figures.published + figures.left_out, 1)


_YARDSTICKS = (
    Yardstick("row", "risk", "chance to find somebody's row", share=True,
              told=lambda figures, _: figures.chance, promised=lambda own: 1 / own.P),
    Yardstick("value", "risk", "largest chance to know a value", share=True,
              told=lambda figures, _: figures.value_chance),
    UNIQUE, ATTACK,
    Yardstick("values", "loss", "mean width of an envelope",
              told=lambda figures, _: figures.value_loss),
    Yardstick("shapes", "loss", "mean loss of a pattern",
              told=lambda figures, _: figures.pattern_loss),
    Yardstick("left_out", "loss", "series left out", share=True, told=_left_out),
    QUESTIONS,
)  # fmt: skip


def _over(own: KPAnonymity) -> Mapping[str, Sequence[Any]]:
    return {"k": sorted({own.k, 5, 10, 20, 40}), "P": sorted({own.P, 2, 3, 5})}


def _resolution(own: KPAnonymity, _figures: SeriesFigures) -> Resolution:
    if own.granularity is not None:
        return Resolution(own.granularity.name)
    return Resolution("each time" if own.segments is None else f"{own.segments} segments")


def _closer(rehearsal: Rehearsal, _looked: Looked) -> dict[str, Any]:
    """How many letters patterns have."""
    return {"levels": dict(rehearsal.entries[-1].explanation["levels"])}


SERIES = Exploring(
    _YARDSTICKS,
    _over,
    _resolution,
    shown=frozenset({"groups", "envelopes", "shapes", "levels"}),
    closer=_closer,
)
