"""Order boxes so that those near each other are next to each other."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.compiled import compiled

__all__ = ["near_each_other"]


@compiled
def near_each_other(corners: Floats, few: int, many: int) -> Array:
    """Order rows so that each run of ``many``, and in it each run of ``few``, is near.

    A run is cut in the middle of the coordinate with the largest variance, first at multiples of
    ``many``, then of ``few``. Between equals the order stays.
    """
    n = len(corners)
    order, spare, end = np.arange(n), np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    p = 0
    end[0] = n
    while p < n:
        here = order[p : end[p]]
        if len(here) <= few:
            p = end[p]
            continue
        unit = many if len(here) > many else few
        middle = unit * ((len(here) + unit - 1) // unit // 2)
        _halve(corners, _most_spread(corners, here), here, middle, spare)
        end[p + middle] = end[p]
        end[p] = p + middle
    return order


@compiled
def _most_spread(corners: Floats, here: Array) -> int:
    """Find the coordinate with the largest variance."""
    mean, square = np.zeros(corners.shape[1]), np.zeros(corners.shape[1])
    for i in here:
        for c in range(len(mean)):
            mean[c] += corners[i, c]
    mean /= len(here)
    for i in here:
        for c in range(len(mean)):
            square[c] += (corners[i, c] - mean[c]) ** 2
    return int(np.argmax(square))


@compiled
def _halve(corners: Floats, axis: int, here: Array, middle: int, spare: Array) -> None:
    """Put the ``middle`` rows with the smallest values of a coordinate first."""
    value = np.empty(len(here))
    for j in range(len(here)):
        value[j] = corners[here[j], axis]
    pivot = np.partition(value, middle)[middle]
    equal = middle
    for j in range(len(here)):
        equal -= value[j] < pivot
    first, second = 0, middle
    for j in range(len(here)):
        left = value[j] < pivot
        if value[j] == pivot and equal > 0:
            left = True
            equal -= 1
        if left:
            spare[first] = here[j]
            first += 1
        else:
            spare[second] = here[j]
            second += 1
    here[:] = spare[: len(here)]
