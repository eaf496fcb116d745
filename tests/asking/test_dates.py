"""Dates, times and labels in a question, on the clock of the release."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from anachron.asking.catalogue import Catalogue
from anachron.asking.parse import parse
from anachron.asking.question import Ranges, Span
from anachron.calendar.definitions import Granularity
from anachron.errors import QuestionError
from tests.asking.catalogues import catalogue, exact, instant, time

ROME = catalogue(time(granularity="week"), zone="Europe/Rome")
TERMS = Granularity.boundaries("term", ["2025-09-15", "2026-01-12", "2026-05-04"])
NAMED = Granularity.spans("season", [("2025-06-01", "2025-09-01", "summer")])


def window(text: str, given: Catalogue = ROME) -> list[tuple[int | None, int | None]]:
    found = parse(f"SELECT COUNT(*) WHERE {text}", given).where
    assert isinstance(found, Ranges)
    assert all(not span.high_closed for span in found.spans if span.high is not None)
    return [(span.low, span.high) for span in found.spans]  # type: ignore[misc]


def between(
    start: str | None, end: str | None, zone: str = "UTC"
) -> list[tuple[int | None, int | None]]:
    return [(start and _at(start, zone), end and _at(end, zone))]  # type: ignore[list-item]


def _at(text: str, zone: str) -> int:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    return instant(moment.isoformat())


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("seen BETWEEN DATE '2014-05-01' AND DATE '2014-05-14'", "2014-05-01", "2014-05-15"),
        ("seen BETWEEN '2014-05-01' AND '2014-05-14'", "2014-05-01", "2014-05-15"),
        ("seen < DATE '2014-05-01'", None, "2014-05-01"),
        ("seen <= DATE '2014-05-01'", None, "2014-05-02"),
        ("seen > DATE '2014-05-01'", "2014-05-02", None),
        ("seen >= DATE '2014-05-01'", "2014-05-01", None),
        ("DATE '2014-05-01' <= seen", "2014-05-01", None),
        ("seen = DATE '2014-03-30'", "2014-03-30", "2014-03-31"),
        ("seen = '2014-10-26'", "2014-10-26", "2014-10-27"),
        ("seen::DATE = '2014-01-05'", "2014-01-05", "2014-01-06"),
        ("date(seen) = '2014-01-05'", "2014-01-05", "2014-01-06"),
        ("seen = '2014-W05'", "2014-01-27", "2014-02-03"),
        ("seen = '2015-W01'", "2014-12-29", "2015-01-05"),
        ("seen IN ('2014-W05', '2014-W06')", "2014-01-27", "2014-02-10"),
        ("seen BETWEEN '2014-W05' AND '2014-W06'", "2014-01-27", "2014-02-10"),
        ("seen = '2014-05'", "2014-05-01", "2014-06-01"),
        ("seen = '2014-Q2'", "2014-04-01", "2014-07-01"),
        ("seen = '2014'", "2014-01-01", "2015-01-01"),
        ("seen = '2010s'", "2010-01-01", "2020-01-01"),
        ("seen = '2014-05-01 morning'", "2014-05-01 06:00", "2014-05-01 12:00"),
        ("year(seen) = 2014", "2014-01-01", "2015-01-01"),
        ("year(seen) BETWEEN 2013 AND 2014", "2013-01-01", "2015-01-01"),
        ("month(seen) = '2014-05'", "2014-05-01", "2014-06-01"),
        ("DATE_TRUNC('quarter', seen) = '2014-Q1'", "2014-01-01", "2014-04-01"),
        ("seen >= TIMESTAMP '2014-05-01 10:30'", "2014-05-01 10:30", None),
        ("seen <= TIMESTAMP '2014-05-01'", None, "2014-05-01 00:00:00.000001"),
        ("seen > TIMESTAMPTZ '2014-05-01 10:30+00'", "2014-05-01 10:30:00.000001+00:00", None),
        ("seen < '2014-05-01T10:30:00Z'", None, "2014-05-01 10:30+00:00"),
        # The clock is set forward from 2 to 3: half past two is reached at the change.
        ("seen >= TIMESTAMP '2014-03-30 02:30'", "2014-03-30 03:00", None),
    ],
)  # fmt: skip
def test_windows(text: str, start: str | None, end: str | None) -> None:
    assert window(text) == between(start, end, "Europe/Rome")


def test_a_window_may_have_gaps() -> None:
    [first, last] = window("seen <> '2014-05'")
    assert first == (None, instant("2014-05-01 00:00+02:00"))
    assert last == (instant("2014-06-01 00:00+02:00"), None)
    assert window("NOT (seen < DATE '2014-05-01' OR seen IS NULL)") == between(
        "2014-05-01 00:00+02:00", None
    )


@pytest.mark.parametrize(
    "text",
    [
        "seen = '2014-W54'", "seen = '2014-13'", "seen = 'W05'", "seen = DATE '2014-05'",
        "seen = TIMESTAMP 'noon'", "seen = '0000'", "seen = '9999-99-99'", "seen = TRUE",
        "month(seen) = 5", "month(seen) = '2014'", "month(seen) = DATE '2014-05-01'",
        "seen > CURRENT_DATE", "seen > DATE '2014-05-01' + INTERVAL 3 DAY", "seen LIKE '2014%'",
    ],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(QuestionError, match="This one works: SELECT"):
        parse(f"SELECT COUNT(*) WHERE {text}", ROME)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar(day: str) -> None:
    [(low, high)] = window(f"seen = DATE '{day}'")
    assert low is not None
    assert high is not None
    assert high - low == 86_400_000_000


def test_labels_of_granularities_that_somebody_defined() -> None:
    terms = catalogue(time(granularity=TERMS), zone="Europe/Rome")
    whole = between("2025-09-15 00:00+02:00", "2026-01-12 00:00+01:00")
    assert window("seen = '2025-09-15'", terms) == whole
    assert window("seen <= '2025-09-15'", terms) == [(None, whole[0][1])]
    # Who says DATE means the day.
    [(_, end)] = window("seen = DATE '2025-09-15'", terms)
    assert end == instant("2025-09-16 00:00+02:00")
    seasons = catalogue(time(granularity=NAMED))
    assert window("seen = 'summer'", seasons) == between("2025-06-01", "2025-09-01")
    assert window("season(seen) = 'summer'", seasons) == between("2025-06-01", "2025-09-01")


def test_labels_of_hours() -> None:
    hours = catalogue(time(granularity="hour"), zone="Europe/Rome")
    assert window("seen = '2014-05-01 10:00'", hours) == between(
        "2014-05-01 10:00+02:00", "2014-05-01 11:00+02:00"
    )
    # The hour that the clock shows twice has two labels.
    assert window("seen = '2014-10-26 02:00+01:00'", hours) == between(
        "2014-10-26 02:00+01:00", "2014-10-26 03:00+01:00"
    )
    assert window("seen = '2014-05-01'", hours) == between(
        "2014-05-01 00:00+02:00", "2014-05-02 00:00+02:00"
    )


def test_other_columns_of_dates_and_times() -> None:
    plain = exact("left", "instant", pa.timestamp("us"), None)
    zoned = exact("back", "instant", pa.timestamp("us", "UTC"), None)
    born = exact("born", "date", pa.date32(), None)
    given = catalogue(plain, zoned, born, time(), zone="Europe/Rome")
    assert window("left = '2014-05-01'", given) == between("2014-05-01", "2014-05-02")
    assert window("back = '2014-05-01'", given) == between(
        "2014-05-01 00:00+02:00", "2014-05-02 00:00+02:00"
    )
    assert parse("SELECT COUNT(*) WHERE born < '1970-01-02'", given).where == Ranges(
        "born", (Span(None, 1, True, False),)
    )
    with pytest.raises(QuestionError, match='does not fit "left": it holds times: '):
        parse("SELECT COUNT(*) WHERE left = '2014-W05'", given)
