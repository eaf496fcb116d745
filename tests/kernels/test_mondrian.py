"""The baseline: groups are diverse, disjoint in space, and cannot be cut further."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from anachron.kernels.mondrian import mondrian


def slow(x: np.ndarray, values: np.ndarray, l: int | Fraction) -> set[frozenset[int]]:  # noqa: E741
    """LeFevre's recursion, one part at a time."""

    def diverse(rows: list[int]) -> bool:
        return max(np.bincount(values[rows])) * l <= len(rows)

    def cut(rows: list[int]) -> set[frozenset[int]]:
        spread = x[rows].max(axis=0) - x[rows].min(axis=0)
        for i in sorted(range(x.shape[1]), key=lambda i: -spread[i]):
            if spread[i] == 0:
                continue
            at = sorted(x[rows, i])
            median = at[(len(rows) - 1) // 2]
            right = [r for r in rows if x[r, i] > median] or [r for r in rows if x[r, i] == median]
            left = [r for r in rows if r not in right]
            if diverse(left) and diverse(right):
                return cut(left) | cut(right)
        return {frozenset(rows)}

    return cut(list(range(len(values))))


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_those_of_the_recursion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (120, 3)) / 5
    values = rng.integers(0, 9, 120)
    group = mondrian(x, values, 2 + seed % 2)
    found = {frozenset(np.flatnonzero(group == g).tolist()) for g in range(group.max() + 1)}
    assert found == slow(x, values, 2 + seed % 2)


def test_a_table_that_is_not_diverse_is_refused() -> None:
    with pytest.raises(ValueError, match="not l-diverse"):
        mondrian(np.zeros((3, 1)), np.array([0, 0, 1]), 2)


def test_the_order_of_the_input_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    x, values = rng.random((500, 2)), rng.integers(0, 9, 500)
    shuffled = rng.permutation(500)
    assert (mondrian(x, values, 3)[shuffled] == mondrian(x[shuffled], values[shuffled], 3)).all()


@pytest.mark.parametrize("l", [Fraction(3, 2), Fraction(5, 2), Fraction(7, 3), Fraction(11, 5)])
@pytest.mark.parametrize("seed", range(3))
def test_l_may_be_any_fraction(seed: int, l: Fraction) -> None:  # noqa: E741
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (120, 3)) / 5
    values = rng.integers(0, 5, 120)
    group = mondrian(x, values, l)
    found = {frozenset(np.flatnonzero(group == g).tolist()) for g in range(group.max() + 1)}
    assert found == slow(x, values, l)


def test_fractions_are_compared_exactly() -> None:
    # 30 · 1.1 = 33.000000000000004 in floating point
    x, values = np.zeros((33, 1)), np.repeat([0, 1], [30, 3])
    assert mondrian(x, values, Fraction("1.1")).tolist() == [0] * 33
    for finer in (Fraction(1.1), Fraction("1.1") + Fraction(1, 10**40)):
        with pytest.raises(ValueError, match="not l-diverse"):
            mondrian(x, values, finer)


@pytest.mark.parametrize("seed", range(6))
def test_the_groups_of_a_snapshot_are_those_that_it_has_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, l = 400, Fraction(5, 2)  # noqa: E741
    x, values = rng.integers(0, 9, (n, 2)) / 8, rng.integers(0, 7, n)
    snapshot = rng.choice([0, 3, 4, 900], n)  # some snapshots are empty
    group = mondrian(x, values, l, snapshot)
    assert np.unique(group).tolist() == list(range(group.max() + 1))
    for number in np.unique(snapshot):
        here = np.flatnonzero(snapshot == number)
        alone = mondrian(x[here], values[here], l)
        pairs = set(zip(group[here].tolist(), alone.tolist(), strict=True))
        assert len(pairs) == alone.max() + 1 == len(np.unique(group[here]))


def test_one_snapshot_that_is_not_diverse_is_enough_to_refuse() -> None:
    snapshot, values = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    with pytest.raises(ValueError, match="not l-diverse"):
        mondrian(np.zeros((4, 1)), values, 2, snapshot)


def test_no_tuples_make_no_groups() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert mondrian(np.zeros((0, 2)), none, 2, none).tolist() == []
