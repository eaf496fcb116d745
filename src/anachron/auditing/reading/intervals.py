"""Published intervals: are they on their grid, and which values of the microdata do they hold?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.reading.columns import HIGHEST, LOWEST, coded, whole
from anachron.auditing.reading.form import Interval

__all__ = [
    "GroupedRows",
    "bounds_of_groups",
    "code_ranges",
    "differs",
    "multiples",
    "off_grid",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupedRows:
    """Rows in groups, which may be published with intervals."""

    row_group: Numbers
    """Of each row, in the order of the file; 0 if it is missing."""
    domain: pa.Array
    """The published sensitive values, ascending."""
    exact: bool
    """Whether values count as they are spelled."""
    number: Array
    """Of each group, ascending."""
    size: Array
    """Of each group."""
    low: tuple[Numbers, ...]
    """For each quasi column that is published as intervals, the lower bound of each group."""
    high: tuple[Numbers, ...]
    uneven: Flags
    """Whether the rows of a group have different bounds."""


Made = Callable[[pa.ChunkedArray], Numbers]
Read = Callable[[str, Made], Numbers]
"""Gives what is made of the cells of a column."""
_EXACT = 2**52
"""Whole numbers up to here are exact as fractions, with a bit to spare."""
_LARGEST = 2**63


def bounds_of_groups(
    intervals: Sequence[Interval],
    read: Read,
    by_group: Array | slice,
    first: Array,
    size: Array,
) -> tuple[tuple[Numbers, ...], tuple[Numbers, ...], Flags]:
    """The lower and upper bounds of groups, and which groups have different ones.

    ``by_group`` sorts rows by their group, of which each has its ``first`` place and its ``size``.
    """
    low: list[Numbers] = []
    high: list[Numbers] = []
    uneven = np.zeros(len(first), dtype=bool)
    for interval in intervals:
        # A missing bound makes the interval an empty one.
        sides = ((interval.low, low, HIGHEST), (interval.high, high, LOWEST))
        for name, bounds, missing in sides:
            made = partial(_bounds_of, interval, missing=missing)
            all_rows = read(name, made)[by_group]
            mine = all_rows[first]
            bounds.append(mine.astype(np.int64) if mine.dtype == np.int32 else mine)
            uneven |= differs(all_rows, first, size)
            del all_rows
    return tuple(low), tuple(high), uneven


def differs(values: Numbers, first: Array, size: Array) -> Flags:
    """Whether a group has different values, given row by row, group after group."""
    if not len(first):
        return np.zeros(0, dtype=bool)
    return np.logical_or.reduceat(values != np.repeat(values[first], size), first)


def _bounds_of(interval: Interval, column: pa.ChunkedArray, *, missing: int) -> Numbers:
    """Read a column of bounds: numbers, or places in the order of texts."""
    if interval.order is not None:
        found = coded(column)
        place = pc.index_in(found.dictionary, value_set=pa.array(interval.order, pa.string()))
        return np.append(whole(place, -1), -1)[whole(found.indices, -1)]
    if pa.types.is_floating(column.type):
        return np.asarray(column.fill_null(np.nan), dtype=np.float64)
    return whole(column, missing)


def off_grid(interval: Interval, low: Numbers, high: Numbers) -> Flags:
    """Tell which intervals are empty or have a bound where none may be.

    Intervals of whole numbers end just before a multiple of the width, those of fractions at
    one, and never where they began.
    """
    if interval.width is None:
        return np.asarray((low < 0) | (high < 0) | (low > high), dtype=bool)
    if low.dtype != np.int64:
        return ~(multiples(interval.width, low) & multiples(interval.width, high) & (low < high))
    if interval.width.denominator != 1 or interval.width >= _LARGEST:
        return np.ones(len(low), dtype=bool)
    width = int(interval.width)
    off = (low % width != 0) | (high % width != width - 1)
    return np.asarray(off | (low > high), dtype=bool)


def multiples(width: Fraction, bounds: Numbers) -> Flags:
    """Tell which fractions are the nearest ones to multiples of the width."""
    found, place = np.unique(bounds, return_inverse=True)
    over, under = width.numerator, width.denominator
    finite = np.isfinite(found)
    largest = float(np.abs(found[finite]).max(initial=0))
    if max(over, under) < _EXACT and largest * under < _EXACT:
        steps = np.rint(np.where(finite, found, 0) * under / over)
        right = steps * over / under == found
    else:
        right = np.array(
            [bool(f) and _is_multiple(width, float(n)) for n, f in zip(found, finite, strict=True)],
            dtype=bool,
        )
    return np.asarray(right & finite, dtype=bool)[place]


def _is_multiple(width: Fraction, bound: float) -> bool:
    return float(round(Fraction(bound) / width) * width) == bound


def code_ranges(
    interval: Interval, values: pa.Array, low: Numbers, high: Numbers
) -> tuple[Array, Array, Array]:
    """Say which values of a column each interval holds.

    Returns a rank for each value, -1 if no interval can hold it, and for each interval the
    first and the last rank that it holds.
    """
    if interval.order is not None:
        order = pa.array(interval.order, pa.string())
        return whole(pc.index_in(values.cast(pa.string()), value_set=order), -1), low, high
    missing = np.asarray(values.is_null())
    if low.dtype != np.int64:
        numbers = np.asarray(values.cast(pa.float64(), safe=False).fill_null(0), np.float64)
    else:
        numbers = _whole_or_exact(values)
    ascending = np.sort(numbers[~missing])
    rank = np.where(missing, -1, np.searchsorted(ascending, numbers))
    # Ranks are places of the first of equal numbers, so that bounds can be found among them.
    first = np.searchsorted(ascending, low, side="left")
    last = np.searchsorted(ascending, high, side="right") - 1
    return rank, first, last


def _whole_or_exact(values: pa.Array) -> Numbers:
    """Numbers that can be compared with whole bounds without rounding."""
    if pa.types.is_integer(values.type) and values.type != pa.uint64():
        return whole(values, 0)
    return np.array([0 if v is None else Fraction(str(v)) for v in values.to_pylist()], object)
