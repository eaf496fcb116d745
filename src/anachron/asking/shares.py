"""How much of a cell meets a leaf, and what is left of its numbers: ends, mean, square.

Numbers are taken to be spread evenly over an interval: by number where they are whole, by length
where they are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from anachron.arrays import Bytes, Codes, Flags, Floats, Numbers
from anachron.asking.question import Among, Ranges, Span
from anachron.asking.weights import Weights
from anachron.kernels.cells import MAY, MAY_ON_TIME, MUST, MUST_ON_TIME
from anachron.published.coded import CodedColumn
from anachron.published.ways import Bins, Interval

__all__ = [
    "Judged",
    "Moments",
    "Shares",
    "certain",
    "counted",
    "ends_of_spans",
    "measured",
    "moments",
    "pointwise",
    "spans_of",
]

_FAR = 2**62
"""Beyond all whole numbers that are published as ends of intervals."""
Shares = tuple[Flags, Flags, Floats]
"""Of each cell: whether all its values meet a leaf, whether any does, and which share."""


@dataclass(frozen=True, eq=False)
class Judged:
    """What a leaf says of each distinct published cell of its column."""

    flags: Bytes
    share: Floats
    doubt: Floats
    """The variance of the share, where it is open; NaN if nobody knows."""


def certain(must: Flags, may: Flags, share: Floats, doubt: Floats) -> Judged:
    """Make flags of what is known, for columns that no delay touches."""
    flags = np.where(may, MAY | MAY_ON_TIME, 0) | np.where(must, MUST | MUST_ON_TIME, 0)
    return Judged(flags.astype(np.uint8), share, doubt)


def spans_of(leaf: Ranges | Among) -> tuple[Span, ...]:
    """The numbers that a leaf holds."""
    if isinstance(leaf, Ranges):
        return leaf.spans
    values: Any = leaf.values
    points: list[Any] = sorted(values)
    if leaf.inside:
        return tuple(Span(point, point) for point in points)
    edges = [None, *points, None]
    return tuple(
        Span(low, high, low_closed=False, high_closed=False) for low, high in pairwise(edges)
    )


def _whole_ends(span: Span) -> tuple[int, int]:
    """The first and the last whole number in a span; the second is smaller if there is none."""
    low, high = -_FAR, _FAR
    if span.low is not None and span.low > -_FAR:
        low = math.ceil(min(span.low, _FAR))
        low += low == span.low and not span.low_closed
    if span.high is not None and span.high < _FAR:
        high = math.floor(max(span.high, -_FAR))
        high -= high == span.high and not span.high_closed
    return low, high


def ends_of_spans(leaf: Ranges | Among, *, whole: bool) -> list[tuple[float, float]]:
    """The ends of what a leaf holds: of whole numbers, the first and the last of each span."""
    if whole:
        return [(float(low), float(high)) for low, high in map(_whole_ends, spans_of(leaf))]
    return [
        (
            -math.inf if span.low is None else float(span.low),
            math.inf if span.high is None else float(span.high),
        )
        for span in spans_of(leaf)
    ]


def pointwise(values: Numbers, spans: Sequence[Span]) -> Shares:
    """Values as they are: in a span or not."""
    found = np.zeros(len(values), dtype=bool)
    for span in spans:
        inside = np.ones(len(values), dtype=bool)
        if span.low is not None:
            inside &= values >= span.low if span.low_closed else values > span.low
        if span.high is not None:
            inside &= values <= span.high if span.high_closed else values < span.high
        found |= inside
    return found, found, found.astype(np.float64)


def counted(low: Numbers, high: Numbers, spans: Sequence[Span]) -> Shares:
    """Intervals of whole numbers: how many of their numbers are in the spans."""
    inside = np.zeros(len(low), dtype=np.int64)
    for span in spans:
        first, last = _whole_ends(span)
        inside += np.maximum(np.minimum(high, last) - np.maximum(low, first) + 1, 0)
    size = high - low + 1
    return inside == size, inside > 0, inside / size


def measured(low: Numbers, high: Numbers, spans: Sequence[Span], *, half_open: bool) -> Shares:
    """Intervals of fractions: which share of their length is in the spans.

    Their low end belongs to them; so does the high end, unless they are half-open.
    """
    must, may = np.zeros(len(low), dtype=bool), np.zeros(len(low), dtype=bool)
    length, inside = high - low, np.zeros(len(low))
    for span in spans:
        bottom = -np.inf if span.low is None else float(span.low)
        top = np.inf if span.high is None else float(span.high)
        begins = (bottom < low) | ((bottom == low) & span.low_closed)
        ends = (top > high) | ((top == high) & (span.high_closed or half_open))
        must |= begins & ends
        meets_low = (top > low) | ((top == low) & span.high_closed)
        meets_high = (bottom < high) | ((bottom == high) & span.low_closed & (not half_open))
        may |= meets_low & meets_high
        inside += np.maximum(np.minimum(high, top) - np.maximum(low, bottom), 0)
    share = np.divide(inside, length, out=must.astype(np.float64), where=length > 0)
    return must, may, np.clip(np.where(must, 1.0, share), 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Moments:
    """One number of each kind for every distinct cell of a column."""

    low: Floats
    """The smallest number it may be."""
    high: Floats
    mean: Floats
    """Expected, if numbers are spread evenly over what is left of the interval."""
    square: Floats
    """The expected square."""

    def ones(self) -> Moments:
        """The number one for each, to count them."""
        one = np.ones(len(self.low))
        return Moments(one, one, one, one)

    def take(self, codes: Codes) -> Moments:
        """The same for rows with these codes."""
        return Moments(self.low[codes], self.high[codes], self.mean[codes], self.square[codes])


def moments(
    coded: CodedColumn, leaf: Ranges | Among | None, weights: Weights | None = None
) -> Moments:
    """Clip the cells of a numeric column to a leaf, and measure what is left of each.

    ``weights`` say how numbers are spread, if not evenly.
    """
    if not isinstance(coded.way, Bins | Interval):
        exact = coded.low.astype(np.float64)
        return Moments(exact, exact, exact, exact * exact)
    spans = (Span(),) if leaf is None else spans_of(leaf)
    pieces = [_piece(coded, span, whole=coded.whole) for span in spans]
    low, high = np.full(coded.size, np.inf), np.full(coded.size, -np.inf)
    weight, mean, square = (np.zeros(coded.size) for _ in range(3))
    for bottom, top, size, variance in pieces:
        there = bottom <= top
        low = np.where(there, np.minimum(low, bottom), low)
        high = np.where(there, np.maximum(high, top), high)
        middle = (bottom + top) / 2
        once, twice = middle, middle * middle + variance
        if weights is not None:
            size, once, twice = weights.spread(bottom, top, size, once, twice)
        weight += size
        mean += size * once
        square += size * twice
    none = low > high
    low, high = np.where(none, 0.0, low), np.where(none, 0.0, high)
    middle = (low + high) / 2
    mean = np.divide(mean, weight, out=middle, where=weight > 0)
    square = np.divide(square, weight, out=mean * mean, where=weight > 0)
    return Moments(low, high, mean, square)


def _piece(coded: CodedColumn, span: Span, *, whole: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """The part of each interval in one span: its ends, its size, and the variance within it."""
    if whole:
        first, last = _whole_ends(span)
        bottom = np.maximum(coded.low, first).astype(np.float64)
        top = np.minimum(coded.high, last).astype(np.float64)
        size = np.maximum(top - bottom + 1, 0.0)
        return bottom, top, size, np.maximum(size * size - 1, 0.0) / 12
    bottom = np.maximum(coded.low, -np.inf if span.low is None else float(span.low))
    top = np.minimum(coded.high, np.inf if span.high is None else float(span.high))
    size = np.maximum(top - bottom, 0.0)
    return bottom, top, size, size * size / 12
