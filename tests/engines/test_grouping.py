"""Combinations of keys are told apart, however far apart their numbers are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anachron.engines.base import ABSENT
from anachron.engines.local.grouping import grouped, looked_up

FAR = [-(2**63), -(2**62) - 1, -1, 0, 1, 2**31, 2**62, 2**63 - 1]
rows = st.lists(
    st.tuples(st.sampled_from(FAR), st.sampled_from(FAR), st.integers(0, 3)), min_size=1
)


def columns(some: list[tuple[int, int, int]]) -> list[np.ndarray]:
    return [np.array(column, dtype=np.int64) for column in zip(*some, strict=True)]


@given(rows)
def test_keys_are_numbered_in_their_order(some) -> None:
    found = grouped(columns(some), len(some))
    different = sorted(set(some))
    assert [*zip(*(key.tolist() for key in found.keys), strict=True)] == different
    assert [different[number] for number in found.number] == some
    assert found.sizes.tolist() == [some.count(one) for one in different]


@given(rows, rows)
def test_keys_are_found_among_others(wanted, known) -> None:
    known = [*dict.fromkeys(known)]
    places = {one: place for place, one in enumerate(known)}
    found = looked_up(columns(wanted), columns(known))
    assert found.tolist() == [places.get(one, ABSENT) for one in wanted]


@pytest.mark.parametrize("far", [2**40, 2**62])
def test_two_keys_that_do_not_fit_into_one_number(far: int) -> None:
    keys = [np.array([0, far, 0, far]), np.array([far, 0, far, 1])]
    assert len(grouped(keys, 4).sizes) == 3
