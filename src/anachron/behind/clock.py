"""From a wall clock to instants, by the standard library alone.

The audit reads calendars a second time, and not with the code that published: a granule's
label, start and end must agree with each other by what ``zoneinfo`` says about the zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from anachron.arrays import Array

__all__ = ["first_instant", "offsets", "wall_time"]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


_MICROSECOND = timedelta(microseconds=1)


_LOOK = timedelta(hours=3)


_SPAN = 366 * 86_400_000_000


def wall_time(instant: int, zone: ZoneInfo) -> datetime:
    """What the clock shows at an instant, as a naive time."""
    return (_EPOCH + timedelta(microseconds=instant)).astimezone(zone).replace(tzinfo=None)


def first_instant(wall: datetime, zone: ZoneInfo) -> int:
    """The instant at which the clock first shows a time, or skips it."""
    reached = wall.replace(tzinfo=zone).astimezone(UTC)
    if reached.astimezone(zone).replace(tzinfo=None) == wall:
        return (reached - _EPOCH) // _MICROSECOND
    # Skipped: the change lies between the two ways to read the time.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return (_change(before, reached, zone) - _EPOCH) // _MICROSECOND


def offsets(zone: ZoneInfo, low: int, high: int) -> tuple[Array, Array]:
    """From which instants on the clock is ahead of UTC, and by how much, in microseconds.

    Of a table whose rows pass by, it is asked again and again for nearly the same span: it is
    looked at for whole spans around, and remembered.
    """
    since, ahead = _looked(zone, low // _SPAN, -(-high // _SPAN))
    look = _LOOK // _MICROSECOND
    begin = int(np.searchsorted(since, low - look, side="right")) - 1
    end = int(np.searchsorted(since, high + look, side="right"))
    found = since[begin:end].copy()
    found[0] = -(2**62)
    return found, ahead[begin:end].copy()


@lru_cache(maxsize=64)
def _looked(zone: ZoneInfo, begin: int, end: int) -> tuple[Array, Array]:
    """The same, from the beginning of one span to that of another."""
    moment = _EPOCH + timedelta(microseconds=begin * _SPAN) - _LOOK
    last = _EPOCH + timedelta(microseconds=end * _SPAN) + _LOOK
    since, ahead = [-(2**62)], [_offset(moment, zone)]
    while moment < last:
        following = moment + _LOOK
        if _offset(following, zone) != ahead[-1]:
            change = _change(moment, following, zone)
            since.append((change - _EPOCH) // _MICROSECOND)
            ahead.append(_offset(change, zone))
        moment = following
    return np.array(since), np.array([shift // _MICROSECOND for shift in ahead])


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta(0)


def _change(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The first second after ``low`` at which the offset is another one."""
    old = _offset(low, zone)
    seconds = int((high - low).total_seconds())
    left, right = 0, seconds + 1
    while right - left > 1:
        middle = (left + right) // 2
        if _offset(low + timedelta(seconds=middle), zone) == old:
            left = middle
        else:
            right = middle
    return (low + timedelta(seconds=right)).replace(microsecond=0)
