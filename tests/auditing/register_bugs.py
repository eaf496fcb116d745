"""Privacy bugs in a register: in what is published, of whom, and in what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.auditing.invariance_draft import TYPES, Draft, Group, Row
from tests.auditing.invariance_story import PEOPLE
from tests.auditing.seeding import Seeds, Spoil, both, promised, put
from tests.release.forging import altered, restate

REGISTER = Seeds()
caught_by, refused = REGISTER.caught_by, REGISTER.refuses()


def group(member: str, **fields: Any) -> Spoil:
    """Publish something else of the group of a person."""
    return lambda bad: vars(bad.group(member)).update(fields)


def box(member: str, **bounds: Any) -> Spoil:
    """Give the group of a person other bounds."""
    return group(member, box=bounds)


def new(members: list[str], values: list[str]) -> Spoil:
    """Publish one more group."""
    return lambda bad: bad.groups.append(Group([*members], [*values]))


def out(member: str) -> Spoil:
    """Take a person out of their group."""
    return lambda bad: bad.group(member).members.remove(member)


def each(change: Callable[[Row], Row]) -> Spoil:
    """Change every published row."""
    return put(rows=lambda rows: [change(row) for row in rows])


def where(name: str, value: object, **cells: object) -> Spoil:
    """Give the rows with a cell other cells."""
    return each(lambda row: row | cells if row[name] == value else row)


def state(name: str, **memory: Any) -> Spoil:
    """Remember something else of a person."""
    return put(state=lambda state: state[name].update(memory))


def held_back(**memory: Any) -> Spoil:
    """Remember somebody who was held back."""
    return put(state=lambda state: state.update(Hal=state["Jon"] | {"subject": "Hal"} | memory))


def people(**changed: Any) -> Spoil:
    """Put others into the register."""
    return lambda bad: bad.people.update(changed)


def changed(name: str, other: str, **to: Any) -> Spoil:
    """Put somebody into the register who is like another, with other cells."""
    return lambda bad: bad.people.update(
        {name: replace(bad.people.get(other) or PEOPLE[other], **to)}
    )


# Values of a group

caught_by("m-unique", "state")(a_value_is_repeated_in_a_group=group("Eve", values=["cold", "cold"]))
caught_by("m-unique", "candidates", "lifespans")(
    two_spellings_count_as_two_values=group("Eve", values=["cold", "Cold\u200b"]),
    a_group_has_one_row_too_few=new(["Hal"], ["flu"]),
)
caught_by("m-unique", "candidates", "coverage", "order", "signatures")(
    a_counterfeit_has_no_value=where("ill", "acne", ill=None)
)
caught_by("size")(another_number_of_rows_is_stated=put(stated_rows=17))
caught_by("m-unique", "candidates", "earlier releases", "lifespans")(
    m_is_met_on_average_only=promised(m=3)
)

# Counterfeits


def alone(**fields: Any) -> Spoil:
    """Publish a group of counterfeits."""
    return lambda bad: bad.groups.append(
        Group([], ["cold", "flu"], bad.box(bad.group("Ivy")), **fields)
    )


caught_by("counterfeits")(
    another_total_is_stated=put(stated_fakes=2),
    a_group_has_counterfeits_only=alone(),
    groups_without_counterfeits_are_listed=put(
        fakes=lambda fakes: [{"group": 1, "counterfeits": 0}, *fakes]
    ),
    counterfeits_of_a_group_that_is_not_there=put(
        fakes=lambda fakes: [*fakes, {"group": 99, "counterfeits": 1}]
    ),
    counterfeits_in_the_order_of_the_computation=put(fakes=lambda fakes: fakes[::-1]),
)
caught_by("real rows")(
    a_counterfeit_is_not_told=group("Eve", fakes=0),
    a_real_row_is_told_to_be_a_counterfeit=group("Ann", fakes=1),
    a_group_of_counterfeits_is_told_as_real=alone(fakes=1),
)

# Intervals

caught_by("coverage")(
    an_interval_ends_before_a_value=box("Fay", age_high=44),
    fractions_are_rounded_to_the_nearest=box("Cid", pay_low=0.9, pay_high=1.2),
    an_order_is_that_of_the_alphabet=box("Ann", region_low="middle", region_high="middle"),
    intervals_are_those_of_the_release_before=box("Cid", region_low="south", region_high="south"),
)
caught_by("intervals")(
    a_bound_is_somebodys_age=box("Ann", age_low=21),
    an_upper_bound_is_somebodys_age=box("Eve", age_high=41),
    a_fraction_is_off_the_grid=box("Ivy", pay_low=2.22),
    a_multiple_is_rounded_badly=box("Ivy", pay_low=0.1 + 0.2),
    an_interval_is_a_point=box("Eve", pay_low=3.0, pay_high=3.0),
    a_lower_bound_is_not_in_the_order=where("group", 1, region_low="abroad"),
    counterfeits_have_intervals_of_their_own=where("ill", "acne", age_high=69),
)
caught_by("intervals", "coverage")(
    an_interval_is_turned_round=box("Ann", region_low="middle", region_high="north"),
    a_bound_is_not_in_the_order=where("group", 1, region_high="abroad"),
)
caught_by("intervals", "coverage", "order")(
    a_bound_is_missing=put(rows=lambda rows: [{**rows[0], "age_low": None}, *rows[1:]])
)
caught_by("offer", "coverage", "intervals")(
    another_order_than_promised=lambda bad: bad.columns["region"].update(
        order=["middle", "north", "south"]
    )
)

# Margins


def margin(column: str, **said: Any) -> Spoil:
    """Say something else in the margin of a column."""
    return put(margins=lambda margins: margins[column].update(said))


def _recounted(column: str, by: int) -> Spoil:
    def spoil(margins: Row) -> None:
        people = margins[column]["people"]
        people[0] += by

    return put(margins=spoil)


caught_by("margins")(
    a_class_has_a_step_of_people_too_many=_recounted("age", 5),
    a_class_has_a_step_of_people_too_few=_recounted("age", -5),
    a_class_is_not_named=margin("region", classes=[], people=[]),
    classes_are_finer_than_they_may_be=margin("age", width="5"),
    people_are_counted_where_no_group_is=margin("pay", classes=[99], people=[5]),
    more_people_than_there_are=margin("region", classes=[0, 1], people=[10, 10]),
)
refused(
    a_margin_is_not_rounded=_recounted("region", 1),
    a_margin_names_a_class_of_few=margin("age", classes=[0], people=[2]),
    a_column_has_no_margin=put(margins=lambda margins: margins.pop("age")),
    a_margin_of_sensitive_values=put(margins=lambda margins: margins.update(ill=margins["age"])),
    a_margin_tells_more=margin("age", exact=[13]),
    classes_in_the_order_of_the_computation=margin("age", classes=[1, 0], people=[5, 5]),
    margins_that_are_not_promised=both(
        promised(margins=None),
        put(after=lambda folder: restate(folder, lambda said: said["anachron"].update(margins={}))),
    ),
    margins_that_are_promised_and_missing=put(
        after=lambda folder: restate(folder, lambda said: said["anachron"].pop("margins"))
    ),
)

caught_by("offer")(
    a_width_is_finer_than_promised=both(
        lambda bad: bad.columns["age"].update(width="1"), margin("age", width="64")
    )
)

# Order and numbers

ALIKE = {"age_low": 40, "age_high": 64, "pay_low": 2.2, "pay_high": 3.1}


def turned(one: str, other: str, box: Row | None = None) -> Spoil:
    """Let two groups stand in the wrong order, perhaps with the same bounds."""

    def spoil(bad: Draft) -> None:
        for name in (one, other) if box else ():
            bad.group(name).box = dict(box or {})
        ordered = bad.ordered()
        a, b = (n for n, group in enumerate(ordered) if {one, other} & set(group.members))
        ordered[a], ordered[b] = ordered[b], ordered[a]
        bad.groups, bad.sort = ordered, False

    return spoil


caught_by("order")(
    real_rows_come_before_counterfeits=put(
        rows=lambda rows: sorted(rows, key=lambda row: (row["group"], row["ill"] == "acne"))
    ),
    groups_in_the_order_of_the_computation=put(sort=False),
    groups_alike_in_the_order_of_the_computation=turned("Max", "Oda"),
    places_in_an_order_are_compared_as_text=turned("Ivy", "Eve", ALIKE),
    groups_with_the_same_intervals_in_the_order_of_the_computation=turned(
        "Ivy", "Eve", ALIKE | {"region_low": "north", "region_high": "middle"}
    ),
)
caught_by("order", "groups")(
    rows_in_the_order_of_the_input=put(rows=lambda rows: rows[::2] + rows[1::2])
)
caught_by("groups", "candidates", "coverage", "margins", "order", "signatures")(
    numbers_as_they_were_processed=each(lambda row: row | {"group": 9 - row["group"]})
)
caught_by("groups", "candidates", "counterfeits", "coverage", "real rows", "signatures")(
    numbers_begin_with_zero=each(lambda row: row | {"group": row["group"] - 1})
)
caught_by("groups", "candidates", "coverage", "margins", "real rows", "signatures")(
    a_number_is_left_out=each(lambda row: row | {"group": row["group"] + (row["group"] > 3)})
)

# Files


def _one_table_more(folder: Path) -> None:
    (folder / "more.parquet").write_bytes((folder / "data.parquet").read_bytes())
    more = {"name": "more", "path": "more.parquet"}
    restate(folder, lambda said: said["resources"].append(said["resources"][0] | more))


caught_by("columns", "hidden")(
    the_subject_is_published=put(
        table=lambda table: table.append_column("who", pa.array(["P"] * len(table)))
    )
)
caught_by("columns")(
    bounds_are_texts=put(
        table=lambda table: table.set_column(1, "age_low", table.column(1).cast(pa.string()))
    )
)
caught_by("hidden")(the_file_carries_a_note=put(note="patients.csv"))
caught_by("folder")(
    a_file_was_left_in_the_folder=put(after=lambda folder: (folder / "people.csv").write_text("x"))
)
caught_by("digests")(
    counterfeits_were_altered=put(after=lambda folder: altered(folder / "counterfeits.parquet"))
)
caught_by("csv")(
    the_csv_tells_other_values=put(commas=lambda rows: [{**rows[0], "age_low": 7}, *rows[1:]])
)
refused(
    counterfeits_are_marked=both(
        put(types=TYPES.append(pa.field("real", pa.bool_()))),
        each(lambda row: row | {"real": True}),
    ),
    the_promise_is_none=promised(m=1),
    another_table_is_published=put(after=_one_table_more),
    counterfeits_are_not_described=put(
        after=lambda folder: restate(folder, lambda said: said["resources"].pop())
    ),
)

# Who is in a group

caught_by("coverage")(a_value_is_not_in_the_group=changed("Ann", "Ann", ill="cold"))


@caught_by("coverage", "counterfeits")
def two_people_share_a_row(bad: Draft) -> None:
    bad.group("Ann").members.append("Max")
    bad.group("Ned").members.remove("Max")


def _elsewhere(state: dict[str, Row]) -> None:
    ann, cid = state["Ann"]["group"], state["Cid"]["group"]
    state["Ann"]["group"], state["Cid"]["group"] = cid, ann


caught_by("coverage")(somebody_is_remembered_in_another_group=put(state=_elsewhere))
caught_by("held back", "margins")(somebody_is_published_who_left=put(gone=("Kim",)))
caught_by("held back")(
    a_known_person_is_held_back=out("Ann"),
    somebody_is_held_back_against_the_promise=promised(when_ineligible="refuse"),
)
caught_by("held back", "margins", "real rows")(
    somebody_is_left_out_and_remembered=state("Bob", group=None)
)
caught_by("real rows", "candidates", "margins", "signatures")(
    somebody_is_in_a_group_that_is_not_there=state("Bob", group=77)
)
caught_by("real rows", "candidates", "signatures")(
    somebody_held_back_is_remembered_in_a_group=held_back(group=77),
)
caught_by("one row each", "coverage", "names")(
    # Two subjects with one pseudonym, which is of the name in any spelling.
    a_person_stands_twice_in_the_register=people(ANN=PEOPLE["Max"])
)

# Signatures over time

_narrowed = group("Eve", values=["cold", "flu"])
_returned = both(out("Bob"), new(["Bob"], ["=ache", "gout"]))
_untold = both(_narrowed, state("Eve", signature=("acne", "cold"), earlier=[]))
caught_by("lifespans", "candidates")(
    a_survivor_gets_another_signature=_narrowed,
    a_returner_gets_a_new_signature=_returned,
)
caught_by("candidates", "lifespans")(
    a_survivor_has_one_candidate_left=_narrowed,
    a_returner_has_one_candidate_left=_returned,
)
caught_by("signatures", "candidates")(another_signature_is_published_than_remembered=_untold)
caught_by("candidates", "signatures")(what_is_published_narrows_the_candidates=_untold)
caught_by("lifespans")(
    a_signature_grows=group("Eve", values=["acne", "cold", "gout"]),
    a_changed_value_with_a_signature_that_overlaps=both(out("Dan"), new(["Dan"], ["cold", "gout"])),
    a_changed_value_with_one_that_overlaps_an_older_one=state(
        "Dan", earlier=[("=ache", "cold"), ("flu", "gout")]
    ),
    an_earlier_signature_is_too_small=state("Dan", earlier=[("=ache",), ("flu", "gout")]),
)
caught_by("signatures", "lifespans", "memory")(
    a_value_of_the_signature_is_not_published=state("Eve", signature=("acne", "cold", "gout")),
    two_signatures_in_one_group=state("Ann", signature=("flu", "gout", "acne")),
)
caught_by("lifespans", "candidates", "memory")(
    a_remembered_signature_is_too_small=state("Jon", signature=("flu",))
)
caught_by("candidates", "earlier releases", "lifespans", "m-unique")(
    everybody_has_one_candidate_too_few=promised(m=3)
)
caught_by("changes", "earlier releases")(
    a_signature_that_nothing_can_become=promised(changes={"gout": ["cold"], "flu": ["cold"]})
)

# What is remembered

caught_by("memory")(
    somebody_is_forgotten=put(state=lambda state: state.pop("Jon")),
    a_signature_is_forgotten=state("Dan", earlier=[]),
    the_value_of_an_absent_person_is_rewritten=state("Jon", value="cold"),
)
caught_by("memory", "candidates", "lifespans")(
    an_absent_person_is_remembered_otherwise=state("Jon", signature=("=ache", "flu")),
    an_absent_person_is_remembered_with_one_signature_more=state(
        "Jon", signature=("=ache", "gout"), earlier=[("cold", "flu")]
    ),
)
caught_by("memory", "held back")(somebody_is_remembered_who_was_held_back=held_back(group=None))
caught_by("marks", "candidates", "lifespans")(
    the_old_value_is_remembered=state("Dan", value="gout")
)


@caught_by("marks")
def values_are_remembered_for_the_next_person(bad: Draft) -> None:
    def turn(state: dict[str, Row]) -> None:
        state["Max"]["value"], state["Ned"]["value"] = "gout", "flu"

    bad.state = turn


caught_by("state")(
    the_memory_is_not_one=put(said=lambda said: said.pop("signatures")),
    a_signature_of_unknown_values=put(said=lambda said: said["signatures"].append([99])),
)
caught_by("signatures", "candidates", "lifespans", "memory")(
    values_are_numbered_anew=put(said=lambda said: said["values"].reverse())
)

# Modes


def _stand(state: dict[str, Row]) -> None:
    for row in state.values():
        row["standing"] = row["group"] or 0


caught_by("mode", "earlier releases")(
    a_new_person_fills_a_gap=both(
        promised(mode="transparent"),
        changed("Zoe", "Eve", ill="acne"),
        lambda bad: bad.group("Eve").members.append("Zoe"),
    ),
    a_new_person_comes_with_a_counterfeit=both(
        promised(mode="transparent"), people(Zoe=PEOPLE["Ann"]), new(["Zoe"], ["flu", "gout"])
    ),
    new_people_open_sets_instead_of_joining_others=both(
        promised(mode="transparent", balance="pooled"),
        changed("Lou", "Lou", ill="cold"),
        group("Max", members=["Max", "Kim"], values=["=ache", "flu"], box={}),
        group("Lou", members=["Ned", "Lou"], values=["cold", "gout"], box={}),
    ),
    people_are_regrouped=both(promised(mode="sticky"), put(state=_stand)),
)
