"""Assignment: the closed form is what a search finds, and nobody is left over."""

from __future__ import annotations

from heapq import heappop
from itertools import count

import numpy as np
import pytest

from anachron.methods.invariance import assign as module
from anachron.methods.invariance.assign import assign, eligible, held_back, level
from tests.oracle import invariance as oracle
from tests.oracle.invariance_cases import counts


def check(n: list[int], m: int, lots: np.ndarray) -> int:
    """Compare every iteration with a search, and see that Lemma 5 holds; count iterations."""
    left = list(n)
    steps = assign(np.array(n), m, lots)
    for step in steps:
        assert (step.alpha, len(step.signature)) == oracle.alpha_beta(left, m)
        threshold = sorted(left, reverse=True)[len(step.signature) - 1]
        chosen = [left[v] for v in step.signature]
        assert min(chosen) >= threshold
        for v in step.signature:
            left[v] -= step.alpha
        assert oracle.is_eligible(left, m)
    assert not any(left)
    return len(steps)


def test_the_closed_form_is_what_a_search_finds() -> None:
    rng = np.random.default_rng(1)
    for _ in range(3_000):
        m = int(rng.integers(2, 6))
        n = counts(rng, m)
        check(n, m, rng.permutation(len(n)))


def test_the_steps_are_those_of_a_list_sorted_anew_at_every_step() -> None:
    rng = np.random.default_rng(3)
    for _ in range(3_000):
        m = int(rng.integers(2, 6))
        n = counts(rng, m)
        lots = rng.permutation(len(n))
        steps = [(step.alpha, step.signature) for step in assign(np.array(n), m, lots)]
        assert steps == oracle.assigned(n, m, lots.tolist())


def test_of_a_hundred_thousand_values_a_step_looks_at_those_that_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sorting all of them anew at every step took a minute."""
    looks = count()
    monkeypatch.setattr(module, "heappop", lambda heap: next(looks) < 0 or heappop(heap))
    values = 100_000
    n = np.random.default_rng(4).integers(1, 4, values)
    steps = assign(n, 10, np.arange(values))
    moved = np.zeros(values, dtype=np.int64)
    for step in steps:
        moved[list(step.signature)] += step.alpha
    assert (moved == n).all()
    assert next(looks) == sum(len(step.signature) for step in steps)


def test_equally_frequent_values_are_drawn() -> None:
    seen = {
        assign(np.array([1, 1, 1]), 3, np.array(lots))[0].signature
        for lots in ([0, 1, 2], [2, 1, 0])
    }
    assert seen == {(0, 1, 2)}
    first = assign(np.array([2, 2, 2, 2]), 2, np.array([3, 1, 0, 2]))[0]
    assert first.signature == (1, 2)


def test_nothing_to_assign_takes_no_step() -> None:
    assert assign(np.zeros(3, dtype=np.int64), 2, np.arange(3)) == ()


def test_what_is_not_eligible_cannot_be_assigned() -> None:
    with pytest.raises(ValueError, match="m-eligible"):
        assign(np.array([2, 1]), 2, np.arange(2))


def test_the_fewest_are_held_back() -> None:
    rng = np.random.default_rng(2)
    for _ in range(250):
        m = int(rng.integers(2, 4))
        new = rng.integers(0, 4, 4)
        lacking = rng.integers(0, 3, 4) * rng.integers(0, 2)
        held = held_back(new, m, lacking)
        assert (held <= new).all()
        assert held.sum() == oracle.fewest_held(lacking.tolist(), new.tolist(), m)
        left = (new - held).tolist()
        assert oracle.fewest_counterfeits(lacking.tolist(), left, m) is not None


def test_too_few_different_values_hold_everyone_back() -> None:
    assert held_back(np.array([4, 4]), 3).tolist() == [4, 4]
    assert level(np.array([4, 4]), 3) == 0
    assert eligible(np.array([], dtype=np.int64), 3)
