"""What a calendar says about an instant, asked of ``zoneinfo`` and ``datetime`` alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Zone, and two years in which it does something worth looking at.
PLACES = (
    ("UTC", 2006),
    ("Europe/Rome", 2006),
    ("America/New_York", 2006),
    ("Australia/Lord_Howe", 2006),  # half an hour of summer time
    ("Pacific/Apia", 2011),  # no 30 December 2011
    ("Pacific/Kwajalein", 1969),  # 1 October 1969 came twice, almost
    ("Pacific/Kwajalein", 1992),  # no 21 August 1993
    ("America/St_Johns", 2005),  # changes at one minute past midnight
    ("America/Sao_Paulo", 2006),  # changes at midnight
    ("Asia/Kathmandu", 1985),  # +05:30 becomes +05:45
    ("Africa/Monrovia", 1971),  # -00:44:30 until 1972
    ("America/Paramaribo", 1910),  # back by twelve seconds
)


@dataclass(frozen=True)
class Moment:
    """An instant, and what the clock on the wall says."""

    instant: int
    wall: datetime
    offset: timedelta
    furthest: datetime
    """The furthest time that the clock has shown so far: what makes a day begin only once."""


def show(instant: int, zone: str) -> tuple[datetime, timedelta]:
    moment = (EPOCH + instant * MICROSECOND).astimezone(ZoneInfo(zone))
    offset = moment.utcoffset()
    assert offset is not None
    return moment.replace(tzinfo=None, fold=0), offset


def microseconds(moment: datetime) -> int:
    return (moment.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


HOUR = 3_600_000_000


def two_years(year: int) -> tuple[int, int]:
    """Instants well inside two years of any zone."""
    first, last = microseconds(datetime(year, 1, 2)), microseconds(datetime(year + 2, 1, 1))
    return first, last - 26 * HOUR


@cache
def changes(zone: str, first: int, last: int) -> list[int]:
    """Instants at which the offset changes, to the second."""
    found = []
    at = first
    while at < last:
        if show(at, zone)[1] != show(at + HOUR, zone)[1]:
            low, high = at // 1_000_000, (at + HOUR) // 1_000_000
            before = show(at, zone)[1]
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (
                    (middle, high) if show(middle * 1_000_000, zone)[1] == before else (low, middle)
                )
            found.append(high * 1_000_000)
        at += HOUR
    return found


@cache
def moments(zone: str, year: int) -> list[Moment]:
    """Instants of two local years: every five hours, and closely around every change."""
    first, last = two_years(year)
    grid = set(range(first, last, 5 * HOUR))
    for change in changes(zone, first, last):
        grid |= set(range(change - 30 * HOUR, change + 30 * HOUR, HOUR // 4))
        grid |= {change + shift for shift in (-60_000_000, -1_000_000, -1, 0, 1, 60_000_000)}
    found: list[Moment] = []
    furthest = datetime(1, 1, 1)
    for instant in sorted(grid):
        wall, offset = show(instant, zone)
        furthest = max(furthest, wall)
        found.append(Moment(instant, wall, offset, furthest))
    return found


def label(name: str, moment: Moment) -> str:
    """The text that a built-in granularity of a day or more, or part of day, is to show."""
    t = moment.furthest
    iso = t.isocalendar()
    week = f"{iso.year:04d}-W{iso.week:02d}"
    month = f"{t.year:04d}-{t.month:02d}"
    return {
        "part_of_day": f"{t.date()} {('night', 'morning', 'afternoon', 'evening')[t.hour // 6]}",
        "day": f"{t.date()}",
        "week_part": f"{week} {'weekend' if iso.weekday > 5 else 'weekdays'}",
        "week": week,
        "half_month": f"{month} {'a' if t.day < 16 else 'b'}",
        "month": month,
        "quarter": f"{t.year:04d}-Q{(t.month - 1) // 3 + 1}",
        "half_year": f"{t.year:04d}-H{(t.month - 1) // 6 + 1}",
        "year": f"{t.year:04d}",
        "decade": f"{t.year // 10 * 10:04d}s",
    }[name]


def on_the_wall(name: str, moment: Moment, zone: str, year: int) -> tuple[int, datetime]:
    """A granule of an hour or less: the unit of the clock, and since which change it runs."""
    minutes = {"second": 0, "minute": 1, "quarter_hour": 15, "hour": 60}[name]
    t = moment.wall.replace(microsecond=0)
    if minutes:
        t = t.replace(second=0, minute=t.minute // minutes * minutes)
    first, last = two_years(year)
    return sum(change <= moment.instant for change in changes(zone, first, last)), t
