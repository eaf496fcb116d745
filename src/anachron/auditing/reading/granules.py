"""Are published times what they are called?

A granule is published as a label, a start and an end. For every built-in granularity, for
listed granules and for business days, the three are derived again from the start and compared.
Granules made of other granules must begin and end where those do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np

from anachron.arrays import Array, Flags
from anachron.behind.clock import first_instant, offsets, wall_time
from anachron.calendar.definitions import BusinessDays, Granularity, Grouped, Listed, Within
from anachron.errors import ReleaseError

__all__ = [
    "CIVIL",
    "CLOCK_UNITS",
    "EARLIEST",
    "LATEST",
    "WHOLE_UNITS",
    "Civil",
    "Times",
    "cut",
    "gaps_inside",
    "is_closed",
    "wrong_granules",
]

Civil = tuple[datetime, datetime, str]
_SECOND = 1_000_000
EARLIEST, LATEST = -62_000_000_000 * _SECOND, 252_000_000_000 * _SECOND
"""The years 2 to 9980: what calendars can hold with room on either side."""
CLOCK_UNITS = {"second": 1, "minute": 60, "quarter_hour": 900, "hour": 3600}
"""Granularities of the wall clock, and how many seconds their granules have."""
_PARTS = ("night", "morning", "afternoon", "evening")


def wrong_granules(
    granularity: Granularity, zone: str, start: Array, end: Array, label: list[str]
) -> Flags:
    """Which granules are not granules of the granularity, or are called by another name."""
    clock = ZoneInfo(zone)
    wrong = (start >= end) | (start < EARLIEST) | (end > LATEST)
    rest = np.flatnonzero(~wrong)
    start, end, label = start[rest], end[rest], [label[i] for i in rest]
    if granularity.rule is None and granularity.name in CLOCK_UNITS:
        wrong[rest] = _wrong_clock_units(granularity.name, clock, start, end, label)
        return wrong
    wrong[rest] = [
        not _fits(granularity, clock, int(a), int(b), text)
        for a, b, text in zip(start, end, label, strict=True)
    ]
    return wrong


def gaps_inside(granularity: Granularity, zone: str, low: int, high: int) -> tuple[Array, Array]:
    """Where granules made of other granules have gaps inside: starts and ends, in order.

    A business week reaches from Monday to Friday, but a holiday on Wednesday is no part of it.
    """
    leaf = granularity
    while isinstance(leaf.rule, Grouped | Within):
        leaf = leaf.rule.of
    found: list[tuple[int, int]] = []
    clock = ZoneInfo(zone)
    if leaf is not granularity and isinstance(leaf.rule, Listed):
        spans = leaf.rule.spans
        walls = [(a[1], b[0]) for a, b in pairwise(spans)]
        found = [(first_instant(a, clock), first_instant(b, clock)) for a, b in walls]
    elif leaf is not granularity and isinstance(leaf.rule, BusinessDays):
        found = list(_closed_days(leaf.rule, clock, low, high))
    real = [(a, b) for a, b in found if a < b]
    pairs = np.array(real, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _fits(granularity: Granularity, clock: ZoneInfo, start: int, end: int, label: str) -> bool:
    """Whether a granule is one of the granularity."""
    rule = granularity.rule
    if isinstance(rule, Listed):
        named = [span for span in rule.spans if span[2] == label]
        return any(_is(span, clock, start, end, label) for span in named)
    if isinstance(rule, Grouped):
        return _begins(rule.of, clock, start, label) and _ends(rule.of, clock, end)
    if isinstance(rule, Within):
        # Its label is that of the granule that holds it.
        by_begins = rule.by.rule is not None or _named(rule.by, clock, start) == label
        return by_begins and _begins(rule.of, clock, start, None) and _ends(rule.of, clock, end)
    wall = wall_time(start, clock)
    if isinstance(rule, BusinessDays):
        return not is_closed(rule, wall.date()) and _is(_day(wall), clock, start, end, label)
    return _is(CIVIL[granularity.name](wall), clock, start, end, label)


def _is(civil: Civil, clock: ZoneInfo, start: int, end: int, label: str) -> bool:
    bounds = first_instant(civil[0], clock), first_instant(civil[1], clock)
    return bounds == (start, end) and civil[2] == label


def _civil(granularity: Granularity, wall: datetime) -> Civil | None:
    """The granule that holds a wall time, where one can be told from the time alone."""
    if isinstance(granularity.rule, BusinessDays):
        return _day(wall)
    return CIVIL[granularity.name](wall) if granularity.name in CIVIL else None


def _named(granularity: Granularity, clock: ZoneInfo, instant: int) -> str | None:
    civil = _civil(granularity, wall_time(instant, clock))
    return None if civil is None else civil[2]


def _begins(granularity: Granularity, clock: ZoneInfo, start: int, label: str | None) -> bool:
    civil = _civil(granularity, wall_time(start, clock))
    if civil is None:
        return True
    return first_instant(civil[0], clock) == start and label in (None, civil[2])


def _ends(granularity: Granularity, clock: ZoneInfo, end: int) -> bool:
    civil = _civil(granularity, wall_time(end - 1, clock))
    return civil is None or first_instant(civil[1], clock) == end


def _wrong_clock_units(
    name: str, clock: ZoneInfo, start: Array, end: Array, label: list[str]
) -> Flags:
    """Seconds to hours on the wall clock: whole, or cut by a change of its offset."""
    if not len(start):
        return np.zeros(0, dtype=bool)
    unit = CLOCK_UNITS[name] * _SECOND
    since, ahead = offsets(clock, int(start.min()), int(end.max()))

    def offset(instants: Array) -> Array:
        return ahead[np.searchsorted(since, instants, side="right") - 1]

    ahead_of = offset(start)
    wall, last = start + ahead_of, end + ahead_of - 1
    opens = (wall % unit == 0) | np.isin(start, since)
    closes = ((last + 1) % unit == 0) | np.isin(end, since)
    # Within one unit, and the clock is not changed inside.
    right = opens & closes & (wall // unit == last // unit) & (offset(end - 1) == ahead_of)
    unit_name = "datetime64[s]" if name == "second" else "datetime64[m]"
    texts = wall.astype("datetime64[us]").astype(unit_name).astype(str).tolist()
    shown = [text.replace("T", " ") for text in texts]
    named = np.array([text == seen for text, seen in zip(label, shown, strict=True)], dtype=bool)
    for i in np.flatnonzero(~named):
        named[i] = label[i] == shown[i] + _ahead(int(ahead_of[i]))
    wrong: Flags = ~(right & named)
    return wrong


def _ahead(offset: int) -> str:
    """An offset as it stands in the label of an hour that the clock shows twice."""
    minutes, seconds = divmod(abs(offset) // _SECOND, 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{seconds:02d}" if seconds else text


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def _day(wall: datetime) -> Civil:
    start = _midnight(wall.date())
    return start, start + timedelta(1), start.date().isoformat()


def _part_of_day(wall: datetime) -> Civil:
    start = _midnight(wall.date()) + timedelta(hours=wall.hour // 6 * 6)
    return start, start + timedelta(hours=6), f"{wall.date()} {_PARTS[wall.hour // 6]}"


def _week(wall: datetime) -> Civil:
    year, week, _ = wall.isocalendar()
    start = _midnight(date.fromisocalendar(year, week, 1))
    return start, start + timedelta(7), f"{year:04d}-W{week:02d}"


def _week_part(wall: datetime) -> Civil:
    monday, next_monday, label = _week(wall)
    saturday = monday + timedelta(5)
    if wall < saturday:
        return monday, saturday, f"{label} weekdays"
    return saturday, next_monday, f"{label} weekend"


def _half_month(wall: datetime) -> Civil:
    first, following, label = _months(1, wall)
    middle = first + timedelta(15)
    return (first, middle, f"{label} a") if wall < middle else (middle, following, f"{label} b")


def _months(size: int, wall: datetime) -> Civil:
    """Whole months, counted from January of the year 0."""
    index = (12 * wall.year + wall.month - 1) // size * size
    start, following = (
        datetime(number // 12, number % 12 + 1, 1) for number in (index, index + size)
    )
    year, part = f"{start.year:04d}", index % 12 // size + 1
    labels = {1: f"{year}-{part:02d}", 3: f"{year}-Q{part}", 6: f"{year}-H{part}"}
    labels |= {12: year, 120: f"{year}s"}
    return start, following, labels[size]


CIVIL: dict[str, Callable[[datetime], Civil]] = {
    "part_of_day": _part_of_day,
    "day": _day,
    "week_part": _week_part,
    "week": _week,
    "half_month": _half_month,
    "month": lambda wall: _months(1, wall),
    "quarter": lambda wall: _months(3, wall),
    "half_year": lambda wall: _months(6, wall),
    "year": lambda wall: _months(12, wall),
    "decade": lambda wall: _months(120, wall),
}
"""For each granularity of the civil calendar: start, end and label of what holds a wall time."""


def _closed_days(
    rule: BusinessDays, clock: ZoneInfo, low: int, high: int
) -> Iterable[tuple[int, int]]:
    day, last = wall_time(low, clock).date(), wall_time(high, clock).date()
    while day <= last:
        if is_closed(rule, day):
            opens, closes, _ = _day(_midnight(day))
            yield first_instant(opens, clock), first_instant(closes, clock)
        day += timedelta(1)


def is_closed(rule: BusinessDays, day: date) -> bool:
    """Whether a day is a weekend or a holiday."""
    if day.weekday() in rule.weekend or day in rule.holidays:
        return True
    return rule.country is not None and day in _holidays(rule.country, rule.subdivision, day.year)


@lru_cache(maxsize=512)
def _holidays(country: str, subdivision: str | None, year: int) -> frozenset[date]:
    try:
        import holidays
    except ImportError:
        raise ReleaseError(
            "the release uses the holidays of a country. To audit it, install the package "
            "'holidays': pip install 'anachron[holidays]'."
        ) from None
    return frozenset(holidays.country_holidays(country, subdiv=subdivision, years=year))


WHOLE_UNITS = ("month", "year")
"""Units of which a row names a whole one. Finer ones are those that all times happen to lie on."""
Times = tuple[Array, Array]
"""When published times begin and end."""


def cut(unit: str | None, zone: str, start: Array, end: Array) -> int:
    """How many granules begin or end inside a month or year, if times are recorded by that."""
    if unit not in WHOLE_UNITS:
        return 0
    clock, granule = ZoneInfo(zone), CIVIL[unit]
    return sum(
        first_instant(granule(wall_time(low, clock))[0], clock) != low
        or first_instant(granule(wall_time(high - 1, clock))[1], clock) != high
        for low, high in np.unique(np.stack([start, end], axis=1), axis=0).tolist()
    )
