"""Where a feed stands between two pushes, in the words of its calendar."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import anachron as an
from anachron import flow
from tests.flow.test_feeds import feed, of_day, plan


def standing(opened: an.Plan) -> tuple[object, ...]:
    found = flow.standing(opened.ledger)
    assert found is not None
    return found.waiting, found.last, found.next_out, found.out_with, found.ended


def push(opened: an.Plan, *days: str) -> None:
    an.open(opened).push(of_day(feed(days=40), *days))


def test_a_window_of_weeks(tmp_path: Path) -> None:
    weekly = plan(tmp_path, an.Reposition(l=3, window=3, snapshot="week"))
    push(weekly, "2024-03-25", "2024-03-26")
    assert standing(weekly) == (60, "2024-W13", "2024-W13", "2024-W15", False)
    push(weekly, "2024-04-08")
    assert standing(weekly)[1:] == ("2024-W15", "2024-W14", "2024-W16", False)
    an.open(weekly).flush()
    assert standing(weekly) == (0, "2024-W15", None, None, True)
    assert str(flow.standing(weekly.ledger)) == "The feed ended with 2024-W15; nothing waits."


def test_nothing_waits_where_nothing_moves(tmp_path: Path) -> None:
    daily = plan(tmp_path, an.Reposition(l=3, window=1))
    push(daily, "2024-03-25")
    assert standing(daily)[:2] == (0, "2024-03-25")
    assert str(flow.standing(daily.ledger)) == "The last snapshot was 2024-03-25; 0 records wait."


def test_a_calendar_that_ends(tmp_path: Path) -> None:
    terms = an.Granularity.boundaries("term", ["2024-03-25", "2024-04-01", "2024-04-08"])
    short = plan(tmp_path, an.Reposition(l=3, window=3, snapshot=terms))
    push(short, "2024-03-26", "2024-04-02")
    found = flow.standing(short.ledger)
    assert found is not None
    assert (found.waiting, found.out_with) == (60, None)
    assert str(found).endswith("is due with the end of the feed.")


def test_an_m_invariant_feed(tmp_path: Path) -> None:
    orders = {"ward": ["west", "north", "east"]}
    promise = an.Reposition(window=3, then=an.MInvariance(m=3, orders=orders))
    daily = plan(tmp_path, promise)
    push(daily, "2024-03-25", "2024-03-26", "2024-03-27")
    assert standing(daily)[1:] == ("2024-03-27", "2024-03-26", "2024-03-28", False)
    an.open(daily).flush()
    assert standing(daily) == (0, "2024-03-27", None, None, True)


def test_what_arrived_is_counted_over_all_pushes(tmp_path: Path) -> None:
    daily = plan(tmp_path, an.Reposition(l=2, window=2))
    for day, values in (("2024-03-25", "aab"), ("2024-03-26", "aac"), ("2024-03-27", "aad")):
        table = pa.table(
            {
                "who": [f"{day}{i}" for i in range(3)],
                "day": [day] * 3,
                "age": [30, 40, 50],
                "ward": ["east"] * 3,
                "diagnosis": list(values),
            }
        )
        due = an.open(daily).push(table)
    [release] = due
    told = release.explanation or {}
    # Six of nine have one value: beside the three others, three of them can be published.
    assert told["too_frequent"] == {
        "records": 9, "share": 0.666667, "left_out_at_least": 3, "largest_l": "1.5",
    }  # fmt: skip
    note, _ = told["notes"]  # the other one is about who is alone by exact quasi values
    assert "66.67 % of all 9 records so far, more than the 50.00 % that l = 2 allows" in note
    ended = an.open(daily).flush()[-1].explanation or {}
    assert "all 9 records, more" in ended["notes"][0]


def test_a_ledger_without_a_feed(tmp_path: Path) -> None:
    an.Ledger.open(tmp_path / "ledger")
    assert flow.standing(tmp_path / "ledger") is None
