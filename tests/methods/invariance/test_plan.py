"""Plans: what is refused, held back, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.errors import GuaranteeError, LedgerError
from anachron.kernels.digests import recall
from anachron.methods.invariance.buckets import NEW
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.memory import Memory
from anachron.methods.invariance.rule import Rule
from tests.oracle.invariance_worlds import pseudonyms
from tests.oracle.snapshots import Held, Snapshot, plan

LOTS = KeyedLots(b"key", 1)


def snapshot(values: dict[int, int], changed: set[int] | None = None) -> Snapshot:
    people = list(values)
    return Snapshot(
        pseudonyms(people),
        np.array(list(values.values()), dtype=np.int64),
        np.array([[float(p)] for p in people]),
        None if changed is None else np.array([p in changed for p in people]),
    )


def first(values: dict[int, int], rule: Rule) -> Held:
    return plan(snapshot(values, set()), Memory(), rule, LOTS).memory


def test_new_people_who_are_not_eligible_are_refused_with_the_exact_figure() -> None:
    with pytest.raises(GuaranteeError, match=r"Of 7 new .* At least 3 of them, with the 1 most"):
        plan(snapshot({p: max(p - 4, 0) for p in range(7)}), Memory(), Rule(2, 9), LOTS)


def test_more_values_are_asked_for_than_there_are() -> None:
    with pytest.raises(GuaranteeError, match=r"At least 4 of them"):
        plan(snapshot({p: p % 2 for p in range(4)}), Memory(), Rule(3, 9), LOTS)


def test_the_fewest_are_held_back_and_can_come_again() -> None:
    rule = Rule(2, 9, when_ineligible="hold")
    values = {p: max(p - 4, 0) for p in range(7)}
    made = plan(snapshot(values), Memory(), rule, LOTS)
    assert made.figures.held == len(made.held) == 3
    assert all(values[row] == 0 for row in made.held)
    assert len(made.memory.subjects) == 4
    later = {int(p): 0 for p in made.held} | {p: p % 5 + 1 for p in range(10, 15)}
    again = plan(snapshot(later), made.memory, rule, KeyedLots(b"key", 2))
    assert not len(again.held)
    assert again.figures.new == 8


def test_everyone_may_be_held_back() -> None:
    made = plan(snapshot({1: 0, 2: 0}), Memory(), Rule(2, 3, when_ineligible="hold"), LOTS)
    assert made.group.tolist() == [NEW, NEW]
    assert len(made.groups.signature) == 0
    assert made.groups.low.shape == (0, 1)


def test_nobody_at_all() -> None:
    nobody = Snapshot(pseudonyms([]), np.zeros(0, dtype=np.int64), np.zeros((0, 2)))
    made = plan(nobody, Memory(), Rule(2, 3), LOTS)
    assert len(made.group) == 0
    assert made.figures.counterfeits == 0


def test_balancing_rescues_new_people_only_when_it_is_exact() -> None:
    memory = first({1: 0, 2: 1, 3: 0, 4: 1}, Rule(2, 3))
    now = snapshot({1: 0, 3: 0, 5: 1, 6: 1})
    made = plan(now, memory, Rule(2, 3), KeyedLots(b"key", 2))
    assert (made.figures.filled, made.figures.counterfeits) == (2, 0)
    for rule in (Rule(2, 3, balance="paper"), Rule(2, 3, mode="transparent")):
        with pytest.raises(GuaranteeError, match="At least 2"):
            plan(now, memory, rule, KeyedLots(b"key", 2))


def test_two_new_people_fill_a_bucket_together() -> None:
    """The smallest case in which one at a time is not enough."""
    memory = first({1: 0, 2: 1, 3: 2}, Rule(3, 3))
    now = snapshot({3: 2, 4: 0, 5: 1})
    costs = {
        balance: plan(now, memory, Rule(2, 3, balance=balance), LOTS).figures.counterfeits
        for balance in ("exact", "paper")
    }
    assert costs == {"exact": 0, "paper": 2}


def test_a_changed_value_inside_the_signature_changes_nothing() -> None:
    memory = first({1: 0, 2: 1}, Rule(2, 4))
    made = plan(snapshot({1: 1}), memory, Rule(2, 4), LOTS)
    assert made.memory.signatures[made.signature[0]] == (0, 1)
    assert made.figures.changed == 0


@pytest.mark.parametrize("mode", ["paper", "transparent"])
def test_a_changed_value_outside_gets_a_signature_without_old_values(mode: str) -> None:
    rule = Rule(2, 6, mode=mode)
    memory = first({1: 0, 2: 1}, rule)
    used = {0, 1}
    for release in range(2, 7):
        new = next((v for v in range(6) if v not in used), 2)
        value = 0 if release % 2 else new
        made = plan(snapshot({1: value}), memory, rule, KeyedLots(b"key", release))
        memory = made.memory
        signature = memory.signatures[made.signature[0]]
        assert value in signature
        assert (made.figures.changed, made.figures.counterfeits) == (1, 1)
        assert used.isdisjoint(signature) or used.issuperset(signature)
        used |= set(signature)
    assert len(used) == 6
    assert len(memory.earlier[pseudonyms([1]).tobytes()]) == 2


def test_a_value_that_changed_too_often_is_refused_or_left_out() -> None:
    rule = Rule(2, 3)
    memory = first({1: 0, 2: 1}, rule)
    with pytest.raises(GuaranteeError, match="1 known people"):
        plan(snapshot({1: 2, 2: 1}), memory, rule, LOTS)
    made = plan(snapshot({1: 2, 2: 1}), memory, Rule(2, 3, when_ineligible="hold"), LOTS)
    assert made.held.tolist() == [0]
    assert (made.figures.refused, made.figures.held) == (1, 0)
    again = plan(snapshot({1: 0}), made.memory, rule, LOTS)
    assert again.memory.signatures[again.signature[0]] == (0, 1)


def test_a_ledger_that_contradicts_the_table_is_noticed() -> None:
    memory = first({1: 0, 2: 1}, Rule(2, 4))
    with pytest.raises(LedgerError, match="contradicts"):
        plan(snapshot({1: 3}, changed=set()), memory, Rule(2, 4), LOTS)


def test_people_are_recognised_by_all_of_their_pseudonym() -> None:
    known = np.zeros((2, 32), dtype=np.uint8)
    known[1, 31] = 1
    other = np.zeros((2, 32), dtype=np.uint8)
    other[0, 31], other[1, 30] = 1, 1
    assert recall(other, known).tolist() == [1, NEW]
    assert recall(other, known[:0]).tolist() == [NEW, NEW]


@pytest.mark.parametrize(
    "wrong",
    [{"m": 1}, {"mode": "secret"}, {"balance": "best"}, {"when_ineligible": "guess"}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_rules_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Rule(**({"m": 2, "domain": 3} | wrong))  # type: ignore[arg-type]
