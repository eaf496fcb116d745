"""A closer look at one point: counts only, and of the table no small ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from anachron.exploring.point import Point
from anachron.notebook import Sheet
from anachron.tabular import Tabular, arrow_of

if TYPE_CHECKING:
    import pyarrow as pa

    from anachron.reporting.charts import Chart

__all__ = ["FEW", "Ahead", "Details", "Slice", "ViewTold"]

FEW = 10
"""Fewer rows of the table than that are told as few, whoever looks."""


@dataclass(frozen=True)
class ViewTold:
    """A view that was on offer: whether it keeps the promise, and why or why not."""

    granularity: str
    steps: str
    """The step of each ladder, in words."""
    holds: bool
    why: str


@dataclass(frozen=True)
class Slice:
    """Rows of one piece of time: those of the table, and those that the release tells of."""

    start: str
    """When it begins, in the zone of the table."""
    before: int | None
    """None if they are fewer than :data:`FEW`."""
    after: float
    """As the release answers, if rows lie evenly in its granules; the first and the last of them
    reach beyond the table."""


@dataclass(frozen=True)
class Ahead:
    """A release of a register that might follow, as people come and leave at random."""

    release: int
    people: int
    counterfeits: int
    held_back: int
    left_out: int


@dataclass(frozen=True, repr=False)
class Details(Tabular):
    """What publishing one point would look like. Made by ``frontier.details(number)``.

    As a table (``to_pandas()``) it has the slices of time.
    """

    point: Point
    over_time: tuple[Slice, ...]
    """Rows over time, before and after; empty without times."""
    left_out: Mapping[str, int]
    """How many rows or people are not published, by why."""
    charts: Mapping[str, Chart]
    """Charts of the rehearsed release, as the method has them: groups, envelopes, shares.
    None of them shows sensitive values."""
    views: tuple[ViewTold, ...] = ()
    """Of events: every view that was on offer, the finest first."""
    edges: tuple[tuple[str, str], ...] = ()
    """Of events: which granularity is directly coarser than which."""
    delays: tuple[int, ...] = ()
    """Of feeds: records that are published 0, 1, 2 … snapshots late."""
    ahead: tuple[Ahead, ...] = ()
    """Of registers: releases that might follow."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Of series: how many are published with patterns of so many letters."""

    def to_dict(self) -> dict[str, Any]:
        """Give all as plain values; of charts, their specifications."""
        return {
            "point": self.point.to_dict(),
            "views": [asdict(one) for one in self.views],
            "edges": [list(one) for one in self.edges],
            "over_time": [asdict(one) for one in self.over_time],
            "left_out": dict(self.left_out),
            "delays": list(self.delays),
            "ahead": [asdict(one) for one in self.ahead],
            "levels": dict(self.levels),
            "charts": {name: chart.spec for name, chart in self.charts.items()},
        }

    def to_arrow(self) -> pa.Table:
        """Give the slices of time as a table."""
        return arrow_of(Slice, self.over_time)

    def _sheet(self) -> Sheet:
        body = [*self._facts()]
        return Sheet(f"Point {self.point.number}: {self.point.title}", ("", ""), body)

    def _facts(self) -> list[tuple[str, str]]:
        told = [(f"left out: {why}", f"{many:,}") for why, many in self.left_out.items()]
        told += [
            (
                f"{one.granularity}{', ' if one.steps else ''}{one.steps}",
                ("holds: " if one.holds else "fails: ") + one.why,
            )
            for one in self.views
        ]
        told += [(f"{at} snapshots late", f"{many:,}") for at, many in enumerate(self.delays)]
        told += [(f"{level} letters", f"{many:,}") for level, many in self.levels.items()]
        told += [
            (
                f"release {one.release}, if people come and leave",
                f"{one.people:,} people, {one.counterfeits:,} counterfeits, "
                f"{one.held_back:,} held back",
            )
            for one in self.ahead
        ]
        return told
