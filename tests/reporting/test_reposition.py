"""The certificate of a feed: what stands on it, and what must never stand on it."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import anachron as an
from anachron.reporting.html import html
from anachron.reporting.reposition.record import MOST_BARS, FeedRecord
from anachron.reporting.reposition.shown import FeedShown
from tests.reporting.feed_stand_ins import (
    PEOPLE,
    anatomy,
    generalized,
    invariant,
    record,
    release,
    verdict,
)
from tests.reporting.pages import text

DRAWN = "Records that arrived, are published, were moved in and went away, by snapshot."
SHARES = "The largest share of one value by snapshot, against what is promised."
DELAYS = "Records by how late they are published, and those that were left out."


def test_the_promise_is_said_in_plain_words(tmp_path: Path) -> None:
    said = text(html(release(tmp_path, careful=True), verdict(), None))
    assert (
        "Whoever knows a person’s age and ward, and that the person’s record is published in the "
        "day in which it happened, guesses the person’s illness from the release with a chance of "
        "at most one in 3"
    ) in said
    assert "Count their values as known" in said
    careless = text(html(release(tmp_path), verdict(), None))
    assert "with a chance of" not in careless
    assert "that holds of the values in a group" in careless
    assert "in the day in which it happened, in one of the 3 that follow, or not at all" in said
    narrow = text(html(release(tmp_path, window=2, l="5/2"), verdict(), None))
    assert "in the day in which it happened, in the next one, or not at all" in narrow
    assert "no value of illness has more than 2 in 5 of the records" in narrow
    still = text(html(release(tmp_path, window=1), verdict(), None))
    assert "in the day in which it happened, or not at all" in still


def test_numbers_agree_with_counting_by_hand(tmp_path: Path) -> None:
    shown = FeedShown(release(tmp_path))
    assert (shown.rows, shown.groups, shown.quasi) == (28, 8, ("age", "ward"))
    assert shown.largest_share == Fraction(1, 3)
    assert [(s.label, s.rows) for s in shown.snapshots] == [
        ("2006-01-02", 7), ("2006-01-03", 7), ("2006-01-04", 7), ("2006-01-05", 7),
    ]  # fmt: skip
    # Three values stand in both groups of a day, of seven rows.
    assert {s.share for s in shown.snapshots} == {2 / 7}
    boxes = FeedShown(release(tmp_path, generalized()))
    assert (boxes.rows, boxes.groups, boxes.largest_share) == (20, 4, Fraction(2, 5))
    assert [(s.way.column, s.widest) for s in boxes.breadths] == [("age", 20)]
    assert FeedShown(release(tmp_path, invariant())).snapshots[0].rows == 4


def test_what_was_done_counts_records(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), record()))
    assert "3 of 28 published records (10.71 %) stand in a later day" in said
    assert "by at most 2 days; allowed were 3." in said
    assert "5 records (15.62 %) were left out." in said
    assert "1 record was late." in said
    calm = record(moved=0, suppressed=0, distances=[28, 0, 0, 0], notes=[])
    said = text(html(release(tmp_path), verdict(), calm))
    assert "Every published record stands in the day in which it happened." in said
    assert "No record was left out." in said
    assert "28 records stand in their own day; no record is late" in said


def test_the_feed_is_drawn_before_and_after_for_the_owner_only(tmp_path: Path) -> None:
    written = html(release(tmp_path), verdict(), record())
    assert "For the owner only" in written
    for says in (DRAWN, SHARES, DELAYS):
        assert f'aria-label="{says}"' in written
    assert "as it arrived" in written
    handed_on = html(release(tmp_path), verdict(scope="published"), None)
    assert "is in the owner’s ledger" in handed_on
    for says in (DRAWN, DELAYS):
        assert says not in handed_on
    assert 'aria-label="Published records by snapshot."' in handed_on
    assert f'aria-label="{SHARES}"' in handed_on
    assert "as it arrived" not in handed_on
    assert "moved" in text(handed_on)
    assert not re.search(r"\d+ of \d+ published records", text(handed_on))


def test_one_snapshot_is_told_in_figures(tmp_path: Path) -> None:
    written = html(release(tmp_path, anatomy(1)), verdict(), record(1, moved=0))
    assert DRAWN not in written
    assert SHARES not in written
    assert "happened here, and are published later or left out" in written


def test_many_snapshots_are_joined() -> None:
    given = record(300)
    given["snapshots"][1] |= {"share_before": 0.75, "largest_share": 0.1}
    told = FeedRecord.read(given)
    bars = told.drawn
    assert len(bars) == 100 <= MOST_BARS
    assert sum(bar.arrived for bar in bars) == 2_400
    assert (bars[0].published, bars[0].left, bars[0].share_before) == (21, 6, 0.75)
    assert bars[0].share == 0.285714
    few = replace(told, snapshots=told.snapshots[:MOST_BARS])
    assert few.drawn == list(few.snapshots)


def test_delays_reach_as_far_as_the_longest() -> None:
    drawn = FeedRecord.read(record()).delays("day")
    assert [(r["delay"], r["records"]) for r in drawn.records] == [
        ("1 day", 2), ("2 days", 1), ("left out", 5),
    ]  # fmt: skip
    assert drawn.rows[0] == ("none (own day)", "25")


def test_who_is_missing_is_a_limit_with_a_figure(tmp_path: Path) -> None:
    limit = "Who is missing may be noticed."
    said = text(html(release(tmp_path), verdict(), record()))
    assert limit in said
    assert "In this release 8 records of 32 (25.00 %) are missing from their own day" in said
    assert "it is easy to see who is missing" in said
    assert "age and ward are published exactly" in said
    boxes = text(html(release(tmp_path, generalized()), verdict(), record(uncovered=0)))
    assert "a group covers each of them" in boxes
    assert "published exactly" not in boxes
    bare = text(html(release(tmp_path, generalized()), verdict(), record(uncovered=2)))
    assert "2 of them could not be covered by a group" in bare
    handed_on = text(html(release(tmp_path), verdict(), None))
    assert limit in handed_on
    assert "25.00 %" not in handed_on


def test_an_m_invariant_snapshot_has_the_limits_of_both(tmp_path: Path) -> None:
    told = record(1, then="invariance", moved=0, invariance=PEOPLE)
    told.pop("uncovered")
    written = html(release(tmp_path, invariant()), verdict(), told)
    said = text(written)
    assert "at least 2 different values of illness" in said
    assert "1 of 4 row is a counterfeit" in said
    assert "records published" in said
    assert "One value that leaks may give away others." in said
    assert "Who is missing may be noticed." in said
    assert "in the snapshot3one row each" in said
    assert "first release of the register" not in said
    assert re.findall(r"<h3>(The table .*?)</h3>", written) == [
        "The table data",
        "The table counterfeits",
    ]
    assert text(html(release(tmp_path, invariant()), verdict(), None))


def test_both_tables_are_explained(tmp_path: Path) -> None:
    written = html(release(tmp_path), verdict(), None)
    assert "How many records of that group have that value." in written


def test_snapshots_of_ones_own_are_named(tmp_path: Path) -> None:
    terms = an.Granularity.boundaries("exam_term", ["2006-01-02", "2006-05-01"])
    assert "published by exam term" in text(
        html(release(tmp_path, snapshot=terms), verdict(), None)
    )


def line(**counts: int) -> dict[str, int]:
    kinds = ("pushed", "published", "waiting", "left_out", "dropped", "refused")
    return {kind: counts.get(kind, 0) for kind in kinds}


def test_the_account_is_laid_open_to_the_owner_alone(tmp_path: Path) -> None:
    account = {
        "begins": None,
        "total": line(pushed=1234, published=1200, waiting=4, left_out=17, dropped=11, refused=2),
        "snapshots": [
            {"snapshot": "2006-01-02", **line(pushed=8, published=8)},
            {"snapshot": "2006-01-03", **line(pushed=9, published=5, left_out=3, dropped=1)},
        ],
    }
    written = html(release(tmp_path), verdict(), record(account=account, refused=2))
    said = text(written)
    assert "What became of every record" in said
    assert "1 day with all records published is not listed." in said
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", written)
    assert "2006-01-03 9 5 0 3 1 0" in " ".join(cells)
    assert "all that was pushed so far 1,234 1,200 4 17 11 2" in " ".join(cells)
    assert "2 records of known people were refused" in said
    handed_on = text(html(release(tmp_path), verdict(), None))
    assert "What became of every record" not in handed_on
    assert "1,234" not in handed_on


def test_an_account_of_many_snapshots_or_of_a_part_of_the_feed(tmp_path: Path) -> None:
    lost = [
        {"snapshot": f"day {day}", **line(pushed=3, published=2, left_out=1)} for day in range(40)
    ]
    account = {"begins": 1, "total": line(pushed=3, published=3), "snapshots": lost}
    said = text(html(release(tmp_path), verdict(), record(account=account)))
    assert "Of 40 others the first 31 are listed." in said
    assert "The account begins in the middle of the feed: before, none was kept." in said
    before = text(html(release(tmp_path), verdict(), record()))
    assert "What became of every record" not in before
