"""Whoever is missing from a snapshot is covered there, or known to be without cover."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.methods.boxes import Boxes
from anachron.methods.reposition import cover as module
from anachron.methods.reposition.cover import cover, exposed
from anachron.methods.reposition.generalize import BoxedGroups

SPAN = np.array([10.0, 4.0])


def groups_of(snapshot: list[int], first: list[list[int]], end: list[list[int]]) -> BoxedGroups:
    sides = (np.array(side, dtype=np.int64).reshape(-1, 2) for side in (first, end))
    return BoxedGroups(np.array(snapshot, dtype=np.int64), Boxes(*sides))


def points_of(first: list[list[int]]) -> Boxes:
    steps = np.array(first, dtype=np.int64).reshape(-1, 2)
    return Boxes(steps, steps + 1)


def slow_cover(
    groups: BoxedGroups, missing: Boxes, home: np.ndarray
) -> tuple[list[list[list[int]]], list[bool]]:
    """One record after the other, each by the group whose perimeter grows least."""
    old = np.stack((groups.boxes.first, groups.boxes.end), axis=2).tolist()
    new = [[list(interval) for interval in box] for box in old]
    bare = []
    points = np.stack((missing.first, missing.end), axis=2).tolist()
    for point, snapshot in zip(points, home.tolist(), strict=True):
        growth = {
            g: sum(
                Fraction(max(b[0] - p[0], 0) + max(p[1] - b[1], 0)) / Fraction(length)
                for b, p, length in zip(box, point, SPAN.tolist(), strict=True)
            )
            for g, box in enumerate(old)
            if groups.snapshot[g] == snapshot
        }
        bare.append(not growth)
        if growth:
            nearest = min(growth, key=lambda g: (growth[g], g))
            for interval, p in zip(new[nearest], point, strict=True):
                interval[:] = [min(interval[0], p[0]), max(interval[1], p[1])]
    return new, bare


@st.composite
def worlds(draw: st.DrawFn) -> tuple[BoxedGroups, Boxes, np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    g, r = draw(st.integers(0, 12)), draw(st.integers(0, 30))
    first = rng.integers(0, [10, 4], (g, 2))
    groups = BoxedGroups(rng.integers(0, 4, g), Boxes(first, first + rng.integers(1, 4, (g, 2))))
    at = rng.integers(0, [12, 6], (r, 2))
    return groups, Boxes(at, at + rng.integers(0, 2, (r, 2))), rng.integers(0, 5, r)


@settings(max_examples=300, deadline=None)
@given(worlds(), st.integers(0, 2**32 - 1))
def test_everybody_is_covered_by_the_nearest_group(
    world: tuple[BoxedGroups, Boxes, np.ndarray], seed: int
) -> None:
    groups, missing, home = world
    found = cover(groups, SPAN, missing, home)
    boxes = found.groups.boxes
    wanted, bare = slow_cover(groups, missing, home)
    assert np.stack((boxes.first, boxes.end), axis=2).tolist() == wanted
    assert found.uncovered.tolist() == bare
    for i in np.flatnonzero(~found.uncovered):
        here = found.groups.snapshot == home[i]
        around = (boxes.first <= missing.first[i]) & (boxes.end >= missing.end[i])
        assert (here & around.all(axis=1)).any()
    larger = (boxes.first < groups.boxes.first) | (boxes.end > groups.boxes.end)
    assert found.widened == larger.any(axis=1).sum()
    order = np.random.default_rng(seed).permutation(len(home))
    again = cover(groups, SPAN, missing.take(order), home[order])
    assert (again.groups.boxes.first == boxes.first).all()
    assert (again.groups.boxes.end == boxes.end).all()


def test_many_are_compared_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, [10, 4], (40, 2))
    groups = BoxedGroups(rng.integers(0, 3, 40), Boxes(first, first + 1))
    missing, home = points_of(rng.integers(0, [10, 4], (90, 2)).tolist()), rng.integers(0, 3, 90)
    whole = cover(groups, SPAN, missing, home)
    monkeypatch.setattr(module, "_AT_ONCE", 50)
    parts = cover(groups, SPAN, missing, home)
    assert (parts.groups.boxes.first == whole.groups.boxes.first).all()
    assert (parts.groups.boxes.end == whole.groups.boxes.end).all()


def test_the_length_of_an_axis_counts() -> None:
    groups = groups_of([0, 0], [[0, 0], [4, 3]], [[1, 1], [5, 4]])
    # two of ten steps along the first axis are less than one of four along the second
    found = cover(groups, SPAN, points_of([[2, 0], [4, 2]]), np.array([0, 0]))
    assert found.groups.boxes.end.tolist() == [[3, 1], [5, 4]]
    assert found.groups.boxes.first.tolist() == [[0, 0], [4, 2]]


def test_a_covered_record_widens_nothing_and_an_empty_snapshot_covers_nobody() -> None:
    groups = groups_of([0, 2], [[0, 0], [0, 0]], [[9, 4], [1, 1]])
    found = cover(groups, SPAN, points_of([[8, 3], [8, 3]]), np.array([0, 1]))
    assert found.widened == 0
    assert found.uncovered.tolist() == [False, True]


def test_a_record_between_two_steps_is_covered_by_either() -> None:
    groups = groups_of([0], [[1, 0]], [[2, 1]])
    edge = Boxes(np.array([[2, 0]]), np.array([[2, 1]]))
    assert cover(groups, SPAN, edge, np.array([0])).widened == 0


def slow_exposed(
    rows: list[tuple[int, int, int]],
    missing: list[tuple[int, int]],
    l: Fraction,  # noqa: E741
) -> list[bool]:
    found = []
    for home, point in missing:
        counts = Counter(value for snapshot, value, _ in rows if snapshot == home)
        most = max(counts.values(), default=0)
        possible = sum(count == most for count in counts.values()) if counts else 5
        twin = any(snapshot == home and quasi == point for snapshot, _, quasi in rows)
        found.append(not twin and possible < l)
    return found


small = st.integers(0, 3)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(small, small, st.integers(0, 5)), max_size=40),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=15),
    st.sampled_from([Fraction(2), Fraction(5, 2), Fraction(3), Fraction(6)]),
)
def test_who_is_exposed_has_fewer_than_l_possible_values(
    rows: list[tuple[int, int, int]],
    missing: list[tuple[int, int]],
    l: Fraction,  # noqa: E741
) -> None:
    columns = tuple(np.array(rows, dtype=np.int64).reshape(-1, 3).T)
    gone = tuple(np.array(missing, dtype=np.int64).reshape(-1, 2).T)
    assert exposed(columns, gone, l, 5).tolist() == slow_exposed(rows, missing, l)  # type: ignore[arg-type]


def test_with_two_most_frequent_values_two_are_possible() -> None:
    snapshot = np.zeros(5, dtype=np.int64)
    rows = snapshot, np.array([0, 0, 1, 1, 2]), np.arange(5)
    missing = np.array([0, 0]), np.array([9, 4])
    assert exposed(rows, missing, Fraction(2), 3).tolist() == [False, False]
    assert exposed(rows, missing, Fraction(5, 2), 3).tolist() == [True, False]
