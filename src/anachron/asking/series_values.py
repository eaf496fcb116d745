"""Weighted sums of values that are known to lie between bounds: the range queries of the paper.

A question weighs the values of some times; a record bounds the value of each. All questions and
all records are treated together: arrays have a row for each question and a column for each
record. Section 7.1 of Shou et al. counts a record in proportion to the part of its envelope
that the range covers.

Notes
-----
The paper asks for values of single times. Of a weighted sum of several, uniform and independent,
we take the trapezoid with the same mean and variance. That is the very distribution for one time
and for two, and close to it for more.

Numbers are compared as floating-point numbers, as a database does: ``x > a`` is ``x ≥`` the next
number after a. So ranges have closed ends only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anachron.arrays import Flags, Floats
from anachron.asking.question import Span

__all__ = ["Bounds", "settled", "span_ends", "sum_bounds", "value_shares"]

Bounds = tuple[Floats, Floats]

EPS = float(np.finfo(np.float64).eps)
THIN = 1e-6
"""A trapezoid whose sides are steeper than this share of its top is a rectangle."""


def span_ends(spans: Sequence[tuple[Span, ...]]) -> Bounds:
    """Give the closed ends of the spans of each question; NaN where a question has fewer.

    Example
    -------
    >>> first, last = span_ends([(Span(2, 3, high_closed=False),)])
    >>> float(first[0, 0]), float(last[0, 0]) < 3
    (2.0, True)
    """
    shape = len(spans), max((len(some) for some in spans), default=0)
    first, last = np.full(shape, np.nan), np.full(shape, np.nan)
    for row, some in enumerate(spans):
        for at, span in enumerate(some):
            first[row, at] = -np.inf if span.low is None else float(span.low)
            last[row, at] = np.inf if span.high is None else float(span.high)
            if not (span.low is None or span.low_closed):
                first[row, at] = np.nextafter(first[row, at], np.inf)
            if not (span.high is None or span.high_closed):
                last[row, at] = np.nextafter(last[row, at], -np.inf)
    return first, last


def sum_bounds(weights: Floats, low: Floats, high: Floats) -> Bounds:
    """Bound the weighted sums of each question for each record.

    Parameters
    ----------
    weights
        A row for each question, a column for each time.
    low, high
        The bounds of the values: a row for each record, a column for each time; ±∞ if none.

    Notes
    -----
    Rounding never moves a value past another: of sums that are exact for the bounds (one value,
    the difference of two, whole numbers) no computed sum is beyond the computed bound. Other
    bounds are moved outwards by what rounding may take away.
    """
    if _single(weights):
        time = weights.argmax(axis=1)
        return low.T[time], high.T[time]
    up, down = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
    lowest = _added(up, low, -np.inf) - _added(down, high, np.inf)
    highest = _added(up, high, np.inf) - _added(down, low, -np.inf)
    loose = ~_plain(weights)
    if loose.any():
        size = np.maximum(np.abs(_finite(low)), np.abs(_finite(high)))
        error = np.abs(weights[loose]) @ size.T * (EPS * (weights.shape[1] + 2))
        # Sums of whole numbers are exact as long as they are not very large.
        error[_whole(weights[loose], low, high) & (error < 1.0)] = 0.0
        lowest[loose] -= error
        highest[loose] += error
    return lowest, highest


def _single(weights: Floats) -> bool:
    """Whether every question is about one value, as it is."""
    return bool((np.count_nonzero(weights, axis=1) == 1).all() and (weights.max(axis=1) == 1).all())


def _plain(weights: Floats) -> Flags:
    """Whether each row weighs one or two values, and by 1 or −1."""
    used = weights != 0
    few = used.sum(axis=1) <= 2
    plain: Flags = few & (np.abs(weights) == used).all(axis=1)
    return plain


def _whole(weights: Floats, low: Floats, high: Floats) -> Flags:
    """Whether weights, and the bounds that they weigh, are whole numbers."""
    broken = ((low != np.rint(low)) | (high != np.rint(high))).astype(np.float64)
    whole = (weights == np.rint(weights)).all(axis=1)
    found: Flags = whole[:, None] & ((weights != 0).astype(np.float64) @ broken.T == 0)
    return found


def _added(weights: Floats, values: Floats, infinite: float) -> Floats:
    """Add weighted values; ``infinite`` where a value that is not finite has a weight."""
    lost = ~np.isfinite(values)
    if not lost.any():
        plain: Floats = weights @ values.T
        return plain
    total: Floats = weights @ _finite(values).T
    total[(weights != 0).astype(np.float64) @ lost.T.astype(np.float64) > 0] = infinite
    return total


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, 0.0)


def settled(lowest: Floats, highest: Floats, ends: Bounds) -> tuple[Flags, Flags]:
    """Tell where a number between bounds must lie in one of the spans, and where it may."""
    must, may = np.zeros((2, *lowest.shape), dtype=np.bool_)
    for first, last in zip(*(side.T[:, :, None] for side in ends), strict=True):
        must |= (lowest >= first) & (highest <= last)
        may |= (lowest <= last) & (highest >= first)
    return must, may


def value_shares(
    weights: Floats,
    low: Floats,
    high: Floats,
    ends: Bounds,
    within: Bounds | None = None,
    whole: bool = False,
) -> Floats:
    """Estimate the chance that the weighted sum of each record is in the range of each question.

    Parameters
    ----------
    weights
        A row for each question, a column for each time.
    low, high
        Finite bounds of the values: a row for each record, a column for each time.
    ends
        The closed ends of the spans of each question, from :func:`span_ends`.
    within
        What is known of the sums besides, if anything: their bounds.
    whole
        Whether values are whole numbers. A sum of them stands for all numbers that are nearer to it
        than to the next sum.

    Returns
    -------
    A row for each question, a column for each record: the part of the envelope that the range
    covers, of a single time.

    Example
    -------
    Half of the envelope [107, 181] is in the range from 144 to 200:

    >>> ends = span_ends([(Span(144, 200),)])
    >>> one = np.array([[1.0]])
    >>> value_shares(one, np.array([[107.0]]), np.array([[181.0]]), ends).tolist()
    [[0.5]]
    """
    lowest, highest = sum_bounds(weights, low, high) if within is None else within
    if whole:
        half = np.where((weights == np.rint(weights)).all(axis=1, keepdims=True), 0.5, 0.0)
        lowest, highest, ends = lowest - half, highest + half, (ends[0] - half, ends[1] + half)
    share = _rectangle(lowest, highest, ends)
    mixed = np.count_nonzero(weights, axis=1) > 1
    if mixed.any():
        middle = weights[mixed] @ ((low + high) / 2).T
        reach = np.abs(weights[mixed]) @ (high - low).T
        # n whole numbers have the variance (n² − 1) / 12.
        squares = (high - low) ** 2 + (2 * (high - low) if whole else 0.0)
        spread = np.sqrt(weights[mixed] ** 2 @ squares.T + (2 * half[mixed] if whole else 0.0))
        reach += 2 * half[mixed] if whole else 0.0
        inside = lowest[mixed], highest[mixed]
        these = ends[0][mixed], ends[1][mixed]
        share[mixed] = _trapezoid((middle, reach, spread), inside, these, share[mixed])
    return share


def _rectangle(lowest: Floats, highest: Floats, ends: Bounds) -> Floats:
    """Give the part of each interval that its spans cover; a point is in them or not."""
    covered = np.zeros(lowest.shape)
    for first, last in zip(*(side.T[:, :, None] for side in ends), strict=True):
        common = np.minimum(highest, last)
        common -= np.maximum(lowest, first)
        covered += np.fmax(common, 0.0)
    width = highest - lowest
    point = width <= 0
    width[point] = 1.0
    covered /= width
    if point.any():
        covered[point] = settled(lowest, highest, ends)[1][point]
    return np.minimum(covered, 1.0)


def _trapezoid(
    shape: tuple[Floats, Floats, Floats], inside: Bounds, ends: Bounds, otherwise: Floats
) -> Floats:
    """Give the part of each trapezoid, as far as it is inside, that the spans cover."""
    middle, reach, spread = shape
    whole = np.minimum(reach, np.sqrt(2.0) * spread)
    apart = np.sqrt(np.maximum(2 * spread**2 - whole**2, 0.0))
    top, side = (whole + apart) / 2, (whole - apart) / 2
    slanted = side > THIN * top
    top, side = np.where(slanted, top, 1.0), np.where(slanted, side, 1.0)

    def below(edge: Floats) -> Floats:
        # The second antiderivative of a trapezoid is four parabolas.
        start = edge - (middle - whole / 2)
        area = sum(
            sign * np.maximum(start - back, 0.0) ** 2
            for sign, back in ((1, 0.0), (-1, side), (-1, top), (1, top + side))
        )
        share: Floats = np.clip(area / (2 * top * side), 0.0, 1.0)
        return share

    lowest, highest = inside
    least, most = below(lowest), below(highest)
    covered = np.zeros(middle.shape)
    for first, last in zip(*(side.T[:, :, None] for side in ends), strict=True):
        upper, lower = np.minimum(highest, last), np.maximum(lowest, first)
        covered += np.where(upper > lower, below(upper) - below(lower), 0.0)
    usable = slanted & (most - least > THIN)
    result: Floats = np.where(usable, covered / np.where(usable, most - least, 1.0), otherwise)
    return np.clip(result, 0.0, 1.0)
