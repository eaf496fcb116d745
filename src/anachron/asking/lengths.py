"""How much of an interval of numbers some spans hold: by number, or by length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from anachron.arrays import Numbers
from anachron.asking.judged import Shares
from anachron.asking.question import Among, Ranges, Span

__all__ = ["counted", "measured", "pointwise", "spans_of", "whole_ends"]


_FAR = 2**62
"""Beyond all whole numbers that are published as ends of intervals."""


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


def whole_ends(span: Span) -> tuple[int, int]:
    """The first and the last whole number in a span; the second is smaller if there is none."""
    low, high = -_FAR, _FAR
    if span.low is not None and span.low > -_FAR:
        low = math.ceil(min(span.low, _FAR))
        low += low == span.low and not span.low_closed
    if span.high is not None and span.high < _FAR:
        high = math.floor(max(span.high, -_FAR))
        high -= high == span.high and not span.high_closed
    return low, high


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
        first, last = whole_ends(span)
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
