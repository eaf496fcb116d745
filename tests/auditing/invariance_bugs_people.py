"""Privacy bugs in who is published, under which signature, and in what is remembered."""

from __future__ import annotations

from dataclasses import replace

from tests.auditing.invariance_draft import Draft, Group, Row
from tests.auditing.invariance_seeding import caught_by
from tests.auditing.invariance_story import PEOPLE

# Who is in a group


@caught_by("coverage")
def a_value_is_not_in_the_group(bad: Draft) -> None:
    bad.people["Ann"] = replace(bad.people["Ann"], ill="cold")


@caught_by("coverage")
def two_people_share_a_row(bad: Draft) -> None:
    bad.group("Ann").members.append("Max")
    bad.group("Ned").members.remove("Max")


@caught_by("held back")
def somebody_is_published_who_left(bad: Draft) -> None:
    bad.gone = ("Kim",)


@caught_by("held back")
def a_known_person_is_held_back(bad: Draft) -> None:
    bad.group("Ann").members.remove("Ann")


@caught_by("held back")
def somebody_is_held_back_against_the_promise(bad: Draft) -> None:
    bad.promise["when_ineligible"] = "refuse"


@caught_by("held back")
def somebody_is_left_out_and_remembered(bad: Draft) -> None:
    bad.state = lambda state: state["Bob"].update(group=None)


@caught_by("real rows")
def somebody_is_in_a_group_that_is_not_there(bad: Draft) -> None:
    bad.state = lambda state: state["Bob"].update(group=77)


@caught_by("real rows")
def somebody_held_back_is_remembered_in_a_group(bad: Draft) -> None:
    bad.state = lambda state: state.update(Hal=state["Jon"] | {"subject": "Hal", "group": 77})


@caught_by("coverage")
def somebody_is_remembered_in_another_group(bad: Draft) -> None:
    def swap(state: dict[str, Row]) -> None:
        ann, cid = state["Ann"]["group"], state["Cid"]["group"]
        state["Ann"]["group"], state["Cid"]["group"] = cid, ann

    bad.state = swap


@caught_by("one row each")
def a_person_stands_twice_in_the_register(bad: Draft) -> None:
    # Two subjects with one pseudonym, which is of the name in any spelling.
    bad.people["ANN"] = PEOPLE["Max"]


# Signatures over time


@caught_by("lifespans")
def a_survivor_gets_another_signature(bad: Draft) -> None:
    bad.group("Eve").values = ["cold", "flu"]


@caught_by("candidates")
def a_survivor_has_one_candidate_left(bad: Draft) -> None:
    bad.group("Eve").values = ["cold", "flu"]


@caught_by("lifespans")
def a_returner_gets_a_new_signature(bad: Draft) -> None:
    bad.group("Ann").members.remove("Bob")
    bad.groups.append(Group(["Bob"], ["=ache", "gout"]))


@caught_by("candidates")
def a_returner_has_one_candidate_left(bad: Draft) -> None:
    a_returner_gets_a_new_signature(bad)


@caught_by("lifespans")
def a_signature_grows(bad: Draft) -> None:
    bad.group("Eve").values = ["acne", "cold", "gout"]


@caught_by("signatures")
def another_signature_is_published_than_remembered(bad: Draft) -> None:
    bad.group("Eve").values = ["cold", "flu"]
    bad.state = lambda state: state["Eve"].update(signature=("acne", "cold"), earlier=[])


@caught_by("candidates")
def what_is_published_narrows_the_candidates(bad: Draft) -> None:
    another_signature_is_published_than_remembered(bad)


@caught_by("signatures")
def a_value_of_the_signature_is_not_published(bad: Draft) -> None:
    bad.state = lambda state: state["Eve"].update(signature=("acne", "cold", "gout"))


@caught_by("signatures")
def two_signatures_in_one_group(bad: Draft) -> None:
    bad.state = lambda state: state["Ann"].update(signature=("flu", "gout", "acne"))


@caught_by("lifespans")
def a_changed_value_with_a_signature_that_overlaps(bad: Draft) -> None:
    bad.group("Fay").members.remove("Dan")
    bad.groups.append(Group(["Dan"], ["cold", "gout"]))


@caught_by("lifespans")
def a_changed_value_with_one_that_overlaps_an_older_one(bad: Draft) -> None:
    def older(state: dict[str, Row]) -> None:
        state["Dan"]["earlier"] = [("=ache", "cold"), ("flu", "gout")]

    bad.state = older


@caught_by("lifespans")
def a_remembered_signature_is_too_small(bad: Draft) -> None:
    bad.state = lambda state: state["Jon"].update(signature=("flu",))


@caught_by("lifespans")
def an_earlier_signature_is_too_small(bad: Draft) -> None:
    bad.state = lambda state: state["Dan"].update(earlier=[("=ache",), ("flu", "gout")])


@caught_by("candidates")
def everybody_has_one_candidate_too_few(bad: Draft) -> None:
    bad.promise["m"] = 3


@caught_by("changes")
def a_signature_that_nothing_can_become(bad: Draft) -> None:
    bad.promise["changes"] = {"gout": ["cold"], "flu": ["cold"]}


# What is remembered


@caught_by("memory")
def somebody_is_forgotten(bad: Draft) -> None:
    def forget(state: dict[str, Row]) -> None:
        del state["Jon"]

    bad.state = forget


@caught_by("memory")
def a_signature_is_forgotten(bad: Draft) -> None:
    bad.state = lambda state: state["Dan"].update(earlier=[])


@caught_by("memory")
def an_absent_person_is_remembered_otherwise(bad: Draft) -> None:
    bad.state = lambda state: state["Jon"].update(signature=("=ache", "flu"))


@caught_by("memory")
def an_absent_person_is_remembered_with_one_signature_more(bad: Draft) -> None:
    def add(state: dict[str, Row]) -> None:
        state["Jon"].update(signature=("=ache", "gout"), earlier=[("cold", "flu")])

    bad.state = add


@caught_by("memory")
def the_value_of_an_absent_person_is_rewritten(bad: Draft) -> None:
    bad.state = lambda state: state["Jon"].update(value="cold")


@caught_by("memory")
def somebody_is_remembered_who_was_held_back(bad: Draft) -> None:
    bad.state = lambda state: state.update(Hal=state["Jon"] | {"subject": "Hal", "group": None})


@caught_by("marks")
def the_old_value_is_remembered(bad: Draft) -> None:
    bad.state = lambda state: state["Dan"].update(value="gout")


@caught_by("marks")
def values_are_remembered_for_the_next_person(bad: Draft) -> None:
    def turn(state: dict[str, Row]) -> None:
        state["Max"]["value"], state["Ned"]["value"] = "gout", "flu"

    bad.state = turn


@caught_by("state")
def the_memory_is_not_one(bad: Draft) -> None:
    bad.said = lambda said: said.pop("signatures") and None


@caught_by("state")
def a_signature_of_unknown_values(bad: Draft) -> None:
    bad.said = lambda said: said["signatures"].append([99])


@caught_by("signatures")
def values_are_numbered_anew(bad: Draft) -> None:
    bad.said = lambda said: said["values"].reverse()


# Modes


@caught_by("mode")
def a_new_person_fills_a_gap(bad: Draft) -> None:
    bad.promise["mode"] = "transparent"
    bad.people["Zoe"] = replace(PEOPLE["Eve"], ill="acne")
    bad.group("Eve").members.append("Zoe")


@caught_by("mode")
def a_new_person_comes_with_a_counterfeit(bad: Draft) -> None:
    bad.promise["mode"] = "transparent"
    bad.people["Zoe"] = PEOPLE["Ann"]
    bad.groups.append(Group(["Zoe"], ["flu", "gout"]))


@caught_by("mode")
def people_are_regrouped(bad: Draft) -> None:
    def stand(state: dict[str, Row]) -> None:
        for row in state.values():
            row["standing"] = row["group"] or 0

    bad.promise["mode"] = "sticky"
    bad.state = stand
