"""Sums and means of a numeric column over the records that meet a condition.

Every published row, or every value where these are a table of their own, is an item: it must or
may count, with a chance, and its number lies between two ends. Of the n items of a group r count
at all (rows that are no counterfeits; or rows that hold a value that is asked for; or values that
are those of a row that is asked for). The smallest sum takes, in each group, the r smallest
contributions; the smallest mean takes what must count, and then the smallest as long as they are
below the mean. Where the rows of a group are candidates, each may be taken r times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.asking.compiling import asked, counts, parts, values_asked
from anachron.asking.figures import Estimates, total
from anachron.asking.layout import BY_GROUP, BY_VALUE, CellLayout, Placed
from anachron.asking.question import Among, Begins, Condition, Leaf, Ranges, leaves
from anachron.asking.shares import Moments, moments
from anachron.asking.suggest import quoted, refusal
from anachron.asking.tilt import leaning, of_groups
from anachron.kernels.cells import MAY, MUST
from anachron.published.ways import Bins, Interval

__all__ = ["filled", "means", "sums"]

_Numbers = Callable[[CellLayout, Condition, str], Moments]
"""What is to be added up, for each distinct cell of a column."""


@dataclass(frozen=True, eq=False)
class _Items:
    """What may count, and how many of each group do."""

    group: Array
    weight: Floats
    must: Flags
    may: Flags
    p: Floats
    """The chance to count, for those that count at all."""
    doubt: Floats
    """How far that chance may be off, by one standard deviation."""
    uneven: Floats
    """How unevenly numbers are spread between their ends."""
    numbers: Moments
    n: Floats
    """Of each group: all its items."""
    least: Floats
    """Of each group: how many count at all; at the least, at the most, and as expected."""
    most: Floats
    expected: Floats
    valued: bool
    """Whether those that count are told by values of their own table; else, by counterfeits."""
    candidates: Flags
    """Of each group: whether its items are candidates, of which each person has one."""

    @property
    def times(self) -> Floats:
        """How often each item may count."""
        return np.where(self.candidates[self.group], self.most[self.group], self.weight)


def sums(layout: CellLayout, conditions: Sequence[Condition], column: str) -> Estimates:
    """Add up a column over the records that meet each condition."""
    return _added(layout, conditions, column, _numbers)


def filled(layout: CellLayout, conditions: Sequence[Condition], column: str) -> Estimates:
    """Count the records that meet each condition and have a value in a column, as SQL does."""
    if not layout.find(column).coded.missing.any():
        return counts(layout, conditions)
    return _added(layout, conditions, column, _ones)


def means(layouts: Sequence[CellLayout], conditions: Sequence[Condition], column: str) -> Estimates:
    """Compute the mean of a column over the records that meet each condition; NaN if none does."""
    why = total((counts(layout, conditions) for layout in layouts), len(conditions))
    found = np.full((5, len(conditions)), np.nan)
    for at, condition in enumerate(conditions):
        some = [_items(layout, condition, column, _numbers) for layout in layouts]
        least = _smallest_mean([(i, i.numbers.low) for i in some])
        most = -_smallest_mean([(i, -i.numbers.high) for i in some])
        mean, variance, lean = (least + most) / 2, 0.0, 0.0
        many = sum(_expected(replace(i, numbers=i.numbers.ones()), 0.0)[0] for i in some)
        if many > 0:
            mean = sum(_expected(i, 0.0)[0] for i in some) / many
            _, variance, lean = (
                sum(part) for part in zip(*(_expected(i, mean) for i in some), strict=True)
            )
            variance, lean = variance / many**2, lean / many
        found[:, at] = mean, least, most, variance, lean
    estimate, low, high, spread, off = found
    return replace(why, estimate=estimate, low=low, high=high, variance=spread, lean=off)


def _added(
    layout: CellLayout, conditions: Sequence[Condition], column: str, numbers: _Numbers
) -> Estimates:
    found = counts(layout, conditions)
    for at, condition in enumerate(conditions):
        items = _items(layout, condition, column, numbers)
        found.estimate[at], found.variance[at], found.lean[at] = _expected(items, 0.0)
        found.low[at] = _least(items, items.numbers.low)
        found.high[at] = -_least(items, -items.numbers.high)
    return found


def _ones(layout: CellLayout, _: Condition, column: str) -> Moments:
    one = np.ones(layout.find(column).coded.size)
    return Moments(one, one, one, one)


def _numbers(layout: CellLayout, condition: Condition, column: str) -> Moments:
    coded = layout.find(column).coded
    if not coded.numeric:
        raise refusal(layout.catalogue, f"{column} was not published as numbers.")
    clipped = _clipping(layout, condition, column)
    return moments(coded, clipped, layout.weights(column))


def _items(layout: CellLayout, condition: Condition, column: str, numbers: _Numbers) -> _Items:
    """Judge all rows, or all values, and say what is known of their numbers."""
    from anachron.kernels.cells import each

    of_cells = numbers(layout, condition, column)
    one = asked(layout, [condition])
    rows = len(layout.alike)
    judged = np.zeros(rows, dtype=np.uint8), np.zeros(rows), np.zeros(rows)
    values = np.zeros(len(layout.often), dtype=np.uint8)
    each(layout.arrays, one.leaves, one.tables, one.programs, one.spans[0], judged, values)
    uneven = layout.uneven(column, values_asked(layout, condition))
    return _gathered(layout, layout.find(column), of_cells, uneven, judged, values)


def _clipping(layout: CellLayout, condition: Condition, column: str) -> Ranges | Among | None:
    """The leaf on the column itself, to whose values the numbers are clipped."""
    for part in parts(condition):
        if isinstance(part, Leaf) and part.column == column and not isinstance(part, Begins):
            return part
    inside = any(leaf.column == column for leaf in leaves(condition) if isinstance(leaf, Leaf))
    if inside and isinstance(layout.find(column).coded.way, Bins | Interval):
        raise refusal(
            layout.catalogue,
            f"{column} is published as intervals, and its sum or mean cannot be told where "
            f"{column} stands in an OR.",
            f"SELECT AVG({quoted(column)})",
        )
    return None


def _gathered(
    layout: CellLayout,
    placed: Placed,
    numbers: Moments,
    unevenness: float | Floats,
    rows: tuple[Bytes, Floats, Floats],
    values: Bytes,
) -> _Items:
    flags, share, doubt = rows
    doubt = np.where((flags & (MAY | MUST)) == MAY, np.sqrt(doubt), 0.0)
    valued = len(values) > 0
    uneven = np.broadcast_to(unevenness, placed.coded.size)
    of_row = np.repeat(np.arange(len(layout.size)), np.diff(layout.row_start))
    of_value = np.repeat(np.arange(len(layout.size)), np.diff(layout.value_start))
    n, weight = layout.size.astype(np.float64), layout.alike.astype(np.float64)
    often, missing = layout.often.astype(np.float64), placed.coded.missing
    loose = layout.candidates > 0

    def by_group(group: Array, many: npt.NDArray[np.generic]) -> Floats:
        return np.bincount(group, many, len(layout.size)).astype(np.float64)

    held = (values & MUST) > 0
    if placed.level == BY_VALUE:
        codes = layout.value_codes[:, placed.at]
        held = held & ~missing[codes]
        least, most, expected = (by_group(of_row, weight * x) for x in (*_seen(flags), share))
        # Which rows hold the value is open with the rows.
        off = held * (by_group(of_row, weight * doubt) / n)[of_value]
        chances = held, held, held.astype(np.float64), off, uneven[codes]
        return _Items(
            of_value, often, *chances, numbers.take(codes), n, least, most, expected, valued, loose
        )
    by_row = placed.level != BY_GROUP
    codes = (layout.row_codes if by_row else layout.group_codes[of_row])[:, placed.at]
    here = ~missing[codes]
    least = most = expected = real = n - layout.fakes
    if valued:
        # Rows are those of people, and a value that is asked for may be nobody's.
        asked_for, n, many = by_group(of_value, often * held), real, n
        least = np.where(loose, np.where(asked_for == many, n, 0.0), n - (many - asked_for))
        most = np.where(loose, np.where(asked_for > 0, n, 0.0), np.minimum(asked_for, n))
        least, expected = np.maximum(least, 0.0), n * asked_for / many
        loose = np.zeros_like(loose)
    must, may = (one & here for one in _seen(flags))
    chances = must, may, share * here, np.where(here, doubt, 0.0), uneven[codes]
    counting = n, least, most, expected
    return _Items(of_row, weight, *chances, numbers.take(codes), *counting, valued, loose)


def _seen(flags: Bytes) -> tuple[Flags, Flags]:
    """What must and what may meet the condition."""
    return (flags & MUST) > 0, (flags & MAY) > 0


def _expected(items: _Items, around: float) -> tuple[float, float, float]:
    """Mean, variance and lean of the sum of the numbers less ``around``, if r of n are drawn."""
    from anachron.kernels.cells import OF_CHANGES, OF_COUNTERFEITS

    number = items.numbers
    mean = items.p * (number.mean - around)
    square = items.p * (number.square - 2 * around * number.mean + around * around)
    once, once_squared, twice = (
        np.bincount(items.group, items.weight * what, len(items.n)).astype(np.float64)
        for what in (mean, mean * mean, square)
    )
    n, r = items.n, items.expected
    spread = r / n * (twice - once_squared)
    between = np.maximum(r * (n - r) / n * (once_squared - once * once / n), 0.0)
    variance = np.maximum(spread + between / np.maximum(n - 1, 1), 0.0)
    alone = np.maximum(r / n * (twice - once * once / n), 0.0)
    variance = np.where(items.candidates, alone, variance)
    within = np.sqrt(items.uneven * np.maximum(number.square - number.mean**2, 0.0))
    off = items.doubt * np.abs(number.mean - around) + items.p * within
    lean = r / n * np.bincount(items.group, items.weight * off, len(items.n))
    if items.valued:
        tilted = float(leaning(of_groups(n, once, r, once_squared)[None])[0])
    else:
        tilted = float(np.sqrt(OF_COUNTERFEITS * between).sum())
        apart = np.maximum(once_squared / n - (once / n) ** 2, 0.0)
        tilted += float((r * np.sqrt(OF_CHANGES * apart))[items.candidates].sum())
    return float(np.sum(r / n * once)), float(variance.sum()), float(lean.sum()) + tilted


def _least(items: _Items, smallest: Floats) -> float:
    """The smallest sum: in each group, the smallest contributions of as many as count."""
    given = np.where(items.must, smallest, np.where(items.may, np.minimum(smallest, 0.0), 0.0))
    below = np.bincount(items.group, items.times * (given < 0), len(items.n))
    drawn = np.clip(below, items.least, items.most)
    order = np.lexsort((given, items.group))
    group, weight = items.group[order], items.times[order]
    upto = np.cumsum(weight)
    before = np.concatenate(([0.0], np.cumsum(np.bincount(group, weight, len(items.n)))[:-1]))
    taken = np.clip(drawn[group] - (upto - weight - before[group]), 0.0, weight)
    return float(np.sum(given[order] * taken))


def _smallest_mean(parts_of: Sequence[tuple[_Items, Floats]]) -> float:
    """The smallest mean: what must count, and the smallest of the rest as far as they lower it.

    Rows of a group with counterfeits, of which any may be one, need not count; so this is a
    bound there, and not always reached.
    """
    told = [_surely(items, numbers) for items, numbers in parts_of]
    sure, weight = (np.concatenate(part) for part in zip(*told, strict=True))
    may = np.concatenate([i.may & (i.most > 0)[i.group] for i, _ in parts_of])
    number = np.concatenate([numbers for _, numbers in parts_of])
    some = np.flatnonzero(may & ~sure)
    some = some[np.argsort(number[some], kind="stable")]
    many = np.concatenate(([0.0], np.cumsum(weight[some]))) + weight[sure].sum()
    added = np.concatenate(([0.0], np.cumsum(weight[some] * number[some])))
    added += np.sum(weight[sure] * number[sure])
    if not many[-1]:
        return np.nan
    # If nothing must count, the smallest alone is the smallest mean.
    first = int(many[0] == 0)
    return float((added[first:] / many[first:]).min())


def _surely(items: _Items, smallest: Floats) -> tuple[Flags, Floats]:
    """Which items count for sure, and how often each may, for the smallest mean.

    If all candidates of a group must count, so do all its people, each with the smallest at least.
    """
    sure, times = items.must & (items.least == items.n)[items.group], items.times
    loose = items.candidates[items.group]
    must = np.bincount(items.group, items.weight * items.must, len(items.n)) == items.n
    settled = loose & (must & (items.least == items.most))[items.group]
    order = np.lexsort((smallest, items.group))
    first = np.zeros(len(order), dtype=bool)
    first[order] = np.diff(items.group[order], prepend=-1) != 0
    times = np.where(settled & ~first, 0.0, times)
    return np.where(loose, settled & first, sure), times
