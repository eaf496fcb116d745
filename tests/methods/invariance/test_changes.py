"""A changed value: signatures of one person are equal, or have nothing in common."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from anachron.methods.invariance.buckets import NEW, Buckets
from anachron.methods.invariance.changes import decide, fits, new_signature
from anachron.methods.invariance.choose import KeyedLots
from anachron.methods.invariance.divide import Division
from anachron.methods.invariance.settle import Changed, settle_by_lot, settle_where_lacking
from tests.oracle import invariance as oracle
from tests.oracle.invariance_worlds import Script


def test_a_value_in_the_signature_keeps_it() -> None:
    assert decide(1, [(0, 1, 2)], 3, 9).fate == "keep"


def test_a_value_in_an_earlier_signature_returns_to_it() -> None:
    decision = decide(0, [(0, 1), (2, 3)], 2, 9)
    assert (decision.fate, decision.signature) == ("return", (0, 1))


def test_another_value_needs_a_signature_of_values_never_used() -> None:
    decision = decide(4, [(0, 1), (2, 3)], 2, 7)
    assert (decision.fate, decision.taken) == ("new", {0, 1, 2, 3})


def test_when_too_few_values_are_left_the_person_is_refused() -> None:
    assert decide(4, [(0, 1), (2, 3)], 2, 5).fate == "refuse"


def test_impossible_changes_rule_out_returns_and_new_signatures() -> None:
    stuck = {0: {0}, 1: {1}, 2: {2}, 3: {3}}
    assert decide(0, [(0, 1), (2, 3)], 2, 4, stuck).fate == "refuse"
    assert decide(2, [(0, 1)], 2, 4, stuck).fate == "refuse"
    assert decide(1, [(0, 1)], 2, 4, stuck).fate == "keep"
    apart = {0: {2}, 1: {3}}
    assert decide(2, [(0, 1)], 2, 4, apart).fate == "new"
    assert new_signature(2, (2, 3), (0, 1), 2, apart) == (2, 3)


def test_fitting_is_what_a_search_over_matchings_finds() -> None:
    rng = np.random.default_rng(1)
    answers: Counter[bool] = Counter()
    for _ in range(600):
        m = int(rng.integers(2, 4))
        old = tuple(range(int(rng.integers(m, 5))))
        new = tuple(range(10, 10 + int(rng.integers(m, 5))))
        can = {a: frozenset(b for b in new if rng.random() < 0.6) for a in old}
        answer = fits(old, new, m, can)
        assert answer == oracle.transitions_leave_m(old, new, m, can)
        answers[answer] += 1
    assert min(answers.values()) > 100


def test_drawn_signatures_are_equally_likely() -> None:
    person = Changed(b"p" * 32, 2, (0, 1, 6), {0, 1, 6})
    seen = Counter(
        settle_by_lot([person], 3, 6, Script({}, order), None)[0]
        for order in permutations(range(6))
    )
    assert seen == {(2, 3, 4): 240, (2, 3, 5): 240, (2, 4, 5): 240}


def test_every_person_draws_alone() -> None:
    lots = KeyedLots(b"key", 4)
    people = [Changed(bytes([i]) * 32, 0, (7, 8, 9), {7, 8, 9}) for i in range(40)]
    drawn = settle_by_lot(people, 3, 10, lots, None)
    assert drawn == settle_by_lot(people, 3, 10, lots, None)
    assert len(set(drawn)) > 10
    assert all(s is not None and 0 in s and len(s) == 3 and max(s) < 7 for s in drawn)


def division(
    signatures: tuple[tuple[int, ...], ...], counts: list[int], new: list[int]
) -> Division:
    return Division(Buckets(signatures), np.array([NEW]), np.array(counts), np.array(new))


def test_a_place_that_lacks_the_value_is_taken_first() -> None:
    found = division(((2, 3), (2, 4), (3, 4)), [0, 1, 0, 1, 1, 1], [0] * 6)
    people = [Changed(b"p" * 32, 2, (0, 1), {0, 1, 3}), Changed(b"q" * 32, 2, (0, 1), {0, 1})]
    settled = settle_where_lacking(people, 2, found, np.arange(6), None)
    assert settled == [(2, 4), (2, 3)]


def test_a_place_is_taken_once() -> None:
    found = division(((2, 4),), [0, 1], [0] * 6)
    people = [Changed(bytes([i]) * 32, 2, (0, 1), {0, 1}) for i in range(2)]
    settled = settle_where_lacking(people, 2, found, np.arange(6), None)
    assert settled == [(2, 4), (2, 3)]


def test_otherwise_a_place_is_opened_that_others_can_fill() -> None:
    found = division((), [], [0, 0, 0, 0, 0, 3])
    people = [
        Changed(b"p" * 32, 2, (0, 1), {0, 1}),
        Changed(b"q" * 32, 5, (0, 1), {0, 1}),
        Changed(b"r" * 32, 4, (0, 1), {0, 1, 2, 5}),
    ]
    settled = settle_where_lacking(people, 2, found, np.arange(6), None)
    assert settled == [(2, 5), (2, 5), (3, 4)]


def test_places_are_opened_as_if_all_values_were_sorted_for_each_person() -> None:
    rng = np.random.default_rng(5)
    for _ in range(500):
        domain, m = int(rng.integers(6, 12)), int(rng.integers(2, 4))
        new, lots = rng.integers(0, 4, domain), rng.permutation(domain)
        people = []
        for i in range(int(rng.integers(1, 12))):
            value, *had = rng.permutation(domain)[: m + 1].tolist()
            people.append(Changed(bytes([i]) * 32, value, tuple(sorted(had)), set(had)))
        settled = settle_where_lacking(people, m, division((), [], new.tolist()), lots, None)
        plain = [(person.value, person.taken) for person in people]
        assert settled == oracle.opened(plain, new.tolist(), m, lots.tolist())


def test_who_has_no_possible_signature_is_left_out() -> None:
    person = Changed(b"p" * 32, 2, (0, 1), {0, 1})
    stuck = {0: {2}, 1: {2}}
    assert settle_by_lot([person], 2, 4, KeyedLots(b"k", 1), stuck) == [None]
    found = division((), [], [0] * 4)
    assert settle_where_lacking([person], 2, found, np.arange(4), stuck) == [None]


@pytest.mark.parametrize("m", [2, 3])
def test_without_a_graph_only_sizes_count(m: int) -> None:
    assert fits((0, 1), (2, 3), m) == (m == 2)
