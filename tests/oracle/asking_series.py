"""Answers about series from their definitions, person by person and row by row.

Shares no code with the asking: shapes come from the obvious transcription of the method, what is
certain of values from scipy's general solver of linear programs, and how shapes are spread within
their letters from integrals of the normal density, time by time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.integrate import quad

from anachron.asking.question import (
    All,
    Among,
    Condition,
    FeatureIn,
    Ranges,
    Similar,
    Span,
    ValueIn,
)
from tests.oracle import customized
from tests.oracle.customized import extremes, record
from tests.oracle.patterns import normalised

cuts = cache(customized.cuts)
Times = tuple[str, ...]


@dataclass(frozen=True)
class Person:
    """Somebody's own values, and the columns of the row."""

    values: Mapping[str, float]
    columns: Mapping[str, Any]
    pattern_times: Times
    z: Mapping[str, float]
    """The shape; at other times the value on the same scale."""


def person(values: Mapping[str, float], columns: Mapping[str, Any], pattern_times: Times) -> Person:
    own = [values[t] for t in pattern_times]
    shape = normalised(own)
    z = dict(zip(pattern_times, shape, strict=True))
    mean = math.fsum(own) / len(own)
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in own) / (len(own) - 1))
    for time in values.keys() - z.keys():
        z[time] = (values[time] - mean) / sd if any(shape) else 0.0
    return Person(values, columns, pattern_times, z)


@cache
def shape(sequence: tuple[float, ...]) -> list[float]:
    return normalised(sequence)


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    """The Euclidean distance of all pairwise differences, pair by pair."""
    pairs = itertools.combinations(range(len(a)), 2)
    return math.sqrt(math.fsum(((a[i] - a[j]) - (b[i] - b[j])) ** 2 for i, j in pairs))


def within(x: float, spans: Sequence[Span]) -> bool:
    return any(span.holds(x) for span in spans)


def meets(condition: Condition, who: Person) -> bool:
    """Whether a condition is true of a person."""
    if isinstance(condition, All):
        return all(meets(part, who) for part in condition.parts)
    if isinstance(condition, ValueIn):
        return within(sum(w * who.values[t] for t, w in condition.weights), condition.spans)
    if isinstance(condition, FeatureIn):
        return within(sum(w * who.z[t] for t, w in condition.weights), condition.spans)
    if isinstance(condition, Similar):
        apart = distance([who.z[t] for t in who.pattern_times], shape(condition.sequence))
        return (apart <= condition.delta) == condition.inside
    if isinstance(condition, Among):
        own = who.columns[condition.column]
        return condition.nulls if own is None else (own in condition.values) == condition.inside
    assert isinstance(condition, Ranges)
    own = who.columns[condition.column]
    return condition.nulls if own is None else within(own, condition.spans)


# What a row says


@dataclass(frozen=True)
class Row:
    """A published row: an envelope at some times, a word over some, and its level."""

    envelope: tuple[tuple[str, float, float], ...]
    level: int
    word: str
    pattern_times: Times

    @property
    def letters(self) -> dict[str, int]:
        return {t: ord(c) - 97 for t, c in zip(self.pattern_times, self.word, strict=True)}

    @property
    def constant(self) -> bool:
        return self.level > 1 and {*self.letters.values()} == {self.level // 2}


Judged = tuple[bool, bool, float]
"""Must it, may it, and with which chance?"""


@cache
def value_range(row: Row, time: str) -> tuple[float, float]:
    """Between what the value of a time lies: its envelope, and what its letter allows."""
    envelope = {t: (low, high) for t, low, high in row.envelope}
    low, high = envelope.get(time, (-math.inf, math.inf))
    if time in row.letters:
        if row.constant:
            both = [envelope[t] for t in row.letters if t in envelope]
            return max(low, *(b[0] for b in both)), min(high, *(b[1] for b in both))
        lower, upper = cuts(row.level, len(row.letters))[row.letters[time]]
        found = extremes(record(envelope, row.letters, row.level), lower, upper)
        assert found is not None
        low, high = max(low, found[0]), min(high, found[1])
    return low, high


@cache
def feature_range(row: Row, weights: tuple[tuple[str, float], ...]) -> tuple[float, float]:
    """Between what a weighted sum of z lies: letters, Σz = 0 and Σz² = n − 1."""
    given, n = dict(weights), len(row.pattern_times)
    if row.constant:
        return 0.0, 0.0
    w = [given.get(t, 0.0) for t in row.pattern_times]
    box = [cuts(row.level, n)[row.letters[t]] for t in row.pattern_times]
    mean = math.fsum(w) / n
    most = math.sqrt(math.fsum((x - mean) ** 2 for x in w) * (n - 1))
    return max(-_largest([-x for x in w], box), -most), min(_largest(w, box), most)


def _largest(w: Sequence[float], box: Sequence[tuple[float, float]]) -> float:
    """The largest Σwz with Σz = 0: what is to be given away goes where it counts most."""
    z = [low for low, _ in box]
    left = -math.fsum(z)
    for i in sorted(range(len(w)), key=lambda i: -w[i]):
        given = min(left, box[i][1] - box[i][0])
        z[i], left = z[i] + given, left - given
    assert abs(left) < 1e-6
    return math.fsum(a * b for a, b in zip(w, z, strict=True))


def distance_range(row: Row, sequence: Sequence[float]) -> tuple[float, float]:
    """Between what the distance from a sequence lies."""
    q, n = normalised(sequence), len(row.pattern_times)
    own = math.fsum(x * x for x in q)
    if row.constant:
        return math.sqrt(n * own), math.sqrt(n * own)
    box = [cuts(row.level, n)[row.letters[t]] for t in row.pattern_times]
    near = math.fsum(max(a - x, x - b, 0.0) ** 2 for x, (a, b) in zip(q, box, strict=True))
    far = math.fsum(max(x - a, b - x) ** 2 for x, (a, b) in zip(q, box, strict=True))
    low, high = feature_range(row, tuple(zip(row.pattern_times, q, strict=True)))
    squares = 0.0 if row.level == 1 else n - 1.0
    near = max(n * near, n * (squares + own - 2 * high), 0.0)
    far = min(n * far, n * (n - 1.0 + own - 2 * low))
    return math.sqrt(near), math.sqrt(far)


def judged(leaf: Condition, row: Row) -> Judged:
    """What a row says of a condition on one value, on a feature or on similarity."""
    if isinstance(leaf, ValueIn):
        ((time, weight),) = leaf.weights
        assert weight == 1
        low, high = value_range(row, time)
        must, may = _certain(low, high, leaf.spans)
        if math.isinf(high - low):
            return must, may, math.nan
        covered = sum(
            max(0.0, min(high, _end(s.high, math.inf)) - max(low, _end(s.low, -math.inf)))
            for s in leaf.spans
        )
        return must, may, covered / (high - low) if high > low else float(may)
    if isinstance(leaf, FeatureIn):
        low, high = feature_range(row, leaf.weights)
        must, may = _certain(low, high, leaf.spans)
        return must, may, _chance(*feature_spread(row, leaf.weights), low, high, leaf.spans)
    assert isinstance(leaf, Similar)
    low, high = distance_range(row, leaf.sequence)
    must, may = high <= leaf.delta, low <= leaf.delta
    share = _chance_of_distance(row, leaf, low, high)
    return (must, may, share) if leaf.inside else (not may, not must, 1.0 - share)


# How shapes are spread


@cache
def cell_moments(level: int, letter: int) -> tuple[float, ...]:
    """The mean of z, z², z³ and z⁴ of a normal z within a letter."""
    low, high = (NormalDist().inv_cdf(p) if 0 < p < 1 else 40 * p - 20
                 for p in (letter / level, (letter + 1) / level))  # fmt: skip
    density = NormalDist().pdf
    return tuple(
        level * quad(lambda z, power=power: z**power * density(z), low, high, points=[0.0])[0]
        for power in (1, 2, 3, 4)
    )


@cache
def feature_spread(row: Row, weights: tuple[tuple[str, float], ...]) -> tuple[float, float]:
    """Mean and variance of Σwz, given Σz = 0 and Σz² = n − 1 as if all three were normal."""
    if row.constant:
        return 0.0, 0.0
    given = dict(weights)
    mean, covariance = np.zeros(3), np.zeros((3, 3))
    for time, letter in row.letters.items():
        z, zz, zzz, zzzz = cell_moments(row.level, letter)
        make = np.array([[given.get(time, 0.0), 0.0], [1.0, 0.0], [0.0, 1.0]])
        mean += make @ [z, zz]
        own = np.array([[zz - z * z, zzz - z * zz], [zzz - z * zz, zzzz - zz * zz]])
        covariance += make @ own @ make.T
    slope = np.linalg.solve(covariance[1:, 1:], covariance[1:, 0])
    known = np.array([0.0, len(row.letters) - 1.0])
    return (
        float(mean[0] + slope @ (known - mean[1:])),
        float(covariance[0, 0] - slope @ covariance[1:, 0]),
    )


def _chance_of_distance(row: Row, leaf: Similar, low: float, high: float) -> float:
    """D² = n·(Σz² + Σq² − 2·Σqz): near is where Σqz is large."""
    q, n = normalised(leaf.sequence), len(row.pattern_times)
    squares = math.fsum(x * x for x in q) + (0.0 if row.constant else n - 1.0)

    def product(distance: float) -> float:
        return (squares - distance**2 / n) / 2

    spread = feature_spread(row, tuple(zip(row.pattern_times, q, strict=True)))
    return _chance(*spread, product(high), product(low), (Span(product(leaf.delta), None),))


def _chance(mean: float, variance: float, low: float, high: float, spans: Sequence[Span]) -> float:
    """The part of a normal distribution between low and high that is in the spans."""
    sd = math.sqrt(variance) if variance > 1e-20 else 0.0
    mass = _between(low, high, mean, sd)
    if mass < 1e-200:
        return float(within(min(max(mean, low), high), spans))
    parts = [
        (max(low, _end(span.low, -math.inf)), min(high, _end(span.high, math.inf)))
        for span in spans
    ]
    return sum(_between(a, b, mean, sd) for a, b in parts if a < b) / mass


def _between(a: float, b: float, mean: float, sd: float) -> float:
    if sd == 0 or a >= b:
        return float(sd == 0 and a < mean < b)
    if a > mean:
        return _above((a - mean) / sd) - _above((b - mean) / sd)
    return _above((mean - b) / sd) - _above((mean - a) / sd)


def _above(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


def answer(leaves: Sequence[Condition], rows: Sequence[Row]) -> tuple[float, float, float]:
    """The smallest, the expected and the largest number of rows of which all leaves are true."""
    low = estimate = high = 0.0
    for row in rows:
        found = [judged(leaf, row) for leaf in leaves]
        low += all(must for must, _, _ in found)
        high += all(may for _, may, _ in found)
        estimate += math.prod(1.0 if a else share if b else 0.0 for a, b, share in found)
    return low, estimate, high


def _certain(low: float, high: float, spans: Sequence[Span]) -> tuple[bool, bool]:
    must = any(span.holds(low) and span.holds(high) for span in spans)
    return must, any(_meets(low, high, span) for span in spans)


def _meets(low: float, high: float, span: Span) -> bool:
    first, last = _end(span.low, -math.inf), _end(span.high, math.inf)
    below = low < last or (low == last and span.high_closed)
    return below and (high > first or (high == first and span.low_closed))


def _end(end: Any, otherwise: float) -> float:
    return otherwise if end is None else float(end)
