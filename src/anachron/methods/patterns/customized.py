"""The linear programs of customized records: what letters and envelopes say of mean and spread.

At a time that has both, the value x is in [low, high], and its letter's cuts A ≤ B say that
mu + sigma·A ≤ x ≤ mu + sigma·B. So low ≤ mu + sigma·B and mu + sigma·A ≤ high, and of all times
with the same letter only the largest low and the smallest high matter.

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

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.kernels.linear_programs import least, most
from anachron.kernels.sax import CONSTANT, breakpoints

__all__ = ["Bounds", "Programs", "Runs", "gather", "letter_of_zero", "widened"]

Bounds = tuple[Floats, Floats]

ALL = slice(None)

EPS = float(np.finfo(np.float64).eps)

SHARE = 16 * EPS
"""Envelopes are widened by this share of themselves: the rounding of weighted sums."""

TINY, HUGE = float(np.finfo(np.float64).tiny), 1e290
"""Near 0 rounding is no share of a number; beyond the other end weighted sums overflow."""


@dataclass(frozen=True)
class Programs:
    """The records of one level whose series are not constant: programs of the same cuts."""

    level: int
    rows: Array
    floor: Floats
    """Of each row and letter, a bound that its values exceed; −∞ if there is none."""
    ceiling: Floats
    lower_cut: Floats
    upper_cut: Floats
    slack: float

    def bounds(self, letter: Bytes) -> Bounds:
        """Bound the value, at a time of the pattern, that has the given letter in each row."""
        lower, upper = np.empty(len(letter)), np.empty(len(letter))
        for code in np.unique(letter).tolist():
            those = letter == code
            lower[those] = self._least(self.lower_cut[code], those)
            upper[those] = self._most(self.upper_cut[code], those)
        return lower, upper

    def ranges(self) -> Bounds:
        """Bound the values of every letter of the alphabet, at a time outside the pattern.

        Such a time is no part of the mean, so that the outer letters have no outer cut.
        """
        lower = np.full(self.floor.shape, -np.inf)
        upper = np.full(self.floor.shape, np.inf)
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
    level: Array
    constant: Flags
    first: Array
    """The first record of each run."""
    run: Array
    """The run of each record."""

    @property
    def times(self) -> int:
        """The number of times of the pattern."""
        return len(self.letters.T)

    def programs(self) -> Iterator[Programs]:
        """Go through the levels, and write the programs of each."""
        for level in np.unique(self.level[~self.constant]).tolist():
            rows = np.flatnonzero((self.level == level) & ~self.constant)
            floor, ceiling = self._known(rows, level)
            lower_cut, upper_cut, slack = _cuts(level, self.times)
            yield Programs(level, rows, floor, ceiling, lower_cut, upper_cut, slack)

    def bounds_of_constant(self) -> Bounds:
        """Bound the one value of each series as if it were constant."""
        # A standard deviation of this share counts as none, and two of n values are at most
        # 2·√n standard deviations apart.
        share = 4 * CONSTANT * math.sqrt(self.times)
        lower, upper = self.low.max(axis=1), self.high.min(axis=1)
        return lower - share * np.abs(lower), upper + share * np.abs(upper)

    def _known(self, rows: Array, level: int) -> Bounds:
        """Find the narrowest bounds of each letter over the common times."""
        floor = np.full((len(rows), level), -np.inf)
        ceiling = np.full((len(rows), level), np.inf)
        every = np.arange(len(rows))
        for column, at in enumerate(self.common.tolist()):
            cell = every, self.letters[rows, at]
            floor[cell] = np.maximum(floor[cell], self.low[rows, column])
            ceiling[cell] = np.minimum(ceiling[cell], self.high[rows, column])
        return floor, ceiling


def gather(
    low: Floats, high: Floats, letters: Bytes, level: Array, common: list[tuple[int, int]]
) -> Runs:
    """Keep one of each run of equal records.

    Parameters
    ----------
    low, high, letters, level
        As published, a row for each record.
    common
        The columns of each time that has both: in the envelopes, and in the letters.
    """
    new = np.ones(len(level), dtype=np.bool_)
    new[1:] = False
    for array in (low, high, letters, level[:, None]):
        new[1:] |= (array[1:] != array[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    words, levels = letters[first], level[first]
    columns = np.ix_(first, np.array([value for value, _ in common]))
    # Any other series has z of both signs, and one beyond ±0.7.
    constant = (words == letter_of_zero(levels)[:, None]).all(axis=1) & (levels > 1)
    return Runs(
        *widened(low[columns], high[columns]),
        np.array([letter for _, letter in common]),
        words,
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


def _cuts(level: int, times: int) -> tuple[Floats, Floats, float]:
    """Give the lower and the upper cut of each letter, and by how much they may be off."""
    slack = 1e-9 + 8 * EPS * times**1.5
    furthest = (times - 1) / math.sqrt(times) + 2 * slack
    inner = np.clip(breakpoints(level), -furthest, furthest)
    return np.concatenate([[-furthest], inner]), np.concatenate([inner, [furthest]]), slack
