"""Series as arrays, and which of them meet a condition on values or on shape.

The pattern of a series is the vector of all differences of two of its normalised values (Section
3.2 of Shou et al.), so the squared distance of two patterns is n·Σd² − (Σd)², d being the
difference of the normalised series: the n(n − 1)/2 features are never formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.question import All, Condition, FeatureIn, Similar, Span, ValueIn

__all__ = ["Sequences", "distances", "rebuilt", "satisfied"]


@dataclass(frozen=True, eq=False)
class Sequences:
    """Series, one row each: values at some times, normalised ones at the times of the pattern."""

    values: Floats
    z: Floats
    value_times: tuple[str, ...]
    pattern_times: tuple[str, ...]
    means: Floats | None = None
    """What features are of, if letters are those of segments: the mean of z over the segment of
    each time."""

    def __len__(self) -> int:
        return len(self.z)

    def take(self, rows: Array) -> Sequences:
        """Some of the series."""
        means = None if self.means is None else self.means[rows]
        return replace(self, values=self.values[rows], z=self.z[rows], means=means)

    def value(self, weights: Sequence[tuple[str, float]]) -> Floats:
        """The weighted sum of values of each series."""
        return _weighted(self.values, self.value_times, weights)

    def feature(self, weights: Sequence[tuple[str, float]]) -> Floats:
        """The weighted sum of normalised values of each series."""
        return _weighted(self.z if self.means is None else self.means, self.pattern_times, weights)


def satisfied(condition: Condition, series: Sequences) -> Flags:
    """Tell which series meet a condition: a conjunction, or a part of one."""
    if isinstance(condition, All):
        found = np.ones(len(series), dtype=np.bool_)
        for part in condition.parts:
            found &= satisfied(part, series)
        return found
    if isinstance(condition, ValueIn):
        return _inside(series.value(condition.weights), condition.spans)
    if isinstance(condition, FeatureIn):
        return _inside(series.feature(condition.weights), condition.spans)
    if isinstance(condition, Similar):
        near = distances(series.z, normalised_one(condition.sequence)) <= condition.delta
        return near if condition.inside else ~near
    raise TypeError("truth is counted for conjunctions of conditions on series")


def distances(z: Floats, other: Floats) -> Floats:
    """The distance of the patterns of normalised series, each from one, or from its own other."""
    d = z - other
    squares = z.shape[1] * np.einsum("ij,ij->i", d, d) - d.sum(axis=1) ** 2
    found: Floats = np.sqrt(np.maximum(squares, 0.0))
    return found


def rebuilt(z: Floats, level: Array) -> Floats:
    """What a recipient makes of the word of each series at its level (Section 5.1).

    NaN, which meets no condition, for series without a level.
    """
    from anachron.kernels.sax import letters
    from anachron.methods.patterns.losses import reconstructed

    found = np.full(z.shape, np.nan)
    for one in np.unique(level[level > 0]).tolist():
        rows = np.flatnonzero(level == one)
        found[rows] = reconstructed(one)[letters(z, one, rows)]
    return found


def normalised_one(sequence: Sequence[float]) -> Floats:
    """The shape of a sequence that is asked for."""
    from anachron.kernels.sax import normalised

    found: Floats = normalised(np.array([sequence], dtype=np.float64))[0]
    return found


def _weighted(matrix: Floats, times: Sequence[str], weights: Sequence[tuple[str, float]]) -> Floats:
    total = np.zeros(len(matrix))
    for time, weight in weights:
        total += weight * matrix[:, times.index(time)]
    return total


def _inside(values: Floats, spans: Sequence[Span]) -> Flags:
    found = np.zeros(len(values), dtype=np.bool_)
    for span in spans:
        low = -np.inf if span.low is None else float(span.low)
        high = np.inf if span.high is None else float(span.high)
        above = values >= low if span.low_closed else values > low
        found |= above & (values <= high if span.high_closed else values < high)
    return found
