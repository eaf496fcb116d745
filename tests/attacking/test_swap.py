"""An adversary who knows the algorithm, and exchanges two values."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from anachron.attacking.exchange import exchanges
from anachron.attacking.register import Registered, Seen, Slots
from anachron.attacking.rerun import reachable, rerun_of
from anachron.attacking.swap import attack, ruled_out
from anachron.auditing.evidence.register import Book
from anachron.errors import GuaranteeError
from anachron.methods.invariance.assign import assign
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.memory import Memory
from anachron.methods.invariance.rule import Rule
from tests.attacking.registers import crowd, released, table
from tests.oracle.invariance_worlds import Adversary, pseudonyms, published
from tests.oracle.snapshots import Snapshot, plan

BOB = [
    table({"Bob": "a", "Alice": "b"}),
    table({"Bob": "a", "N1": "a", "N2": "c", "N3": "d"}),
]
"""The counterfeit beside Bob tells that he has a: the new a would have filled the place."""


@pytest.mark.parametrize("balance", ["exact", "paper"])
def test_bob_is_given_away(tmp_path, balance: str) -> None:
    found = attack(released(tmp_path, BOB, m=2, balance=balance))
    assert (found.exposed, found.people) == (1, 1)
    assert found.figures["certain"] == 1
    assert found.figures["releases_run_again"] == 2
    assert found.holds is None
    assert "algorithm" in found.promised


@pytest.mark.parametrize("mode", ["transparent", "sticky"])
def test_not_where_no_decision_depends_on_values(tmp_path, mode: str) -> None:
    found = attack(released(tmp_path, BOB, m=2, mode=mode))
    assert (found.exposed, found.holds) == (0, True)
    assert "no decision depends on which value is missing" in found.measured


def test_a_place_that_is_filled_either_way_tells_nothing(tmp_path) -> None:
    """Whichever value Bob has, the other one is there among the new people, and is used."""
    later = table({"Bob": "a", "N1": "b", "N2": "a", "N3": "c", "N4": "d", "N5": "b"})
    found = attack(released(tmp_path, [BOB[0], later], m=2))
    assert (found.exposed, found.people) == (0, 1)
    assert found.measured == "at least 2 values left for everyone"


def test_new_people_who_fill_a_gap_break_the_transparent_mode(tmp_path) -> None:
    """The same release as before, said to be of a mode in which it cannot have come about."""
    known = released(tmp_path, [BOB[0], table({"Bob": "a", "N1": "b", "N2": "c", "N3": "d"})], m=2)
    assert attack(known).holds is None
    known.release.description["anachron"]["guarantee"]["mode"] = "transparent"
    found = attack(known)
    assert found.holds is False
    assert found.exposed >= 1


def test_some_sets_of_many(tmp_path) -> None:
    tables = crowd(2, 90, 8, 3)
    known = released(tmp_path, tables, m=2)
    everyone = attack(known)
    assert everyone.sampled is None
    assert everyone.people > 30
    few = attack(replace(known, limit=1))
    assert 0 < few.people < everyone.people
    assert few.sampled.startswith("1 of ")
    assert few.sampled.endswith("sets of values")


def played(snapshots: list[list[int]], values: tuple[int, ...], rule: Rule, key: bytes):
    """Publish a small history: what it showed to the owner, and what everyone can see."""
    memory, met, book, seen, shown = Memory(), set(), Book(), [], []
    for number, people in enumerate(snapshots, 1):
        own = np.array([values[p] for p in people])
        quasi = np.array([[float(p)] for p in people])
        snapshot = Snapshot(pseudonyms(people), own, quasi, np.zeros(len(people), dtype=bool))
        made = plan(snapshot, memory, rule, KeyedLots(key, number))
        signature = [book.signature(made.memory.signatures[s]) for s in made.signature.tolist()]
        new = np.array([p not in met for p in people])
        every = np.ones(len(people), dtype=bool)
        seen.append(Seen(np.array(people), own, np.array(signature), made.group, new, every))
        shown.append(published(made))
        met |= set(people)
        memory = made.memory
    return Registered(pa.array(range(len(values))), book, tuple(seen)), tuple(shown)


def possible_by_exchange(history: Registered, rule: Rule) -> dict[int, set[int]]:
    slots = Slots.of(history.book.signatures)
    greedy = rule.balance == "paper"
    again = [rerun_of(one, slots, rule.m, rule.domain, greedy) for one in history.seen]
    assert all(one.possible() for one in again), "what was published can be published"
    found, person = exchanges(history.seen, slots)
    out = ruled_out(found, again, slots)
    possible = defaultdict(set)
    for own, other, who, ruled in zip(found.own, found.other, found.who, out, strict=True):
        possible[int(person[who])] |= {int(slots.value[own])}
        if not ruled:
            possible[int(person[who])] |= {int(slots.value[other])}
    return possible


@pytest.mark.parametrize("balance", ["exact", "paper"])
@pytest.mark.parametrize("snapshots", [[[0, 1], [0, 2, 3]], [[0, 1], [0, 2, 3, 4]]], ids=str)
def test_what_counts_as_possible_is_possible_in_some_world(snapshots, balance: str) -> None:
    """Against an enumeration of all worlds and all draws, for every history that can be."""
    rule = Rule(2, 3, balance=balance)
    adversary = Adversary(snapshots, rule)
    outputs = adversary.outputs(adversary.constant_worlds())
    told = 0
    for values in product(range(3), repeat=len(adversary.people)):
        try:
            history, shown = played(snapshots, values, rule, b"key")
        except GuaranteeError:
            continue
        true = defaultdict(set)
        for world in outputs[shown]:
            for person, value in zip(adversary.people, world[0], strict=True):
                true[person].add(value)
        for person, values_left in possible_by_exchange(history, rule).items():
            told += 1
            assert values_left <= true[person]
    assert told > 20


def test_the_first_bucket_is_filled_first() -> None:
    """One new x for two buckets that lack it: the algorithm gives it to the first."""
    slots = Slots.of([frozenset({0, 2}), frozenset({1, 2})])

    def release(signature_of_new: int) -> bool:
        seen = Seen(
            person=np.array([0, 1, 2]),
            value=np.array([0, 1, 2]),
            signature=np.array([0, 1, signature_of_new]),
            group=np.array([0, 1, signature_of_new]),
            new=np.array([False, False, True]),
            formed=np.ones(3, dtype=bool),
        )
        return rerun_of(seen, slots, 2, 3, greedy=False).possible()

    assert release(0)
    assert not release(1)


def test_steps_that_can_be_and_those_that_cannot() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        counts = rng.integers(0, 4, 5)
        if 2 * counts.max() > counts.sum() or not counts.any():
            continue
        target: dict[tuple[int, ...], int] = defaultdict(int)
        for step in assign(counts, 2, rng.permutation(5)):
            target[step.signature] += step.alpha
        assert reachable(counts, dict(target), 2)
        assert not reachable(counts, {**target, (0, 1): target[0, 1] + 1}, 2)
    assert not reachable(np.array([3, 1]), {}, 2)
