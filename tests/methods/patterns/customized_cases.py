"""Customized publications made by hand: groups of any records, envelopes on a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.kernels.sax import breakpoints, letters, normalised
from anachron.methods.patterns.estimate import Customized


@dataclass(frozen=True)
class Published:
    """What a recipient sees, and the series he does not see."""

    series: np.ndarray
    times: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    letters: np.ndarray
    level: np.ndarray
    value_times: tuple[str, ...]
    pattern_times: tuple[str, ...]

    @property
    def seen(self) -> Customized:
        return Customized(
            self.low, self.high, self.letters, self.level, self.value_times, self.pattern_times
        )

    def truth(self, time: str) -> np.ndarray:
        return self.series[:, self.times.index(time)]

    def true_letter(self, time: str) -> np.ndarray:
        """The letter of a value less the pattern's mean, in its standard deviations."""
        mean, sd = self.scale()
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (self.truth(time) - mean) / sd
        return np.array(
            [
                np.searchsorted(breakpoints(k), x, "right")
                for k, x in zip(self.level, z, strict=True)
            ]
        )

    def scale(self) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the standard deviation over the pattern's times."""
        seen = self.series[:, [self.times.index(t) for t in self.pattern_times]]
        size = abs(seen).max() or 1.0
        deviation = (seen / size - (seen / size).mean(axis=1)[:, None]) * np.sqrt(
            1 / (seen.shape[1] - 1)
        )
        return (seen / size).mean(axis=1) * size, np.sqrt((deviation**2).sum(axis=1)) * size


def publish(
    series: np.ndarray,
    group: np.ndarray,
    level: np.ndarray,
    values: list[int],
    patterns: list[int],
    grid: float = 0.0,
) -> Published:
    """Publish envelopes of groups at some times, and each record's own pattern over others."""
    names = tuple(f"t{i}" for i in range(series.shape[1]))
    low, high = np.empty((2, len(series), len(values)))
    for g in np.unique(group):
        members = series[group == g][:, values]
        low[group == g], high[group == g] = members.min(axis=0), members.max(axis=0)
    if grid:
        low, high = np.floor(low / grid) * grid, np.ceil(high / grid) * grid
    z = normalised(series[:, patterns])
    own = np.stack([letters(z[i : i + 1], int(k))[0] for i, k in enumerate(level)])
    return Published(
        series, names, low, high, own, level,
        tuple(names[i] for i in values), tuple(names[i] for i in patterns),
    )  # fmt: skip


def random_case(rng: np.random.Generator, n: int = 12, spread: float = 1.0) -> Published:
    """Walks, noise, steps or integers with ties, some of them constant or nearly so."""
    times = int(rng.integers(3, 12))
    kind = rng.integers(4)
    series = rng.normal(size=(n, times))
    if kind == 0:
        series = np.cumsum(series, axis=1)
    elif kind == 1:
        series = np.round(series * 2)
    elif kind == 2:
        series = np.repeat(rng.normal(size=(n, 1)), times, axis=1) + (series > 1)
    series = series * spread * 10.0 ** rng.integers(-3, 4) + rng.choice([0.0, 1.0, -1e4, 1e7])
    series[rng.random(n) < 0.1] = 0.1 + 0.2
    order = rng.permutation(times)
    common = int(rng.integers(1, times))
    rest = int(rng.integers(0, times - common + 1))
    values = sorted(order[: common + rest].tolist())
    patterns = sorted(order[:common].tolist() + order[common + rest :].tolist())
    if len(patterns) < 2:
        patterns = sorted({*patterns, *order[:2].tolist()})
    grid = float(rng.choice([0.0, 0.5, 0.125]))
    level = rng.integers(1, 13, n)
    return publish(series, rng.integers(0, n // 3, n), level, values, patterns, grid)
