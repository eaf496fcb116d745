"""The baseline: groups are diverse, disjoint in space, and cannot be cut further."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.kernels.mondrian import mondrian


def slow(x: np.ndarray, values: np.ndarray, l: int) -> set[frozenset[int]]:  # noqa: E741
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
