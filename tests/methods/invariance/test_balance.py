"""Balancing: exact is the best there is, paper is the paper's, transparent moves nobody."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.methods.invariance import balance
from anachron.methods.invariance.buckets import Buckets
from tests.oracle import invariance as oracle
from tests.oracle.invariance_cases import state

State = tuple[list[tuple[tuple[int, ...], list[int]]], list[int]]


def as_arrays(found: State) -> tuple[Buckets, np.ndarray, np.ndarray]:
    buckets = Buckets(tuple(signature for signature, _ in found[0]))
    held = np.array([n for _, counts in found[0] for n in counts], dtype=np.int64)
    return buckets, buckets.shortages(held), np.array(found[1])


def check_exact(found: State, m: int) -> tuple[int, int] | None:
    """Compare with a search; give the counterfeits of both rules where both apply."""
    buckets, shortage, new = as_arrays(found)
    lacking = [int(shortage[buckets.value == v].sum()) for v in range(len(new))]
    fewest = oracle.fewest_counterfeits(lacking, new.tolist(), m)
    if fewest is None:
        with pytest.raises(ValueError, match="m-eligible"):
            balance.exact(shortage, buckets.value, new, m)
        return None
    filled = balance.exact(shortage, buckets.value, new, m)
    assert (filled >= 0).all()
    assert (filled <= shortage).all()
    left = new - np.bincount(buckets.value, weights=filled, minlength=len(new)).astype(int)
    assert oracle.is_eligible(left.tolist(), m)
    assert shortage.sum() - filled.sum() == fewest
    if not oracle.is_eligible(new.tolist(), m):
        return None
    greedy = balance.paper(shortage, buckets.value, new, m)
    assert greedy.sum() <= filled.sum()
    return fewest, int(shortage.sum() - greedy.sum())


def test_exact_needs_the_fewest_counterfeits() -> None:
    rng = np.random.default_rng(1)
    exact = greedy = 0
    for _ in range(600):
        m = int(rng.integers(2, 4))
        both = check_exact(state(rng, m), m)
        if both:
            exact, greedy = exact + both[0], greedy + both[1]
    assert 0 < exact < greedy


def test_paper_moves_one_tuple_at_a_time() -> None:
    rng = np.random.default_rng(2)
    for _ in range(400):
        m = int(rng.integers(2, 4))
        found = state(rng, m)
        buckets, shortage, new = as_arrays(found)
        if not oracle.is_eligible(new.tolist(), m):
            continue
        as_dicts = [(s, dict(zip(s, counts, strict=True))) for s, counts in found[0]]
        expected = oracle.greedy_fills(as_dicts, new.tolist(), m)
        filled = balance.paper(shortage, buckets.value, new, m)
        for slot, n in enumerate(filled.tolist()):
            assert n == expected[buckets.bucket[slot]].get(int(buckets.value[slot]), 0)


def test_two_tuples_that_can_only_move_together() -> None:
    """m = 2, a bucket {a, c, e} with one e, and a and c are new."""
    buckets = Buckets(((0, 1, 2),))
    shortage = buckets.shortages(np.array([0, 0, 1]))
    new = np.array([1, 1, 0])
    assert balance.exact(shortage, buckets.value, new, 2).tolist() == [1, 1, 0]
    assert balance.paper(shortage, buckets.value, new, 2).tolist() == [0, 0, 0]
    assert balance.counterfeits_only(shortage).tolist() == [0, 0, 0]


def test_balancing_can_make_new_people_eligible() -> None:
    buckets = Buckets(((0, 1),))
    shortage = buckets.shortages(np.array([0, 2]))
    assert balance.exact(shortage, buckets.value, np.array([2, 0]), 2).tolist() == [2, 0]
    with pytest.raises(ValueError, match="m-eligible"):
        balance.paper(shortage, buckets.value, np.array([2, 0]), 2)


def test_without_buckets_nothing_is_lacking() -> None:
    none = np.zeros(0, dtype=np.int64)
    for rule in (balance.exact, balance.paper):
        assert len(rule(none, none, np.array([1, 1]), 2)) == 0
