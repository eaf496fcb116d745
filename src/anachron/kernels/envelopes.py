"""Lowest and highest values, and sums, of groups of series at each time."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.compiled import compiled

__all__ = ["envelopes", "sums"]


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
