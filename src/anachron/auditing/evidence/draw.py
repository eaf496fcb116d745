"""Were new people dealt out to sets of values by lot, or by what an outsider knows of them?

Whoever knows that the youngest with a value go to the first set can tell who has which. A fair draw
leaves no trace: among the new people with one value, those of each set have about as many with low
quasi values as those of the others. The audit counts, for each quasi column, who lies below the
median, and asks how likely such a difference is by chance. It speaks only where there are enough
people to tell, and only if chance is practically out of the question.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from anachron.arrays import Array, Codes, Flags
from anachron.auditing.evidence.people import People
from anachron.auditing.evidence.register import RegisterState, found_in
from anachron.engines.local.load import Loaded

__all__ = ["Draw", "draw_of", "excess"]


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


def draw_of(
    state: RegisterState, before: RegisterState | None, people: People, loaded: Loaded
) -> Draw:
    """Look at the new people of a release, column by column."""
    rows = np.flatnonzero(people.group >= 0)
    if before is not None:
        known = np.append(found_in(state.subject, before.subject) >= 0, True)
        rows = rows[~known[people.place[rows]]]
    place = people.place[rows]
    value, signature = state.mark[place], state.signature[place]
    worst = Draw("", 0.0, 0)
    for name, column in loaded.quasi.items():
        codes = column.codes[rows]
        found, compared = excess(value, signature, codes <= _median(codes))
        if compared and (found > worst.excess or not worst.compared):
            worst = Draw(name, found, compared)
    return worst


def _median(codes: Codes) -> float:
    """The code that comes nearest to halving these; codes ascend with the values."""
    if not len(codes):
        return 0.0
    counts = np.cumsum(np.bincount(codes))
    return float(np.abs(2 * counts - len(codes)).argmin())


def excess(value: Array, signature: Array, low: Flags) -> tuple[float, int]:
    """How much more sets differ than by chance, and how many people were compared."""
    wide = int(signature.max(initial=0)) + 1
    cell, place = np.unique(value * wide + signature, return_inverse=True)
    size, below = np.bincount(place), np.bincount(place[low], minlength=len(cell))
    owner = cell // wide
    kept = size >= _ENOUGH
    # Twice: shares are taken among those that are compared, and only among them.
    for _ in range(2):
        share = _shares(owner, size * kept, below * kept)
        kept &= (size * share >= _FEW) & (size * (1 - share) >= _FEW)
    share = _shares(owner, size * kept, below * kept)
    n, b, p = size[kept], below[kept], share[kept]
    freedom = int(kept.sum()) - len(np.unique(owner[kept]))
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
