"""What must be true of every release, whatever the table: the truth lies within the bounds.

Tables are really published, by every method; the truth is counted on the records that were. More
of the same: ``python -m tests.oracle.asking --cases 2000``.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.asking.question import Aggregate, Grouping
from anachron.published import ways
from tests.daily import daily
from tests.oracle.asking import meets
from tests.oracle.asking_cases import KINDS, Case, differences, draw
from tests.oracle.asking_coverage import Stated, share_of, stated
from tests.oracle.asking_coverage_series import stated as stated_of_series
from tests.oracle.asking_people import EVEN, LIFELIKE

ALIGNED = (ways.AsItIs, ways.Content, ways.Bins, ways.Prefix, ways.Parents, ways.Granules)


def cases(kind: str, many: int, seed: int) -> list[Case]:
    found = [draw(kind, seed, number) for number in range(many)]
    return [case for case in found if case is not None]


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_lies_within_the_bounds(kind: str) -> None:
    some = cases(kind, 2, 11)
    assert some
    for case in some:
        assert list(differences(case)) == []


def test_what_is_asked_by_published_cells_is_exact() -> None:
    for case in cases("granularity", 3, 12):
        for column in case.published.catalogue.columns.values():
            if type(column.way) not in ALIGNED:
                continue
            keys = [leaf for _, leaf in case.published.keys(Grouping(column.name))]
            found = case.published.figures(keys, Aggregate())
            truth = [sum(meets(leaf, record) for record in case.records) for leaf in keys]
            assert found.low.tolist() == found.high.tolist() == truth
            assert found.estimate.tolist() == truth
            assert not found.variance.any()
            assert sum(truth) == len(case.records)


@pytest.mark.parametrize(
    "kind",
    daily(
        ["granularity", "invariance", "anatomy", "generalize", "composed"], "invariance", "anatomy"
    ),
)
def test_the_truth_is_mostly_within_two_standard_errors(kind: str) -> None:
    # The same key makes the same releases in every run. More: tests.oracle.asking coverage.
    honest([
        one
        for people, many in ((EVEN, 3), (LIFELIKE, 3))
        for number in range(many)
        for one in stated(kind, 3, number, people)
    ])  # fmt: skip


@pytest.mark.parametrize("way", ["kapra", "fine", "overlap"])
def test_so_it_is_of_series(way: str) -> None:
    honest([one for number in range(2) for one in stated_of_series(way, 3, number)])


def honest(answers: list[Stated]) -> None:
    """Demand errors that are neither too small nor too large, and 0 where nothing is open."""
    assert all(one.honest for one in answers)
    found = share_of(answers)
    assert found.known > 50
    assert found.within / found.known >= 0.9
    # Of errors that are right, the mean square is 1; of those that are too large, less.
    assert math.sqrt(np.mean([one.away**2 for one in answers if one.known])) >= 0.5
    assert len({one.figure.error for one in answers}) > found.known / 3


def test_snapshots_before_the_first_published_one_are_listed(tmp_path: Path) -> None:
    # One record alone is no group: that of the first day is published on the second.
    days = pa.table({"who": [1, 2], "at": ["2024-05-06", "2024-05-07"], "ill": ["a", "b"]})
    days = days.append_column("ward", pa.array([1, 1]))
    schema = an.Schema(subject="who", time="at", quasi="ward", sensitive="ill")
    promise = an.Reposition(l=2, window=2, careful=False)
    release = an.publish(days, schema, promise, ledger=tmp_path / "l", to=tmp_path / "r")
    assert set(release.table()["at"].to_pylist()) == {"2024-05-07"}
    answer = release.ask("SELECT at, COUNT(*) GROUP BY at")
    assert [row.keys for row in answer.rows] == [("2024-05-06",), ("2024-05-07",)]
    assert all(row.figures[0].low <= 1 <= row.figures[0].high for row in answer.rows)
    assert [row.figures[0].error for row in answer.rows] == [None, None]
    assert "not known" in str(answer)
    assert "No standard error is known: how many records are late is not published." in answer.notes


def test_groups_by_time_leave_no_record_out() -> None:
    for kind in ("anatomy", "generalize", "composed"):
        for case in cases(kind, 1, 14):
            time = case.published.catalogue.time
            assert time is not None
            keys = [leaf for _, leaf in case.published.keys(Grouping(time.name))]
            there = [sum(meets(leaf, record) for record in case.records) for leaf in keys]
            assert sum(there) == len(case.records)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_many_cases(kind: str) -> None:
    for case in cases(kind, 100, 13):
        assert list(differences(case)) == []
