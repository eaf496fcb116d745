from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from anachron.auditing.reading.granules import gaps_inside, wrong_granules
from anachron.behind.clock import first_instant, offsets, wall_time
from anachron.calendar.definitions import Granularity

Span = tuple[str, str, str]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(text: str) -> int:
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


def wrong(granularity: str | Granularity, zone: str, *granules: Span) -> list[bool]:
    kind = Granularity(granularity) if isinstance(granularity, str) else granularity
    start = np.array([instant(a) for a, _, _ in granules])
    end = np.array([instant(b) for _, b, _ in granules])
    return [bool(w) for w in wrong_granules(kind, zone, start, end, [c for _, _, c in granules])]


RIGHT = [
    (
        "second",
        "Asia/Kolkata",
        ("2024-05-01T00:00:07", "2024-05-01T00:00:08", "2024-05-01 05:30:07"),
    ),
    ("minute", "UTC", ("2024-05-01T00:07", "2024-05-01T00:08", "2024-05-01 00:07")),
    (
        "quarter_hour",
        "Asia/Kathmandu",
        ("2024-05-01T00:00", "2024-05-01T00:15", "2024-05-01 05:45"),
    ),
    ("hour", "Europe/Rome", ("2024-10-27T00:00", "2024-10-27T01:00", "2024-10-27 02:00+02:00")),
    ("hour", "Europe/Rome", ("2024-10-27T01:00", "2024-10-27T02:00", "2024-10-27 02:00+01:00")),
    ("part_of_day", "UTC", ("2024-05-01T12:00", "2024-05-01T18:00", "2024-05-01 afternoon")),
    ("day", "Europe/Rome", ("2024-03-30T23:00", "2024-03-31T22:00", "2024-03-31")),  # 23 hours
    ("day", "Europe/Rome", ("2024-10-26T22:00", "2024-10-27T23:00", "2024-10-27")),  # 25 hours
    ("day", "Pacific/Apia", ("2011-12-29T10:00", "2011-12-30T10:00", "2011-12-29")),
    ("day", "Pacific/Apia", ("2011-12-30T10:00", "2011-12-31T10:00", "2011-12-31")),
    ("day", "America/Sao_Paulo", ("2018-11-04T03:00", "2018-11-05T02:00", "2018-11-04")),
    ("week_part", "UTC", ("2024-04-27T00:00", "2024-04-29T00:00", "2024-W17 weekend")),
    ("week_part", "UTC", ("2024-04-22T00:00", "2024-04-27T00:00", "2024-W17 weekdays")),
    ("week", "UTC", ("2024-12-30T00:00", "2025-01-06T00:00", "2025-W01")),
    ("half_month", "UTC", ("2024-02-16T00:00", "2024-03-01T00:00", "2024-02 b")),
    ("month", "UTC", ("2024-02-01T00:00", "2024-03-01T00:00", "2024-02")),
    ("quarter", "UTC", ("2024-10-01T00:00", "2025-01-01T00:00", "2024-Q4")),
    ("half_year", "UTC", ("2024-07-01T00:00", "2025-01-01T00:00", "2024-H2")),
    ("year", "Europe/Rome", ("2023-12-31T23:00", "2024-12-31T23:00", "2024")),
    ("decade", "UTC", ("2020-01-01T00:00", "2030-01-01T00:00", "2020s")),
]


@pytest.mark.parametrize(("name", "zone", "granule"), RIGHT)
def test_granules_of_every_built_in_granularity(name: str, zone: str, granule: Span) -> None:
    start, end, label = granule
    shifted = [(datetime.fromisoformat(t) + timedelta(hours=1)).isoformat() for t in (start, end)]
    assert wrong(
        name,
        zone,
        granule,
        (shifted[0], end, label),
        (start, shifted[1], label),
        (shifted[0], shifted[1], label),
        (start, end, label + "x"),
        (end, start, label),
    ) == [False, True, True, True, True, True]


def test_an_hour_ends_where_the_clock_changes() -> None:
    assert wrong(
        "hour",
        "America/New_York",
        ("1883-11-18T16:56:02", "1883-11-18T17:00", "1883-11-18 12:00-04:56:02"),
        ("1883-11-18T16:56:02", "1883-11-18T17:56:02", "1883-11-18 12:00-04:56:02"),
    ) == [False, True]


def test_listed_granules_are_those_of_the_list() -> None:
    terms = Granularity.boundaries("term", ["2024-01-08", "2024-04-15", "2024-08-01"])
    good = ("2024-04-14T22:00", "2024-07-31T22:00", "2024-04-15")
    late = ("2024-04-14T23:00", "2024-07-31T22:00", "2024-04-15")
    unknown = ("2024-07-31T22:00", "2024-09-30T22:00", "2024-08-01")
    assert wrong(terms, "Europe/Rome", good, late, unknown) == [False, True, True]


def test_business_days_are_open() -> None:
    days = Granularity.business_days(holidays=["2024-05-01"])
    assert wrong(
        days,
        "UTC",
        ("2024-04-30T00:00", "2024-05-01T00:00", "2024-04-30"),
        ("2024-05-01T00:00", "2024-05-02T00:00", "2024-05-01"),
        ("2024-05-04T00:00", "2024-05-05T00:00", "2024-05-04"),
    ) == [False, True, True]


def test_granules_made_of_others_begin_and_end_with_them() -> None:
    fortnight = Granularity.every("fortnight", 2, "week", anchor="2024-01-01")
    assert wrong(
        fortnight,
        "UTC",
        ("2024-01-01T00:00", "2024-01-15T00:00", "2024-W01"),
        ("2024-01-02T00:00", "2024-01-15T00:00", "2024-W01"),
        ("2024-01-01T00:00", "2024-01-16T00:00", "2024-W01"),
        ("2024-01-01T00:00", "2024-01-15T00:00", "2024-W02"),
    ) == [False, True, True, True]


def test_a_holiday_is_a_gap_inside_a_business_week() -> None:
    days = Granularity.business_days(holidays=["2024-05-01"])
    weeks = Granularity.within("business_week", days, "week")
    low, high = instant("2024-04-29T00:00"), instant("2024-05-03T23:00")
    start, end = gaps_inside(weeks, "UTC", low, high)
    assert start.tolist() == [instant("2024-05-01T00:00")]
    assert end.tolist() == [instant("2024-05-02T00:00")]
    assert wrong(weeks, "UTC", ("2024-04-29T00:00", "2024-05-04T00:00", "2024-W18")) == [False]
    assert len(gaps_inside(days, "UTC", low, high)[0]) == 0
    assert len(gaps_inside(Granularity("week"), "UTC", low, high)[0]) == 0


def test_holidays_of_a_country_are_known() -> None:
    days = Granularity.business_days(country="IT")
    assert wrong(days, "UTC", ("2024-04-25T00:00", "2024-04-26T00:00", "2024-04-25")) == [True]


def test_a_time_that_the_clock_skips_is_reached_at_the_change() -> None:
    rome = ZoneInfo("Europe/Rome")
    change = instant("2024-03-31T01:00")
    assert first_instant(datetime(2024, 3, 31, 2, 0), rome) == change
    assert first_instant(datetime(2024, 3, 31, 2, 30), rome) == change
    assert first_instant(datetime(2024, 3, 31, 3, 0), rome) == change
    assert first_instant(datetime(2024, 10, 27, 2, 30), rome) == instant("2024-10-27T00:30")
    assert wall_time(change, rome) == datetime(2024, 3, 31, 3, 0)


def test_offsets_change_where_the_clock_does() -> None:
    since, ahead = offsets(
        ZoneInfo("Europe/Rome"), instant("2024-01-01T00:00"), instant("2024-12-31T00:00")
    )
    assert since[1:].tolist() == [instant("2024-03-31T01:00"), instant("2024-10-27T01:00")]
    assert (ahead // 3_600_000_000).tolist() == [1, 2, 1]
