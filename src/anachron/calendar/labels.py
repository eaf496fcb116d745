"""Readable names for granules, from the wall time at which they begin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import numpy as np

from anachron.arrays import Array
from anachron.calendar.zones import DAY, HOUR, MINUTE, SECOND, Clock, to_datetime

__all__ = [
    "PARTS",
    "day",
    "decade",
    "half_month",
    "half_year",
    "month",
    "part_of_day",
    "quarter",
    "wall_clock",
    "week",
    "week_part",
    "year",
]


PARTS = ("night", "morning", "afternoon", "evening")
"""Six hours each, from midnight."""


def day(walls: Array) -> list[str]:
    """``2006-01-03``."""
    return [to_datetime(wall).date().isoformat() for wall in walls]


def part_of_day(walls: Array) -> list[str]:
    """``2006-01-03 morning``."""
    return [f"{to_datetime(wall).date()} {PARTS[wall % DAY // (DAY // 4)]}" for wall in walls]


def week(walls: Array) -> list[str]:
    """``2006-W01``, by ISO 8601: the year is that of the week's Thursday."""
    return [_iso_week(int(wall)) for wall in walls]


def week_part(walls: Array) -> list[str]:
    """``2006-W01 weekdays`` or ``2006-W01 weekend``."""
    return [
        f"{_iso_week(int(wall))} {'weekend' if to_datetime(wall).weekday() == 5 else 'weekdays'}"
        for wall in walls
    ]


def half_month(walls: Array) -> list[str]:
    """``2006-01 a`` up to the 15th, ``2006-01 b`` from the 16th."""
    return _written(walls, lambda t: f"{t.month:02d} {'a' if t.day == 1 else 'b'}")


def month(walls: Array) -> list[str]:
    """``2006-01``."""
    return _written(walls, lambda t: f"{t.month:02d}")


def quarter(walls: Array) -> list[str]:
    """``2006-Q1``."""
    return _written(walls, lambda t: f"Q{(t.month + 2) // 3}")


def half_year(walls: Array) -> list[str]:
    """``2006-H1``."""
    return _written(walls, lambda t: f"H{(t.month + 5) // 6}")


def _written(walls: Array, part: Callable[[datetime], str]) -> list[str]:
    """The year of each time, and a part of it."""
    return [f"{t.year:04d}-{part(t)}" for t in map(to_datetime, walls)]


def year(walls: Array) -> list[str]:
    """``2006``."""
    return [f"{to_datetime(wall).year:04d}" for wall in walls]


def decade(walls: Array) -> list[str]:
    """``2000s``."""
    return [f"{to_datetime(wall).year:04d}s" for wall in walls]


def wall_clock(unit: str, instants: Array, clock: Clock) -> list[str]:
    """``2006-01-03 14:05``; with the offset where the clock shows the time twice."""
    walls = clock.wall(instants)
    twice = clock.read(walls)[2]
    form = "seconds" if unit == "second" else "minutes"
    texts = [to_datetime(wall).isoformat(sep=" ", timespec=form) for wall in walls]
    for i in np.flatnonzero(twice):
        texts[i] += _offset(int(walls[i] - instants[i]))
    return texts


def _iso_week(wall: int) -> str:
    # Any day of the week will do; a weekend begins on its Saturday.
    iso = to_datetime(wall).isocalendar()
    return f"{iso.year:04d}-W{iso.week:02d}"


def _offset(shift: int) -> str:
    sign, rest = ("-", -shift) if shift < 0 else ("+", shift)
    hours, minutes = divmod(rest // MINUTE, HOUR // MINUTE)
    seconds = rest % MINUTE // SECOND
    return f"{sign}{hours:02d}:{minutes:02d}" + (f":{seconds:02d}" if seconds else "")
