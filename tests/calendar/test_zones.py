"""Wall clocks against ``zoneinfo``: shown once, twice or never."""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from anachron.calendar.realise import span
from anachron.calendar.zones import clock, from_datetime, to_datetime
from tests.calendar.brute import HOUR, PLACES, changes, microseconds, moments, show, two_years

MICROSECOND = timedelta(microseconds=1)


@pytest.mark.parametrize(("zone", "year"), PLACES)
def test_walls_are_what_zoneinfo_shows(zone: str, year: int) -> None:
    every = moments(zone, year)
    on = clock(zone, every[0].instant - HOUR, every[-1].instant + HOUR)
    walls = on.wall(np.array([m.instant for m in every]))
    assert [to_datetime(w) for w in walls] == [m.wall for m in every]


@pytest.mark.parametrize(("zone", "year"), PLACES)
def test_every_change_of_the_offset_is_found(zone: str, year: int) -> None:
    first, last = two_years(year)
    on = clock(zone, first, last)
    assert on.start[1:].tolist() == changes(zone, first, last)


def test_two_changes_within_four_days_are_both_found() -> None:
    first, last = microseconds(datetime(1939, 8, 1)), microseconds(datetime(1939, 10, 1))
    assert len(changes("Africa/Freetown", first, last)) == 2
    assert clock("Africa/Freetown", first, last).start[1:].tolist() == changes(
        "Africa/Freetown", first, last
    )


def _walls(zone: str, year: int) -> list[datetime]:
    """Times that a clock may show, most of them near a change."""
    rng = random.Random(zone)
    every = moments(zone, year)
    walls = [m.wall for m in rng.sample(every, 300)]
    for before, after in itertools.pairwise(every):
        if before.offset != after.offset:
            walls += [before.wall + timedelta(minutes=n) for n in range(-90, 91, 10)]
            walls += [after.wall + timedelta(minutes=n) for n in range(-90, 91, 10)]
    return walls


def _exists(wall: datetime, zone: str) -> bool:
    moment = wall.replace(tzinfo=ZoneInfo(zone))
    return moment.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0) == wall


@pytest.mark.parametrize(("zone", "year"), PLACES)
def test_reading_agrees_with_fold(zone: str, year: int) -> None:
    walls = _walls(zone, year)
    every = moments(zone, year)
    on = clock(zone, every[0].instant - 50 * HOUR, every[-1].instant + 50 * HOUR)
    instants, skipped, twice = on.read(np.array([from_datetime(w) for w in walls]))
    for wall, instant, never, again in zip(walls, instants, skipped, twice, strict=True):
        first = wall.replace(tzinfo=ZoneInfo(zone))
        second = first.replace(fold=1)
        assert never == (not _exists(wall, zone))
        if not never:
            assert again == (first.utcoffset() != second.utcoffset())
            assert instant == microseconds(first.astimezone(UTC).replace(tzinfo=None))
            assert to_datetime(on.wall(np.array([instant]))[0]) == wall


@pytest.mark.parametrize(("zone", "year"), PLACES)
def test_reaches_is_the_first_instant_at_or_past_a_time(zone: str, year: int) -> None:
    every = moments(zone, year)
    on = clock(zone, every[0].instant - 50 * HOUR, every[-1].instant + 50 * HOUR)
    walls = sorted(_walls(zone, year))
    reached = on.reaches(np.array([from_datetime(w) for w in walls]))
    assert np.all(np.diff(reached) >= 0)
    for wall, instant in zip(walls, reached, strict=True):
        assert show(int(instant), zone)[0] >= wall
        earlier = [m.furthest for m in every if m.instant < instant]
        assert not earlier or earlier[-1] < wall
        assert show(int(instant) - 1, zone)[0] < wall


@pytest.mark.parametrize("year", [1, 1700, 1950, 1990, 2030, 2080, 9999])
def test_times_far_from_the_table_are_reached_rightly_too(year: int) -> None:
    over = span("Europe/Rome", 1_100_000_000_000_000, 1_100_000_000_000_000)
    walls = [datetime(year, 1, 4), datetime(year, 7, 1, 12), datetime(year, 12, 28)]
    reached = over.reaches(np.array([from_datetime(w) for w in walls]))
    expected = [w.replace(tzinfo=ZoneInfo("Europe/Rome")).astimezone(UTC) for w in walls]
    assert reached.tolist() == [microseconds(m.replace(tzinfo=None)) for m in expected]


def test_an_infinity_of_time_is_within_reach() -> None:
    over = span("Europe/Rome", 0, 0)
    walls = np.array([from_datetime(datetime(1, 1, 1)), from_datetime(datetime(9999, 12, 31))])
    assert over.reaches(walls).shape == (2,)
