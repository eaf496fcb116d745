"""Which column tells the time of an event, and what can be said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from anachron.calendar.definitions import BUILT_IN
from anachron.schema import CALENDAR_UNITS, TimeUnit
from anachron.source.column_words import TIME, says
from anachron.source.look import Column, Look

__all__ = [
    "COUNTED",
    "DAYS",
    "TIMES",
    "about_time",
    "days",
    "find_time",
    "granularities",
    "recorded_by",
    "unit_of",
]

DAYS = dict(zip(BUILT_IN, (1 / 86_400, 1 / 1_440, 1 / 96, 1 / 24, 1 / 4, 1, 3.5, 7, 15, 30, 91, 182,
                           365, 3_652), strict=True))  # fmt: skip
"""About how many days a granule of each built-in granularity lasts."""
COUNTED: tuple[TimeUnit, ...] = ("year", "month", "s", "ms", "us")
TIMES = ("time", "zoned time", "time as text", "month as text", *COUNTED)
_BIRTH = re.compile("birth|born|dob")


def find_time(found: Look, given: Iterable[str]) -> str | None:
    """Find the column that looks most like the time of an event."""
    taken = {*given, found.subject}
    free = [c for c in found.columns if c.kind in TIMES and c.filled and c.name not in taken]
    free = [c for c in free if not says(c.name, _BIRTH)]
    # Whole numbers are times only if their name says so.
    sure = [c for c in free if c.kind not in COUNTED or says(c.name, TIME)]
    named = [c for c in sure if says(c.name, TIME)]
    return (named or sure)[0].name if sure else None


def about_time(column: Column, given: bool) -> str:
    """Why a column is the time."""
    how = {
        "year": "whole numbers that look like years",
        "month": "whole numbers that look like months",
        "month as text": "months",
    }.get(column.kind, f"whole numbers that look like times in {column.kind} since 1970")
    if column.kind not in (*COUNTED, "month as text"):
        how = f"times recorded by {column.recorded_by}, over {column.width / 86_400:,.1f} days"
    return f"{how}: {'as you said' if given else 'looks like the time of the event'}"


def unit_of(clock: Column) -> TimeUnit:
    """The time_unit by which a column is read."""
    kind = clock.kind.removesuffix(" as text")
    return next((unit for unit in COUNTED if unit == kind), "auto")


def recorded_by(clock: Column) -> str:
    """The finest built-in granularity by which times are recorded."""
    unit = unit_of(clock)
    if unit in CALENDAR_UNITS:
        return unit
    return "second" if clock.recorded_by == "instant" else clock.recorded_by


def granularities(clock: Column) -> tuple[str, ...]:
    """Built-in granularities not finer than recorded, and not coarser than twice the span."""
    names = BUILT_IN[BUILT_IN.index(recorded_by(clock)) :]
    return tuple(n for n in names if DAYS[n] <= 2 * days(clock)) or names[:1]


def days(clock: Column) -> float:
    """How long the times span."""
    if clock.kind == "year":
        return clock.width * 365
    if clock.kind == "month":
        # 202401 less 202311 is 90: a year forth, ten months back.
        years = round(clock.width / 100)
        return (12 * years + clock.width - 100 * years) * DAYS["month"]
    per_second = {"ms": 1_000, "us": 1_000_000}.get(clock.kind, 1)
    return clock.width / per_second / 86_400
