"""Buckets are cut by the best of all schemes, whatever the order of their tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from anachron.kernels import cuts
from anachron.kernels.split import boxes, normalise, split
from tests.oracle import invariance as oracle
from tests.oracle.invariance_cases import bucket


def arrays(
    buckets: Sequence[list[list[oracle.Member]]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Lay buckets out as the kernel wants them; names are (bucket, name)."""
    x, slot, lot, names, start = [], [], [], [], [0]
    for b, lists in enumerate(buckets):
        for j, members in enumerate(lists):
            for name, values, number in members:
                if values is not None:
                    x.append(values)
                    slot.append(start[-1] + j)
                    lot.append(number * len(buckets) + b)
                    names.append((b, name))
        start.append(start[-1] + len(lists))
    heights = [len(lists[0]) for lists in buckets]
    return (
        np.array(x, dtype=float), np.array(slot), np.array(lot), np.array(start),
        np.array(heights), names,
    )  # fmt: skip


def kernel(buckets: Sequence[list[list[oracle.Member]]]) -> list[set[frozenset[int]]]:
    x, slot, lot, start, height, names = arrays(buckets)
    group = split(x, slot, lot, start, height)
    found: list[set[frozenset[int]]] = []
    first = np.cumsum(height) - height
    for b in range(len(buckets)):
        members: dict[int, set[int]] = {}
        for (of, name), g in zip(names, group.tolist(), strict=True):
            if of == b:
                assert first[b] <= g < first[b] + height[b]
                members.setdefault(g, set()).add(name)
        found.append({frozenset(names) for names in members.values()})
    return found


def reference(lists: list[list[oracle.Member]]) -> set[frozenset[int]]:
    groups = oracle.split(lists)
    return {frozenset(name for name, x, _ in group if x is not None) for group in groups}


def compare(seed: int, cases: int, exact: bool) -> int:
    """Cut random buckets of equal dimension together, and each alone by the oracle."""
    rng = np.random.default_rng(seed)
    by_dimension: dict[int, list[list[list[oracle.Member]]]] = {}
    for _ in range(cases):
        lists = bucket(rng, exact)
        d = next(len(x) for members in lists for _, x, _ in members if x is not None)
        by_dimension.setdefault(d, []).append(lists)
    for together in by_dimension.values():
        for lists, found in zip(together, kernel(together), strict=True):
            assert found == reference(lists)
    return cases


@pytest.mark.parametrize("exact", [True, False])
def test_groups_are_those_of_the_straightforward_algorithm(exact: bool) -> None:
    assert compare(seed=3, cases=300, exact=exact) == 300


def test_working_on_few_tuples_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "_AT_ONCE", 16)
    compare(seed=4, cases=100, exact=True)


def test_keys_that_do_not_fit_one_number_change_nothing() -> None:
    rng = np.random.default_rng(5)
    x, lot = rng.integers(0, 2, (60, 2)).astype(float), rng.permutation(60)
    slot, start, height = np.repeat(np.arange(2), 30), np.array([0, 2]), np.array([30])
    wide = lot + (1 << 61) * (lot > 3)
    assert (split(x, slot, lot, start, height) == split(x, slot, wide, start, height)).all()


def test_the_order_of_the_input_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    x = rng.integers(0, 3, (600, 3)) / 2
    slot, lot = np.repeat(np.arange(3), 200), rng.permutation(600)
    start, height = np.array([0, 3]), np.array([200])
    group = split(x, slot, lot, start, height)
    shuffled = rng.permutation(600)
    again = split(x[shuffled], slot[shuffled], lot[shuffled], start, height)
    assert (group[shuffled] == again).all()


def test_exchanging_two_values_throughout_leaves_the_groups() -> None:
    rng = np.random.default_rng(7)
    x, lot = rng.random((300, 2)), rng.permutation(300)
    slot = np.repeat(np.arange(3), 100)
    start, height = np.array([0, 3]), np.array([100])
    exchanged = np.array([1, 0, 2])[slot]
    group = split(x, slot, lot, start, height)
    assert (group == split(x, exchanged, lot, start, height)).all()


def test_a_cut_between_two_kinds_of_equal_tuples_separates_them() -> None:
    x = np.array([[0.0, 0.0], [0.0, 1.0]] * 4)
    slot = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    lot = np.array([0, 1, 2, 3, 7, 6, 5, 4])
    group = split(x, slot, lot, np.array([0, 2]), np.array([4]))
    low, high = boxes(x, group, 4)
    assert (low == high).all()


def test_a_bucket_may_have_no_quasi_columns_and_a_table_no_tuples() -> None:
    group = split(np.zeros((4, 0)), np.array([0, 0, 1, 1]), np.arange(4), np.array([0, 2]),
                  np.array([2]))  # fmt: skip
    assert sorted(group.tolist()) == [0, 0, 1, 1]
    none = np.zeros(0, dtype=np.int64)
    assert len(split(np.zeros((0, 2)), none, none, np.array([0]), none)) == 0
    assert boxes(np.zeros((0, 2)), none, 0)[0].shape == (0, 2)


def test_normalising_uses_the_declared_domain() -> None:
    quasi = np.array([[20.0, 7.0], [60.0, 7.0]])
    found = normalise(quasi, np.array([0.0, 7.0]), np.array([80.0, 7.0]))
    assert found.tolist() == [[0.25, 0.0], [0.75, 0.0]]
