"""What a published pattern says for certain of the shape of a series.

==============  ==========================================================================
``z``           the shape: the series over the times of its pattern, less its mean, divided by
                its standard deviation, to nine decimals; n numbers
word            letters at a level; a letter says between which break points z lies, or the mean
                of z over the L times of a segment
D               distance of two shapes: the Euclidean one of all n(n − 1)/2 differences of two
                of their numbers (Sections 3.2 and 7.1)
==============  ==========================================================================

Arrays have a row for each question and a column for each word.

Notes
-----
Besides its letters we know of every z that Σz = 0 and Σz² = n − 1, or that all of it is 0 (a
constant series). So Σwz is at most ‖w − mean(w)‖·√(n − 1); and for any number λ it is Σ(w − λ)z,
which the letters bound: the best λ is one of the weights, and every other one is a bound too.

Where letters are those of segments with the means u, the same holds of sums Σwu: there ΣLu = 0 and
ΣLu² ≤ n − 1, and what z does within the segments has the length √(n − 1 − ΣLu²) at the most. A
letter of 0 everywhere does not tell then that a series is constant, as it does otherwise.

The pairwise differences are never formed: D² = n·Σ(z − q)² − (Σ(z − q))², which for two shapes is
n·(Σz² + Σq² − 2·Σqz). Thus a bound of the weighted sum Σqz is one of the distance. Another one is
that of q from the box of the letters. The narrower one counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.asking.series_values import EPS, Bounds, sum_bounds
from anachron.methods.patterns.customized import letter_of_zero

__all__ = ["Words", "boxes", "limits", "shapes_of", "z_range"]


ROUNDING = 1e-9
"""z is a multiple of this, and off by no more."""
MOST_SHIFTS = 8
"""How many λ are tried for a question."""


@dataclass(frozen=True, eq=False)
class Words:
    """Different words, each at its level."""

    level: Array
    letters: Bytes
    """A row for each word, a column for each time of the pattern, or for each segment."""
    lengths: Array
    """How many times each letter is of."""

    @cached_property
    def times(self) -> int:
        """The number of times."""
        return int(self.lengths.sum())

    @property
    def averaged(self) -> bool:
        """Whether letters are those of segments."""
        return len(self.lengths) < self.times

    @cached_property
    def middle(self) -> Flags:
        """Whether a word has only letters of 0."""
        zero = letter_of_zero(self.level)[:, None]
        found: Flags = (self.letters == zero).all(axis=1)
        return found

    @cached_property
    def constant(self) -> Flags:
        """Whether a word is that of a constant series, as no other has only letters of 0."""
        return self.middle & (self.level > 1) & (not self.averaged)

    @cached_property
    def box(self) -> Bounds:
        """Between which numbers the z of each letter lies."""
        low, high = boxes(self.level, self.letters, self.letters, self.furthest)
        return np.where(self.constant[:, None], 0.0, low), np.where(
            self.constant[:, None], 0.0, high
        )

    @property
    def furthest(self) -> float:
        """How far from 0 a z can be."""
        return (self.times - 1) / math.sqrt(self.times) + self.slack

    @cached_property
    def within(self) -> Floats:
        """How long z is within the segments of each word, at the most."""
        low, high = self.box
        least = np.maximum(np.maximum(low, -high), 0.0)
        left = self.times - 1 - least**2 @ self.lengths
        found: Floats = np.sqrt(np.maximum(left, 0.0) + 4 * self.times**1.5 * self.slack)
        return found

    @property
    def slack(self) -> float:
        """By how much a z may be off, as it is rounded."""
        return ROUNDING + 8 * EPS * self.times * math.sqrt(self.times)

    def feature_bounds(self, weights: Floats) -> Bounds:
        """Bound the weighted sum of the z of letters of each question for each word."""
        low, high = self.box
        lowest, highest = sum_bounds(weights, low, high)
        each = weights / self.lengths
        centred = each - weights.sum(axis=1, keepdims=True) / self.times
        reach = np.sqrt((centred**2) @ self.lengths * (self.times - 1))
        slack = np.abs(weights).sum(axis=1) * self.times * self.slack + 1e-12 * reach
        most = (reach + slack)[:, None]
        lowest, highest = np.maximum(lowest, -most), np.minimum(highest, most)
        for shift in _shifts(each).T[:, :, None]:
            some = sum_bounds(weights - shift * self.lengths, low, high)
            off = np.abs(shift) * self.times * self.slack
            lowest, highest = np.maximum(lowest, some[0] - off), np.minimum(highest, some[1] + off)
        return lowest, highest

    def distance_bounds(self, sequences: Floats) -> Bounds:
        """Bound D² of each shape of a question from the series of each word."""
        n, margin, tiny = self.times, self.times**2 * self.slack, 1e-12 * self.times**2
        own = (sequences**2).sum(axis=1)[:, None]
        sums, left = self.parted(sequences)
        beyond = left[:, None] * self.within
        lowest, highest = self.feature_bounds(sums)
        lowest, highest = lowest - beyond, highest + beyond
        # At level 1, nobody can tell whether a series is constant; by segments, at none.
        squares = np.where(self.constant, 0.0, n - 1.0)
        known = (self.level > 1) & ~(self.middle & self.averaged)
        near = n * (np.where(known, squares, 0.0) + own - 2 * highest) - 4 * margin
        far = n * (squares + own - 2 * lowest) + 4 * margin
        more = (left[:, None] + self.within) ** 2 * self.averaged
        for level, these, places in self._places:
            nearest, farthest = _apart(sums / self.lengths, level, self)
            near[:, these] = np.maximum(near[:, these], n * (nearest @ places) - tiny)
            away = farthest @ places + more[:, these]
            far[:, these] = np.minimum(far[:, these], n * away + tiny)
        exact = n * own
        return (
            np.where(self.constant, exact - tiny, near),
            np.where(self.constant, exact + tiny, far),
        )

    def parted(self, sequences: Floats) -> tuple[Floats, Floats]:
        """Give the sums of each sequence over the times of letters, and how long the rest is."""
        if not self.averaged:
            return sequences, np.zeros(len(sequences))
        sums = np.add.reduceat(sequences, np.cumsum(self.lengths) - self.lengths, axis=1)
        rest = sequences - np.repeat(sums / self.lengths, self.lengths, axis=1)
        return sums, np.sqrt((rest**2).sum(axis=1))

    @cached_property
    def _places(self) -> list[tuple[int, Array, Floats]]:
        """Of each level: its words, and at how many times a word has a letter."""
        found = []
        for level in np.unique(self.level[~self.constant]).tolist():
            these = np.flatnonzero((self.level == level) & ~self.constant)
            places = np.zeros((len(self.lengths), level, len(these)))
            at, word = np.meshgrid(
                np.arange(len(self.lengths)), np.arange(len(these)), indexing="ij"
            )
            places[at, self.letters[these].T, word] = self.lengths[:, None]
            found.append((level, these, places.reshape(-1, len(these))))
        return found


def boxes(level: Array, first: Bytes, last: Bytes, furthest: float) -> Bounds:
    """Give the lowest z of one letter and the highest of another, of each row at its level."""
    low, high = np.empty(first.shape), np.empty(last.shape)
    for one in np.unique(level).tolist():
        rows = level == one
        lower, upper = z_range(one, furthest)
        low[rows], high[rows] = lower[first[rows]], upper[last[rows]]
    return low, high


def z_range(level: int, furthest: float) -> Bounds:
    """Give the lowest and the highest z of each letter of a level: multiples of 10⁻⁹ inside."""
    from anachron.kernels.sax import breakpoints

    cuts = breakpoints(level)
    # A break point belongs to the letter above it.
    below = (np.rint(cuts * 1e9) - 1) / 1e9
    lower, upper = np.concatenate([[-furthest], cuts]), np.concatenate([below, [furthest]])
    return np.clip(lower, -furthest, furthest), np.clip(upper, -furthest, furthest)


def shapes_of(sequences: Floats) -> Floats:
    """Give the shape of each sequence, a row for each."""
    from anachron.kernels.sax import normalised

    return normalised(sequences)


def limits(delta: Floats, times: int) -> Floats:
    """Give the largest D² that is within each delta, but for rounding."""
    return np.where(delta < 0, -np.inf, delta**2 + 1e-13 * times**2)


def _apart(sequences: Floats, level: int, words: Words) -> Bounds:
    """Give the squared distance of each number from each letter: the least, and the largest."""
    lower, upper = z_range(level, words.furthest)
    below, above = lower - sequences[:, :, None], sequences[:, :, None] - upper
    nearest = np.maximum(np.maximum(below, above), 0.0) ** 2
    farthest = np.minimum(below, above) ** 2
    return nearest.reshape(len(sequences), -1), farthest.reshape(len(sequences), -1)


def _shifts(weights: Floats) -> Floats:
    """Choose λ for each question: its different weights, or some of them."""
    ordered = np.sort(weights, axis=1)
    new = np.diff(ordered, axis=1, prepend=-np.inf) > 0
    place = np.cumsum(new, axis=1) - 1
    found = np.zeros((len(weights), MOST_SHIFTS))
    row, column = np.nonzero(new & (place < MOST_SHIFTS))
    found[row, place[row, column]] = ordered[row, column]
    for many in np.flatnonzero(place[:, -1] >= MOST_SHIFTS).tolist():
        evenly = np.linspace(0, place[many, -1], MOST_SHIFTS)
        found[many] = ordered[many, new[many]][np.rint(evenly).astype(np.int64)]
    return found[:, found.any(axis=0)]
