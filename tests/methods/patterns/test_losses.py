from __future__ import annotations

import numpy as np
import pytest

from anachron.kernels.envelopes import envelopes
from anachron.kernels.sax import normalised
from anachron.methods.patterns.finest import agreeing, choose_levels
from anachron.methods.patterns.losses import (
    pattern_losses,
    reconstructed,
    value_loss,
    value_losses,
)
from tests.oracle import patterns as oracle
from tests.oracle.patterns_cases import TABLE_1, case


def test_envelopes_of_table_2() -> None:
    low, high = envelopes(TABLE_1, np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    assert low.tolist() == [[98, 120, 125, 132, 125, 112], [32, 54, 47, 38, 20, 20]]
    assert high.tolist() == [[176, 181, 188, 197, 213, 221], [117, 107, 87, 74, 96, 101]]


def test_value_loss_is_the_root_of_the_mean_squared_width() -> None:
    low, high = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[3.0, 4.0], [1.0, 1.0]])
    assert value_losses(low, high).tolist() == [pytest.approx((25 / 2) ** 0.5), 0.0]
    assert value_loss(low, high, np.array([2, 5])) == pytest.approx(2 * (25 / 2) ** 0.5)


def test_letters_stand_for_the_middle_of_their_probability() -> None:
    for level in range(1, 9):
        expected = [oracle.centre(level, chr(ord("a") + j)) for j in range(level)]
        np.testing.assert_allclose(reconstructed(level), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_pattern_loss_is_that_of_all_pairwise_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    series = case(rng, most=15, longest=40).series
    level = rng.integers(1, 12, len(series))
    expected = [oracle.pattern_loss(r, a) for r, a in zip(series.tolist(), level, strict=True)]
    np.testing.assert_allclose(pattern_losses(normalised(series), level), expected, atol=1e-8)


def test_pattern_loss_of_zero_vectors() -> None:
    z = normalised(np.array([[1.0, 2.0, 4.0], [5.0, 5.0, 5.0]]))
    assert pattern_losses(z, np.array([1, 1])).tolist() == [1.0, 0.0]
    assert pattern_losses(z, np.array([4, 4]))[1] == 0.0


@pytest.mark.parametrize("seed", range(30))
def test_objective_loss_takes_the_best_level_at_which_all_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    series = case(rng, most=30, longest=12).series
    part = rng.integers(0, max(1, len(series) // 3), len(series))
    part = np.unique(part, return_inverse=True)[1]
    z = normalised(series)
    chosen = choose_levels(z, part, 10, "loss")
    for p in range(len(chosen)):
        members = np.flatnonzero(part == p).tolist()
        assert chosen[p] == oracle.level_of(series.tolist(), members, 10, "loss")
        assert agreeing(z, part, 10)[p, chosen[p] - 1]


def test_a_higher_level_may_lose_more() -> None:
    rng = np.random.default_rng(1)
    z = normalised(rng.normal(size=(200, 12)).cumsum(axis=1))
    part = np.arange(200)
    highest = choose_levels(z, part, 10, "level")
    best = choose_levels(z, part, 10, "loss")
    assert (best < highest).any()
    assert (pattern_losses(z, best) <= pattern_losses(z, highest) + 1e-12).all()
