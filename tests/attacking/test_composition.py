"""Two publishers of the same people leave fewer values than each alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.attacking.composition import attack, cells_of, in_common
from anachron.attacking.second import left_after_suppression
from tests.attacking.knowing import known_of, publish
from tests.placing.test_members import FEED, feed

REGISTER = an.Schema(subject="who", quasi="age", sensitive="ill")


def register(people: int, ills: int) -> pa.Table:
    rng = np.random.default_rng(7)
    return pa.table(
        {
            "who": [f"p{i:04}" for i in range(people)],
            "age": rng.integers(20, 90, people),
            "ill": [f"ill {i % ills}" for i in range(people)],
        }
    )


def test_with_many_values_most_sets_shrink(tmp_path: Path) -> None:
    table = register(300, 30)
    release = publish(tmp_path, table, REGISTER, an.MInvariance(m=3))
    finding = attack(known_of(tmp_path, release, table, REGISTER))
    assert finding is not None
    assert finding.people == 90
    assert finding.exposed > 60
    assert finding.figures["left_with_one"] > 30
    assert finding.holds is None
    assert "simulated" in str(finding.sampled)


def test_with_as_many_values_as_the_promise_all_sets_are_the_same(tmp_path: Path) -> None:
    table = register(300, 3)
    release = publish(tmp_path, table, REGISTER, an.MInvariance(m=3))
    finding = attack(known_of(tmp_path, release, table, REGISTER))
    assert finding is not None
    assert finding.people > 0
    assert finding.exposed == 0


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
def test_snapshots_of_a_feed_are_dealt_anew(tmp_path: Path, then: str) -> None:
    table = feed(400, 3)
    orders = {} if then == "anatomy" else {"sex": ["f", "m"]}
    release = publish(tmp_path, table, FEED, an.Reposition(l=3, window=3, then=then, orders=orders))
    finding = attack(known_of(tmp_path, release, table, FEED))
    assert finding is not None
    assert 0 < finding.people <= 120
    assert finding.figures["fewer_than"] == 3
    assert finding.exposed > 0 if then == "anatomy" else finding.exposed >= 0


def test_events_of_both_fall_into_the_same_cells(tmp_path: Path) -> None:
    schema = an.Schema(subject="who", time="day", quasi="sex", sensitive="ill")
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "who": [f"p{i}" for i in range(200)],
            "day": ["2024-05-06"] * 200,
            "sex": pa.array(["f", "m"]).take(pa.array(rng.integers(0, 2, 200))),
            "ill": pa.array(["flu", "cold"]).take(pa.array(rng.integers(0, 2, 200))),
        }
    )
    release = publish(tmp_path, table, schema, an.TimeGranularity(k=5))
    finding = attack(known_of(tmp_path, release, table, schema))
    assert finding is not None
    # A hundred people in a cell, again a hundred there: both values are in both.
    assert (finding.people, finding.exposed) == (60, 0)


def test_values_in_common_are_counted() -> None:
    first = cells_of(np.array([0, 0, 1]), np.array([2, 3, 3]), 5)
    second = cells_of(np.array([0, 0, 0]), np.array([3, 4, 3]), 5)
    both = in_common(first, second, np.array([0, 1, 1]), np.array([0, 0, 7]), 5)
    assert both.tolist() == [1, 1, 0]


def test_only_what_is_too_frequent_is_left_out() -> None:
    snapshot, value = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 0, 1])
    kept = left_after_suppression(snapshot, value, Fraction(2), np.random.default_rng(1))
    assert kept[3:].all()
    assert kept[:3].sum() == 1
