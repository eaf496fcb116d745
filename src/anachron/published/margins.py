"""Margins: of each quasi column, how many of the published people are in each class of values.

Class k of a column goes from k times its width to just before k + 1 times; of texts with an order,
places in the order take the part of numbers. Counts are rounded down to a multiple of a step, and a
class of which that leaves nothing is not named. The width is that of the published grid, doubled
until the published intervals reach over no more classes than the people are steps, and not over
more than ``MOST``: so that a class has a step of people on the average.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, Self

from anachron.published.strict import Misfit, at, decimal, entries, items, keys, whole
from anachron.published.ways import Interval, Ordered, Way

__all__ = ["MARGINS", "MOST", "Margin", "check_margins", "doublings", "grid"]

MARGINS = "margins"
MOST = 512
"""Classes of one column, so that a description stays small."""
_FAR = 2**62


@dataclass(frozen=True)
class Margin:
    """One column: classes in ascending order, and the people in each, rounded down."""

    width: Decimal
    classes: tuple[int, ...]
    people: tuple[int, ...]

    def said(self) -> dict[str, Any]:
        """Say it as plain values."""
        return {
            "width": str(self.width),
            "classes": list(self.classes),
            "people": list(self.people),
        }

    @classmethod
    def taken(cls, given: Any, place: str, step: int) -> Self:
        """Take exactly what a margin with this step says, or tell where it is something else."""
        found = keys(given, place, ("width", "classes", "people"))
        width = decimal(found["width"], at(place, "width"))
        classes = _numbers(found["classes"], at(place, "classes"), -_FAR)
        people = _numbers(found["people"], at(place, "people"), step)
        if width <= 0 or len(classes) != len(people) or len(classes) > MOST:
            raise Misfit(place, "it is no margin that Anachron writes")
        if any(after <= before for before, after in pairwise(classes)):
            raise Misfit(at(place, "classes"), "they are not in ascending order")
        if any(count % step for count in people):
            raise Misfit(at(place, "people"), "they are not rounded to the step that is promised")
        return cls(width, classes, people)


def _numbers(given: Any, place: str, least: int) -> tuple[int, ...]:
    return tuple(whole(one, at(place, n), least) for n, one in enumerate(items(given, place)))


def check_margins(given: Any, place: str, step: int, columns: Mapping[str, Way]) -> None:
    """Demand a margin of every quasi column, on a grid of its own grid, and nothing else."""
    boxed = {name: way for name, way in columns.items() if way.role == "quasi"}
    for name, said in keys(entries(given, place), place, boxed).items():
        margin, times = Margin.taken(said, at(place, name), step), Decimal(1)
        while times * grid(boxed[name]) < margin.width:
            times *= 2
        if str(times * grid(boxed[name])) != str(margin.width):
            raise Misfit(at(at(place, name), "width"), "it is no width that follows from the grid")


def grid(way: Way) -> Decimal:
    """The width of the grid of a column; of texts with an order, one place."""
    if isinstance(way, Interval):
        return way.width
    if isinstance(way, Ordered):
        return Decimal(1)
    raise TypeError("the column is not published in intervals")


def doublings(low: int, high: int, people: int, step: int) -> int:
    """How many widths of the grid a class has, if intervals reach from one place on it to another.

    >>> doublings(20, 59, people=35_000, step=25), doublings(20, 59, people=400, step=25)
    (1, 4)
    """
    times, most = 1, max(1, min(MOST, people // step))
    # Two classes remain wherever zero, from which they are counted, lies between the ends.
    while high // times - low // times >= most and high // times - low // times > (low < 0 <= high):
        times *= 2
    return times
