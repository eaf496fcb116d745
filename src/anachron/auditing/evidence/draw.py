"""How new people of a register came to their sets of values.

Whoever knows that the youngest with a value go to the first set can tell who has which. A fair draw
leaves no trace: among the new people with one value, those of each set have about as many with low
quasi values as those of the others. The audit counts, for each quasi column, who lies below the
median, and asks how likely such a difference is by chance. It speaks only where there are enough
people to tell, and only if chance is practically out of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from anachron.arrays import Array, Flags, Numbers, distinct
from anachron.auditing.evidence.tally import RunningCount, paired, parted

__all__ = ["Draw", "Newcomers", "draw_of", "excess"]

_ENOUGH = 40
"""So many people with a value are needed in a set, and a few of them on either side."""
_FEW = 5
_BEYOND = 8.0
"""Standard deviations beyond what chance gives: about one in a thousand million million."""


@dataclass(frozen=True)
class Draw:
    """How the draw looks, in the column that looks worst."""

    column: str
    excess: float
    """By how many standard deviations sets differ more than by chance."""
    compared: int
    """People who could be compared."""

    @property
    def is_no_chance(self) -> bool:
        """Whether chance is practically out of the question."""
        return self.excess > _BEYOND


@dataclass(frozen=True, eq=False)
class Newcomers:
    """Some of the new people of a release."""

    cell: Array
    """The value and the signature of each, as a pair."""
    quasi: Mapping[str, Numbers]
    """The place of the value of each, column by column."""


def draw_of(people: Callable[[], Iterable[Newcomers]], values: Mapping[str, int]) -> Draw:
    """Look at the new people of a release, column by column.

    They are given twice, some at a time; ``values`` says how many each column has.
    """
    cells = RunningCount()
    counts = {name: np.zeros(many, dtype=np.int64) for name, many in values.items()}
    for some in people():
        cells.add(some.cell)
        for name, count in counts.items():
            count += np.bincount(some.quasi[name], minlength=len(count))
    owner, _ = parted(cells.number)
    worst = Draw("", 0.0, 0)
    if not _can_be_compared(owner, cells.count):
        return worst
    middle = {name: _median(count) for name, count in counts.items()}
    below = {name: np.zeros(len(owner), dtype=np.int64) for name in counts}
    for some in people():
        place = np.searchsorted(cells.number, some.cell)
        for name, low in below.items():
            here = place[some.quasi[name] <= middle[name]]
            low += np.bincount(here, minlength=len(low))
    for name, low in below.items():
        found, compared = _beyond_chance(owner, cells.count, low)
        if compared and (found > worst.excess or not worst.compared):
            worst = Draw(name, found, compared)
    return worst


def _can_be_compared(owner: Array, size: Array) -> bool:
    """Whether any value has several sets with enough people: else nothing is to be said."""
    large = owner[size >= _ENOUGH]
    return len(distinct(large)) < len(large)


def _median(count: Array) -> float:
    """The place that comes nearest to halving people; places ascend with the values."""
    total = int(count.sum())
    return float(np.abs(2 * np.cumsum(count) - total).argmin()) if total else 0.0


def excess(value: Array, signature: Array, low: Flags) -> tuple[float, int]:
    """How much more sets differ than by chance, and how many people were compared."""
    cell, place = np.unique(paired(value, signature), return_inverse=True)
    size, below = np.bincount(place), np.bincount(place[low], minlength=len(cell))
    return _beyond_chance(parted(cell)[0], size, below)


def _beyond_chance(owner: Array, size: Array, below: Array) -> tuple[float, int]:
    """The same, given the value of each set, its people, and how many of them are low."""
    kept = size >= _ENOUGH
    # Twice: shares are taken among those that are compared, and only among them.
    for _ in range(2):
        share = _shares(owner, size * kept, below * kept)
        kept &= (size * share >= _FEW) & (size * (1 - share) >= _FEW)
    share = _shares(owner, size * kept, below * kept)
    n, b, p = size[kept], below[kept], share[kept]
    freedom = int(kept.sum()) - len(distinct(owner[kept]))
    if freedom < 1 or not ((p > 0) & (p < 1)).all():
        return 0.0, 0
    distance = float(((b - n * p) ** 2 / (n * p * (1 - p))).sum())
    # Wilson and Hilferty: the cube root of a chi-square is nearly normal.
    spread = 2 / (9 * freedom)
    return ((distance / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread), int(n.sum())


def _shares(
    owner: Array, size: Array, below: Array
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """For each cell, the share of those below among all people with its value."""
    _, place = np.unique(owner, return_inverse=True)
    total = np.bincount(place, size)
    return (np.bincount(place, below) / np.maximum(total, 1))[place]
