"""A changed value: signatures of one person are equal, or have nothing in common."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from anachron.methods.invariance.buckets import NEW, Buckets
from anachron.methods.invariance.changes import decide, fits, new_signature
from anachron.methods.invariance.divide import Division
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.settle import Changed, settle_by_lot, settle_where_lacking
from tests.oracle import invariance as oracle
from tests.oracle.invariance_worlds import Script


def test_a_value_in_the_signature_keeps_it() -> None:
    assert decide(1, [(0, 1, 2)], 3, range(9)).fate == "keep"


def test_a_value_in_an_earlier_signature_returns_to_it() -> None:
    decision = decide(0, [(0, 1), (2, 3)], 2, range(9))
    assert (decision.fate, decision.signature) == ("return", (0, 1))


def test_another_value_needs_a_signature_of_values_never_used() -> None:
    decision = decide(4, [(0, 1), (2, 3)], 2, range(7))
    assert (decision.fate, decision.taken) == ("new", {0, 1, 2, 3})


def test_when_too_few_values_are_left_the_person_is_refused() -> None:
    assert decide(4, [(0, 1), (2, 3)], 2, range(5)).fate == "refuse"


def test_impossible_changes_rule_out_returns_and_new_signatures() -> None:
    stuck = {0: {0}, 1: {1}, 2: {2}, 3: {3}}
    assert decide(0, [(0, 1), (2, 3)], 2, range(4), stuck).fate == "refuse"
    assert decide(2, [(0, 1)], 2, range(4), stuck).fate == "refuse"
    assert decide(1, [(0, 1)], 2, range(4), stuck).fate == "keep"
    apart = {0: {2}, 1: {3}}
    assert decide(2, [(0, 1)], 2, range(4), apart).fate == "new"
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
        settle_by_lot([person], 3, range(9), Script({}, order), None)[0]
        for order in permutations(range(5))
    )
    assert seen == {(2, *others): 12 for others in combinations((3, 4, 5, 7, 8), 2)}


def test_what_is_left_over_is_in_the_last_signature() -> None:
    person = Changed(b"p" * 32, 2, (0, 1, 6), {0, 1, 6})
    assert settle_by_lot([person], 3, range(7), KeyedLots(b"key", 1), None) == [(2, 3, 4, 5)]


def test_every_person_draws_alone() -> None:
    lots = KeyedLots(b"key", 4)
    people = [Changed(bytes([i]) * 32, 0, (7, 8, 9), {7, 8, 9}) for i in range(40)]
    drawn = settle_by_lot(people, 3, range(10), lots, None)
    assert drawn == settle_by_lot(people, 3, range(10), lots, None)
    assert len(set(drawn)) > 10
    assert all(s is not None and 0 in s and len(s) in (3, 4) and max(s) < 7 for s in drawn)


def test_who_has_the_last_signature_is_a_matter_of_chance() -> None:
    """Seven values are dealt into three and four; given the signature, all of it is as likely."""
    lots = KeyedLots(b"key", 5)
    seen: Counter[tuple[int, ...]] = Counter()
    for value in range(7):
        people = [Changed(i.to_bytes(32, "big"), value, (7, 8, 9), {7, 8, 9}) for i in range(1400)]
        for signature in settle_by_lot(people, 3, range(10), lots, None):
            assert signature is not None
            assert value in signature
            seen[len(signature), value, signature == tuple(range(4))] += 1
    sizes = [sum(n for key, n in seen.items() if key[:2] == (3, v)) for v in range(7)]
    assert all(abs(n - 600) < 90 for n in sizes)  # 3 in 7
    last = [seen[4, v, True] for v in range(4)]
    assert all(abs(n - 1400 * 4 / 7 / 20) < 30 for n in last)  # one of 20 sets with theirs


def test_values_are_dealt_without_a_look_at_whose_it_is() -> None:
    """What can become what decides which sets there are, not who gets which of them."""
    turning = {a: {(a + 1) % 6, (a + 2) % 6, (a + 3) % 6} for a in range(6)}
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for order in permutations(range(4)):
        for value in (2, 3, 4):
            person = Changed(b"p" * 32, value, (0, 1), {0, 1})
            [signature] = settle_by_lot([person], 2, range(6), Script({}, order), turning)
            assert signature is not None
            counts[value, signature] += 1
    for value, signature in counts:
        assert {counts[v, signature] for v in signature if v in (2, 3, 4)} == {
            counts[value, signature]
        }


def test_a_value_that_no_signature_can_have_is_refused() -> None:
    assert decide(5, [(0, 1)], 2, (0, 1, 2, 3)).why == "unheard"
    assert decide(3, [(0, 1)], 2, (0, 1, 3)).why == "few"
    assert decide(3, [(0, 1)], 2, (0, 1, 2, 3)).fate == "new"


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
    assert settle_by_lot([person], 2, range(4), KeyedLots(b"k", 1), stuck) == [None]
    found = division((), [], [0] * 4)
    assert settle_where_lacking([person], 2, found, np.arange(4), stuck) == [None]


@pytest.mark.parametrize("m", [2, 3])
def test_without_a_graph_only_sizes_count(m: int) -> None:
    assert fits((0, 1), (2, 3), m) == (m == 2)
