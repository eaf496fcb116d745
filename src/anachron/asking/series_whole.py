"""Series of whole numbers: no question falls between two of them.

``value('a') > 2``, ``value('a') >= 3`` and ``2 * value('a') > 5`` are one question. It is asked in
one way: with weights that are whole numbers without a common factor, and spans from the first
whole number that belongs to them to the last.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from anachron.arrays import Floats
from anachron.asking.question import Span, ValueIn
from anachron.asking.series_values import Bounds

__all__ = ["in_whole_numbers", "inwards"]

_ROUNDING = 1e-6
"""Bounds that patterns narrow are computed, and as exact as this."""
_FINEST = 1024
"""Weights are multiples of one part in so many, or computed sums are no multiples of anything."""


def in_whole_numbers(leaf: ValueIn) -> ValueIn:
    """Ask the same of whole numbers; what weighs them by odd fractions stays as it is.

    Example
    -------
    >>> leaf = in_whole_numbers(ValueIn((("a", 2.0),), (Span(5, None, low_closed=False),)))
    >>> leaf.weights, leaf.spans[0].low, leaf.spans[0].high
    ((('a', 1.0),), 3, None)
    """
    weights = [Fraction(weight) for _, weight in leaf.weights]
    unit = Fraction(1, math.lcm(*(weight.denominator for weight in weights)))
    if unit.denominator > _FINEST or unit.denominator & (unit.denominator - 1):
        return leaf
    factor = unit * math.gcd(*(int(weight / unit) for weight in weights))
    times = (time for time, _ in leaf.weights)
    return replace(
        leaf,
        weights=tuple((t, float(w / factor)) for t, w in zip(times, weights, strict=True)),
        spans=tuple(_whole(leaf.spans, factor)),
    )


def inwards(low: Floats, high: Floats) -> Bounds:
    """Move the bounds of whole numbers to whole numbers, but for rounding."""
    slack = _ROUNDING * np.maximum(1.0, np.abs(np.where(np.isfinite(low), low, 0.0)))
    more = _ROUNDING * np.maximum(1.0, np.abs(np.where(np.isfinite(high), high, 0.0)))
    return np.ceil(low - slack), np.floor(high + more)


def _whole(spans: Iterable[Span], factor: Fraction) -> Iterator[Span]:
    """The whole numbers whose multiples by the factor are in the spans."""
    for span in spans:
        first = None if span.low is None else _next(Fraction(span.low) / factor, span.low_closed)
        last = (
            None if span.high is None else -_next(-Fraction(span.high) / factor, span.high_closed)
        )
        if first is None or last is None or first <= last:
            yield Span(first, last)


def _next(end: Fraction, closed: bool) -> int:
    """The first whole number from an end on; after it, if it does not belong."""
    return math.ceil(end) if closed else math.floor(end) + 1
