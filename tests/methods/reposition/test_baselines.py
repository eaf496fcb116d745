"""Suppression only, merging in time, and the measures of all three."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from anachron.methods.reposition.baselines import merging, runs, suppression
from anachron.methods.reposition.measures import measure
from anachron.methods.reposition.plan import Rule
from anachron.methods.reposition.rule import linear
from tests.methods.reposition.test_feed import run, skewed
from tests.oracle.reposition import eligible
from tests.oracle.reposition_feeds import rows

TWO = Fraction(2)
RULE = Rule(TWO, 3, linear(3), Fraction(10), first="cold")


def counts(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_suppression_keeps_the_most_of_each_snapshot() -> None:
    dues = suppression([counts(3, 1), counts(), counts(0, 2)], TWO)
    assert [rows(due) for due in dues] == [[(0, 0, 1), (0, 1, 1)], [], []]
    assert [rows(due.suppressed) for due in dues] == [[(0, 0, 2)], [], [(2, 1, 2)]]


def test_runs_are_the_shortest_that_are_eligible() -> None:
    feed = [counts(2, 0), counts(0, 1), counts(0, 1), counts(1, 1), counts(0, 0)]
    assert runs(feed, TWO) == [2, 3, 4]
    dues = merging(feed, TWO)
    assert [due.position for due in dues] == [0, 1, 2, 3, 4]
    assert rows(dues[2]) == [(0, 0, 2), (1, 1, 1), (2, 1, 1)]
    measured = measure(dues, feed, RULE)
    assert (measured.distances, measured.suppressed, measured.loss) == ((3, 1, 2), 0, 5)


def test_a_rest_that_is_not_eligible_joins_the_runs_before() -> None:
    feed = [counts(1, 1), counts(1, 1, 2), counts(1, 0)]
    assert runs(feed, TWO) == [0, 2]
    assert runs([counts(1, 1), counts(1, 1), counts(1, 0)], Fraction(5, 3)) == [2]


def test_a_feed_that_is_nowhere_eligible_is_suppressed() -> None:
    feed = [counts(1, 1), counts(3, 0), counts(3, 1)]
    assert runs(feed, TWO) == [0, 2]
    dues = merging(feed, TWO)
    assert rows(dues[2]) == [(2, 0, 1), (2, 1, 1)]
    assert rows(dues[2].suppressed) == [(1, 0, 3), (2, 0, 2)]


def test_baselines_are_eligible_and_lose_nothing_unseen() -> None:
    feed = skewed(40, seed=7)
    for dues in (suppression(feed, TWO), merging(feed, TWO)):
        assert [due.position for due in dues] == list(range(40))
        published = sum(int(due.count.sum()) for due in dues)
        lost = sum(int(due.suppressed.count.sum()) for due in dues)
        assert published + lost == sum(int(day.sum()) for day in feed)
        for due in dues:
            totals = np.bincount(due.value, due.count)
            assert eligible([int(n) for n in totals], TWO)


def test_moving_a_few_records_saves_many() -> None:
    feed = skewed(60, seed=8)
    moved = measure(run(feed, RULE), feed, RULE)
    hidden = measure(suppression(feed, TWO), feed, RULE)
    assert moved.loss < hidden.loss
    assert 0 < moved.suppressed_share < hidden.suppressed_share
    assert hidden.moved == 0


def test_distances_beyond_the_rule_need_costs_of_their_own() -> None:
    feed = [counts(1, 0)] * 5 + [counts(0, 5)]
    measured = measure(merging(feed, TWO), feed, RULE, mu=linear(6))
    assert measured.distances == (5, 1, 1, 1, 1, 1)
    assert measured.loss == 15


def test_nothing_measured_is_nothing() -> None:
    measured = measure([], [], RULE)
    assert (measured.loss, measured.moved_share, measured.suppressed_share) == (0, 0.0, 0.0)


def test_more_published_than_arrived_is_noticed() -> None:
    with pytest.raises(ValueError, match="more records"):
        measure(suppression([counts(1, 1)], TWO), [counts(1, 0)], replace(RULE))
