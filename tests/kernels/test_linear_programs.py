"""Programs in two variables: the certificates find what a general solver finds."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.kernels import linear_programs
from anachron.kernels.linear_programs import certificates, least, most
from tests.oracle import customized as oracle

NONE = np.inf
# Three letters, cut at −1 and 1, none beyond ±2.
A, B = np.array([-2.0, -1.0, 1.0]), np.array([-1.0, 1.0, 2.0])


def one(L: list[float], H: list[float], a: float, b: float) -> tuple[float, float]:
    floor, ceiling = np.array([L], dtype=float), np.array([H], dtype=float)
    return float(least(floor, ceiling, A, B, a)[0]), float(most(floor, ceiling, A, B, b)[0])


def test_order_alone_bounds_a_letter_between_two_known_ones() -> None:
    # a is at least 3, c at most 9: b is between.
    assert one([3, -NONE, -NONE], [NONE, NONE, 9], -1, 1) == (3, 9)


def test_nothing_known_is_unbounded() -> None:
    assert one([-NONE] * 3, [NONE] * 3, -1, 1) == (-np.inf, np.inf)


def test_two_exact_letters_bound_what_is_beyond() -> None:
    # a in [0, 0] and c in [12, 12]: mu − sigma ≥ 0 ≥ mu − 2·sigma, mu + sigma ≤ 12 ≤ mu + 2·sigma.
    # The corners (mu, sigma) are (6, 6), (4, 4), (8, 4), (6, 3).
    known = [0.0, -NONE, 12.0], [0.0, NONE, 12.0]
    assert one(*known, -1, 1) == (0, 12)  # the middle letter
    assert one(*known, -2, -1) == (-6, 4)  # the first: 6 − 12, and 8 − 4
    assert one(*known, 1, 2) == (8, 18)  # the last: 4 + 4, and 6 + 12


def test_spread_is_never_negative() -> None:
    # b in [5, 5] says mu − sigma ≤ 5 ≤ mu + sigma; c is above mu + sigma ≥ 5.
    assert one([-NONE, 5, -NONE], [NONE, 5, NONE], 1, 2) == (5, np.inf)


def test_a_program_with_one_point_has_no_width() -> None:
    # a ≥ 1 and c ≤ 1, both [1, 1]: sigma = 0 and mu = 1.
    known = [1.0, -NONE, 1.0], [1.0, NONE, 1.0]
    assert one(*known, -2, 2) == (1, 1)


def test_weights_are_positive_and_add_up() -> None:
    for a in (-2.0, -1.0, 0.3, 1.0, 2.0, 2.5):
        proofs = certificates(A, B, a)
        assert (proofs.weight > 0).all()
        for (i, j), (p, q) in zip(proofs.pair.tolist(), proofs.weight.tolist(), strict=True):
            sign, slope = (1, B[j]) if j < 3 else (-1, A[j - 3])
            assert p + sign * q == pytest.approx(1)
            assert p * B[i] + sign * q * slope == pytest.approx(a)


def programs(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Cuts, and programs of integers with many ties: half of them of a series that exists."""
    letters, count = int(rng.integers(1, 7)), 25
    inner = np.sort(rng.integers(-8, 9, letters - 1)) / 4
    lower, upper = np.concatenate([[-3.0], inner]), np.concatenate([inner, [3.0]])
    mu, sigma = rng.integers(-5, 6, (2, count, 1)).astype(float)
    sigma = abs(sigma)
    x = mu + sigma * rng.uniform(lower, upper, (count, letters))
    x[count // 2 :] = rng.integers(-9, 10, (count - count // 2, letters))
    floor = np.floor(x) - rng.integers(0, 4, x.shape)
    ceiling = np.ceil(x) + rng.integers(0, 4, x.shape)
    floor[rng.random(x.shape) < 0.4] = -np.inf
    ceiling[rng.random(x.shape) < 0.4] = np.inf
    return floor, ceiling, lower, upper


@pytest.mark.parametrize("seed", range(3))
def test_equals_a_general_solver(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_programs, "CELLS", 100)
    rng = np.random.default_rng(seed)
    solved = unbounded = 0
    for _ in range(12):
        floor, ceiling, lower, upper = programs(rng)
        a, b = np.sort(rng.choice([*lower, *upper, 0.3, 4.0], 2)).tolist()
        smallest, largest = (
            least(floor, ceiling, lower, upper, a),
            most(floor, ceiling, lower, upper, b),
        )
        for i in range(len(floor)):
            lines = [(-1.0, -c, -e) for c, e in zip(upper, floor[i], strict=True) if e > -np.inf]
            lines += [(1.0, c, e) for c, e in zip(lower, ceiling[i], strict=True) if e < np.inf]
            expected = oracle.extremes(lines, a, b)
            if expected is not None:
                assert (smallest[i], largest[i]) == pytest.approx(expected, abs=1e-7)
                solved += 1
                unbounded += expected[0] == -np.inf
    assert solved > 150
    assert 20 < unbounded < solved - 20


def test_no_programs_at_all() -> None:
    none = np.zeros((0, 3))
    assert least(none, none, A, B, 0.0).shape == (0,)
