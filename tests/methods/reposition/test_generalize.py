"""Boxes of many snapshots: diverse, disjoint on the grid, and numbered by what is published."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.methods.boxes import Boxes
from anachron.methods.reposition.eligible import is_eligible
from anachron.methods.reposition.generalize import BoxedGroups, generalize, in_published_order

SPAN = np.array([20.0, 5.0])


class Feed(NamedTuple):
    points: Boxes
    snapshot: np.ndarray
    value: np.ndarray
    l: Fraction  # noqa: E741


@st.composite
def feeds(draw: st.DrawFn) -> Feed:
    l = draw(st.sampled_from([Fraction(a) for a in ("2", "3", "3/2", "5/2")]))  # noqa: E741
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    value = rng.integers(0, 6, draw(st.integers(0, 150)))
    snapshot = rng.integers(0, 4, len(value)) * 2
    for number in (0, 2, 4, 6):
        here = snapshot == number
        if not is_eligible(np.bincount(value[here], minlength=6), l):
            value, snapshot = value[~here], snapshot[~here]
    first = np.stack([rng.integers(-3, 18, len(value)), rng.integers(0, 6, len(value))], axis=1)
    return Feed(Boxes(first, first + rng.integers(0, 2, first.shape)), snapshot, value, l)


@settings(max_examples=120, deadline=None)
@given(feeds(), st.integers(0, 2**32 - 1))
def test_groups_are_diverse_and_their_boxes_disjoint(feed: Feed, seed: int) -> None:
    group, groups = in_published_order(*generalize(feed.points, SPAN, *feed[1:]))
    boxes, number = groups.boxes, len(groups.snapshot)
    assert np.unique(group).tolist() == list(range(number))
    assert (groups.snapshot[group] == feed.snapshot).all()
    for g in range(number):
        assert is_eligible(np.bincount(feed.value[group == g]), feed.l)
    assert (boxes.first[group] <= feed.points.first).all()
    assert (boxes.end[group] >= feed.points.end).all()
    assert (boxes.end > boxes.first).all()
    for a in range(number):
        for b in range(a):
            apart = (boxes.first[a] >= boxes.end[b]) | (boxes.first[b] >= boxes.end[a])
            assert groups.snapshot[a] != groups.snapshot[b] or apart.any()
    order = np.random.default_rng(seed).permutation(len(group))
    shuffled = (feed.snapshot[order], feed.value[order], feed.l)
    again, _ = in_published_order(*generalize(feed.points.take(order), SPAN, *shuffled))
    assert (again == group[order]).all()


def test_rows_of_one_step_stay_together() -> None:
    first = np.array([[3, 0]] * 4 + [[9, 0]] * 4)
    feed = np.zeros(8, dtype=np.int64), np.array([0, 1, 2, 3] * 2), Fraction(2)
    group, groups = in_published_order(*generalize(Boxes(first, first + 1), SPAN, *feed))
    assert group.tolist() == [0] * 4 + [1] * 4
    assert groups.boxes.first[:, 0].tolist() == [3, 9]


def test_a_snapshot_that_is_not_eligible_is_refused() -> None:
    first = np.zeros((3, 2), dtype=np.int64)
    feed = np.array([0, 0, 1]), np.array([0, 1, 0]), Fraction(2)
    with pytest.raises(ValueError, match="not l-diverse"):
        generalize(Boxes(first, first + 1), SPAN, *feed)


def test_groups_are_numbered_by_snapshot_and_box_and_equal_ones_become_one() -> None:
    snapshot = np.array([5, 1, 1, 1, 1])
    first = np.array([[0, 0], [2, 1], [2, 0], [2, 1], [2, 1]])
    end = np.array([[9, 9], [4, 2], [5, 2], [4, 2], [4, 3]])
    group = np.array([0, 1, 2, 3, 4])
    number, groups = in_published_order(group, BoxedGroups(snapshot, Boxes(first, end)))
    assert number.tolist() == [3, 0, 2, 0, 1]
    assert groups.snapshot.tolist() == [1, 1, 1, 5]
    assert groups.boxes.first.tolist() == [[2, 1], [2, 1], [2, 0], [0, 0]]
    assert groups.boxes.end.tolist() == [[4, 2], [4, 3], [5, 2], [9, 9]]
