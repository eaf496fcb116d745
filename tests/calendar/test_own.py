"""Granularities that people define: what is refused, and what the others come to."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

from anachron.calendar.definitions import Granularity
from anachron.calendar.granules import Granules
from anachron.calendar.realise import realise, span
from anachron.errors import CalendarError

REFUSED: dict[str, tuple[Any, str]] = {
    "overlap": (
        lambda: spans(("2025-01-01", "2025-02-01"), ("2025-01-15", "2025-03-01")),
        "granules 1 and 2 overlap",
    ),
    "not monotone": (
        lambda: spans(("2025-02-01", "2025-03-01"), ("2025-01-01", "2025-02-01")),
        "not monotone.*time order",
    ),
    "backwards": (lambda: spans(("2025-02-01", "2025-01-01")), "granule 1 ends before it starts"),
    "empty granule": (lambda: spans(("2025-02-01", "2025-02-01")), "ends before it starts"),
    "no granules": (lambda: spans(), "no granules"),
    "one boundary": (lambda: Granularity.boundaries("x", ["2025-01-01"]), "at least two"),
    "equal boundaries": (
        lambda: Granularity.boundaries("x", ["2025-01-01", "2025-01-01"]),
        "ends before it starts",
    ),
    "labels": (
        lambda: Granularity.boundaries("x", ["2025-01-01", "2025-02-01"], ["a", "b"]),
        "1 granules but 2 labels",
    ),
    "equal labels": (
        lambda: Granularity.boundaries("x", ["2025-01-01", "2025-02-01", "2025-03-01"], "aa"),
        "same label",
    ),
    "name of a built-in": (
        lambda: Granularity.boundaries("week", ["2025-01-01", "2025-02-01"]),
        "built in",
    ),
    "unknown name": (lambda: Granularity.named("fortnight"), "not a built-in"),
    "bad name": (lambda: Granularity.business_days("my days"), "letters, digits and underscores"),
    "empty name": (lambda: Granularity.business_days(""), "letters"),
    "no text": (lambda: Granularity.named(7), "letters"),  # type: ignore[arg-type]
    "no date": (lambda: Granularity.boundaries("x", ["soon", "later"]), "ISO 8601"),
    "a number": (lambda: Granularity.boundaries("x", [1, 2]), "expected a date"),
    "offset": (
        lambda: Granularity.boundaries("x", ["2025-01-01T00:00+01:00", "2025-02-01"]),
        "without an offset",
    ),
    "size zero": (lambda: Granularity.every("x", 0, "week", anchor="2025-01-01"), "at least 1"),
    "size true": (lambda: Granularity.every("x", True, "week", anchor="2025-01-01"), "at least 1"),
    "no sizes": (
        lambda: Granularity.group("x", "week", sizes=(), anchor="2025-01-01"),
        "at least 1",
    ),
    "weekday": (lambda: Granularity.business_days(weekend=(5, 7)), "0 .Monday. to 6"),
    "country": (lambda: Granularity.business_days(country="Ann, asthma; Bob"), "codes such as"),
}


def spans(*given: tuple[str, str]) -> Granularity:
    return Granularity.spans("x", [(*item, str(i)) for i, item in enumerate(given)])


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_granularity_is_refused_with_the_reason(case: str) -> None:
    make, reason = REFUSED[case]
    with pytest.raises(CalendarError, match=reason):
        make()


def over(first: str, last: str, zone: str = "UTC") -> Any:
    ends = np.array([first, last], dtype="datetime64[us]").astype(np.int64)
    return span(zone, int(ends[0]), int(ends[1]))


def days(granules: Granules, label: str) -> tuple[str, str]:
    """First day of a granule, and the day after its last."""
    place = granules.label(np.arange(granules.size)).index(label)
    start, end = granules.bounds(np.array([place]))
    return str(start.astype("datetime64[us]")[0])[:10], str(end.astype("datetime64[us]")[0])[:10]


def index(granules: Granules, *at: str) -> list[int]:
    return granules.index(np.array(at, dtype="datetime64[us]").astype(np.int64)).tolist()


def test_an_anchor_in_a_gap_is_refused() -> None:
    fives = Granularity.every("five", 5, Granularity.business_days(), anchor="2025-01-04")
    with pytest.raises(CalendarError, match="anchor lies in no business_day"):
        realise(fives, over("2025-01-02", "2025-01-09"))


def test_what_is_not_finer_cannot_be_gathered() -> None:
    never = Granularity.business_days("never", weekend=range(7))
    for of, by in (("week", "month"), ("month", "week"), ("day", "hour"), ("day", never)):
        with pytest.raises(CalendarError, match=f"'{of}' is not finer than '"):
            realise(Granularity.within("x", of, by), over("2025-01-02", "2025-01-09"))


def test_gathering_over_a_gap_of_the_other_is_refused() -> None:
    work = Granularity.every("work", 5, Granularity.business_days(), anchor="2025-01-01")
    whole = Granularity.every("whole", 7, "day", anchor="2025-01-01")
    with pytest.raises(CalendarError, match="not finer"):
        realise(Granularity.within("x", whole, work), over("2025-01-02", "2025-01-09"))


def test_a_fortnight_reaches_out_of_the_year_of_the_table() -> None:
    fortnight = Granularity.every("fortnight", 2, "week", anchor="2025-01-06")
    found = realise(fortnight, over("2025-01-02", "2025-12-31"))
    assert days(found, "2024-W52") == ("2024-12-23", "2025-01-06")
    assert days(found, "2025-W02") == ("2025-01-06", "2025-01-20")
    assert found.covers(*(np.array(["2025-01-01", "2025-12-31"], dtype="M8[us]").astype(int)))


def test_groups_of_years_are_whole_wherever_the_anchor_is() -> None:
    for anchor in ("1900-01-01", "2000-06-01", "2100-01-01"):
        seven = Granularity.every("seven", 100, "year", anchor=anchor)
        found = realise(seven, over("2003-05-01", "2004-05-01"))
        assert days(found, "2000") == ("2000-01-01", "2100-01-01")
    age = Granularity.every("age", 3, "decade", anchor="1980-01-01")
    ages = realise(age, over("2003-05-01", "2004-05-01"))
    assert days(ages, "1980s") == ("1980-01-01", "2010-01-01")


def test_retail_months_of_4_4_5_weeks_repeat() -> None:
    retail = Granularity.group("retail", "week", sizes=(4, 4, 5), anchor="2025-02-03")
    found = realise(retail, over("2025-01-15", "2025-12-15"))
    start, end = found.bounds(np.arange(found.size))
    weeks = ((end - start) // (7 * 86_400_000_000)).tolist()
    place = index(found, "2025-02-03")[0]
    assert weeks[place : place + 6] == [4, 4, 5, 4, 4, 5]
    assert weeks[:place] == ([4, 4, 5] * 2)[6 - place :]
    assert np.array_equal(start[1:], end[:-1])


def test_groups_of_a_list_are_whole_or_not_there() -> None:
    terms = Granularity.boundaries("term", [f"2025-{m:02d}-01" for m in range(1, 8)])
    pairs = Granularity.every("pair", 4, terms, anchor="2025-03-15")
    found = realise(pairs, over("2025-01-15", "2025-06-15"))
    assert found.size == 1
    assert days(found, "2025-03-01") == ("2025-03-01", "2025-07-01")
    assert index(found, "2025-01-15", "2025-04-01") == [-1, 0]


def test_business_days_leave_weekends_and_holidays_out() -> None:
    open_days = Granularity.business_days(holidays=[date(2025, 1, 1), "2025-01-06"])
    found = realise(open_days, over("2025-01-01", "2025-01-31"))
    assert index(found, "2025-01-01", "2025-01-02", "2025-01-04", "2025-01-06") == [-1, 0, -1, -1]
    assert index(found, "2025-01-03T23:59:59", "2025-01-07") == [1, 2]


def test_business_days_of_a_country() -> None:
    pytest.importorskip("holidays")
    found = realise(Granularity.business_days(country="IT"), over("2025-04-01", "2025-06-30"))
    assert index(found, "2025-04-21", "2025-04-25", "2025-06-02") == [-1, -1, -1]
    with pytest.raises(CalendarError, match="not known"):
        realise(Granularity.business_days(country="XX"), over("2025-04-01", "2025-06-30"))


def test_a_working_week_has_its_weekend_cut_out_and_does_not_end_with_the_year() -> None:
    work = Granularity.within("work", Granularity.business_days(), "week")
    found = realise(work, over("2025-01-02", "2025-03-01"))
    assert days(found, "2025-W01") == ("2024-12-30", "2025-01-04")
    assert index(found, "2025-01-04") == [-1]


def test_a_granule_in_pieces_is_one_granule() -> None:
    pieces = Granularity.group("x", Granularity.business_days(), sizes=(1, 2), anchor="2025-01-09")
    found = realise(pieces, over("2025-01-02", "2025-03-01"))
    thursday, friday, sunday, monday, tuesday = index(
        found, "2025-01-09", "2025-01-10", "2025-01-12", "2025-01-13", "2025-01-14"
    )
    assert friday == monday == thursday + 1
    assert sunday == -1
    assert tuesday == friday + 1
    assert days(found, "2025-01-10") == ("2025-01-10", "2025-01-14")
    assert days(found, "2025-01-14") == ("2025-01-14", "2025-01-15")


def test_boundaries_are_local_times() -> None:
    shifts = Granularity.boundaries("shift", ["2025-03-30T02:30", "2025-03-30T14:30", "2025-03-31"])
    found = realise(shifts, over("2025-03-30", "2025-03-31", "Europe/Rome"))
    # Half past two was skipped: the shift begins when the clock is put forward.
    assert index(found, "2025-03-30T00:59:59", "2025-03-30T01:00", "2025-03-30T12:30") == [-1, 0, 1]
    assert found.label(np.array([0, 1])) == ["2025-03-30 02:30:00", "2025-03-30 14:30:00"]


def test_listed_granules_far_longer_than_the_table_end_at_the_right_hour() -> None:
    epochs = Granularity.boundaries("epoch", ["1990-07-01", "2030-07-01"])
    found = realise(epochs, over("2006-01-15", "2006-01-20", "Europe/Rome"))
    start, end = found.bounds(np.array([0]))
    assert str(start.astype("M8[us]")[0]).startswith("1990-06-30T22:00")
    assert str(end.astype("M8[us]")[0]).startswith("2030-06-30T22:00")
    decade = realise(Granularity.named("decade"), over("2006-07-15", "2006-07-20", "Europe/Rome"))
    start, end = decade.bounds(np.array([0]))
    assert str(start.astype("M8[us]")[0]).startswith("1999-12-31T23:00")
    assert str(end.astype("M8[us]")[0]).startswith("2009-12-31T23:00")


@pytest.mark.parametrize(
    "made",
    [
        Granularity.named("week"),
        Granularity.boundaries("term", ["2025-09-15", datetime(2026, 1, 12, 8), date(2026, 5, 4)]),
        Granularity.spans("gap", [("2025-01-01", "2025-02-01"), ("2025-03-01", "2025-04-01", "m")]),
        Granularity.group("retail", "week", sizes=(4, 4, 5), anchor="2025-02-03"),
        Granularity.within("work", Granularity.business_days(holidays=["2025-01-06"]), "week"),
        Granularity.business_days("days", country="IT", subdivision="BZ", weekend=(6,)),
    ],
    ids=lambda made: made.name,
)
def test_definitions_survive_being_written_down(made: Granularity) -> None:
    assert Granularity.from_dict(made.to_dict()) == made


def test_times_beyond_the_calendar_are_refused() -> None:
    with pytest.raises(CalendarError, match="years 2 and 9980"):
        span("UTC", -70_000_000_000_000_000, 0)
