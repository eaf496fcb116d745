"""Random sets of series for (k, P)-anonymity: walks, trends, seasons, constants, duplicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats

TABLE_1 = np.array(
    [
        [170, 175, 188, 197, 213, 221],
        [145, 157, 165, 177, 204, 196],
        [176, 181, 147, 134, 125, 112],
        [98, 120, 125, 132, 151, 161],
        [117, 107, 87, 74, 51, 56],
        [32, 54, 59, 67, 96, 101],
        [88, 93, 56, 43, 20, 25],
        [71, 63, 47, 38, 43, 20],
    ],
    dtype=np.float64,
)
"""The paper's Table 1: income of eight people from 2005 to 2010."""


@dataclass(frozen=True)
class Case:
    series: Floats
    k: int
    P: int
    max_level: int
    place: Array
    ties: bool
    """Whether rounding may decide between equal losses, so that equally good plans differ."""


def case(rng: np.random.Generator, most: int = 80, longest: int = 200) -> Case:
    """Draw a set of series and parameters that allow a publication."""
    n = int(rng.integers(1, most + 1))
    T = int(rng.choice([2, 3, 4, 6, 10, int(rng.integers(2, longest + 1))]))
    kind = str(rng.choice(["walk", "trend", "season", "whole", "few"]))
    series = _series(rng, kind, n, T)
    ties = kind == "few"
    if rng.random() < 0.3:
        constant = rng.random(n) < rng.random()
        series[constant] = rng.integers(0, 3, (int(constant.sum()), 1)) * 0.1
        ties = True
    if rng.random() < 0.3:
        series = series[rng.integers(0, n, n)]
    k = int(rng.integers(1, n + 1)) if rng.random() < 0.3 else int(rng.integers(1, min(n, 12) + 1))
    P = {0: 1, 1: k}.get(int(rng.integers(4)), int(rng.integers(1, k + 1)))
    return Case(series, k, P, int(rng.integers(1, 13)), rng.permutation(n), ties)


def _series(rng: np.random.Generator, kind: str, n: int, T: int) -> Floats:
    if kind == "walk":
        return rng.normal(size=(n, T)).cumsum(axis=1) * 10.0 ** rng.integers(-3, 9)
    time = np.arange(T)
    if kind == "trend":
        return rng.choice([-1.0, 1.0], (n, 1)) * time + rng.normal(0, rng.random(), (n, T))
    if kind == "season":
        phase = rng.integers(0, 3, (n, 1)) * 2.0
        return np.sin(time / 2 + phase) * 5 + rng.normal(0, 0.3, (n, T)) + rng.normal(0, 9, (n, 1))
    if kind == "whole":
        return rng.integers(0, int(rng.integers(2, 9)), (n, T)).astype(np.float64)
    return rng.choice([0.1, 0.2, 0.3], (n, T))
