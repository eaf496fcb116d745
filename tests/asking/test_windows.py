"""Windows of time: whole granules, and records that are published late."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from anachron.asking.compiling import counts
from anachron.asking.keys import keys
from anachron.asking.layout import CellLayout
from anachron.asking.question import Condition, Grouping, Ranges, Span
from anachron.calendar.definitions import Granularity
from anachron.errors import QuestionError
from tests.asking.made import days, instant, made, micros, time, window_of

SUNDAY = date(2024, 3, 31)
"""It has 23 hours in Rome."""
SHOWN = [SUNDAY - timedelta(2), SUNDAY, SUNDAY, SUNDAY + timedelta(1), SUNDAY + timedelta(4)]


def figures(layout: CellLayout, asked: Condition) -> tuple[float, float, float, float]:
    found = counts(layout, [asked])
    return tuple(float(x[0]) for x in (found.low, found.estimate, found.high, found.late))  # type: ignore[return-value]


def feed(window: int) -> CellLayout:
    rows = {"group": [0, 1, 1, 2, 3], **days("at", SHOWN)}
    return made([time("at", "snapshots")], rows, window=window)


def published() -> CellLayout:
    return made([time("at")], {"group": [0, 1, 1, 2, 3], **days("at", SHOWN)})


def day(after: int) -> date:
    return SUNDAY + timedelta(after)


@pytest.mark.parametrize(
    ("window", "first", "last", "expected"),
    [
        (1, 0, 0, (2, 2, 2, 0)),
        # With a window of 2, what is published on Sunday happened on Saturday or Sunday.
        (2, 0, 0, (0, 2, 3, 3)),
        (2, -1, 0, (2, 2, 3, 1)),
        (2, -1, 1, (3, 3, 3, 0)),
        # Days without records count: nothing else of Thursday may have happened on Monday.
        (3, 1, 1, (0, 1, 1, 1)),
        (3, 2, 4, (1, 1, 1, 0)),
        (4, 1, 1, (0, 1, 2, 2)),
        (4, -100, 100, (5, 5, 5, 0)),
        # Even the first published records may have happened before.
        (2, -2, -2, (0, 1, 1, 1)),
        (2, -3, -3, (0, 0, 1, 1)),
        (2, -4, -4, (0, 0, 0, 0)),
    ],
)
def test_late_records_by_hand(
    window: int, first: int, last: int, expected: tuple[float, ...]
) -> None:
    assert figures(feed(window), window_of("at", day(first), day(last))) == expected


def test_windows_without_an_end() -> None:
    start = micros(instant(SUNDAY))
    assert figures(feed(2), Ranges("at", (Span(start, None),))) == (2, 4, 4, 2)
    assert figures(feed(2), Ranges("at", (Span(None, start, high_closed=False),))) == (1, 1, 3, 2)
    two = window_of("at", day(-3), day(-2)).spans + window_of("at", day(1), day(1)).spans
    assert figures(feed(2), Ranges("at", two)) == (1, 2, 2, 1)


def test_granules_are_counted_whole() -> None:
    assert figures(published(), window_of("at", day(0), day(1))) == (3, 3, 3, 0)
    # An edge in a gap, here a day without rows, cuts nothing.
    noon = micros(instant(day(2))) + 43_200_000_000
    assert figures(published(), Ranges("at", (Span(noon, None),))) == (1, 1, 1, 0)


def test_a_window_that_cuts_a_granule_is_refused() -> None:
    start = micros(instant(SUNDAY))
    cutting = Ranges("at", (Span(start + 3_600_000_000, start + 9 * 86_400_000_000),))
    with pytest.raises(QuestionError) as found:
        figures(published(), cutting)
    assert "cuts '2024-03-31'" in str(found.value)
    assert "at >= DATE '2024-03-31' AND at < " in str(found.value)
    # In a feed, days without records may be the days on which something happened.
    thursday = micros(instant(day(4)))
    with pytest.raises(QuestionError, match="cuts '2024-04-03'"):
        figures(feed(2), Ranges("at", (Span(start, thursday - 1, high_closed=False),)))
    whole = Ranges("at", (Span(start, thursday - 1),))  # to the last microsecond of Wednesday
    assert figures(feed(2), whole) == (1, 3, 4, 3)


def test_the_window_that_is_shown_works() -> None:
    start = micros(instant(SUNDAY))
    hours = 3_600_000_000
    with pytest.raises(QuestionError, match="at >= DATE '2024-04-01' AND at < DATE '2024-04-02'"):
        figures(published(), Ranges("at", (Span(start + 20 * hours, start + 40 * hours),)))
    with pytest.raises(QuestionError, match="at >= DATE '2024-03-31' AND at < DATE '2024-04-01'"):
        figures(published(), Ranges("at", (Span(start + 2 * hours, start + 3 * hours),)))


def test_groups_by_granule() -> None:
    labels = [label for label, _ in keys([published()], Grouping("at"))]
    assert labels == ["2024-03-29", "2024-03-31", "2024-04-01", "2024-04-04"]
    layout = feed(2)
    found = keys([layout], Grouping("at"))
    # The records that are published first may have happened on the day before.
    assert [label for label, _ in found] == [day(after).isoformat() for after in range(-3, 5)]
    estimates = counts(layout, [leaf for _, leaf in found]).estimate
    assert estimates.tolist() == [0, 1, 0, 2, 1, 0, 0, 1]
    weeks = keys([feed(8)], Grouping("at", "week"))
    assert [label for label, _ in weeks] == ["2024-W12", "2024-W13", "2024-W14"]


def test_how_much_a_delay_changes_is_not_known() -> None:
    layout = feed(2)
    late, all_week = (window_of("at", day(first), day(4)) for first in (0, -9))
    found = counts(layout, [late, all_week])
    assert np.isnan(found.lean).tolist() == [True, False]
    assert found.lean[1] == 0


def test_groups_by_coarser_granules() -> None:
    layout = published()
    weeks = keys([layout], Grouping("at", "week"))
    assert [label for label, _ in weeks] == ["2024-W13", "2024-W14"]
    assert counts(layout, [leaf for _, leaf in weeks]).low.tolist() == [3, 2]
    months = keys([layout], Grouping("at", "month"))
    assert counts(layout, [leaf for _, leaf in months]).low.tolist() == [3, 2]


def test_granules_that_would_be_cut_are_refused() -> None:
    with pytest.raises(QuestionError, match=r"by day[\s\S]*hour[\s\S]*GROUP BY at"):
        keys([published()], Grouping("at", "hour"))


def test_snapshots_of_other_calendars() -> None:
    # Weeks: what is published in the week of 1 April may have happened in that of 25 March.
    week = Granularity.named("week")
    monday = date(2024, 4, 1)
    shown = {
        "at": ["2024-W14"],
        "at_start": [instant(monday)],
        "at_end": [instant(monday + timedelta(7))],
    }
    layout = made([time("at", "snapshots", week)], {"group": [0], **shown}, window=2)
    assert figures(layout, window_of("at", monday, monday + timedelta(6))) == (0, 1, 1, 1)
    before = window_of("at", monday - timedelta(7), monday - timedelta(1))
    assert figures(layout, before) == (0, 0, 1, 1)
    with pytest.raises(QuestionError, match="cuts '2024-W13'"):
        figures(layout, window_of("at", monday - timedelta(3), monday + timedelta(6)))
