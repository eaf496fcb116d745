"""Boxes on the fixed public grid: intervals of whole steps, so that no bound is somebody's value.

Step k of an axis goes from k times its width to k + 1 times; for ordered texts, it is text k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Floats, Numbers
from anachron.methods.axes import Axis
from anachron.published.ways import Interval, Ordered

__all__ = ["Boxes", "columns", "hulls", "points", "published", "rounded", "spans", "step_of", "way"]


_DOUBT = 2.0**-50
"""A quotient that is relatively nearer to a whole number is computed again in decimals."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Some boxes: a row for each, a column for each axis."""

    first: Array
    """The first step of each interval."""
    end: Array
    """The step before which it ends: equal to ``first`` for a point between two steps."""

    def take(self, rows: Numbers) -> Boxes:
        """Some of the boxes."""
        return Boxes(self.first[rows], self.end[rows])


def points(axes: Sequence[Axis]) -> Boxes:
    """Give each row of the axes as the smallest box that holds it."""
    found = [_steps(axis, axis.numbers) for axis in axes]
    return Boxes(
        np.stack([first for first, _ in found], axis=1), np.stack([end for _, end in found], axis=1)
    )


def spans(axes: Iterable[Axis]) -> Floats:
    """Give the length of each axis in steps, by which lengths on different axes are weighed."""
    lengths = [
        (axis.domain[1] - axis.domain[0]) / float(1 if axis.width is None else axis.width)
        for axis in axes
    ]
    return np.maximum(np.array(lengths, dtype=np.float64), 1.0)


def hulls(boxes: Boxes, group: Array, groups: int) -> Boxes:
    """Give the smallest box, of one step at least, around those of each group; none is empty."""
    if not groups:
        return boxes.take(np.zeros(0, dtype=np.int64))
    order = np.argsort(group, kind="stable")
    heads = np.searchsorted(group[order], np.arange(groups))
    first = np.minimum.reduceat(boxes.first[order], heads, axis=0)
    end = np.maximum.reduceat(boxes.end[order], heads, axis=0)
    return Boxes(first, np.maximum(end, first + 1))


def published(axes: Sequence[Axis], boxes: Boxes) -> list[tuple[Numbers, Numbers]]:
    """Give the lowest and the highest value of every interval, by axis, both included."""
    return [_ends(axis, boxes.first[:, i], boxes.end[:, i]) for i, axis in enumerate(axes)]


def rounded(axis: Axis, low: Floats, high: Floats) -> tuple[Numbers, Numbers]:
    """Round intervals outwards to the grid, and give what is published of them."""
    first, _ = _steps(axis, low)
    _, end = _steps(axis, high)
    return _ends(axis, first, np.maximum(end, first + 1))


def step_of(axis: Axis, numbers: Numbers) -> Array:
    """Give the step of the grid that each number lies in; on an edge, that above it."""
    return _steps(axis, numbers.astype(np.float64))[0]


def columns(axis: Axis, low: Numbers, high: Numbers) -> dict[str, pa.Array]:
    """Name the published columns of an axis, and write texts as themselves."""
    found = {}
    for name, ends in zip(way(axis).names, (low, high), strict=True):
        numbers = pa.array(ends)
        found[name] = pa.array(axis.order, pa.string()).take(numbers) if axis.order else numbers
    return found


def way(axis: Axis) -> Interval | Ordered:
    """Say how an axis is published."""
    if axis.width is None:
        return Ordered(axis.column, tuple(axis.order))
    return Interval(axis.column, axis.width)


def _steps(axis: Axis, numbers: Floats) -> tuple[Array, Array]:
    """Round numbers down and up to whole steps; a whole number or a text takes a step itself."""
    if axis.width is None or axis.whole:
        first = numbers.astype(np.int64) // int(axis.width or 1)
        return first, first + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = numbers / float(axis.width)
        near = np.rint(quotient)
        doubtful = np.flatnonzero(~(np.abs(quotient - near) > np.abs(near) * _DOUBT))
    quotient[doubtful] = 0.0
    first, end = np.floor(quotient).astype(np.int64), np.ceil(quotient).astype(np.int64)
    some, which = np.unique(numbers[doubtful], return_inverse=True)
    exact = [Decimal(repr(number)) / axis.width for number in some.tolist()]
    for steps, way in ((first, ROUND_FLOOR), (end, ROUND_CEILING)):
        whole = [int(one.to_integral_value(way)) for one in exact]
        steps[doubtful] = np.array(whole, dtype=np.int64)[which]
    return first, end


def _ends(axis: Axis, first: Array, end: Array) -> tuple[Numbers, Numbers]:
    if axis.width is None:
        return first, end - 1
    if axis.whole:
        return first * int(axis.width), end * int(axis.width) - 1
    return _times(axis.width, first), _times(axis.width, end)


def _times(width: Decimal, steps: Array) -> Floats:
    some, which = np.unique(steps, return_inverse=True)
    edges: Floats = np.array([float(step * width) for step in some.tolist()], dtype=np.float64)
    return edges[which]
