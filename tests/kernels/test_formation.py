"""Groups are exactly those of the paper's scan, for every kind of envelope."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.kernels import formation
from anachron.kernels.formation import form
from tests.oracle.formation import Box, groups_in_ranges, groups_of, ranges_of, scanned, total


def members(group: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(group == g).tolist() for g in range(group.max() + 1)]


def as_boxes(low: np.ndarray, high: np.ndarray) -> list[Box]:
    return [list(zip(a, b, strict=True)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def same_as_the_scan(low: np.ndarray, high: np.ndarray, size: np.ndarray, k: int) -> None:
    found = members(form(low.astype(float), high.astype(float), size, k))
    assert found == [sorted(g) for g in groups_of(as_boxes(low, high), size.tolist(), k)]


def some(seed: int, n: int, times: int, spread: int, width: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    low = rng.integers(-spread, spread + 1, (n, times)).cumsum(axis=1)
    return low, low + rng.integers(0, width + 1, (n, times)), rng.integers(2, 7, n)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    times=st.integers(1, 7),
    spread=st.sampled_from([0, 1, 3, 1000]),
    width=st.sampled_from([0, 1, 500]),
    k=st.integers(1, 30),
)
@settings(max_examples=100, deadline=None)
def test_groups_are_those_of_the_scan(
    seed: int, n: int, times: int, spread: int, width: int, k: int
) -> None:
    low, high, size = some(seed, n, times, spread, width)
    if size.sum() >= k:
        same_as_the_scan(low, high, size, k)


@pytest.mark.parametrize(("spread", "width"), [(1000, 200), (2, 1), (0, 0), (1000, 0)])
def test_groups_of_many_shelves_are_those_of_the_scan(spread: int, width: int) -> None:
    low, high, size = some(1, 700, 6, spread, width)
    group = form(low.astype(float), high.astype(float), size, 20)
    assert (group == scanned(low, high, size, 20)).all()


def test_groups_of_many_racks_are_those_of_the_scan() -> None:
    low, high, size = some(6, 4400, 4, 1000, 300)
    group = form(low.astype(float), high.astype(float), size, 20)
    assert (group == scanned(low, high, size, 20)).all()


@pytest.mark.campaign
@pytest.mark.parametrize("times", [10, 60])
def test_groups_of_twenty_thousand_series_are_those_of_the_scan(times: int) -> None:
    low, high, size = some(7, 5000, times, 1000, 1500)
    group = form(low.astype(float), high.astype(float), size, 50)
    assert (group == scanned(low, high, size, 50)).all()


def test_long_series_are_given_up_early_and_nothing_changes() -> None:
    same_as_the_scan(*some(2, 150, 41, 100, 300), 15)


def test_laying_out_anew_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high, size = some(3, 300, 5, 300, 100)
    monkeypatch.setattr(formation, "FEW", 20)
    same_as_the_scan(low, high, size, 20)


def test_total_loss_of_real_values_is_that_of_the_scan() -> None:
    rng = np.random.default_rng(4)
    low = rng.normal(size=(200, 10)).cumsum(axis=1)
    high, size = low + rng.random((200, 10)), rng.integers(5, 10, 200)
    boxes = as_boxes(low, high)
    found = total(members(form(low, high, size, 50)), boxes, size.tolist())
    assert found == pytest.approx(total(groups_of(boxes, size.tolist(), 50), boxes, size.tolist()))


def test_large_subgroups_are_groups_and_take_who_is_left() -> None:
    low = np.array([[0.0, 0.0], [10.0, 10.0], [9.0, 9.0]])
    assert form(low, low + 1, np.array([4, 5, 1]), 4).tolist() == [0, 1, 1]


def test_between_equals_the_smaller_is_taken_then_the_first() -> None:
    low = np.zeros((5, 3))
    assert form(low, low, np.array([3, 2, 2, 2, 3]), 4).tolist() == [1, 0, 0, 1, 0]


def test_of_all_that_a_group_covers_already_the_first_is_taken() -> None:
    rng = np.random.default_rng(8)
    low = rng.integers(0, 50, (1500, 4))
    high = low + rng.integers(40, 51, (1500, 4))
    low[0], high[0] = 0, 100
    size = np.full(1500, 3)
    size[0] = 1
    group = form(low.astype(float), high.astype(float), size, 10)
    assert np.flatnonzero(group == 0).tolist() == [0, 1, 2, 3]


def test_who_is_left_joins_where_it_adds_least() -> None:
    low = np.array([[0.0, 0.0], [40.0, 40.0], [95.0, 95.0]])
    high = np.array([[99.0, 99.0], [41.0, 41.0], [95.0, 95.0]])
    # A union with the narrow second group loses less, but the wide first one covers the last
    # subgroup already.
    assert form(low, high, np.array([5, 5, 1]), 5).tolist() == [0, 1, 0]
    low[1], high[1] = 94.0, 95.0
    assert form(low, high, np.array([5, 5, 1]), 5).tolist() == [0, 1, 1]


def test_huge_and_tiny_values_are_grouped_alike() -> None:
    low, high, size = (a.astype(float) for a in some(5, 80, 4, 50, 20))
    size = size.astype(np.int64)
    group = form(low, high, size, 12)
    for factor in (2.0**900, 2.0**-900):
        assert (form(low * factor, high * factor, size, 12) == group).all()


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    times=st.integers(1, 7),
    spread=st.sampled_from([0, 1, 1000]),
    width=st.sampled_from([0, 1, 500]),
    k=st.integers(1, 60),
    most=st.integers(1, 30),
)
@settings(max_examples=100, deadline=None)
def test_more_subgroups_than_are_looked_at_together_form_groups_in_ranges(
    seed: int, n: int, times: int, spread: int, width: int, k: int, most: int
) -> None:
    low, high, size = some(seed, n, times, spread, width)
    if size.sum() < k:
        return
    with patch.object(formation, "MOST", most):
        found = members(form(low.astype(float), high.astype(float), size, k))
    assert found == [
        sorted(g) for g in groups_in_ranges(as_boxes(low, high), size.tolist(), k, most)
    ]
    assert all(size[group].sum() >= k for group in found)


def test_ranges_are_of_half_to_all_of_what_is_looked_at_together() -> None:
    low, high, size = some(9, 1000, 3, 50, 20)
    for n in (101, 150, 200, 201, 999, 1000):
        ranges = ranges_of(as_boxes(low[:n], high[:n]), size[:n].tolist(), 2, 100)
        assert all(50 <= len(some) <= 100 for some in ranges)
        assert sorted(s for some in ranges for s in some) == list(range(n))


def test_up_to_the_most_nothing_changes() -> None:
    low, high, size = some(10, 300, 5, 100, 30)
    group = form(low.astype(float), high.astype(float), size, 20)
    for most, same in ((300, True), (299, False)):
        with patch.object(formation, "MOST", most):
            again = form(low.astype(float), high.astype(float), size, 20)
        assert (again == group).all() == same


def test_fewer_than_k_series_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than k"):
        form(np.zeros((2, 2)), np.ones((2, 2)), np.array([2, 2]), 5)
