"""People who must have the same value."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.attacking import equivalence
from anachron.attacking.equivalence import attack, classes_of
from tests.attacking.registers import by_hand, crowd, released, table


def classes(*groups) -> list[str]:
    """The classes of more than one person, in a history that is told by hand."""
    history = by_hand(groups)
    full, people = equivalence._full(history)
    label = classes_of(full, len(people))
    names = np.array(history.subject.to_pylist())[people]
    found = ["".join(sorted(names[label == one])) for one in np.unique(label)]
    return [one for one in found if len(one) > 1]


def test_who_takes_the_place_of_another_has_the_same_value() -> None:
    assert classes([("AB", "xy")], [("AC", "xy")]) == ["BC"]


def test_ties_lead_to_more_ties() -> None:
    """B and C are tied; then so are D and E, who stood with one of them each."""
    assert classes([("AB", "xy"), ("DC", "xy")], [("AC", "xy"), ("EB", "xy")]) == ["ADE", "BC"]


def test_a_set_of_three() -> None:
    one, two = ("ABC", "xyz"), ("ABD", "xyz")
    assert classes([one], [two]) == ["CD"]
    assert classes([one], [("AED", "xyz")]) == []


def test_other_sets_and_the_same_company_say_nothing() -> None:
    assert classes([("AB", "xy")], [("AC", "xz")]) == []
    assert classes([("AB", "xy")], [("AB", "xy")]) == []


def test_a_counterfeit_could_have_any_value() -> None:
    assert classes([("AbC", "xyz")], [("AbD", "xyz")]) == []


def test_who_changed_is_somebody_else() -> None:
    """A had x, then y: that B stood with A once and C later ties nobody."""
    assert classes([("AB", "xy")], [("AC", "yx")]) == []


def test_also_if_the_value_is_back() -> None:
    """A had x, y and x again, which nobody is told: B and D need not have the same value."""
    assert classes([("AB", "xy")], [("AC", "yx")], [("AD", "xy")]) == []
    assert classes([("AB", "xy")], [("CE", "yx")], [("AD", "xy")]) == ["BD"]


@pytest.mark.parametrize("mode", ["paper", "transparent"])
def test_every_tie_is_true(tmp_path, mode: str) -> None:
    known = released(tmp_path, crowd(5, 60, 5, 5, at_first=1), m=2, mode=mode)
    history = known.history
    full, people = equivalence._full(history)
    label = classes_of(full, len(people))
    value = {}
    for seen in history.seen:
        value |= dict(zip(seen.person.tolist(), seen.value.tolist(), strict=True))
    own = np.array([value[p] for p in people.tolist()])
    for one in np.unique(label):
        assert len(np.unique(own[label == one])) == 1
    found = attack(known)
    assert found.exposed == int((np.bincount(label)[label] > 1).sum()) > 10
    assert found.holds is None
    assert found.figures["largest_class"] == np.bincount(label).max()


def test_sticky_groups_tie_nobody(tmp_path) -> None:
    known = released(tmp_path, crowd(5, 60, 5, 5, at_first=1), m=2, mode="sticky")
    found = attack(known)
    assert (found.exposed, found.holds) == (0, True)
    assert found.measured == "nobody is tied to another"


def test_a_change_inside_a_group_that_stands_ties_nobody(tmp_path) -> None:
    """A has y now, as B has: that both are where they were does not say that A has x still."""
    before, now = {"A": "x", "B": "y"}, {"A": "y", "B": "y"}
    found = attack(released(tmp_path, [table(before), table(now)], m=2, mode="sticky"))
    assert (found.exposed, found.holds) == (0, True)
