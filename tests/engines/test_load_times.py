"""Times of every kind, and how finely they were recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.engines.local.load import load
from anachron.engines.local.table import LocalTable
from anachron.schema import Schema


def read(seen: object, zone: str = "UTC", unit: str = "auto") -> LocalTable:
    column = seen if isinstance(seen, pa.Array) else pa.array(seen)
    rows = pa.table({"who": range(len(column)), "seen": column})
    return load(rows, Schema("who", "seen", time_zone=zone, time_unit=unit))


def told(loaded: LocalTable) -> list[datetime]:
    return pa.array(loaded.instants, pa.timestamp("us", "UTC")).to_pylist()


NOON = datetime(2025, 7, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seen", "zone", "unit"),
    [
        (["2025-07-01T14:00"], "Europe/Rome", "auto"),
        (["2025-07-01 14:00:00.000000"], "Europe/Rome", "auto"),
        (["2025-07-01T12:00:00Z"], "Europe/Rome", "auto"),
        (["2025-07-01T14:00:00+02:00"], "Asia/Tokyo", "auto"),
        (["2025-07-01T14:00:00+0200"], "Asia/Tokyo", "auto"),
        (["2025-07-01 14:00:00.000000000+02"], "Asia/Tokyo", "auto"),
        ([datetime(2025, 7, 1, 14)], "Europe/Rome", "auto"),
        ([datetime(2025, 7, 1, 14, tzinfo=ZoneInfo("Europe/Rome"))], "Asia/Tokyo", "auto"),
        (pa.array([NOON], pa.timestamp("ns", "America/Lima")), "Asia/Tokyo", "auto"),
        (pa.array([datetime(2025, 7, 1, 12)], pa.timestamp("s")), "UTC", "auto"),
        ([1751371200], "Asia/Tokyo", "s"),
        (["1751371200"], "Asia/Tokyo", "s"),
        ([1751371200000], "Asia/Tokyo", "ms"),
        (pa.array([1751371200000000], pa.uint64()), "Asia/Tokyo", "us"),
    ],
)
def test_noon_in_many_forms(seen: object, zone: str, unit: str) -> None:
    assert told(read(seen, zone, unit)) == [NOON]


def test_years() -> None:
    loaded = read([1999, 2024], "Europe/Rome", "year")
    assert told(loaded) == [
        datetime(1998, 12, 31, 23, tzinfo=UTC),
        datetime(2023, 12, 31, 23, tzinfo=UTC),
    ]
    assert loaded.recorded_by == "year"


@pytest.mark.parametrize("seen", [[202312, 202402], ["202312", "202402"], ["2023-12", "2024-02"]])
def test_months(seen: object) -> None:
    loaded = read(seen, "Europe/Rome", "month")
    assert told(loaded) == [
        datetime(2023, 11, 30, 23, tzinfo=UTC),
        datetime(2024, 1, 31, 23, tzinfo=UTC),
    ]
    assert loaded.recorded_by == "month"


def test_the_unit_is_for_whole_numbers_only() -> None:
    assert told(read(["2025-07-01T12:00Z"], unit="ms")) == [NOON]


def test_nanoseconds_are_rounded_down() -> None:
    loaded = read(pa.array([-1, 1_999], pa.timestamp("ns")))
    assert loaded.instants.tolist() == [-1, 1]


def test_a_time_shown_twice_is_the_first_and_noted() -> None:
    loaded = read(["2025-10-26T02:30", "2025-10-26T03:30"], "Europe/Rome")
    assert told(loaded) == [
        datetime(2025, 10, 26, 0, 30, tzinfo=UTC),
        datetime(2025, 10, 26, 2, 30, tzinfo=UTC),
    ]
    assert len(loaded.notes) == 1
    assert loaded.notes[0].startswith("1 time in column 'seen'")


def test_a_day_begins_when_the_clock_reaches_it() -> None:
    # In São Paulo the clocks went from 00:00 to 01:00 on 4 November 2018.
    for seen in (["2018-11-04"], [datetime(2018, 11, 4)], [datetime(2018, 11, 4).date()]):
        loaded = read(seen, "America/Sao_Paulo")
        assert told(loaded) == [datetime(2018, 11, 4, 3, tzinfo=UTC)]
        assert loaded.recorded_by == "day"


@pytest.mark.parametrize(
    ("texts", "zone", "expected"),
    [
        (["2025-01-01", "2025-07-01"], "Europe/Rome", "day"),
        (["2025-01-01T00:00Z", "2025-07-01T00:00Z"], "Europe/Rome", "hour"),
        (["2025-01-01T00:00Z"], "Asia/Kathmandu", "quarter_hour"),
        (["2025-01-01T00:45"], "UTC", "quarter_hour"),
        (["2025-01-01T00:46"], "UTC", "minute"),
        (["2025-01-01T00:00", "2025-01-01T00:00:01"], "UTC", "second"),
        (["2025-01-01T00:00:00.5"], "UTC", "instant"),
    ],
)
def test_recorded_by(texts: list[str], zone: str, expected: str) -> None:
    assert read(texts, zone).recorded_by == expected


STAMPS = st.datetimes(datetime(1980, 1, 1), datetime(2035, 1, 1))
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))


FEW = settings(max_examples=40, deadline=None, derandomize=True)


@FEW
@given(st.lists(st.builds(lambda stamp, at: stamp.replace(tzinfo=at), STAMPS, OFFSETS), min_size=1))
def test_texts_with_offsets_agree_with_python(stamps: list[datetime]) -> None:
    assert told(read([stamp.isoformat() for stamp in stamps])) == stamps


@FEW
@given(st.lists(STAMPS, min_size=1), st.sampled_from(["Europe/Rome", "Asia/Kathmandu", "UTC"]))
def test_wall_times_agree_with_python(stamps: list[datetime], zone: str) -> None:
    there = ZoneInfo(zone)
    # Python cannot say that a time was skipped; there and back again it differs.
    shown = [s for s in stamps if _back(s, there) == s]
    if shown:
        loaded = read([stamp.isoformat() for stamp in shown], zone)
        assert told(loaded) == [stamp.replace(tzinfo=there).astimezone(UTC) for stamp in shown]


def _back(stamp: datetime, there: ZoneInfo) -> datetime:
    return stamp.replace(tzinfo=there).astimezone(UTC).astimezone(there).replace(tzinfo=None)
