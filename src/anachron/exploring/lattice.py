"""The views that were on offer, as a drawing: the finest at the foot, what is coarser above.

Where ladders make too many views to be told apart, one mark stands for each granularity: it holds
if it does with any steps of the ladders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anachron.exploring.chart import ExploringChart
from anachron.reporting.charts import Chart

__all__ = ["lattice"]

_MOST = 40
"""So many views are drawn one by one."""
Key = tuple[str, tuple[int, ...]]
"""A granularity, and the step of each ladder."""


@dataclass(frozen=True)
class _View:
    """One view: what it is called, and where it stands."""

    key: Key
    label: str
    why: str
    holds: bool
    chosen: bool
    rank: int
    """How many steps up from the finest at most."""
    x: float = 0.0


def lattice(told: Mapping[str, Any], chosen: Mapping[str, Any]) -> Chart:
    """Draw the views that a release of events tells its owner of; one of them was chosen."""
    edges = [(fine, coarse) for fine, coarse in told["order"]["edges"]]
    views = _views(told, chosen, _ranks(edges))
    many, kept = len(views), sum(view.holds for view in views)
    if many > _MOST:
        views = _by_granularity(views)
    placed = _placed(views, edges)
    return ExploringChart(
        name="lattice",
        says=f"{many:,} views, coarser ones above finer ones; {kept:,} keep the promise.",
        records=(*_lines(placed, edges), *map(_record, placed)),
        head=("view", "keeps the promise", "because"),
        rows=tuple((view.label, "yes" if view.holds else "no", view.why) for view in placed),
        numeric=(),
        worded=("label", "view", "why"),
    )


def _ranks(edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How far each granularity is from the finest, by the longest way."""
    found: dict[str, int] = {}
    for _ in range(len(edges) + 1):
        for fine, coarse in edges:
            found[coarse] = max(found.get(coarse, 0), found.setdefault(fine, 0) + 1)
    return found


def _views(
    told: Mapping[str, Any], chosen: Mapping[str, Any], ranks: Mapping[str, int]
) -> list[_View]:
    def named(node: Mapping[str, Any]) -> str:
        steps = (f"{told['ladders'][column][at]}" for column, at in node["steps"].items())
        return "; ".join([node["granularity"].replace("_", " "), *steps])

    return [
        _View(
            (node["granularity"], tuple(node["steps"].values())),
            named(node),
            node["because"],
            node["state"] == "holds",
            node["granularity"] == chosen["granularity"] and node["steps"] == chosen["steps"],
            ranks.get(node["granularity"], 0) + sum(node["steps"].values()),
        )
        for node in told["nodes"]
    ]


def _by_granularity(views: Sequence[_View]) -> list[_View]:
    """One mark for each granularity: its finest view that holds, else its coarsest."""
    found: dict[str, _View] = {}
    ranks: dict[str, int] = {}
    chosen = {view.key[0] for view in views if view.chosen}
    for view in views:
        name = view.key[0]
        ranks[name] = min(ranks.get(name, view.rank), view.rank)
        if name not in found or not found[name].holds:
            found[name] = view
    return [
        replace(
            view,
            key=(name, ()),
            label=name.replace("_", " "),
            rank=ranks[name],
            chosen=name in chosen,
        )
        for name, view in found.items()
    ]


def _is_above(fine: Key, coarse: Key, edges: Sequence[tuple[str, str]]) -> bool:
    """Whether a view is directly coarser than another: by its time, or a step of a ladder."""
    if fine[1] == coarse[1]:
        return (fine[0], coarse[0]) in edges
    apart = [b - a for a, b in zip(fine[1], coarse[1], strict=True) if a != b]
    return fine[0] == coarse[0] and apart == [1]


def _placed(views: Sequence[_View], edges: Sequence[tuple[str, str]]) -> list[_View]:
    """Rank by rank, each view about above those that it is coarser than."""
    placed: list[_View] = []
    for rank in sorted({view.rank for view in views}):
        here = [view for view in views if view.rank == rank]

        def middle(view: _View) -> float:
            below = [one.x for one in placed if _is_above(one.key, view.key, edges)]  # noqa: B023
            return sum(below) / len(below) if below else 0.0

        here.sort(key=middle)
        placed += [replace(view, x=at - (len(here) - 1) / 2) for at, view in enumerate(here)]
    return placed


def _record(view: _View) -> dict[str, str | int | float]:
    return {
        "x": view.x,
        "y": view.rank,
        "label": view.label,
        "view": view.label,
        "why": view.why,
        "kept": int(view.holds),
        "chosen": int(view.chosen),
    }


def _lines(
    views: Sequence[_View], edges: Sequence[tuple[str, str]]
) -> list[dict[str, str | int | float]]:
    return [
        {"x": fine.x, "y": fine.rank, "x2": coarse.x, "y2": coarse.rank}
        for fine in views
        for coarse in views
        if _is_above(fine.key, coarse.key, edges)
    ]
