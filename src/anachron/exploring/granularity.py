"""Events: every least view of a setting is a point, and can be published by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from anachron.exploring import rehearsal
from anachron.exploring.common import ATTACK, OF_TIME, QUESTIONS, UNIQUE
from anachron.exploring.details import ViewTold
from anachron.exploring.lattice import lattice
from anachron.exploring.rehearsal import Rehearsal
from anachron.exploring.yardsticks import Exploring, Resolution, Yardstick
from anachron.guarantees import TimeGranularity
from anachron.ladders import Ladder, Raw
from anachron.trying.granularity import EventsFigures
from anachron.trying.run import Looked

__all__ = ["EVENTS", "narrowed"]

_RISKS = (
    Yardstick("group", "risk", "people in the smallest group", more=True,
              told=lambda figures, _: figures.smallest_group, promised=lambda own: own.k),
    Yardstick("row", "risk", "chance to pick somebody's row", share=True,
              told=lambda figures, _: figures.chance, promised=lambda own: 1 / own.k),
    Yardstick("value", "risk", "largest share of a value in a group", share=True,
              find=rehearsal.shared),
    UNIQUE, ATTACK,
)  # fmt: skip
_LOSSES = (
    Yardstick("time", "loss", "mean length of a granule, in days",
              told=lambda figures, _: figures.mean_length_days),
    Yardstick("left_out", "loss", "rows left out", share=True,
              told=lambda figures, _: figures.left_out_share),
    Yardstick("quasi", "loss", "what quasi columns lose",
              told=lambda figures, _: figures.quasi_loss or 0.0),
    *OF_TIME, QUESTIONS,
)  # fmt: skip


def _over(own: TimeGranularity) -> Mapping[str, Sequence[Any]]:
    return {
        "k": sorted({2, 3, 5, 10, 20, 50, own.k}),
        "max_suppressed": list(dict.fromkeys([own.max_suppressed, 0, "0.01", "0.05"])),
    }


def narrowed(own: TimeGranularity, figures: EventsFigures) -> TimeGranularity:
    """Offer an answer, and what is finer, and nothing else: no other view can keep the promise.

    All that is finer than a least answer fails, so it is the one answer of this promise.
    """
    finer = tuple(one for one in own.granularities if one.name in figures.finer)
    ladders = {
        column: ladder
        for column, offered in own.ladders
        if (ladder := _upto(offered, figures.rungs.get(column))) is not None
    }
    return replace(own, granularities=finer, ladders=tuple(sorted(ladders.items())))


def _upto(ladder: Ladder, step: int | None) -> Ladder | None:
    """A ladder that ends at a step; None for a column that stays as it is, which needs none."""
    if step is None:
        return ladder
    steps = ladder.steps[: step + 1]
    return None if len(steps) == 1 and isinstance(steps[0], Raw) else Ladder(steps)


def _resolution(_own: TimeGranularity, figures: EventsFigures) -> Resolution:
    return Resolution(figures.granularity, figures.mean_length_days)


def _closer(rehearsal: Rehearsal, _looked: Looked) -> dict[str, Any]:
    """The views that were on offer, as the owner is told of them."""
    told = rehearsal.entries[-1].explanation
    ladders = told["ladders"]
    views = (
        ViewTold(
            node["granularity"],
            "; ".join(f"{column}: {ladders[column][at]}" for column, at in node["steps"].items()),
            node["state"] == "holds",
            node["because"],
        )
        for node in told["nodes"]
    )
    edges = tuple((fine, coarse) for fine, coarse in told["order"]["edges"])
    charts = {"lattice": lattice(told, told["answers"][0])}
    return {"views": tuple(views), "edges": edges, "charts": charts}


EVENTS = Exploring(
    (*_RISKS, *_LOSSES),
    _over,
    _resolution,
    narrowed,
    shown=frozenset({"groups"}),
    closer=_closer,
)
