"""Parts are those of Xu's cuts, never too small, and the same whoever comes first."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.kernels import topdown
from anachron.kernels.topdown import split
from tests.oracle.formation import parts_of


def members(part: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(part == p).tolist() for p in range(part.max() + 1)]


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 90),
    times=st.integers(1, 6),
    spread=st.sampled_from([0, 1, 5, 1000]),
    least=st.integers(1, 12),
)
@settings(max_examples=100, deadline=None)
def test_parts_are_those_of_the_plain_cuts(
    seed: int, n: int, times: int, spread: int, least: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-spread, spread + 1, (n, times))
    found = split(rows.astype(float), least, np.arange(n))
    assert members(found) == parts_of(rows.tolist(), least)


@pytest.mark.parametrize("least", [1, 5, 10])
def test_every_part_has_enough_and_fewer_than_twice_as_many(least: int) -> None:
    rng = np.random.default_rng(least)
    for series in (
        rng.random((500, 4)),
        np.zeros((500, 4)),
        np.exp(20 * rng.normal(size=(500, 3))),
        2.0 ** np.arange(500)[:, None],
        np.repeat(rng.random((7, 2)), 60, axis=0),
    ):
        sizes = np.bincount(split(series, least, rng.permutation(len(series))))
        assert sizes.min() >= least
        assert sizes.max() < 2 * least


def test_parts_are_split_within_the_parts_at_the_start() -> None:
    rng = np.random.default_rng(6)
    series, place = rng.random((400, 3)), rng.permutation(400)
    start = rng.choice([-1, 0, 3, 7], 400, p=[0.1, 0.5, 0.38, 0.02])
    part = split(series, 9, place, start)
    assert ((part == -1) == (start == -1)).all()
    assert len(np.unique(part[start == 7])) == 1
    met: list[int] = []
    for s in (0, 3, 7):
        here = start == s
        alone = split(series[here], 9, place[here])
        assert (part[here] - part[here].min() == alone).all()
        met += np.unique(part[here]).tolist()
    assert met == list(range(len(met)))


def test_the_order_of_the_input_does_not_matter() -> None:
    rng = np.random.default_rng(7)
    series, place = rng.integers(0, 4, (600, 3)).astype(float), rng.permutation(600)
    shuffled = rng.permutation(600)
    part = split(series, 4, place)
    assert (part[shuffled] == split(series[shuffled], 4, place[shuffled])).all()


def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    series, place = rng.normal(size=(3000, 4)), rng.permutation(3000)
    start = rng.integers(0, 3, 3000)
    parts = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(topdown, "ALONE", 0)
        monkeypatch.setattr(os, "cpu_count", lambda count=threads: count)
        parts.append(split(series, 5, place, start))
        parts.append(split(series, 5, place))
    assert (parts[0] == parts[2]).all()
    assert (parts[0] == parts[4]).all()
    assert (parts[1] == parts[3]).all()
    assert (parts[1] == parts[5]).all()


@pytest.mark.parametrize("at_once", [1, 40, 1000])
def test_how_much_is_copied_at_once_does_not_matter(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(at_once)
    series, start = rng.normal(size=(400, 5)) * 1e9, rng.integers(-2, 60, 400)
    place = rng.permutation(400)
    together = split(series, 3, place, start)
    monkeypatch.setattr(topdown, "AT_ONCE", at_once)
    assert np.array_equal(split(series, 3, place, start), together)


def test_huge_values_are_split_like_small_ones() -> None:
    rng = np.random.default_rng(9)
    series, place = rng.normal(size=(200, 3)), rng.permutation(200)
    assert (split(series, 5, place) == split(series * 2.0**900, 5, place)).all()


def test_nothing_and_nonsense() -> None:
    assert split(np.zeros((0, 3)), 2, np.zeros(0, dtype=np.int64)).tolist() == []
    with pytest.raises(ValueError, match="at least one"):
        split(np.zeros((3, 3)), 0, np.arange(3))
