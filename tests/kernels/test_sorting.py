"""Sorting by packed words gives what plain sorting gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anachron.kernels.sorting import by_lots, numbered, order

NUMBERS = st.lists(st.integers(0, 2**62) | st.integers(0, 5), max_size=40)


@given(NUMBERS)
def test_the_order_is_that_of_a_stable_sort(given: list[int]) -> None:
    key = np.array(given, dtype=np.int64)
    assert order(key).tolist() == np.argsort(key, kind="stable").tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**64 - 1)), max_size=40))
def test_rows_of_a_cell_stand_by_their_lots(given: list[tuple[int, int]]) -> None:
    given = list({lot: (cell, lot) for cell, lot in given}.values())
    cell = np.array([cell for cell, _ in given], dtype=np.int64)
    lot = np.array([lot for _, lot in given], dtype=np.uint64)
    expected = sorted(range(len(given)), key=lambda row: given[row])
    assert by_lots(cell, lot).tolist() == expected


@pytest.mark.parametrize("far", [0, 2**40, 2**61])
def test_lots_that_differ_in_their_last_bits_only_are_told_apart(far: int) -> None:
    rng = np.random.default_rng(1)
    cell = rng.integers(0, 3, 500) + far
    lot = (np.uint64(2**63) + rng.permutation(500).astype(np.uint64)).astype(np.uint64)
    assert by_lots(cell, lot).tolist() == np.lexsort((lot, cell)).tolist()


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(-3, 3), max_size=40))
def test_numbers_are_numbered(given: list[int]) -> None:
    key = np.array(given, dtype=np.int64)
    different, place = numbered(key)
    assert different.tolist() == sorted(set(given))
    assert different[place].tolist() == given
