"""Groups that stand: their people may have the same value, and only where that can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.errors import InternalError
from anachron.methods.invariance.rule import Rule
from tests.auditing.invariance_draft import Draft, Group, Row, history, loaded
from tests.auditing.invariance_story import PEOPLE
from tests.auditing.judging import assert_holds, failing

STANDING = {"Ann": 1, "Bob": 1, "Cid": 2, "Dan": 2, "Eve": 3, "Fay": 3}


def stand(state: dict[str, Row]) -> None:
    """Remember the standing group of everybody."""
    for name, row in state.items():
        row["standing"] = STANDING.get(name, 9)


def first() -> Draft:
    """Four people in two groups."""
    groups = [Group(["Ann", "Bob"], ["flu", "gout"]), Group(["Cid", "Dan"], ["flu", "gout"])]
    people = {name: PEOPLE[name] for name in ("Ann", "Bob", "Cid", "Dan")}
    draft = Draft(1, people, groups, {}, state=stand)
    draft.promise |= {"mode": "sticky", "when_ineligible": "refuse"}
    return draft


def second(ill: str = "gout") -> Draft:
    """Ann has gout now, as Bob has, and stays; Eve and Fay are new."""
    groups = [*first().groups, Group(["Eve", "Fay"], ["acne", "cold"])]
    people = first().people | {name: PEOPLE[name] for name in ("Eve", "Fay")}
    people["Ann"] = replace(people["Ann"], ill=ill)
    draft = Draft(2, people, groups, first().remembered(), state=stand)
    draft.promise |= first().promise
    return draft


def judged(draft: Draft, folder: Path, ledger: bool = True) -> Verdict:
    release = draft.write(folder / f"{draft.number:04d}")
    before = (first().state_table(),) if draft.number > 1 else ()
    past = history(draft, before, ()) if ledger else None
    return verify(release, microdata=loaded(draft.register), history=past)


@pytest.mark.parametrize("ledger", [True, False])
def test_a_change_inside_the_set_is_none_of_the_audits_business(
    tmp_path: Path, ledger: bool
) -> None:
    verdict = judged(second(), tmp_path, ledger)
    assert_holds(verdict)
    assert judged(second("flu"), tmp_path / "unchanged", ledger).holds


def _two_of_a_new_group(bad: Draft) -> None:
    bad.people["Fay"] = replace(bad.people["Fay"], ill="cold")


def _outside_the_set(bad: Draft) -> None:
    bad.people["Ann"] = replace(bad.people["Ann"], ill="cold")


def _values_never_change(bad: Draft) -> None:
    bad.promise["changes"] = {"flu": [], "gout": ["gout"], "acne": [], "cold": []}


def _another_mode(bad: Draft) -> None:
    bad.promise["mode"] = "transparent"


def _who_changed_is_grouped_anew(bad: Draft) -> None:
    bad.group("Ann").members.remove("Ann")
    bad.groups.append(Group(["Ann"], ["flu", "gout"]))

    def elsewhere(state: dict[str, Row]) -> None:
        stand(state)
        state["Ann"]["standing"] = 4

    bad.state = elsewhere


def _somebody_joins_a_standing_group(bad: Draft) -> None:
    """Both come in a full set, each to the place of one who left: nobody fills a gap."""
    for left, new in (("Bob", "Gus"), ("Cid", "Max")):
        group = bad.group(left)
        group.members = [name for name in group.members if name != left] + [new]
        del bad.people[left]
        bad.people[new] = replace(PEOPLE[new], age=30, region="middle")
    standing = {"Gus": 1, "Max": 2}

    def join(state: dict[str, Row]) -> None:
        stand(state)
        for name, number in standing.items():
            state[name]["standing"] = number

    bad.state = join


BUGS: dict[str, tuple[Callable[[Draft], None], str]] = {
    "two people of a new group have the same value": (_two_of_a_new_group, "coverage"),
    "a value is outside the set": (_outside_the_set, "coverage"),
    "it is declared that no value changes": (_values_never_change, "coverage"),
    "groups do not stand in another mode": (_another_mode, "coverage"),
    "who changed inside the set is grouped anew": (_who_changed_is_grouped_anew, "mode"),
    "somebody joins a group that stood": (_somebody_joins_a_standing_group, "mode"),
}


@pytest.mark.parametrize("name", BUGS)
def test_the_right_check_catches(name: str, tmp_path: Path) -> None:
    bug, check = BUGS[name]
    bad = second()
    bug(bad)
    assert check in failing(judged(bad, tmp_path))


def test_more_people_than_a_group_has_are_seen_without_the_ledger(tmp_path: Path) -> None:
    """Four people have gout, and there are two in each group; five are too many."""
    some = second()
    for name in ("Ann", "Cid"):
        some.people[name] = replace(some.people[name], ill="gout")
    assert judged(some, tmp_path / "four", ledger=False).holds
    some.people["Eve"] = replace(some.people["Eve"], ill="gout")
    assert "coverage" in failing(judged(some, tmp_path / "five", ledger=False))


def test_in_the_first_release_all_values_are_different(tmp_path: Path) -> None:
    assert judged(first(), tmp_path / "good").holds
    bad = first()
    bad.people["Ann"] = replace(bad.people["Ann"], ill="gout")
    # New people do not come in full sets, either.
    assert failing(judged(bad, tmp_path / "with")) == {"coverage", "mode"}
    assert failing(judged(bad, tmp_path / "without", ledger=False)) == {"coverage"}


def test_whose_value_left_their_set_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D2: two of them in one group, or in two, would tell whether they have the same value."""
    becomes = {"a": "bc", "b": "cd", "c": "de", "d": "ea", "e": "ab"}
    promise = an.MInvariance(m=2, mode="sticky", changes=becomes, values=list(becomes))
    schema = an.Schema(subject="who", quasi="age", sensitive="ill")
    places = {"ledger": tmp_path / "ledger", "to": tmp_path / "releases", "accept": "changes"}

    def register(*ills: str) -> pa.Table:
        return pa.table({"who": ["p", "q"], "age": [30, 31], "ill": ills})

    an.publish(register("a", "b"), schema, promise, **places)
    with monkeypatch.context() as patch:
        patch.setattr(Rule, "apart", False)
        with pytest.raises(InternalError, match="mode"):
            an.publish(register("c", "d"), schema, promise, **places)
    release = an.publish(register("c", "d"), schema, promise, **places)
    assert [row["group"] for row in release.table().to_pylist()] == [1, 1, 2, 2]
    assert an.audit(release, table=register("c", "d"), ledger=tmp_path / "ledger").holds
