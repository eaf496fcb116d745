"""A granularity over a span of time, as sets of instants.

A calendar repeats itself, so granules come in *runs*: granules of equal width, one after the
other. A year of days is one run, two changes of the clock make it three to five. Months are
runs of one or two. So second, day and decade are held in the same few numbers, nothing is
ever expanded, and comparing two granularities is exact integer arithmetic on runs.

=========  ==================================================================
``start``  first instant of the run
``width``  width of each of its granules
``count``  how many granules it has
``first``  index of its first granule; two runs of one granule with the same
           index are two pieces of one granule with a gap inside
=========  ==================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anachron.arrays import Array

__all__ = ["OUTSIDE", "Granules", "from_bounds"]


OUTSIDE = -1
"""The index of an instant that lies in no granule."""


@dataclass(frozen=True, eq=False)
class Granules:
    """The granules of one granularity that meet a span, numbered from 0."""

    name: str
    start: Array
    width: Array
    count: Array
    first: Array
    label: Callable[[Array], list[str]] = field(repr=False)
    """Readable names for granules, given their indices."""

    @property
    def end(self) -> Array:
        """The instant after the last of each run."""
        return self.start + self.width * self.count

    @property
    def size(self) -> int:
        """How many granules there are."""
        return int(self.first[-1] + self.count[-1]) if len(self.first) else 0

    def index(self, instants: Array) -> Array:
        """The granule that holds each instant, or ``OUTSIDE``: the paper's up operation."""
        if not len(self.start):
            return np.full(instants.shape, OUTSIDE, dtype=np.int64)
        if len(self.start) == 1:
            # Days without a change of the clock: division by one number is far faster.
            index: Array = (instants - self.start[0]) // self.width[0]
            index[(index < 0) | (index >= self.count[0])] = OUTSIDE
            return index + self.first[0] * (index != OUTSIDE) if self.first[0] else index
        run = np.searchsorted(self.start, instants, side="right") - 1
        known = np.maximum(run, 0)
        step = (instants - self.start[known]) // self.width[known]
        inside = (run >= 0) & (step < self.count[known])
        return np.where(inside, self.first[known] + step, OUTSIDE)

    def bounds(self, index: Array) -> tuple[Array, Array]:
        """First instant of each granule, and the instant after its last."""
        opens = np.searchsorted(self.first, index, side="right") - 1
        # Pieces of one granule share its index: the first opens it, the last closes it.
        opens = np.searchsorted(self.first, self.first[opens], side="left")
        closes = np.searchsorted(self.first, index, side="right") - 1
        start = self.start[opens] + (index - self.first[opens]) * self.width[opens]
        end = self.start[closes] + (index - self.first[closes] + 1) * self.width[closes]
        return start, end

    def next(self, instant: int) -> int:
        """The granule that holds the instant, or else the next one; ``size`` if there is none."""
        run = int(np.searchsorted(self.end, instant, side="right"))
        if run == len(self.start):
            return self.size
        step = max(instant - int(self.start[run]), 0) // int(self.width[run])
        return int(self.first[run]) + step

    def covers(self, first: int, last: int) -> bool:
        """Whether every instant from ``first`` to ``last`` lies in a granule."""
        if not len(self.start) or first < self.start[0] or last >= self.end[-1]:
            return False
        gaps = self.start[1:] > self.end[:-1]
        return not bool(np.any(gaps & (self.end[:-1] <= last) & (self.start[1:] > first)))


def from_bounds(
    name: str, start: Array, end: Array, index: Array, label: Callable[[Array], list[str]]
) -> Granules:
    """Gather granules, or pieces of granules, into runs. Empty pieces are left out.

    ``index`` need not be without holes: it is renumbered from 0.
    """
    real = end > start
    start, end, index = start[real], end[real], index[real]
    old, index = np.unique(index, return_inverse=True)
    width = end - start
    head = np.ones(len(start), dtype=bool)
    head[1:] = (width[1:] != width[:-1]) | (start[1:] != end[:-1])
    # A piece is a run of its own: whoever meets its index must find all pieces of the granule.
    piece = np.bincount(index)[index] > 1 if len(index) else head
    head[1:] |= piece[1:] | piece[:-1]
    at = np.flatnonzero(head)
    count = np.diff(np.append(at, len(start)))
    return Granules(name, start[at], width[at], count, index[at], lambda i: label(old[i]))
