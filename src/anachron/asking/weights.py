"""How values of a quasi column are spread over an interval, where margins are published.

Without margins they are taken to be spread evenly. With them, an interval holds its values in
proportion to a density λ that is fitted to the margins (:mod:`anachron.kernels.raking`), and a
condition counts for Λ(I ∩ Q) / Λ(I) of it. It moves estimates, and no bound.

Whole numbers and texts with an order are classes of their own length: number k from k to k + 1. Of
releases that are asked together margins are added up, each with its own rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Floats
from anachron.guarantees import from_dict
from anachron.guarantees.reposition import register_in
from anachron.kernels.raking import raked
from anachron.published.coded import CodedColumn
from anachron.published.margins import MARGINS, Margin, grid
from anachron.release.read import Release

__all__ = ["Told", "Weights", "told", "weights_of"]


@dataclass(frozen=True, eq=False)
class Weights:
    """A density, constant between edges: of numbers that are whole, from each to the next."""

    edges: Floats
    density: Floats
    whole: bool
    told: float
    """How much of the spread margins tell, from 0 to 1: of named people, in classes as fine as the
    grid."""

    @cached_property
    def _upto(self) -> Floats:
        """Λ at each edge."""
        return np.concatenate(([0.0], np.cumsum(self.density * np.diff(self.edges))))

    def upto(self, points: Floats) -> Floats:
        """Λ: how much weight lies below each point."""
        return np.interp(points, self.edges, self._upto)

    def between(self, low: Floats, high: Floats) -> Floats:
        """Λ of intervals, 0 where they end before they begin; whole numbers have both ends."""
        found: Floats = np.maximum(self.upto(high + self.whole) - self.upto(low), 0.0)
        return found

    def spread(
        self, bottom: Floats, top: Floats, size: Floats, mean: Floats, square: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Size, mean and mean square of numbers in intervals, given those of an even spread.

        Where there is no weight, as in a point, these are what remains.
        """
        # Near to the numbers, so that nothing is lost where they are large.
        origin = self.edges[0]
        below, above = (self._powers(at, origin) for at in (bottom, top + self.whole))
        weight, once, twice = (after - before for before, after in zip(below, above, strict=True))
        some = (size > 0.0) & (weight > 0.0)
        weight = np.where(some, weight, size)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart, squares = once / weight, twice / weight
            around = squares + origin * (2.0 * apart + origin)
        mean = np.where(some, np.clip(apart + origin, bottom, np.maximum(bottom, top)), mean)
        square = np.where(some, around, square)
        return weight, mean, np.maximum(square, mean * mean)

    def _powers(self, points: Floats, origin: float) -> tuple[Floats, Floats, Floats]:
        """Integrals of 1, x and x² by the density up to points, x being counted from an origin."""
        edges = self.edges - origin
        at = np.clip(points, self.edges[0], self.edges[-1]) - origin
        which = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(self.density) - 1)
        found = []
        for power in (_length, _sum, _squares):
            own = power(edges, self.whole)
            upto = np.concatenate(([0.0], np.cumsum(self.density * np.diff(own))))
            found.append(upto[which] + self.density[which] * (power(at, self.whole) - own[which]))
        return found[0], found[1], found[2]


def _length(x: Floats, _whole: bool) -> Floats:
    return x


def _sum(x: Floats, whole: bool) -> Floats:
    """Of whole numbers from 0 to before x, or the integral."""
    found: Floats = x * (x - 1.0) / 2.0 if whole else x * x / 2.0
    return found


def _squares(x: Floats, whole: bool) -> Floats:
    found: Floats = x * (x - 1.0) * (2.0 * x - 1.0) / 6.0 if whole else x * x * x / 3.0
    return found


@dataclass(frozen=True)
class Told:
    """What a release tells of a column: its margin, and the step of its counts."""

    margin: Margin
    step: int


def told(releases: Sequence[Release]) -> dict[str, list[Told]]:
    """The margins of some releases by column, one of each; nothing if one of them has none."""
    found: dict[str, list[Told]] = {}
    for release in releases:
        given = release.form.facts.get(MARGINS)
        if given is None:
            return {}
        promise = register_in(from_dict(release.guarantee))
        step = 0 if promise is None else promise.margins or 0
        for column, said in given.items():
            found.setdefault(column, []).append(Told(Margin.taken(said, column, step), step))
    return found


def weights_of(coded: CodedColumn, rows: Floats, margins: Sequence[Told]) -> Weights | None:
    """Fit the density of a column, given the people in each distinct cell; None if nothing tells.

    Example
    -------
    Classes of 2 that begin at 0, 2 and 4; of 60 people, 25 or more are in the second:

    >>> from decimal import Decimal
    >>> import pyarrow as pa
    >>> from anachron.published.coded import coded
    >>> from anachron.published.ways import Interval
    >>> age = coded(Interval("age", Decimal(1)), [pa.chunked_array([[0]]), pa.chunked_array([[5]])])
    >>> found = weights_of(age, np.array([60.0]), [Told(Margin(Decimal(2), (1,), (25,)), 25)])
    >>> found.edges.tolist(), found.upto(np.array([2.0, 4.0, 6.0])).round(2).tolist()
    ([0.0, 2.0, 4.0, 6.0], [1.75, 4.25, 6.0])
    """
    if not any(one.margin.classes for one in margins):
        return None
    start, end = (np.asarray(side, dtype=np.float64) for side in coded.ends)
    end = end + 1.0 if coded.whole else end
    width = max(one.margin.width for one in margins)
    first, last = int(start.min() // float(width)), int(-(-end.max() // float(width)))
    low, high = (np.zeros(max(last - first, 1)) for _ in range(2))
    for one in margins:
        times = int(width / one.margin.width)
        place = np.array(one.margin.classes, dtype=np.int64) // times - first
        here = (place >= 0) & (place < len(low))
        np.add.at(low, place[here], np.array(one.margin.people, dtype=np.float64)[here])
        high += times * (one.step - 1.0)
    edges = np.array([float(k * width) for k in range(first, first + len(low) + 1)])
    # An interval of fractions may be a point: of which every value is the same.
    there = (end > start) & (rows > 0)
    density = raked(edges, start[there], end[there], rows[there], low, low + high)
    return Weights(edges, density, coded.whole, _told(coded, end - start, rows, float(width), low))


def _told(coded: CodedColumn, length: Floats, rows: Floats, width: float, named: Floats) -> float:
    """How much margins tell: nothing, if their classes are as wide as the intervals."""
    finest = float(grid(coded.way))
    many, reach = float(rows.sum()), float(rows @ length)
    if many <= 0.0:
        return 0.0
    coarse = (width - finest) * many / (reach - finest * many) if width > finest else 0.0
    fine = 1.0 - coarse if 0.0 <= coarse < 1.0 else 0.0
    return min(float(named.sum()) / many, 1.0) * fine
