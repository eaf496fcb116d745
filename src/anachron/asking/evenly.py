"""What a cell says of the number behind it, given that it meets a leaf: ends, mean, square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Codes, Floats
from anachron.asking.lengths import spans_of, whole_ends
from anachron.asking.question import Among, Ranges, Span
from anachron.published.coded import CodedColumn
from anachron.published.ways import Bins, Interval

__all__ = ["Moments", "moments"]


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


def moments(coded: CodedColumn, leaf: Ranges | Among | None) -> Moments:
    """Clip the cells of a numeric column to a leaf, and measure what is left of each."""
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
        weight += size
        mean += size * middle
        square += size * (middle * middle + variance)
    none = low > high
    low, high = np.where(none, 0.0, low), np.where(none, 0.0, high)
    middle = (low + high) / 2
    mean = np.divide(mean, weight, out=middle, where=weight > 0)
    square = np.divide(square, weight, out=mean * mean, where=weight > 0)
    return Moments(low, high, mean, square)


def _piece(coded: CodedColumn, span: Span, *, whole: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """The part of each interval in one span: its ends, its size, and the variance within it."""
    if whole:
        first, last = whole_ends(span)
        bottom = np.maximum(coded.low, first).astype(np.float64)
        top = np.minimum(coded.high, last).astype(np.float64)
        size = np.maximum(top - bottom + 1, 0.0)
        return bottom, top, size, np.maximum(size * size - 1, 0.0) / 12
    bottom = np.maximum(coded.low, -np.inf if span.low is None else float(span.low))
    top = np.minimum(coded.high, np.inf if span.high is None else float(span.high))
    size = np.maximum(top - bottom, 0.0)
    return bottom, top, size, size * size / 12
