"""Are published quasi values what they are said to be, and which microdata do they cover?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from anachron.arrays import Array
from anachron.auditing.reading.form import Meaning

__all__ = ["Cover", "Published", "cover", "wrong_values"]

Published = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Cover:
    """Which published value covers each value of a column."""

    codes: Array
    """For each value its published value; numbers past those were not published."""
    size: int
    """How many published values there are, those that were not published included."""
    ambiguous: int
    """How many published bins overlap, or values stand in more than one class."""


def wrong_values(meaning: Meaning, published: Sequence[Published]) -> int:
    """How many published values do not have the form that the description declares."""
    return sum(not _has_form(meaning, value) for value in published)


def cover(meaning: Meaning, values: Sequence[Any], published: Sequence[Published]) -> Cover:
    """Find for each value of the microdata the published value that covers it.

    A value that nothing published covers gets the number of what it would have been
    published as, so that groups that were left out can be counted too.
    """
    numbers = {_comparable(value): i for i, value in enumerate(published)}
    bins = _intervals(published) if meaning.step == "bins" else []
    classes = _classes(meaning)
    codes = np.empty(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        # Bins are read as intervals; whatever else is published, as a label.
        number = _holding(bins, value)
        if number is None:
            label = _comparable(_label(meaning, classes, value))
            number = numbers.setdefault(label, len(numbers))
        codes[i] = number
    overlaps = sum(a.holds(b.low) for a, b in pairwise(bins))
    shared = sum(len(labels) > 1 for labels in classes.values())
    return Cover(codes, max(len(numbers), 1), overlaps + shared)


def _has_form(meaning: Meaning, value: Published) -> bool:
    if all(part is None for part in value):
        return True
    if meaning.step == "bins":
        return _is_bin(meaning, *value)
    if meaning.step == "prefix":
        return value[0].endswith("*") and len(value[0]) - 1 <= meaning.length
    return meaning.step != "parents" or value[0] in (meaning.covers or {})


def _is_bin(meaning: Meaning, low: Any, high: Any) -> bool:
    """Whether both bounds are on the grid; bins of whole numbers end before the next one."""
    if low is None or high is None or not (isfinite(low) and isfinite(high)):
        return False
    whole = isinstance(low, int) and isinstance(high, int)
    width, origin = Fraction(meaning.width), Fraction(meaning.origin)
    steps = round((_exact(low) - origin) / width)
    bounds = origin + steps * width, origin + (steps + 1) * width - whole
    return (low, high) == tuple(map(int if whole else float, bounds))


@dataclass(frozen=True)
class _Interval:
    """A published bin."""

    low: Fraction
    high: Fraction
    closed: bool
    number: int

    def holds(self, value: Fraction) -> bool:
        return self.low <= value and (value < self.high or (self.closed and value == self.high))


def _intervals(published: Sequence[Published]) -> list[_Interval]:
    """Published bins by their lower bound. Bins of whole numbers hold their upper bound."""
    bins = [
        _Interval(_exact(low), _exact(high), isinstance(high, int), number)
        for number, (low, high) in enumerate(published)
        if low is not None and high is not None and isfinite(low) and isfinite(high)
    ]
    return sorted(bins, key=lambda interval: (interval.low, interval.high))


def _holding(bins: list[_Interval], value: Any) -> int | None:
    if not bins or value is None:
        return None
    exact = _exact(value)
    last = bisect_right(bins, exact, key=lambda interval: interval.low) - 1
    return bins[last].number if last >= 0 and bins[last].holds(exact) else None


def _classes(meaning: Meaning) -> dict[str, list[str]]:
    """The labels that cover each value of a hierarchy; there should be one."""
    labels: dict[str, list[str]] = {}
    for label, held in (meaning.covers or {}).items():
        for value in held:
            labels.setdefault(value, []).append(label)
    return labels


def _label(meaning: Meaning, classes: dict[str, list[str]], value: Any) -> Published:
    """What a value is published as, by the declared step."""
    if meaning.step == "left out":
        return ()
    if value is None:
        return (None,) * len(meaning.published)
    if meaning.step == "bins":
        place = (_exact(value) - Fraction(meaning.origin)) // Fraction(meaning.width)
        return ("bin", place)
    if meaning.step == "prefix":
        return (value[: meaning.length] + "*",)
    if meaning.step == "parents":
        # A value of no class is covered by nothing that may be published.
        labels = classes.get(str(value))
        return (labels[0],) if labels else ("in", "no class")
    return (value,)


def _comparable(value: Published) -> Published:
    """The same value as one that equals itself: NaN does not."""
    return tuple("not a number" if part != part else part for part in value)


def _exact(number: int | float | Decimal) -> Fraction:
    """Read a number as it is written: 0.1 is one tenth."""
    return Fraction(str(number))
