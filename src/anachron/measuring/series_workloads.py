"""Random questions about series: Section 7.1 of Shou et al.

==============  ==========================================================================
range           the values of some times lie in ranges
pattern range   some features, differences of two normalised values, lie in ranges (PRQ)
similarity      the pattern is near that of a series of the table (PSQ); the tolerance is λ
                times the mean distance of patterns from their reconstruction, λ in [1, 10]
complex         ranges of values, and either a similarity or ranges of features
==============  ==========================================================================

Notes
-----
The paper says neither how many predicates a question has nor where its ranges lie (for patterns it
refers to another). Here a question has from one to three of a kind, or as many as are asked for.
A range begins at a random place among the values or features of all series in ascending order
and holds a share θ^(1/n) of them, where n is how many ranges the question has. Nobody is asked
about a time at which all series have the same value.

With the paper's λ most questions about similarity are so tolerant that nearly everybody is found.

Shou, Shang, Chen, Chen, Zhang: *Supporting Pattern-Preserving Anonymization for Time-Series Data*,
TKDE 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from anachron.arrays import Floats
from anachron.asking.question import All, Condition, FeatureIn, SeriesLeaf, Similar, Span, ValueIn
from anachron.measuring.sequences import Sequences

__all__ = ["KINDS", "SeriesWorkload"]


Weights = tuple[tuple[str, float], ...]
"""Times, and how much the value of each counts."""
KINDS = ("range", "pattern range", "similarity", "complex")
_MOST = 3
_LEAST_SCALE, _LARGEST_SCALE = 1.0, 10.0
"""Between these is λ."""
_LOOKED_AT = 4096
"""Ranges are drawn from so many series."""


@dataclass(frozen=True, eq=False)
class SeriesWorkload:
    """The series that questions are drawn from."""

    series: Sequences
    tolerance: float | None
    """The mean distance of patterns from their reconstruction; None if it is not known."""
    theta: float
    dimensions: int | None = None
    """How many predicates of a kind a question has; from one to three if it is not said."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What can be asked."""
        return KINDS if self.tolerance is not None else ("range", "pattern range")

    def draw(self, kind: str, rng: np.random.Generator) -> Condition:
        """Draw one question."""
        values, features = (self._number(rng, most) for most in self._choices)
        if kind == "range":
            return All(self._values(values, self._share(values), rng))
        if kind == "pattern range":
            return All(self._features(features, self._share(features), rng))
        if kind == "similarity":
            return All((self._similar(rng),))
        if rng.random() < 0.5:
            return All((self._similar(rng), *self._values(values, self._share(values), rng)))
        share = self._share(values + features)
        return All((*self._features(features, share, rng), *self._values(values, share, rng)))

    @cached_property
    def _sample(self) -> Sequences:
        """Some of the series, evenly."""
        at = np.linspace(0, len(self.series) - 1, min(len(self.series), _LOOKED_AT)).astype(int)
        return self.series.take(at)

    @property
    def _choices(self) -> tuple[int, int]:
        """How many times there are, and pairs of times of the pattern."""
        shaped = len(self.series.pattern_times)
        return len(self.series.value_times), shaped * (shaped - 1) // 2

    def _number(self, rng: np.random.Generator, most: int) -> int:
        wanted = self.dimensions or int(rng.integers(1, _MOST + 1))
        return min(wanted, most)

    def _share(self, ranges: int) -> float:
        return float(self.theta ** (1 / ranges))

    def _values(
        self, number: int, share: float, rng: np.random.Generator
    ) -> tuple[SeriesLeaf, ...]:
        times = self.series.value_times
        order = rng.permutation(len(times)).tolist()
        choices = (((times[place], 1.0),) for place in order)
        drawn = _ranges(choices, self._sample.value, share, rng)
        return tuple(ValueIn(weights, (span,)) for weights, span in islice(drawn, number))

    def _features(
        self, number: int, share: float, rng: np.random.Generator
    ) -> tuple[SeriesLeaf, ...]:
        times = self.series.pattern_times
        first, second = np.triu_indices(len(times), 1)
        order = rng.permutation(len(first)).tolist()
        choices = (((times[first[at]], -1.0), (times[second[at]], 1.0)) for at in order)
        drawn = _ranges(choices, self._sample.feature, share, rng)
        return tuple(FeatureIn(weights, (span,)) for weights, span in islice(drawn, number))

    def _similar(self, rng: np.random.Generator) -> SeriesLeaf:
        row = self.series.z[int(rng.integers(len(self.series)))]
        scale = rng.uniform(_LEAST_SCALE, _LARGEST_SCALE)
        return Similar(tuple(row.tolist()), float(scale * (self.tolerance or 0.0)))


def _ranges(
    choices: Iterable[Weights],
    sums: Callable[[Weights], Floats],
    share: float,
    rng: np.random.Generator,
) -> Iterator[tuple[Weights, Span]]:
    """A range of each sum of values in turn that is not the same for all series."""
    for weights in choices:
        span = _range(sums(weights), share, rng)
        if span is not None:
            yield weights, span


def _range(values: Floats, share: float, rng: np.random.Generator) -> Span | None:
    """A range that holds a share of some values; None if they are all the same.

    It ends half-way between two of them: a point would have no part of any envelope.
    """
    low = rng.random() * (1 - share)
    first, last = np.quantile(values, [low, low + share])
    below, above = values[values < first], values[values > last]
    inside = values[(values >= first) & (values <= last)]
    if len(inside):
        first, last = inside.min(), inside.max()
    if not len(below) and not len(above) and first == last:
        return None
    if len(below):
        first = (below.max() + first) / 2
    if len(above):
        last = (above.min() + last) / 2
    return Span(float(first), float(last))
