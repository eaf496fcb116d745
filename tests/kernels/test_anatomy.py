"""Groups are diverse, whatever l is, and no l-diverse groups could be more."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import floor

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from anachron.kernels.anatomy import bucketize

LS = [Fraction(a) for a in ("2", "3", "5", "3/2", "5/2", "7/3", "8/3", "7/4", "8/5", "13/8", "2.7")]


def rows_of(counts: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


def groups_of(counts: list[int], l: Fraction) -> list[list[int]]:  # noqa: E741
    """The groups of one snapshot, as lists of values."""
    value = rows_of(counts)
    group = bucketize(np.zeros_like(value), value, np.arange(len(value)), l)
    return [value[group == g].tolist() for g in range(group.max(initial=-1) + 1)]


def is_diverse(values: list[int], l: Fraction) -> bool:  # noqa: E741
    return bool(values) and max(Counter(values).values()) * l <= len(values)


@cache
def most_groups(n: int, most: int, l: Fraction) -> float:  # noqa: E741
    """At best: sizes that add up to n and leave room for the most frequent value."""
    if n == 0:
        return 0 if most <= 0 else -np.inf
    sizes = [size for size in range(1, n + 1) if size >= l]
    return max((1 + most_groups(n - m, most - floor(m / l), l) for m in sizes), default=-np.inf)


def best_partition(values: list[int], l: Fraction) -> float:  # noqa: E741
    """The most l-diverse groups, by trying all partitions."""
    if not values:
        return 0
    best = -np.inf
    first, rest = values[0], values[1:]
    for chosen in range(1 << len(rest)):
        own = [first, *(v for i, v in enumerate(rest) if chosen >> i & 1)]
        if is_diverse(own, l):
            others = [v for i, v in enumerate(rest) if not chosen >> i & 1]
            best = max(best, 1 + best_partition(others, l))
    return best


def is_exact(l: Fraction) -> bool:  # noqa: E741
    """Whether the layout promises the largest number of groups."""
    u = l.numerator - (-(-l.numerator // l.denominator) - 1) * l.denominator
    v = (l.denominator - u) % u
    return v == 0 or (u - 1) % v == 0


counts_lists = st.lists(st.integers(0, 12), min_size=1, max_size=7)


@settings(max_examples=600, deadline=None)
@given(counts_lists, st.sampled_from(LS))
@example([5, 3], Fraction(3, 2))  # the rows cannot be shared out evenly
@example([7, 7, 4], Fraction(5, 2))
@example([13, 8], Fraction(13, 8))
@example([20, 12], Fraction(8, 5))
def test_groups_are_diverse_and_as_many_as_can_be(counts: list[int], l: Fraction) -> None:  # noqa: E741
    n = sum(counts)
    assume(max(counts) * l <= n)
    groups = groups_of(counts, l)
    assert sorted(v for group in groups for v in group) == rows_of(counts).tolist()
    assert all(is_diverse(group, l) for group in groups)
    best = most_groups(n, max(counts), l)
    if is_exact(l):
        assert len(groups) == best
    else:
        assert best / 2 <= len(groups) <= best


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.sampled_from(LS))
def test_the_bound_is_that_of_all_partitions(counts: list[int], l: Fraction) -> None:  # noqa: E741
    assume(sum(counts) <= 8)
    assume(max(counts) * l <= sum(counts))
    best = best_partition(rows_of(counts).tolist(), l)
    assert most_groups(sum(counts), max(counts), l) == best


def test_one_and_a_half_does_not_need_one_large_group() -> None:
    groups = groups_of([2001, 1001], Fraction(3, 2))
    assert len(groups) == 1001
    assert sorted({len(group) for group in groups}) == [2, 3]


def test_an_integer_l_gives_groups_of_different_values_by_turns() -> None:
    groups = groups_of([4, 1, 3, 5], Fraction(2))
    assert len(groups) == 6
    assert all(len(set(group)) == len(group) for group in groups)
    # 3 3 3 3 3 0 | 0 0 0 2 2 2 | 1
    assert groups == [[0, 1, 3], [0, 3], [0, 3], [2, 3], [2, 3], [0, 2]]


@st.composite
def feeds(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, Fraction]:
    l = draw(st.sampled_from(LS))  # noqa: E741
    snapshots, values = [], []
    for number in range(draw(st.integers(1, 4))):
        counts = draw(counts_lists)
        if max(counts) * l <= sum(counts):
            values.append(rows_of(counts))
            snapshots.append(np.full(sum(counts), number))
    assume(values)
    return np.concatenate(snapshots), np.concatenate(values), l


@settings(max_examples=200, deadline=None)
@given(feeds(), st.integers(0, 2**32 - 1))
def test_many_snapshots_at_once_are_each_for_itself(
    feed: tuple[np.ndarray, np.ndarray, Fraction],
    seed: int,
) -> None:
    snapshot, value, l = feed  # noqa: E741
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(value))
    snapshot, value, place = snapshot[shuffled], value[shuffled], rng.permutation(len(value))
    group = bucketize(snapshot, value, place, l)
    done = 0
    for number in np.unique(snapshot):
        here = snapshot == number
        alone = bucketize(np.zeros(here.sum(), dtype=np.int64), value[here], place[here], l)
        assert (group[here] == alone + done).all()
        done = int(group[here].max()) + 1
    # nothing depends on the order of the rows, nor on how far places lie apart
    again = rng.permutation(len(value))
    apart = place[again] * 10**12
    assert (bucketize(snapshot[again], value[again], apart, l) == group[again]).all()


def test_who_is_where_follows_the_place_alone() -> None:
    value = rows_of([3, 3])
    place = np.array([2, 0, 1, 3, 5, 4])
    group = bucketize(np.zeros(6, dtype=np.int64), value, place, Fraction(2))
    assert group.tolist() == [2, 0, 1, 0, 2, 1]


@pytest.mark.parametrize("counts", [[3, 2], [1], [2, 2, 9]])
def test_a_snapshot_that_is_not_eligible_is_refused(counts: list[int]) -> None:
    good, bad = rows_of([2, 2]), rows_of(counts)
    snapshot = np.repeat([0, 1], [len(good), len(bad)])
    value = np.concatenate((good, bad))
    with pytest.raises(ValueError, match="not l-eligible"):
        bucketize(snapshot, value, np.arange(len(value)), Fraction(2))


def test_l_must_be_above_1() -> None:
    with pytest.raises(ValueError, match="above 1"):
        bucketize(np.zeros(2, dtype=np.int64), np.arange(2), np.arange(2), Fraction(1))


def test_no_rows_make_no_groups() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert bucketize(none, none, none, Fraction(2)).tolist() == []


@pytest.mark.parametrize("l", [Fraction(1.1), 2 + Fraction(1, 10**30), 2 - Fraction(1, 10**40)])
def test_l_may_be_as_fine_as_it_likes(l: Fraction) -> None:  # noqa: E741
    counts = [60, 37, 30]
    groups = groups_of(counts, l)
    assert all(is_diverse(group, l) for group in groups)
    assert len(groups) == most_groups(sum(counts), 60, l)


def test_decimals_are_compared_exactly() -> None:
    # 30 · 1.1 = 33.000000000000004 in floating point
    groups = groups_of([30, 3], Fraction("1.1"))
    assert all(is_diverse(group, Fraction("1.1")) for group in groups)
    with pytest.raises(ValueError, match="not l-eligible"):
        groups_of([31, 3], Fraction("1.1"))
