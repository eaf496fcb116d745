"""Envelopes of groups of series: lowest and highest values at each time, and who is within."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.compiled import compiled

__all__ = ["covering", "envelopes", "sums"]


def envelopes(series: Floats, group: Array) -> tuple[Floats, Floats]:
    """Give the smallest and the largest value of each group at each time; −1 is no group."""
    shape = (int(group.max(initial=-1)) + 1, series.shape[1])
    low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
    _stretch(series, group, low, high)
    return low, high


@compiled
def _stretch(series: Floats, group: Array, low: Floats, high: Floats) -> None:
    for i in range(len(group)):
        g = group[i]
        if g >= 0:
            for t in range(series.shape[1]):
                low[g, t] = min(low[g, t], series[i, t])
                high[g, t] = max(high[g, t], series[i, t])


def sums(series: Floats, weight: Floats, group: Array) -> Floats:
    """Give the sum of the weighted series of each group at each time; −1 is no group."""
    total = np.zeros((int(group.max(initial=-1)) + 1, series.shape[1]))
    _add(series, weight, group, total)
    return total


@compiled
def _add(series: Floats, weight: Floats, group: Array, total: Floats) -> None:
    for i in range(len(group)):
        if group[i] >= 0:
            for t in range(series.shape[1]):
                total[group[i], t] += weight[i] * series[i, t]


@compiled
def covering(
    series: Floats,
    rows: Array,
    word: Array,
    start: Array,
    subgroup: Array,
    group: Array,
    low: Floats,
    high: Floats,
) -> tuple[Array, Array]:
    """Find the envelopes that contain a series, among those listed for its word.

    Pairs row i of ``rows`` with every subgroup of its word whose group's envelope contains it;
    ``start[w]`` … ``start[w + 1]`` − 1 are the places of word w in ``subgroup`` and ``group``.
    """
    who = np.empty(1024, dtype=np.int64)
    what = np.empty(1024, dtype=np.int64)
    found = 0
    for i in range(len(rows)):
        for at in range(start[word[i]], start[word[i] + 1]):
            g = group[at]
            inside = True
            for t in range(series.shape[1]):
                value = series[rows[i], t]
                if value < low[g, t] or value > high[g, t]:
                    inside = False
                    break
            if inside:
                if found == len(who):
                    who = np.concatenate((who, np.empty_like(who)))
                    what = np.concatenate((what, np.empty_like(what)))
                who[found], what[found] = i, subgroup[at]
                found += 1
    return who[:found], what[:found]
