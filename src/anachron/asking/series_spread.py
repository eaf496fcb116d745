"""How shapes are spread, given their letters: the estimates of pattern queries.

==============  ==========================================================================
``z``           the shape of a series, n numbers with Σz = 0 and Σz² = n − 1
model           z is normal and, at each time, within the cell of its letter, independently;
                of that, what agrees with the two sums
Σwz             a weighted sum is taken as normal, with its mean and variance under the model,
                between its hard bounds
D ≤ δ           n·(n − 1 + Σq² − 2·Σqz) ≤ δ²: a range of a weighted sum, too
==============  ==========================================================================

Arrays have a row for each question and a column for each word, but for moments: these have a row
for each word and a column for each time.

Notes
-----
Departs from the paper: it takes the rebuilt shape as the only one that a word stands for, so that
a series counts wholly or not at all. Words of few letters have few rebuilt shapes, and then a
narrow range of a feature catches many series or none. Letters cut the normal distribution into
equal parts, so within a letter the normal distribution is what they leave open. Counts of the
paper's pattern range queries, on random walks, are off by a quarter instead of twice the truth;
similarity gains less, and where series are of a few kinds the rebuilt shape counts very tolerant
questions better. The standard error is that of the model: it knows that shapes are uncertain, not
that they may be alike. The rebuilt shape is still what precision is measured with.

Both sums are taken into account to first order, as if they were normal with z: the mean of z
moves along its covariances with them, and the variance shrinks. Where letters are those of
segments, the model is one of their means, of which the first sum alone is known; what the second
leaves is spread evenly over the directions within segments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.asking.series_shapes import Words
from anachron.asking.series_values import Bounds, settled

__all__ = ["Spread", "cell_moments", "chances", "moments_of"]


POWERS = 4
LEAST_SPREAD = 1e-12
"""Standard deviations below this are rounding."""
LEAST_MASS = 1e-200
"""Where less of a normal distribution is between bounds, all of it is at the nearer one."""


@dataclass(frozen=True, eq=False)
class Spread:
    """How the shapes of words are spread."""

    words: Words

    def sums(self, weights: Floats) -> tuple[Floats, Floats]:
        """Give mean and variance of the weighted sums of each question for each word."""
        mean, variance, along = self._moments
        spread = weights**2 @ variance.T
        for part in along:
            spread -= (weights @ part.T) ** 2
        return weights @ mean.T, np.maximum(spread, 0.0)

    def squared_distances(self, sequences: Floats) -> tuple[Floats, Floats]:
        """Give mean and variance of D² of each shape of a question from the series of each word."""
        n = self.words.times
        sums, left = self.words.parted(sequences)
        mean, variance = self.sums(sums)
        if self.words.averaged:
            variance = variance + left[:, None] ** 2 * self._within
        squares = np.where(self.words.constant, 0.0, n - 1.0)
        own = (sequences**2).sum(axis=1)[:, None]
        return n * (squares + own - 2 * mean), (2 * n) ** 2 * variance

    @cached_property
    def _moments(self) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """Mean and variance of z, and its covariances with both sums, made independent."""
        words = self.words
        first, second, third, fourth = moments_of(words.level, words.letters)
        if words.averaged:
            return self._of_means(first, second - first**2)
        variance, joint = second - first**2, third - first * second
        squares = (fourth - second**2).sum(axis=1, keepdims=True)
        total = variance.sum(axis=1, keepdims=True)
        shared = joint.sum(axis=1, keepdims=True) / total
        off = -first.sum(axis=1, keepdims=True)
        off_squares = words.times - 1 - second.sum(axis=1, keepdims=True) - shared * off
        left = np.sqrt(squares - shared**2 * total)
        along = variance / np.sqrt(total), (joint - shared * variance) / left
        mean = first + along[0] * (off / np.sqrt(total)) + along[1] * (off_squares / left)
        # Of a constant series nothing is open.
        known = words.constant[:, None]
        mean, variance = np.where(known, 0.0, mean), np.where(known, 0.0, variance)
        return mean, variance, (np.where(known, 0.0, along[0]), np.where(known, 0.0, along[1]))

    def _of_means(
        self, first: Floats, variance: Floats
    ) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
        """The same of the means of segments, whose sum by length is 0."""
        lengths = self.words.lengths
        total = (variance @ lengths**2)[:, None]
        along = variance * lengths / np.sqrt(total)
        mean = first - along * ((first @ lengths)[:, None] / np.sqrt(total))
        return mean, variance, (along, np.zeros_like(along))

    @cached_property
    def _within(self) -> Floats:
        """The variance of z in each direction within the segments of each word."""
        words = self.words
        mean, variance, (along, _) = self._moments
        squares = (mean**2 + variance - along**2) @ words.lengths
        left = np.maximum(words.times - 1 - squares, 0.0)
        return np.minimum(left, words.within**2) / (words.times - len(words.lengths))


def moments_of(level: Array, letters: Bytes) -> Floats:
    """Give the mean of z, z², z³ and z⁴ of letters, of each row at its level."""
    found = np.empty((POWERS, *letters.shape))
    for one in np.unique(level).tolist():
        rows = level == one
        found[:, rows] = cell_moments(one)[:, letters[rows]]
    return found


def cell_moments(level: int) -> Floats:
    """Give the mean of z, z², z³ and z⁴ within the cell of each letter of a level.

    Example
    -------
    Half of the normal distribution has a mean of √(2/π), and the same variance as the other half:

    >>> cell_moments(2)[:2].round(3).tolist()
    [[-0.798, 0.798], [1.0, 1.0]]
    """
    from anachron.kernels.sax import breakpoints

    cuts = breakpoints(level)
    density = np.exp(-(cuts**2) / 2) / math.sqrt(2 * math.pi)
    found = [np.zeros(level), np.ones(level)]
    for power in range(1, POWERS + 1):
        # By parts: the antiderivative of zᵏφ is −zᵏ⁻¹φ, and k − 1 times that of zᵏ⁻²φ.
        edge = np.concatenate([[0.0], cuts ** (power - 1) * density, [0.0]])
        found.append((power - 1) * found[-2] - level * np.diff(edge))
    return np.stack(found[2:])


def chances(
    must: Flags, may: Flags, normal: tuple[Floats, Floats], within: Bounds, ends: Bounds
) -> Floats:
    """Give the chance that each number is in the range of its question.

    Parameters
    ----------
    must, may
        What is certain.
    normal
        Mean and variance of each number.
    within
        The bounds of each number.
    ends
        The closed ends of the spans of each question, from ``span_ends``.
    """
    found = must.astype(np.float64)
    # A normal distribution takes long: only what is open is computed.
    at = np.flatnonzero(may & ~must)
    row = at // must.shape[1]
    mean, variance, lowest, highest = (part.take(at) for part in (*normal, *within))
    found.put(at, _inside(mean, variance, (lowest, highest), (ends[0][row], ends[1][row])))
    return found


def _inside(mean: Floats, variance: Floats, within: Bounds, ends: Bounds) -> Floats:
    from scipy.special import ndtr

    lowest, highest = within
    # In the lower tail small numbers are exact, in the upper one they are lost beside 1.
    scale = np.where(lowest > mean, -1.0, 1.0)
    scale /= np.sqrt(np.maximum(variance, LEAST_SPREAD**2))

    def between(lower: Floats, upper: Floats) -> Floats:
        share: Floats = np.abs(ndtr((upper - mean) * scale) - ndtr((lower - mean) * scale))
        return share

    covered = np.zeros(len(mean))
    for first, last in zip(*(side.T for side in ends), strict=True):
        # A question with fewer spans than others has NaN for the rest.
        some = between(np.clip(first, lowest, highest), np.clip(last, lowest, highest))
        covered += np.where(np.isnan(first), 0.0, some)
    mass = between(lowest, highest)
    lost = mass < LEAST_MASS
    if lost.any():
        nearest = np.clip(mean, lowest, highest)[lost, None]
        there = settled(nearest, nearest, (ends[0][lost], ends[1][lost]))[0]
        covered[lost], mass[lost] = there[:, 0], 1.0
    return np.minimum(covered / mass, 1.0)
