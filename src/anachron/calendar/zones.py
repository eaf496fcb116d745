"""Wall clocks and instants.

An instant is a whole number of microseconds since 1970-01-01T00:00:00Z. A wall clock reads
the same scale, shifted by the offset of its zone: ``wall = instant + offset``. Between two
changes of the offset that is a plain sum; this module finds the changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from anachron.arrays import Array, Flags

__all__ = ["DAY", "HOUR", "MINUTE", "SECOND", "Clock", "clock", "from_datetime", "to_datetime"]


SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1)
_ALWAYS = -(2**62)
# No zone of the tz database changes its offset twice within three days (Freetown, 1939: four).
_SCAN = timedelta(days=1)
# Where naive times end, less what an offset may add.
_FIRST, _LAST = datetime(1, 1, 3), datetime(9999, 12, 29)


def from_datetime(moment: datetime) -> int:
    """Read a naive time as microseconds on its own clock."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def to_datetime(microseconds: int) -> datetime:
    """Write microseconds on a clock as a naive time."""
    return _EPOCH + timedelta(microseconds=int(microseconds))


@dataclass(frozen=True, eq=False)
class Clock:
    """The wall clock of a zone over a span, as pieces of constant offset."""

    zone: str
    start: Array
    """First instant of each piece; the first piece reaches back without end."""
    offset: Array

    def wall(self, instants: Array) -> Array:
        """What the clock on the wall shows at these instants."""
        piece = np.searchsorted(self.start[1:], instants, side="right")
        return instants + self.offset[piece]

    def reaches(self, walls: Array) -> Array:
        """First instant at which the clock shows this time or has gone past it.

        A time that a spring change skips is reached at the change; a time that an autumn
        change shows twice is reached the first time. So the answer never decreases with
        the wall time, which is what makes days and parts of days granules.
        """
        reached = np.full(walls.shape, np.iinfo(np.int64).max)
        ends = np.append(self.start[1:], np.iinfo(np.int64).max)
        for start, end, offset in zip(self.start, ends, self.offset, strict=True):
            here = np.maximum(walls - offset, start)
            reached = np.where((here < end) & (here < reached), here, reached)
        return reached

    def read(self, walls: Array) -> tuple[Array, Flags, Flags]:
        """Instants for what a wall clock showed; which are skipped, which shown twice.

        A time shown twice is read as its first showing.
        """
        instants = self.reaches(walls)
        skipped = self.wall(instants) != walls
        twice = np.zeros(walls.shape, dtype=bool)
        for i in range(1, len(self.start)):
            back = self.offset[i - 1] - self.offset[i]
            if back > 0:
                again = self.start[i] + self.offset[i]
                twice |= (walls >= again) & (walls < again + back)
        return instants, skipped, twice


@lru_cache(maxsize=1024)
def clock(zone: str, first: int, last: int) -> Clock:
    """The clock of a zone, with every change of offset between two instants."""
    info = ZoneInfo(zone)

    def offset(moment: datetime) -> timedelta:
        shift = moment.replace(tzinfo=UTC).astimezone(info).utcoffset()
        return shift if shift is not None else timedelta(0)

    low = to_datetime(max(first, from_datetime(_FIRST)))
    high = to_datetime(min(last, from_datetime(_LAST)))
    starts, offsets = [_ALWAYS], [offset(low)]
    step = low
    while step < high and zone != "UTC":
        following = min(step + _SCAN, high)
        if offset(following) != offsets[-1]:
            change = _bisect(step, following, offset)
            starts.append(from_datetime(change))
            offsets.append(offset(change))
        step = following
    microsecond = timedelta(microseconds=1)
    return Clock(zone, np.array(starts), np.array([shift // microsecond for shift in offsets]))


def _bisect(low: datetime, high: datetime, offset: Callable[[datetime], timedelta]) -> datetime:
    """The first second at which the offset is no longer that of ``low``."""
    before = offset(low)
    low = low.replace(microsecond=0)
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
        if offset(middle) == before:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)
