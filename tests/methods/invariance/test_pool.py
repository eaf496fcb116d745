"""Pooling: new people join others in full sets, by counts alone, and nothing is learned from it."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anachron.methods.invariance import place
from anachron.methods.invariance.buckets import Buckets, in_order
from anachron.methods.invariance.pool import pool
from anachron.methods.invariance.remember import from_state
from anachron.methods.invariance.rule import Rule
from anachron.streamed import Streamed
from tests.oracle import invariance as oracle
from tests.oracle.invariance_histories import History, run
from tests.oracle.invariance_worlds import published
from tests.oracle.pooled_worlds import POOLED, histories, judged
from tests.oracle.snapshots import Held, Plan

SHORT = (((0, 1), (0, 2, 3, 4, 5)), Rule(2, 4, **POOLED), ("ab", "abcd"))
"""Two come, one leaves, and four come."""


@st.composite
def states(draw: st.DrawFn) -> tuple[Buckets, list[int], list[int], int]:
    """Signatures, the people of each, new tuples of each value that are m-eligible, and m."""
    m = draw(st.integers(2, 4))
    domain = draw(st.integers(m, 8))
    sets = st.sets(st.integers(0, domain - 1), min_size=m, max_size=min(domain, 2 * m - 1))
    signatures = in_order(tuple(sorted(s)) for s in draw(st.lists(sets, max_size=6)))
    people = draw(st.lists(st.integers(1, 5), min_size=len(signatures), max_size=len(signatures)))
    new = draw(st.lists(st.integers(0, 9), min_size=domain, max_size=domain))
    while not oracle.is_eligible(new, m):
        new[int(np.argmax(new))] -= 1
    return Buckets(signatures), people, new, m


@given(states())
def test_turns_are_those_of_one_set_after_the_other(state) -> None:
    buckets, people, new, m = state
    found = pool(buckets, np.array(people, dtype=np.int64), np.array(new), m)
    assert found.tolist() == oracle.joining(list(buckets.signatures), people, new, m)


@given(states())
def test_nobody_else_can_join_and_the_rest_can_be_assigned(state) -> None:
    buckets, people, new, m = state
    left = np.array(new)
    alpha = pool(buckets, np.array(people, dtype=np.int64), left, m)
    for signature, moved in zip(buckets.signatures, alpha.tolist(), strict=True):
        left[list(signature)] -= moved
    assert (left >= 0).all()
    assert oracle.is_eligible(left.tolist(), m)
    for signature in buckets.signatures:
        more = left.copy()
        more[list(signature)] -= 1
        assert (more < 0).any() or not oracle.is_eligible(more.tolist(), m)


def test_the_largest_comes_first_and_then_the_first_in_order() -> None:
    buckets, new = Buckets(((0, 1), (1, 2))), np.array([1, 1, 1, 1])
    assert pool(buckets, np.array([2, 3]), new, 2).tolist() == [0, 1]
    assert pool(buckets, np.array([3, 3]), new, 2).tolist() == [1, 0]


def test_who_is_too_many_is_refused() -> None:
    with pytest.raises(ValueError, match="m-eligible"):
        pool(Buckets(((0, 1),)), np.array([2]), np.array([3, 1]), 2)


@pytest.mark.parametrize("mode", ["paper", "sticky"])
def test_other_modes_have_no_pooling(mode: str) -> None:
    with pytest.raises(ValueError, match="transparent"):
        Rule(2, 3, mode=mode, balance="pooled")


def test_the_longer_a_history_the_more_it_saves() -> None:
    def counterfeits(balance: str, releases: int) -> int:
        rule = Rule(3, 12, mode="transparent", balance=balance, when_ineligible="hold")
        return run(3, rule, releases, people=300).counterfeits

    exact, pooled = ([counterfeits(b, n) for n in (4, 12)] for b in ("exact", "pooled"))
    assert pooled[0] < exact[0]
    assert pooled[1] / exact[1] < pooled[0] / exact[0]


class Reloaded(History):
    """Remembers nothing but what a ledger would give back."""

    def publish(self) -> Plan:
        made = super().publish()
        sink = pa.BufferOutputStream()
        pq.write_table(made.memory.people.table(), sink)
        memory, _ = from_state(Streamed.of(pq.read_table(pa.BufferReader(sink.getvalue()))))
        self.memory = Held(memory.signatures, memory.people, memory.standing)
        return made


def test_what_is_read_back_goes_on_as_what_was_never_left() -> None:
    rule = Rule(2, 6, mode="transparent", balance="pooled", when_ineligible="hold")
    kept, read = History(5, rule, people=80), Reloaded(5, rule, people=80)
    for _ in range(6):
        here, there = kept.publish(), read.publish()
        assert published(here) == published(there)
        assert here.group.tolist() == there.group.tolist()
        kept.move()
        read.move()
    assert kept.counterfeits == read.counterfeits > 0


def test_nothing_is_learned_from_it() -> None:
    """The campaign has more than three hundred histories."""
    for told in (SHORT, (((0, 1), (0, 2, 3), (1, 3)), Rule(2, 3, **POOLED))):
        found = judged(*told)
        assert found.worst == Fraction(1, 2)
        assert found.joined > 0


@pytest.mark.campaign
def test_nothing_is_learned_from_three_hundred_histories() -> None:
    found = [(judged(*one), one[1].m) for one in islice(histories(1), 300)]
    assert all(one.worst <= Fraction(1, m) for one, m in found)
    assert sum(one.worst == Fraction(1, m) for one, m in found) > 200
    assert sum(one.joined > 0 for one, _ in found) > 200


def test_a_rule_that_looks_at_what_a_bucket_lacks_is_caught(monkeypatch) -> None:
    """Nobody joins a set that lacks its first value. Whoever stays of {a, b} is joined by an a and
    a b if he has a; if he has b, new people with a and c may stand together, and it is known."""
    real = place._joining

    def where_nothing_is_lacking(division, new, rule):
        buckets = division.buckets
        lacks = buckets.shortages(division.counts)[buckets.start[:-1]] > 0
        return np.where(lacks[buckets.bucket], 0, real(division, new, rule))

    monkeypatch.setattr(place, "_joining", where_nothing_is_lacking)
    assert judged(*SHORT).worst == 1
