"""What the audit of a register can and cannot tell, by what it is shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.schema import Schema
from tests.auditing.drafting import REGIONS
from tests.auditing.invariance_draft import SCHEMA, Draft, Group, Person, history, loaded
from tests.auditing.invariance_story import PEOPLE, first, second, third
from tests.auditing.judging import assert_holds, failing


def with_all(draft: Draft, folder: Path, *before: pa.Table) -> Verdict:
    release = draft.write(folder / f"{draft.number:04d}")
    return verify(release, microdata=loaded(draft.register), history=history(draft, before, ()))


def test_the_first_release(tmp_path: Path) -> None:
    verdict = with_all(first(), tmp_path)
    assert_holds(verdict)
    assert verdict.figures["people"] == 6


def test_everybody_is_vulnerable_where_m_is_not_met(tmp_path: Path) -> None:
    bad = first()
    bad.promise["m"] = 3
    verdict = with_all(bad, tmp_path)
    assert failing(verdict) == {"candidates", "lifespans", "m-unique"}
    assert verdict.figures["vulnerable"] == 6
    assert verdict.figures["smallest_candidate_set"] == 2


def test_nobody_is_remembered_before_he_was_published(tmp_path: Path) -> None:
    bad = first()
    bad.state = lambda state: state.update(Hal=state["Ann"] | {"subject": "Hal", "group": None})
    assert failing(with_all(bad, tmp_path)) == {"memory"}


def test_the_last_state_is_enough(tmp_path: Path) -> None:
    verdict = with_all(third(), tmp_path, second().state_table())
    assert_holds(verdict)


def test_the_release_alone_says_nothing_of_people(tmp_path: Path) -> None:
    verdict = verify(third().write(tmp_path / "0003"))
    assert verdict.holds
    assert verdict.scope == "published"
    assert verdict.checks[0].name == "m-unique"
    assert set(verdict.figures) == {
        "rows",
        "groups",
        "counterfeits",
        "smallest_signature",
        "largest_share_of_a_value",
        "largest_posterior",
    }


def test_without_the_ledger_people_must_fit_somewhere(tmp_path: Path) -> None:
    good = third()
    release = good.write(tmp_path / "0003")
    verdict = verify(release, microdata=loaded(good.register))
    assert verdict.holds
    assert verdict.figures["held_back"] == 1
    moved = good.register | {"Kim": replace(good.people["Kim"], region="south", age=99)}
    moved["Lou"] = replace(good.people["Lou"], age=98)
    richer = good.register | {"Ann": replace(good.people["Ann"], ill="cold")}
    richer["Max"] = replace(good.people["Max"], ill="cold")
    alike = good.register | {"Ned": good.people["Max"], "Bob": good.people["Ann"]}
    for other in (moved, richer, alike):
        found = failing(verify(release, microdata=loaded(other)))
        assert {"coverage"} <= found <= {"coverage", "margins"}


def test_fewer_people_than_real_rows(tmp_path: Path) -> None:
    good = third()
    release = good.write(tmp_path / "0003")
    good.gone = ("Hal", "Kim")
    found = failing(verify(release, microdata=loaded(good.register)))
    assert found == {"coverage", "margins"}


def test_microdata_with_other_roles_do_not_fit(tmp_path: Path) -> None:
    other = Schema(subject="who", quasi=["pay", "age", "region"], sensitive="ill")
    good = third()
    release = good.write(tmp_path / "0003")
    for shown in (None, history(good, (second().state_table(),), ())):
        assert failing(verify(release, microdata=loaded(good.register, other), history=shown)) == {
            "roles"
        }


def test_microdata_of_another_type_do_not_fit(tmp_path: Path) -> None:
    good = third()
    release = good.write(tmp_path / "0003")
    spelt: dict[str, Any] = {n: replace(p, age=str(p.age)) for n, p in good.people.items()}  # type: ignore[arg-type]
    assert failing(verify(release, microdata=loaded(spelt))) == {"roles"}


@pytest.mark.parametrize("column", ["pay", "age"])
def test_missing_quasi_values_are_covered_by_nothing(tmp_path: Path, column: str) -> None:
    good = third()
    release = good.write(tmp_path / "0003")
    shown = history(good, (second().state_table(),), ())
    blank: dict[str, Any] = {column: None}
    assert failing(
        verify(
            release,
            microdata=loaded(good.register | {"Eve": replace(PEOPLE["Eve"], **blank)}),
            history=shown,
        )
    ) == {"coverage"}


def test_an_earlier_release_must_be_as_remembered(tmp_path: Path) -> None:
    altered = second()
    altered.group("Eve").values = ["cold", "gout"]
    earlier = (first().write(tmp_path / "0001"), altered.write(tmp_path / "0002"))
    good = third()
    shown = history(good, (first().state_table(), second().state_table()), earlier)
    verdict = verify(good.write(tmp_path / "0003"), history=shown)
    # Eve's group shared but one value with those of the other releases.
    assert failing(verdict) == {"earlier releases", "candidates"}
    assert verdict.figures["vulnerable"] == 1
    assert verdict.figures["smallest_candidate_set"] == 1


def test_an_earlier_release_with_another_promise(tmp_path: Path) -> None:
    other = second()
    other.promise["mode"] = "transparent"
    good = third()
    shown = history(good, (second().state_table(),), (other.write(tmp_path / "0002"),))
    assert failing(verify(good.write(tmp_path / "0003"), history=shown)) == {"earlier releases"}


def test_an_earlier_release_that_was_altered(tmp_path: Path) -> None:
    earlier = second().write(tmp_path / "0002")
    file = tmp_path / "0002" / "counterfeits.parquet"
    file.write_bytes(file.read_bytes().replace(b"PAR1", b"PAR2"))
    good = third()
    shown = history(good, (second().state_table(),), (earlier,))
    assert failing(verify(good.write(tmp_path / "0003"), history=shown)) == {"earlier releases"}


def test_a_gap_of_many_releases_is_no_excuse(tmp_path: Path) -> None:
    """Bob was in the first release only; the third gives him another signature."""
    bad = third()
    bad.group("Ann").members.remove("Bob")
    bad.groups.append(Group(["Bob"], ["=ache", "gout"]))
    bad.memory["Bob"] = replace(bad.memory["Bob"], signature=("=ache", "gout"))
    states = (first().state_table(), second().state_table())
    verdict = with_all(bad, tmp_path, *states)
    assert {"candidates", "lifespans", "memory"} <= failing(verdict)


def test_a_value_that_comes_back_finds_its_old_signature(tmp_path: Path) -> None:
    """Dan had gout, a cold, and gout again."""
    good = third()
    later = Draft(4, dict(good.people, Dan=PEOPLE["Dan"]), good.groups, good.remembered())
    later.group("Fay").members.remove("Dan")
    later.groups.append(Group(["Dan"], ["flu", "gout"]))
    states = (first().state_table(), second().state_table(), third().state_table())
    assert with_all(later, tmp_path, *states).holds
    later.group("Dan").values = ["=ache", "gout"]
    assert {"candidates", "lifespans"} <= failing(with_all(later, tmp_path / "other", *states))


def test_declared_changes_that_leave_enough(tmp_path: Path) -> None:
    good = third()
    good.promise["changes"] = {"gout": ["cold", "acne"], "flu": ["cold"]}
    assert with_all(good, tmp_path, second().state_table()).holds


def test_transparent_mode(tmp_path: Path) -> None:
    good = third()
    good.promise["mode"] = "transparent"
    assert with_all(good, tmp_path, second().state_table()).holds


def test_sticky_mode(tmp_path: Path) -> None:
    """Who leaves is replaced by a counterfeit; who returns is back in his place."""
    groups = [Group(["Ann", "Bob"], ["flu", "gout"]), Group(["Eve", "Fay"], ["acne", "cold"])]
    people = {name: PEOPLE[name] for name in ("Ann", "Bob", "Eve", "Fay")}
    standing = {"Ann": 1, "Bob": 1, "Eve": 0, "Fay": 0, "Max": 2, "Ned": 2}

    def stand(state: dict[str, Any]) -> None:
        for name, row in state.items():
            row["standing"] = standing[name]

    one = Draft(1, people, groups, {}, state=stand)
    one.promise["mode"] = "sticky"
    assert with_all(one, tmp_path).holds
    before = one.state_table()
    people = {name: PEOPLE[name] for name in ("Ann", "Eve", "Fay", "Max", "Ned")}
    groups = [Group(["Ann"], ["flu", "gout"]), groups[1], Group(["Max", "Ned"], ["flu", "gout"])]
    two = Draft(2, people, groups, one.remembered(), one.promise, state=stand)
    assert with_all(two, tmp_path, before).holds
    swapped = [Group(["Ann", "Ned"], ["flu", "gout"]), groups[1], Group(["Max"], ["flu", "gout"])]
    bad = Draft(2, people, swapped, one.remembered(), one.promise, state=stand)
    assert failing(with_all(bad, tmp_path / "apart", before)) == {"mode"}
    standing["Ann"] = 2
    assert failing(with_all(two, tmp_path / "left", before)) == {"mode"}


def test_candidate_sets_of_definition_15_are_never_smaller(tmp_path: Path) -> None:
    """The groups that cover a person have at least the values of his own."""
    good = third()
    verdict = with_all(good, tmp_path, second().state_table())
    boxes = [(good.box(group), set(group.values)) for group in good.groups]
    published = [name for group in good.groups for name in group.members]
    sets = []
    for person in (good.people[name] for name in published):
        held = [values for box, values in boxes if _holds(box, person)]
        sets.append(set().union(*held))
    assert min(map(len, sets)) >= int(verdict.figures["smallest_candidate_set"])


def _holds(box: dict[str, Any], person: Person) -> bool:
    place = REGIONS.index
    return (
        box["age_low"] <= person.age <= box["age_high"]
        and box["pay_low"] <= person.pay <= box["pay_high"]
        and place(box["region_low"]) <= place(person.region) <= place(box["region_high"])
    )


def test_sensitive_values_that_are_numbers(tmp_path: Path) -> None:
    """The ledger knows values as texts; 7 and 10 are numbers, and stand in their order."""
    people: dict[str, Any] = {n: replace(PEOPLE[n], ill=v) for n, v in (("Ann", 7), ("Bob", 10))}  # type: ignore[arg-type]
    values: Any = [7, 10]
    draft = Draft(1, people, [Group(["Ann", "Bob"], values)], {})
    draft.types = draft.types.set(7, pa.field("ill", pa.int64()))

    def as_texts(said: dict[str, Any]) -> None:
        said["values"] = [str(value) for value in said["values"]]

    draft.said = as_texts
    verdict = with_all(draft, tmp_path)
    assert_holds(verdict)


def test_nobody_is_there(tmp_path: Path) -> None:
    empty = Draft(1, {"Hal": PEOPLE["Hal"]}, [], {})
    verdict = with_all(empty, tmp_path)
    assert_holds(verdict)
    assert verdict.figures["held_back"] == 1


def test_all_pairs_of_evidence_agree_on_a_good_history(tmp_path: Path) -> None:
    good = third()
    release = good.write(tmp_path / "0003")
    shown = history(good, (first().state_table(), second().state_table()), ())
    for microdata, past in product((None, loaded(good.register, SCHEMA)), (None, shown)):
        assert verify(release, microdata=microdata, history=past).holds


@pytest.mark.parametrize(("balance", "fails"), [("exact", False), ("pooled", True)])
def test_new_people_join_others_first_if_that_is_promised(
    balance: str, fails: bool, tmp_path: Path
) -> None:
    """Max has the flu and Ned gout, as two of {flu, gout} have; they come with two others, and
    stand with these."""
    bad = third()
    bad.promise.update(mode="transparent", balance=balance)
    assert failing(with_all(bad, tmp_path / "good", second().state_table())) == set()
    bad.people["Lou"] = replace(bad.people["Lou"], ill="cold")
    for member, partner, values in (
        ("Lou", "Ned", ["cold", "gout"]),
        ("Max", "Kim", ["=ache", "flu"]),
    ):
        vars(bad.group(member)).update(members=[member, partner], values=values, box={})
    verdict = with_all(bad, tmp_path, second().state_table())
    assert failing(verdict) == ({"mode"} if fails else set())
