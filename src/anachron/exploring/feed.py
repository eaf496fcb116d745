"""Feeds: what the whole of one comes to, from its first snapshot to its last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anachron.exploring.common import ATTACK, OF_TIME, QUESTIONS, UNIQUE
from anachron.exploring.rehearsal import Rehearsal
from anachron.exploring.yardsticks import Exploring, Resolution, Yardstick
from anachron.guarantees import Reposition
from anachron.trying.feed import FeedFigures
from anachron.trying.run import Looked

__all__ = ["FEED"]


def _value(figures: FeedFigures, _own: Reposition) -> float | None:
    if figures.fewest_values is not None:
        return 1 / max(figures.fewest_values, 1)
    return figures.largest_share


def _left_out(figures: FeedFigures, _own: Reposition) -> float:
    missing = figures.left_out + figures.dropped + figures.refused
    return missing / max(figures.published + missing, 1)


def _counterfeits(figures: FeedFigures, _own: Reposition) -> float:
    fake = figures.counterfeits or 0
    return fake / max(figures.published + fake, 1)


_YARDSTICKS = (
    Yardstick("value", "risk", "largest chance to know a value", share=True, told=_value,
              promised=lambda own: float(1 / own.l)),
    UNIQUE, ATTACK,
    Yardstick("delay", "loss", "mean delay, in snapshots",
              told=lambda figures, _: figures.mean_delay),
    Yardstick("left_out", "loss", "records left out", share=True, told=_left_out),
    Yardstick("moving", "loss", "cost by mu and beta", told=lambda figures, _: figures.loss),
    Yardstick("counterfeits", "loss", "rows of nobody", share=True, told=_counterfeits),
    *OF_TIME, QUESTIONS,
)  # fmt: skip


def _over(own: Reposition) -> Mapping[str, Sequence[Any]]:
    window = sorted({1, 2, 4, 7, own.window})
    if not isinstance(own.then, str):  # an m-invariance, whose m it is
        return {"window": window}
    return {"l": sorted({2, 3, 4, 5, own.l}), "window": window}


def _resolution(own: Reposition, _figures: FeedFigures) -> Resolution:
    return Resolution(own.snapshot.name)


def _closer(rehearsal: Rehearsal, _looked: Looked) -> dict[str, Any]:
    """How late records are, over all releases."""
    told = [entry.explanation["distances"] for entry in rehearsal.entries]
    return {"delays": tuple(sum(n) for n in zip(*told, strict=True))}


FEED = Exploring(
    _YARDSTICKS,
    _over,
    _resolution,
    shown=frozenset({"groups", "time", "shares", "counterfeits"}),
    closer=_closer,
)
