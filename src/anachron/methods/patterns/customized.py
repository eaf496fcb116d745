"""The linear programs of customized records: what letters and envelopes say of mean and spread.

At a time that has both, the value x is in [low, high], and its letter's cuts A ≤ B say that
mu + sigma·A ≤ x ≤ mu + sigma·B. So low ≤ mu + sigma·B and mu + sigma·A ≤ high, and of all times
with the same letter only the largest low and the smallest high matter.

Where times share a letter, it is that of their mean m, which lies between the means of their lows
and highs; a time of them that has no envelope is within mu ± sigma·(n − 1)/√n. So the inequalities
are the same, but for the cuts. The value itself is their number times m, less the others.

Notes
-----
The outer cuts are ∓(n − 1)/√n: none of n values is further from their mean, in sample standard
deviations. z is rounded to nine decimals before it is cut; with the rounding of sums it is off
by less than ``slack``. That never changes the order of two values, so every cut is off by the
same for all times. The outer ones, which are no break points, are moved outwards for good.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.kernels.linear_programs import least, most
from anachron.kernels.sax import CONSTANT, breakpoints

__all__ = ["Bounds", "Place", "Programs", "Runs", "gather", "letter_of_zero", "widened"]

Bounds = tuple[Floats, Floats]

ALL = slice(None)

EPS = float(np.finfo(np.float64).eps)

SHARE = 16 * EPS
"""Envelopes are widened by this share of themselves: the rounding of weighted sums."""

TINY, HUGE = float(np.finfo(np.float64).tiny), 1e290
"""Near 0 rounding is no share of a number; beyond the other end weighted sums overflow."""


@dataclass(frozen=True)
class Place:
    """A time of the pattern, and what is known of the others that share its letter."""

    segment: int
    length: int
    """How many times share the letter."""
    missing: int
    """How many of the others have no envelope."""
    low: Floats
    """Of each run: the sum of the lower bounds of the others that have one."""
    high: Floats


@dataclass(frozen=True)
class Programs:
    """The records of one level whose series are not constant: programs of the same cuts."""

    level: int
    rows: Array
    floor: Floats
    """Of each row and inequality, a bound that its values exceed; −∞ if there is none."""
    ceiling: Floats
    lower_cut: Floats
    upper_cut: Floats
    times: int
    slack: float

    def bounds(self, letter: Bytes, at: Place) -> Bounds:
        """Bound the value at a time of the pattern, whose letter in each row is given."""
        lower, upper = np.empty(len(letter)), np.empty(len(letter))
        cuts = _stretched(self.level, self.times, at.length, at.missing, self.slack)
        known = at.length - at.missing
        for code in np.unique(letter).tolist():
            those = letter == code
            lower[those] = known * self._least(cuts[0][code], those)
            upper[those] = known * self._most(cuts[1][code], those)
        if at.length == 1:
            return lower, upper
        low, high = at.low[self.rows], at.high[self.rows]
        furthest = np.float64(_furthest(self.times, 1, self.slack))
        off = (at.length + 8) * EPS
        lower -= high + off * (np.abs(lower) + np.abs(high))
        upper -= low - off * (np.abs(upper) + np.abs(low))
        return np.maximum(lower, self._least(-furthest)), np.minimum(upper, self._most(furthest))

    def ranges(self) -> Bounds:
        """Bound the values of every letter of the alphabet, at a time outside the pattern.

        Such a time is no part of the mean, so that the outer letters have no outer cut.
        """
        lower = np.full((len(self.rows), self.level), -np.inf)
        upper = np.full((len(self.rows), self.level), np.inf)
        for letter, cut in enumerate(breakpoints(self.level)):
            upper[:, letter] = self._most(cut)
            lower[:, letter + 1] = self._least(cut)
        return lower, upper

    def _least(self, cut: np.float64, rows: Flags | slice = ALL) -> Floats:
        known = self.floor[rows], self.ceiling[rows]
        return least(*known, self.lower_cut, self.upper_cut, float(cut), self.slack)

    def _most(self, cut: np.float64, rows: Flags | slice = ALL) -> Floats:
        known = self.floor[rows], self.ceiling[rows]
        return most(*known, self.lower_cut, self.upper_cut, float(cut), self.slack)


@dataclass(frozen=True)
class Runs:
    """The different records: one of each run of equal ones.

    A release is sorted, so the records of a P-subgroup are one run: they share all of this.
    """

    low: Floats
    """Widened envelopes at the times that have letters too, a column for each."""
    high: Floats
    common: Array
    """Which of the pattern's times these are."""
    letters: Bytes
    lengths: Array
    """How many times share each letter."""
    level: Array
    constant: Flags
    first: Array
    """The first record of each run."""
    run: Array
    """The run of each record."""

    @property
    def times(self) -> int:
        """The number of times of the pattern."""
        return int(self.lengths.sum())

    @cached_property
    def segment(self) -> Array:
        """The letter of each time of the pattern."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def programs(self) -> Iterator[Programs]:
        """Go through the levels, and write the programs of each."""
        for level in np.unique(self.level[~self.constant]).tolist():
            rows = np.flatnonzero((self.level == level) & ~self.constant)
            slack = _slack(self.times)
            parts = [*self._known(rows, level, slack)]
            if len(self.lengths) < self.times:
                # At every time, whatever its letter.
                furthest = _furthest(self.times, 1, slack)
                ends = self.low[rows].max(axis=1), self.high[rows].min(axis=1)
                parts.append((ends[0][:, None], ends[1][:, None],
                              np.array([-furthest]), np.array([furthest])))  # fmt: skip
            floor, ceiling, lower, upper = zip(*parts, strict=True)
            yield Programs(
                level, rows, np.concatenate(floor, axis=1), np.concatenate(ceiling, axis=1),
                np.concatenate(lower), np.concatenate(upper), self.times, slack,
            )  # fmt: skip

    def bounds_of_constant(self) -> Bounds:
        """Bound the one value of each series as if it were constant."""
        # A standard deviation of this share counts as none, and two of n values are at most
        # 2·√n standard deviations apart.
        share = 4 * CONSTANT * math.sqrt(self.times)
        lower, upper = self.low.max(axis=1), self.high.min(axis=1)
        return lower - share * np.abs(lower), upper + share * np.abs(upper)

    def place(self, time: int) -> Place:
        """Look at a time of the pattern."""
        segment = int(self.segment[time])
        others = (self.segment[self.common] == segment) & (self.common != time)
        length = int(self.lengths[segment])
        missing = length - 1 - int(np.count_nonzero(others))
        sums = self.low[:, others].sum(axis=1), self.high[:, others].sum(axis=1)
        return Place(segment, length, missing, *sums)

    def _known(
        self, rows: Array, level: int, slack: float
    ) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Find the narrowest bounds of each letter over the segments of a kind.

        A kind is how many times share the letter, and how many of these have no envelope.
        """
        there = np.bincount(self.segment[self.common], minlength=len(self.lengths))
        every = np.arange(len(rows))
        for length, missing in sorted({*zip(self.lengths.tolist(), (self.lengths - there).tolist(),
                                            strict=True)}):  # fmt: skip
            if missing == length:
                continue
            floor = np.full((len(rows), level), -np.inf)
            ceiling = np.full((len(rows), level), np.inf)
            for at in np.flatnonzero((self.lengths == length) & (self.lengths - there == missing)):
                low, high = self._mean(rows, int(at))
                cell = every, self.letters[rows, at]
                floor[cell] = np.maximum(floor[cell], low)
                ceiling[cell] = np.minimum(ceiling[cell], high)
            yield floor, ceiling, *_stretched(level, self.times, length, missing, slack)

    def _mean(self, rows: Array, segment: int) -> Bounds:
        """Bound the mean of the times of a segment that have envelopes."""
        columns = np.flatnonzero(self.segment[self.common] == segment)
        low, high = self.low[np.ix_(rows, columns)], self.high[np.ix_(rows, columns)]
        if self.lengths[segment] == 1:
            return low[:, 0], high[:, 0]
        # Sums of several values need not keep their order to the last bit, as single values do.
        wide = self.high[rows].max(axis=1) - self.low[rows].min(axis=1)
        off = 64 * EPS * self.times**1.5 * np.where(np.isfinite(wide), wide, 0.0)
        off += len(columns) * EPS * np.maximum(np.abs(low), np.abs(high)).max(axis=1)
        return low.mean(axis=1) - off, high.mean(axis=1) + off


def gather(
    low: Floats,
    high: Floats,
    letters: Bytes,
    level: Array,
    common: list[tuple[int, int]],
    lengths: Array,
) -> Runs:
    """Keep one of each run of equal records.

    Parameters
    ----------
    low, high, letters, level
        As published, a row for each record.
    common
        Of each time that has both: its column in the envelopes, and its place in the pattern.
    lengths
        How many times share each letter.
    """
    new = np.ones(len(level), dtype=np.bool_)
    new[1:] = False
    for array in (low, high, letters, level[:, None]):
        new[1:] |= (array[1:] != array[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    words, levels = letters[first], level[first]
    columns = np.ix_(first, np.array([value for value, _ in common]))
    # Any other series has z of both signs, and one beyond ±0.7; but means of z may all be near 0.
    constant = (words == letter_of_zero(levels)[:, None]).all(axis=1) & (levels > 1)
    constant &= len(lengths) == lengths.sum()
    return Runs(
        *widened(low[columns], high[columns]),
        np.array([letter for _, letter in common]),
        words,
        lengths,
        levels,
        constant,
        first,
        np.cumsum(new) - 1,
    )


def letter_of_zero(level: Array) -> Bytes:
    """Give the letter of z = 0, which belongs to the upper of two letters that it divides."""
    return (level // 2).astype(np.uint8)


def widened(low: Floats, high: Floats) -> Bounds:
    """Widen envelopes by what the rounding of weighted sums may take away."""
    low = np.where(low < -HUGE, -np.inf, np.minimum(low, HUGE))
    high = np.where(high > HUGE, np.inf, np.maximum(high, -HUGE))
    return low - (SHARE * np.abs(low) + TINY), high + (SHARE * np.abs(high) + TINY)


def _slack(times: int) -> float:
    """By how much z may be off."""
    return 1e-9 + 8 * EPS * times * math.sqrt(times)


def _furthest(times: int, length: int, slack: float) -> float:
    """How far from 0 the mean of so many z can be."""
    if length == 1:
        return (times - 1) / math.sqrt(times) + 2 * slack
    return math.sqrt((times - 1) * (1 / length - 1 / times)) + 2 * slack


def _cuts(level: int, times: int, length: int, slack: float) -> Bounds:
    """Give the lower and the upper cut of each letter of so many times."""
    furthest = _furthest(times, length, slack)
    inner = np.clip(breakpoints(level), -furthest, furthest)
    return np.concatenate([[-furthest], inner]), np.concatenate([inner, [furthest]])


def _stretched(level: int, times: int, length: int, missing: int, slack: float) -> Bounds:
    """The cuts of the mean of some of the times of a letter, if so many others are unknown.

    These are no further from mu than any value. What is made of two cuts is no break point, and
    is moved outwards for good.
    """
    lower, upper = _cuts(level, times, length, slack)
    if not missing:
        return lower, upper
    known = length - missing
    beyond = missing * _furthest(times, 1, slack) + 2 * slack * length
    return (length * lower - beyond) / known, (length * upper + beyond) / known
