"""The letters of a series, told a second time and not with the code that published.

A value has letter j of a level if, less the mean and divided by the standard deviation of the
sample, it lies between the break points j and j + 1, which cut the normal distribution into as
many equal parts as the level has letters. Both are meant to nine decimals: so a value has the
letter from half a billionth below the break point on. Where times share a letter, it is that of
their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import NormalDist

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Floats

__all__ = ["FINEST", "averaged", "have_words", "letters_of", "normalised"]

FINEST = 26
"""The finest level."""
_DECIMALS = 9
_HALF = 0.5e-9
_CONSTANT = 1e-12
_SLACK = 1e-14
"""How much sums of a value for each time may differ by the order of their additions, for each."""
_CELLS = 1 << 21


def normalised(series: Floats) -> Floats:
    """Give series less their mean, divided by their standard deviation; 0 where constant."""
    z = np.empty(series.shape)
    step = max(_CELLS // max(series.shape[1], 1), 1)
    for at in range(0, len(series), step):
        z[at : at + step] = _normalised(series[at : at + step])
    return z


def _normalised(series: Floats) -> Floats:
    largest, exponent = np.frexp(np.abs(series).max(axis=1))
    # Powers of two change no digit, and keep squares within bounds.
    z: Floats = np.ldexp(series, -exponent[:, None])
    z -= z[:, :1].copy()
    z -= z.mean(axis=1, keepdims=True)
    deviation = np.sqrt((z * z).sum(axis=1) / (series.shape[1] - 1))
    constant = deviation <= _CONSTANT * largest
    z /= np.where(constant, 1.0, deviation)[:, None]
    z[constant] = 0.0
    return z


def averaged(z: Floats, segments: Sequence[int]) -> Floats:
    """Give the means of neighbouring times, so many each."""
    if len(segments) == z.shape[1]:
        return z
    means: Floats = np.empty((len(z), len(segments)))
    end = 0
    for place, length in enumerate(segments):
        end += length
        means[:, place] = z[:, end - length : end].mean(axis=1)
    return means


@cache
def _cuts(level: int) -> Floats:
    normal = NormalDist()
    return np.array([round(normal.inv_cdf(j / level), _DECIMALS) for j in range(1, level)])


@cache
def _limits() -> tuple[Floats, Floats]:
    """For each level and letter, from which value on it stands and where it ends."""
    low = np.full((FINEST + 1, 256), np.inf)
    high = np.full((FINEST + 1, 256), -np.inf)
    for level in range(1, FINEST + 1):
        cuts = _cuts(level) - _HALF
        low[level, :level] = np.append(-np.inf, cuts)
        high[level, :level] = np.append(cuts, np.inf)
    return low, high


def letters_of(z: Floats, level: int) -> Bytes:
    """Write normalised series as letters, ``a`` being 0."""
    return np.searchsorted(_cuts(level) - _HALF, z, side="right").astype(np.uint8)


def have_words(
    z: Floats, times: int, who: Array, word: Array, letters: Bytes, level: Array
) -> Flags:
    """Tell whether these people have these words, each of which has letters and a level.

    z has a column for each letter, and was computed from series of so many times.
    """
    low, high = _limits()
    slack = _SLACK * times
    left = np.arange(len(who))
    for time in range(z.shape[1]):
        value, letter, own = z[who[left], time], letters[word[left], time], level[word[left]]
        fits = (value >= low[own, letter] - slack) & (value < high[own, letter] + slack)
        left = left[fits]
    found = np.zeros(len(who), dtype=bool)
    found[left] = True
    return found
