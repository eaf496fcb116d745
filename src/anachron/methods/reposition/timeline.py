"""Where the snapshots of a feed lie in time: positions of the plan as granules of the calendar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.calendar.definitions import Granularity
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.calendar.realise import from_datetime_range, realise, span
from anachron.errors import Problem, TableError

__all__ = ["Timeline", "timeline"]

_YEAR = 366 * 86_400_000_000
_FAR = 100
"""Years in which to look for the snapshots before the first one, and after the last."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """Granules, and the position that the first of them has in the plan."""

    granules: Granules
    first: int

    def positions(self, instants: Array, column: str) -> Array:
        """The position of the snapshot that holds each instant."""
        place, is_outside = self.found(instants)
        outside = np.flatnonzero(is_outside)
        if len(outside):
            raise self.outside(len(outside), int(outside[0]), column)
        return place

    def found(self, instants: Array) -> tuple[Array, Flags]:
        """The same, and for which instants there is none."""
        index = self.granules.index(instants)
        return index + self.first, index == OUTSIDE

    def outside(self, many: int, first: int, column: str) -> TableError:
        """Say that so many rows lie in no snapshot, and which is the first."""
        return TableError(
            Problem(
                f"lies in no snapshot of the calendar {self.granules.name!r} ({many:,} such rows).",
                column=column,
                row=first + 1,
                remedy="Leave those rows out, or begin a new feed of snapshots that cover them.",
            )
        )

    def bounds(self, positions: Array) -> tuple[Array, Array]:
        """First instant of each snapshot, and the instant after its last."""
        return self.granules.bounds(positions - self.first)

    def labels(self, positions: Array) -> list[str]:
        """Readable names of snapshots."""
        return self.granules.label(positions - self.first)

    def ends(self) -> int:
        """The position after the last snapshot of the calendar, as far as it is known here."""
        return self.first + self.granules.size


def timeline(
    granularity: Granularity, zone: str, start: tuple[int, int], last: int, around: int
) -> Timeline:
    """Lay out the snapshots around two instants.

    Parameters
    ----------
    start
        An instant, and the position of the snapshot that holds it or, if none does, follows it.
    last
        The last instant that matters.
    around
        How many snapshots before the one and after the other are wanted, if the calendar has as
        many: records of the former may still wait.
    """
    instant, position = start
    before = after = 0
    while True:
        low, high = instant - before * _YEAR, last + after * _YEAR
        granules = realise(granularity, span(zone, low, high))
        # A list of boundaries may simply begin or end.
        early = granules.next(instant) >= around or before > _FAR
        early = early or not from_datetime_range(instant - (2 * before + 1) * _YEAR)
        late = granules.size > granules.next(last) + around or after > _FAR
        if early and late:
            return Timeline(granules, position - granules.next(instant))
        before = before if early else 2 * before + 1
        after = after if late else 2 * after + 1
