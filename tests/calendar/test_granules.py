"""Granules of built-in granularities, instant by instant, in zones that behave badly."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.calendar.realise import realise, span
from tests.calendar.brute import PLACES, label, moments, on_the_wall

CIVIL = BUILT_IN[BUILT_IN.index("part_of_day") :]
ON_THE_WALL = BUILT_IN[: BUILT_IN.index("part_of_day")]


def granules(name: str, zone: str, year: int) -> Granules:
    every = moments(zone, year)
    return realise(Granularity.named(name), span(zone, every[0].instant, every[-1].instant))


@pytest.mark.parametrize(("zone", "year"), PLACES)
@pytest.mark.parametrize("name", CIVIL)
def test_civil_labels_are_what_the_calendar_says(name: str, zone: str, year: int) -> None:
    found = granules(name, zone, year)
    every = moments(zone, year)
    index = found.index(np.array([m.instant for m in every]))
    assert OUTSIDE not in index
    assert found.label(index) == [label(name, m) for m in every]


@pytest.mark.parametrize(("zone", "year"), PLACES)
@pytest.mark.parametrize("name", ON_THE_WALL)
def test_hours_and_less_are_units_of_the_clock_cut_at_changes(
    name: str, zone: str, year: int
) -> None:
    found = granules(name, zone, year)
    every = moments(zone, year)
    index = found.index(np.array([m.instant for m in every])).tolist()
    named = [on_the_wall(name, m, zone, year) for m in every]
    pairs = set(zip(index, named, strict=True))
    assert OUTSIDE not in index
    assert len(pairs) == len(set(index)) == len(set(named))
    if name == "second":
        return  # they are told from the granule's start, checked by the form below
    texts = found.label(np.unique(index))
    starts = [t for _, t in sorted(set(named))]
    # A granule cut by a change shows the time at which it begins, not the whole unit.
    width = {"minute": 1, "quarter_hour": 15, "hour": 60}[name]
    for text, start in zip(texts, starts, strict=True):
        shown = int(text[11:13]) * 60 + int(text[14:16])
        assert text[:10] == start.date().isoformat()
        assert shown // width * width == start.hour * 60 + start.minute


@pytest.mark.parametrize(("zone", "year"), PLACES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_granules_tile_time_in_order(name: str, zone: str, year: int) -> None:
    found = granules(name, zone, year)
    instants = np.array([m.instant for m in moments(zone, year)])
    index = found.index(instants)
    assert np.all(np.diff(index) >= 0)
    start, end = found.bounds(index)
    assert np.all((start <= instants) & (instants < end))
    assert np.array_equal(found.index(start), index)
    assert np.array_equal(found.index(end - 1), index)
    inner = index[index + 1 < found.size]
    assert np.array_equal(found.bounds(inner)[1], found.bounds(inner + 1)[0])
    assert found.covers(int(instants[0]), int(instants[-1]))


@pytest.mark.parametrize(("zone", "year"), PLACES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_labels_tell_granules_apart(name: str, zone: str, year: int) -> None:
    found = granules(name, zone, year)
    index = np.unique(found.index(np.array([m.instant for m in moments(zone, year)])))
    texts = found.label(index)
    assert len(set(texts)) == len(texts)
    if name in CIVIL and name != "part_of_day":
        assert texts == sorted(texts)


def hours_of(found: Granules, text: str) -> float:
    place = found.label(np.arange(found.size)).index(text)
    start, end = found.bounds(np.array([place]))
    return float(end[0] - start[0]) / 3_600_000_000


def test_days_of_23_and_25_hours() -> None:
    rome = granules("day", "Europe/Rome", 2006)
    assert hours_of(rome, "2006-03-26") == 23
    assert hours_of(rome, "2006-03-27") == 24
    assert hours_of(rome, "2006-10-29") == 25
    assert hours_of(granules("part_of_day", "Europe/Rome", 2006), "2006-03-26 night") == 5
    assert hours_of(granules("day", "Australia/Lord_Howe", 2006), "2006-04-02") == 24.5
    assert hours_of(granules("month", "Europe/Rome", 2006), "2006-03") == 31 * 24 - 1


def test_the_repeated_hour_is_two_granules_with_two_labels() -> None:
    rome = granules("hour", "Europe/Rome", 2006)
    first = 1_162_080_000_000_000  # 2006-10-29T00:00Z, two o'clock in summer time
    index = rome.index(np.array([first, first + 3_600_000_000]))
    assert index[0] + 1 == index[1]
    assert rome.label(index) == ["2006-10-29 02:00+02:00", "2006-10-29 02:00+01:00"]


def test_a_day_that_the_zone_left_out_is_no_granule() -> None:
    apia = granules("day", "Pacific/Apia", 2011)
    texts = apia.label(np.arange(apia.size))
    assert "2011-12-29" in texts
    assert "2011-12-30" not in texts
    assert texts.index("2011-12-31") == texts.index("2011-12-29") + 1
    kwajalein = granules("day", "Pacific/Kwajalein", 1992)
    assert "1993-08-21" not in kwajalein.label(np.arange(kwajalein.size))


def test_iso_weeks_belong_to_the_year_of_their_thursday() -> None:
    week = realise(Granularity.named("week"), span("UTC", 0, 40 * 365 * 86_400_000_000))
    for day, text in {
        "2005-01-01": "2004-W53",
        "2005-12-31": "2005-W52",
        "2006-01-01": "2005-W52",
        "2006-01-02": "2006-W01",
        "2008-12-29": "2009-W01",
    }.items():
        instant = np.array([np.datetime64(day, "us").astype(np.int64)])
        assert week.label(week.index(instant)) == [text]


def test_labels_before_the_year_1000_have_four_digits() -> None:
    over = span("UTC", -40_000_000_000_000_000, -40_000_000_000_000_000)
    for name in BUILT_IN:
        found = realise(Granularity.named(name), over)
        assert found.label(found.index(np.array([over.first])))[0].startswith("070")


def test_seconds_are_told_apart_where_offsets_differ_by_seconds() -> None:
    found = granules("second", "America/Paramaribo", 1910)
    pairs = itertools.pairwise(moments("America/Paramaribo", 1910))
    change = next(after.instant for before, after in pairs if before.offset != after.offset)
    index = found.index(np.arange(change - 15_000_000, change + 15_000_000, 1_000_000))
    texts = found.label(index)
    assert len(set(texts)) == len(texts) == 30
