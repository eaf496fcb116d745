"""What a random condition on a column is drawn from: its domain, and how ranges lie in it.

=====================  ==================================================================
column                 a condition of share s
=====================  ==================================================================
whole numbers, dates   a range of round(s · n) of the n from the least to the greatest
other numbers          a range of s times the distance from the least to the greatest
texts with an order    round(s · n) neighbouring values
texts without          round(s · n) values drawn at random
prefixes               round(s · n) prefixes as they are published, drawn at random
the time               a window of round(s · n) granules or snapshots, or of a given length
=====================  ==================================================================

There is at least one value in each, and all places are equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from anachron.arrays import Array
from anachron.asking.catalogue import Column as Published
from anachron.asking.question import Among, Begins, Leaf, Ranges, Span
from anachron.calendar.definitions import Granularity
from anachron.calendar.realise import realise, span
from anachron.measuring.truth import PlainColumn

__all__ = ["Axis", "TimeAxis", "axis_of", "times_of"]


_WIDE = 2**62


class Axis(Protocol):
    """A column, and how to draw conditions on it."""

    def draw(self, share: float, rng: np.random.Generator) -> Leaf:
        """Draw a condition that a share of the domain meets."""


@dataclass(frozen=True)
class Wholes:
    """Whole numbers; dates and instants are such numbers too, but end before an end."""

    column: str
    low: int
    high: int
    closed: bool

    def draw(self, share: float, rng: np.random.Generator) -> Leaf:
        """Draw neighbouring numbers."""
        first, length = _run(self.high - self.low + 1, share, rng)
        start = self.low + first
        last = start + length - (1 if self.closed else 0)
        return Ranges(self.column, (Span(start, last, True, self.closed),))


@dataclass(frozen=True)
class Reals:
    """Numbers of any kind."""

    column: str
    low: float
    high: float

    def draw(self, share: float, rng: np.random.Generator) -> Leaf:
        """Draw an interval."""
        length = share * (self.high - self.low)
        start = self.low + rng.random() * (self.high - self.low - length)
        return Ranges(self.column, (Span(start, start + length),))


@dataclass(frozen=True)
class Sets:
    """Values with an order, of which neighbours are drawn, or without one."""

    column: str
    values: tuple[object, ...]
    ordered: bool

    def draw(self, share: float, rng: np.random.Generator) -> Leaf:
        """Draw some of the values."""
        return Among(self.column, frozenset(_some(self.values, self.ordered, share, rng)))


@dataclass(frozen=True)
class Prefixes:
    """The beginnings of texts that are published."""

    column: str
    prefixes: tuple[str, ...]

    def draw(self, share: float, rng: np.random.Generator) -> Leaf:
        """Draw some of the prefixes."""
        chosen = sorted(str(prefix) for prefix in _some(self.prefixes, False, share, rng))
        return Begins(self.column, tuple(chosen))


@dataclass(frozen=True, eq=False)
class TimeAxis:
    """The granules or snapshots from the first to the last, empty ones included."""

    column: str
    start: Array
    end: Array
    window: int | None = None
    """How many make a window, if that is given."""

    def draw(self, share: float, rng: np.random.Generator) -> Leaf:
        """Draw a window that cuts no granule."""
        number = len(self.start)
        if self.window is not None:
            length = min(self.window, number)
            first = int(rng.integers(number - length + 1))
        else:
            first, length = _run(number, share, rng)
        low, high = int(self.start[first]), int(self.end[first + length - 1])
        return Ranges(self.column, (Span(low, high, True, False),))


def axis_of(published: Published, column: PlainColumn) -> Axis | None:
    """The domain of a quasi or sensitive column, as its form allows to ask; None if it is empty."""
    values: Any = column.values
    if not values or not published.published:
        return None
    if published.order:
        return Sets(published.name, published.order, True)
    if published.length is not None:
        found = sorted({str(value)[: published.length] for value in values})
        return Prefixes(published.name, tuple(found))
    if published.kind in ("whole", "date", "instant"):
        return Wholes(published.name, int(values[0]), int(values[-1]), published.kind == "whole")
    if published.kind == "number":
        if values[0] == values[-1]:
            return None  # an interval without length has no part of any other
        return Reals(published.name, float(values[0]), float(values[-1]))
    return Sets(published.name, values, False)


def times_of(
    name: str, granularity: Granularity, zone: str, first: int, last: int, window: int | None
) -> TimeAxis:
    """List the granules from the one that holds an instant to the one that holds a later."""
    granules = realise(granularity, span(zone, first, last))
    index = np.arange(granules.next(first), int(granules.index(np.array([last]))[0]) + 1)
    start, end = granules.bounds(index)
    return TimeAxis(name, start, end, window)


def _run(size: int, share: float, rng: np.random.Generator) -> tuple[int, int]:
    """Draw where a run of neighbours begins, and say how long it is."""
    length = min(max(round(size * share), 1), size)
    places = size - length + 1
    if places < _WIDE:
        return int(rng.integers(places)), length
    # More than the generator counts to: where exactly does not matter then.
    return min(int(rng.random() * places), places - 1), length


def _some(
    values: tuple[object, ...], ordered: bool, share: float, rng: np.random.Generator
) -> list[object]:
    first, length = _run(len(values), share, rng)
    if ordered:
        return list(values[first : first + length])
    return [values[i] for i in rng.permutation(len(values))[:length].tolist()]
