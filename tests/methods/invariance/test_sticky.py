"""Sticky mode: groups stand for ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anachron.errors import GuaranteeError, LedgerError
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.memory import Memory
from anachron.methods.invariance.rule import Rule
from tests.oracle.invariance_worlds import pseudonyms
from tests.oracle.snapshots import Plan, Snapshot, plan

RULE = Rule(2, 4, mode="sticky")


def publish(
    values: dict[int, int], memory: Memory, release: int, changed: tuple[int, ...] = (),
    moved: dict[int, float] | None = None, rule: Rule = RULE,
) -> Plan:  # fmt: skip
    people = list(values)
    quasi = [[(moved or {}).get(p, float(p))] for p in people]
    snapshot = Snapshot(
        pseudonyms(people), np.array(list(values.values())), np.array(quasi),
        np.array([p in changed for p in people]),
    )  # fmt: skip
    return plan(snapshot, memory, rule, KeyedLots(b"key", release))


def companions(made: Plan, row: int) -> list[int]:
    return np.flatnonzero(made.group == made.group[row]).tolist()


def test_a_group_keeps_its_members_box_and_rows() -> None:
    first = publish({1: 0, 2: 1, 8: 2, 9: 3}, Memory(), 1)
    assert first.figures.counterfeits == 0
    second = publish({1: 0, 9: 3}, first.memory, 2)
    assert second.figures.counterfeits == 2
    for row, person in ((0, 0), (1, 3)):
        before, after = first.group[person], second.group[row]
        assert second.groups.low[after] == first.groups.low[before]
        assert second.groups.high[after] == first.groups.high[before]
        assert (
            second.memory.signatures[second.groups.signature[after]]
            == (first.memory.signatures[first.groups.signature[before]])
        )


def test_a_group_disappears_with_its_last_member_and_returns_with_one() -> None:
    first = publish({1: 0, 2: 1, 8: 2, 9: 3}, Memory(), 1)
    alone = companions(first, 0)
    partner = [1, 2, 8, 9][alone[1]]
    rest = {p: v for p, v in {2: 1, 8: 2, 9: 3}.items() if p != partner}
    second = publish(rest, first.memory, 2)
    assert len(second.groups.signature) == 1
    third = publish(rest | {1: 0}, second.memory, 3)
    assert len(third.groups.signature) == 2
    assert third.groups.standing is not None
    assert first.groups.standing is not None
    assert third.groups.standing[third.group[2]] == first.groups.standing[first.group[0]]
    assert third.figures.counterfeits == 1


def test_new_people_never_join_a_standing_group() -> None:
    first = publish({1: 0, 2: 1}, Memory(), 1)
    second = publish({1: 0, 5: 0, 6: 1}, first.memory, 2)
    assert second.group[0] not in second.group[1:]
    assert second.figures.counterfeits == 1


def test_intervals_grow_to_cover_a_member_and_never_shrink() -> None:
    first = publish({1: 0, 2: 1}, Memory(), 1)
    second = publish({1: 0, 2: 1}, first.memory, 2, moved={2: 7.0})
    assert (second.groups.low[0], second.groups.high[0]) == (1.0, 7.0)
    third = publish({1: 0, 2: 1}, second.memory, 3)
    assert (third.groups.low[0], third.groups.high[0]) == (1.0, 7.0)


def test_who_changes_inside_the_set_stays_and_nothing_is_seen() -> None:
    first = publish({1: 0, 2: 1}, Memory(), 1)
    same = publish({1: 0, 2: 1}, first.memory, 2)
    changed = publish({1: 1, 2: 1}, first.memory, 2, changed=(1,))
    for made in (same, changed):
        assert made.group.tolist() == [0, 0]
        assert made.figures.counterfeits == made.figures.changed == 0
        assert (made.groups.low[0], made.groups.high[0]) == (1.0, 2.0)


def test_whose_value_leaves_the_set_leaves_a_counterfeit_behind_and_is_placed_anew() -> None:
    first = publish({1: 0, 2: 1}, Memory(), 1)
    second = publish({1: 3, 2: 1}, first.memory, 2, changed=(1,))
    assert second.group[0] != second.group[1]
    assert second.figures.counterfeits == 2
    assert second.figures.changed == 1
    assert second.memory.signatures[second.signature[0]] == (2, 3)
    third = publish({1: 2, 2: 0}, second.memory, 3, changed=(1, 2))
    assert third.groups.standing is not None
    assert second.groups.standing is not None
    assert (third.groups.standing[third.group] == second.groups.standing[second.group]).all()


@pytest.mark.parametrize("value", [1, 3])
def test_where_no_value_ever_changes_one_that_did_is_refused(value: int) -> None:
    """Inside the set and outside alike; or the person is left out."""
    constant = replace(RULE, transitions={0: frozenset(), 1: frozenset()}, constant=True)
    first = publish({1: 0, 2: 1}, Memory(), 1)
    with pytest.raises(GuaranteeError, match=r"1 known people .* no value ever becomes another"):
        publish({1: value, 2: 1}, first.memory, 2, changed=(1,), rule=constant)
    held = replace(constant, when_ineligible="hold")
    second = publish({1: value, 2: 1}, first.memory, 2, changed=(1,), rule=held)
    assert second.held.tolist() == [0]
    assert second.figures.refused == second.figures.changed == 1


def test_a_history_cannot_change_into_or_out_of_sticky_mode() -> None:
    memory = publish({1: 0, 2: 1}, Memory(), 1).memory
    snapshot = Snapshot(pseudonyms([1]), np.array([0]), np.array([[1.0]]), np.array([False]))
    lots = KeyedLots(b"key", 2)
    with pytest.raises(LedgerError, match="whole histories"):
        plan(snapshot, memory, Rule(2, 4), lots)
    memory = plan(
        Snapshot(pseudonyms([1, 2]), np.array([0, 1]), np.zeros((2, 1))), Memory(), Rule(2, 4), lots
    ).memory
    with pytest.raises(LedgerError, match="whole histories"):
        plan(snapshot, memory, RULE, lots)
