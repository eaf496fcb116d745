"""Which granularity is finer than which: the paper's partial order, decided exactly.

G is *finer than* H if every granule of G lies inside a granule of H. Two things can go
wrong: a boundary of H cuts a granule of G, or H leaves out instants that G holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.calendar.granules import Granules
from anachron.errors import CalendarError

__all__ = ["Order", "cuts", "finer_than", "order"]


def cuts(coarse: Granules, fine: Granules) -> bool:
    """Whether a boundary of ``coarse`` falls strictly inside a granule of ``fine``."""
    run, other = _overlaps(fine, coarse)
    start, width = fine.start[run], fine.width[run]
    end = start + width * fine.count[run]
    first, step = coarse.start[other], coarse.width[other]
    last = first + step * coarse.count[other]

    def off_grid(point: Array) -> Flags:
        inside: Flags = (point > start) & (point < end) & ((point - start) % width != 0)
        return inside

    # The inner boundaries first + j·step of a run form a progression: inside the open
    # interval (start, end) it is on the grid if its first member is, and, where there
    # is a second one, if the step is a multiple of the width.
    inner = first + step * np.maximum((start - first) // step + 1, 1)
    many = (inner + step < end) & (inner + step < last)
    inner_off = (inner < last) & off_grid(inner)
    return bool(np.any(off_grid(first) | off_grid(last) | inner_off | (many & (step % width != 0))))


def finer_than(fine: Granules, coarse: Granules, first: int, last: int) -> bool:
    """Whether every granule of ``fine`` that meets the span lies in one of ``coarse``."""
    return (
        not cuts(coarse, fine) and _covered(fine, coarse, first, last) and _together(fine, coarse)
    )


def _overlaps(a: Granules, b: Granules) -> tuple[Array, Array]:
    """All pairs of runs of the two that share an instant, or touch."""
    low = np.searchsorted(b.end, a.start, side="left")
    high = np.searchsorted(b.start, a.end, side="right")
    many = np.maximum(high - low, 0)
    run = np.repeat(np.arange(len(a.start)), many)
    offset = np.arange(len(run)) - np.repeat(np.cumsum(many) - many, many)
    return run, np.repeat(low, many) + offset


def _covered(fine: Granules, coarse: Granules, first: int, last: int) -> bool:
    """Whether ``coarse`` holds every instant of the span that ``fine`` holds."""

    def held(granules: Granules) -> tuple[Array, Array]:
        start = np.clip(granules.start, first, last + 1)
        end = np.clip(granules.end, first, last + 1)
        return start[end > start], end[end > start]

    start, end = held(fine)
    other, until = held(coarse)
    before = np.concatenate(([0], np.cumsum(until - other)))

    def length(point: Array) -> Array:
        """How many instants of ``coarse`` lie before each point."""
        run = np.searchsorted(other, point, side="right") - 1
        known = np.maximum(run, 0)
        if not len(other):
            return np.zeros_like(point)
        part = before[known] + np.minimum(point, until[known]) - other[known]
        return np.where(run >= 0, part, 0)

    return bool(np.all(length(end) - length(start) == end - start))


def _together(fine: Granules, coarse: Granules) -> bool:
    """Whether the pieces of each granule with gaps inside lie in one granule of ``coarse``."""
    piece = np.flatnonzero(fine.first[1:] == fine.first[:-1]) + 1
    here, before = coarse.index(fine.start[piece]), coarse.index(fine.start[piece - 1])
    return bool(np.all(here == before))


@dataclass(frozen=True, eq=False)
class Order:
    """Granularities and the relation finer-than among them."""

    granules: tuple[Granules, ...]
    finer: Flags
    """``finer[i, j]``: i is finer than j, or i is j."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the matrix."""
        return tuple(granules.name for granules in self.granules)

    def directly_coarser(self) -> list[tuple[int, int]]:
        """The edges of the paper's graph: (i, j) with nothing strictly between."""
        strict = self.finer & ~np.eye(len(self.granules), dtype=bool)
        between = (strict.astype(np.int64) @ strict.astype(np.int64)) > 0
        return [(int(i), int(j)) for i, j in np.argwhere(strict & ~between)]


def order(granularities: Sequence[Granules], first: int, last: int) -> Order:
    """Compare all pairs over a span; refuse two that are the same granules by two names."""
    n = len(granularities)
    finer = np.eye(n, dtype=bool)
    for i, a in enumerate(granularities):
        for j, b in enumerate(granularities):
            finer[i, j] = i == j or finer_than(a, b, first, last)
    # Each relation holds for all instants of the span, so what follows from two does too.
    for middle in range(n):
        finer |= finer[:, middle, None] & finer[None, middle, :]
    for i, j in zip(*np.nonzero(np.triu(finer & finer.T, 1)), strict=True):
        a, b = granularities[i], granularities[j]
        if _same(a, b):
            raise CalendarError(
                f"granularities {a.name!r} and {b.name!r} have the same granules (they are "
                "shift equivalent). Offer one of them."
            )
        # They agree on the span only. Call the one that holds less time finer: that is an
        # order among any number of them, so that no circle can arise.
        finer[(j, i) if _length(a) <= _length(b) else (i, j)] = False
    return Order(tuple(granularities), finer)


def _length(granules: Granules) -> int:
    return int((granules.width * granules.count).sum())


def _hull(a: Granules, b: Granules) -> tuple[int, int]:
    return int(min(a.start[0], b.start[0])), int(max(a.end[-1], b.end[-1])) - 1


def _same(a: Granules, b: Granules) -> bool:
    first, last = _hull(a, b)
    return finer_than(a, b, first, last) and finer_than(b, a, first, last)
