"""Privacy bugs in what is published of a register."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from tests.auditing.invariance_draft import TYPES, Draft, Group, Row
from tests.auditing.invariance_seeding import caught_by, refused
from tests.release.forging import restate

# Values of a group


@caught_by("m-unique")
def a_value_is_repeated_in_a_group(bad: Draft) -> None:
    bad.group("Eve").values = ["cold", "cold"]


@caught_by("m-unique")
def two_spellings_count_as_two_values(bad: Draft) -> None:
    bad.group("Eve").values = ["cold", "Cold\u200b"]


@caught_by("m-unique")
def a_group_has_one_row_too_few(bad: Draft) -> None:
    bad.groups.append(Group(["Hal"], ["flu"]))


@caught_by("m-unique")
def a_counterfeit_has_no_value(bad: Draft) -> None:
    def blank(rows: list[Row]) -> list[Row]:
        return [row | {"ill": None} if row["ill"] == "acne" else row for row in rows]

    bad.rows = blank


@caught_by("size")
def another_number_of_rows_is_stated(bad: Draft) -> None:
    bad.stated_rows = 17


@caught_by("m-unique")
def m_is_met_on_average_only(bad: Draft) -> None:
    bad.promise["m"] = 3


# Counterfeits


@caught_by("counterfeits")
def another_total_is_stated(bad: Draft) -> None:
    bad.stated_fakes = 2


@caught_by("real rows")
def a_counterfeit_is_not_told(bad: Draft) -> None:
    bad.group("Eve").fakes = 0


@caught_by("real rows")
def a_real_row_is_told_to_be_a_counterfeit(bad: Draft) -> None:
    bad.group("Ann").fakes = 1


@caught_by("counterfeits")
def a_group_has_counterfeits_only(bad: Draft) -> None:
    bad.groups.append(Group([], ["cold", "flu"], bad.box(bad.group("Ivy"))))


@caught_by("real rows")
def a_group_of_counterfeits_is_told_as_real(bad: Draft) -> None:
    bad.groups.append(Group([], ["cold", "flu"], bad.box(bad.group("Ivy")), fakes=1))


@caught_by("counterfeits")
def groups_without_counterfeits_are_listed(bad: Draft) -> None:
    bad.fakes = lambda fakes: [{"group": 1, "counterfeits": 0}, *fakes]


@caught_by("counterfeits")
def counterfeits_of_a_group_that_is_not_there(bad: Draft) -> None:
    bad.fakes = lambda fakes: [*fakes, {"group": 99, "counterfeits": 1}]


@caught_by("counterfeits")
def counterfeits_in_the_order_of_the_computation(bad: Draft) -> None:
    bad.fakes = lambda fakes: fakes[::-1]


# Intervals


@caught_by("coverage")
def an_interval_ends_before_a_value(bad: Draft) -> None:
    bad.group("Fay").box = {"age_high": 44}


@caught_by("coverage")
def fractions_are_rounded_to_the_nearest(bad: Draft) -> None:
    bad.group("Cid").box = {"pay_low": 0.9, "pay_high": 1.2}


@caught_by("coverage")
def an_order_is_that_of_the_alphabet(bad: Draft) -> None:
    bad.group("Ann").box = {"region_low": "middle", "region_high": "middle"}


@caught_by("coverage")
def intervals_are_those_of_the_release_before(bad: Draft) -> None:
    bad.group("Cid").box = {"region_low": "south", "region_high": "south"}


@caught_by("intervals")
def a_bound_is_somebodys_age(bad: Draft) -> None:
    bad.group("Ann").box = {"age_low": 21}


@caught_by("intervals")
def an_upper_bound_is_somebodys_age(bad: Draft) -> None:
    bad.group("Eve").box = {"age_high": 41}


@caught_by("intervals")
def a_fraction_is_off_the_grid(bad: Draft) -> None:
    bad.group("Ivy").box = {"pay_low": 2.22}


@caught_by("intervals")
def a_multiple_is_rounded_badly(bad: Draft) -> None:
    bad.group("Ivy").box = {"pay_low": 0.1 + 0.2}


@caught_by("intervals")
def an_interval_is_a_point(bad: Draft) -> None:
    bad.group("Eve").box = {"pay_low": 3.0, "pay_high": 3.0}


@caught_by("intervals")
def an_interval_is_turned_round(bad: Draft) -> None:
    bad.group("Ann").box = {"region_low": "middle", "region_high": "north"}


@caught_by("intervals")
def a_bound_is_not_in_the_order(bad: Draft) -> None:
    def rename(rows: list[Row]) -> list[Row]:
        return [row | {"region_high": "abroad"} if row["group"] == 1 else row for row in rows]

    bad.rows = rename


@caught_by("intervals")
def a_lower_bound_is_not_in_the_order(bad: Draft) -> None:
    def rename(rows: list[Row]) -> list[Row]:
        return [row | {"region_low": "abroad"} if row["group"] == 1 else row for row in rows]

    bad.rows = rename


@caught_by("intervals")
def a_bound_is_missing(bad: Draft) -> None:
    bad.rows = lambda rows: [{**rows[0], "age_low": None}, *rows[1:]]


@caught_by("intervals")
def counterfeits_have_intervals_of_their_own(bad: Draft) -> None:
    def widen(rows: list[Row]) -> list[Row]:
        return [row | {"age_high": 69} if row["ill"] == "acne" else row for row in rows]

    bad.rows = widen


@caught_by("offer")
def a_width_is_finer_than_promised(bad: Draft) -> None:
    bad.columns["age"]["width"] = "1"


@caught_by("offer")
def another_order_than_promised(bad: Draft) -> None:
    bad.columns["region"]["order"] = ["middle", "north", "south"]


# Order and numbers


@caught_by("order")
def real_rows_come_before_counterfeits(bad: Draft) -> None:
    bad.rows = lambda rows: sorted(rows, key=lambda r: (r["group"], r["ill"] == "acne"))


@caught_by("order")
def groups_in_the_order_of_the_computation(bad: Draft) -> None:
    bad.sort = False


@caught_by("order")
def groups_alike_in_the_order_of_the_computation(bad: Draft) -> None:
    ordered = bad.ordered()
    twins = [n for n, group in enumerate(ordered) if {"Max", "Oda"} & set(group.members)]
    ordered[twins[0]], ordered[twins[1]] = ordered[twins[1]], ordered[twins[0]]
    bad.groups, bad.sort = ordered, False


@caught_by("order")
def rows_in_the_order_of_the_input(bad: Draft) -> None:
    bad.rows = lambda rows: rows[::2] + rows[1::2]


@caught_by("order")
def places_in_an_order_are_compared_as_text(bad: Draft) -> None:
    for name in ("Ivy", "Eve"):
        bad.group(name).box = {"age_low": 40, "age_high": 64, "pay_low": 2.2, "pay_high": 3.1}
    ordered = bad.ordered()
    at = [n for n, group in enumerate(ordered) if {"Ivy", "Eve"} & set(group.members)]
    ordered[at[0]], ordered[at[1]] = ordered[at[1]], ordered[at[0]]
    bad.groups, bad.sort = ordered, False


@caught_by("order")
def groups_with_the_same_intervals_in_the_order_of_the_computation(bad: Draft) -> None:
    for name in ("Ivy", "Eve"):
        bad.group(name).box = {"age_low": 40, "age_high": 64, "pay_low": 2.2, "pay_high": 3.1}
        bad.group(name).box |= {"region_low": "north", "region_high": "middle"}
    ordered = bad.ordered()
    at = [n for n, group in enumerate(ordered) if {"Ivy", "Eve"} & set(group.members)]
    ordered[at[0]], ordered[at[1]] = ordered[at[1]], ordered[at[0]]
    bad.groups, bad.sort = ordered, False


@caught_by("groups")
def numbers_as_they_were_processed(bad: Draft) -> None:
    bad.rows = lambda rows: [row | {"group": 9 - row["group"]} for row in rows]


@caught_by("groups")
def numbers_begin_with_zero(bad: Draft) -> None:
    bad.rows = lambda rows: [row | {"group": row["group"] - 1} for row in rows]


@caught_by("groups")
def a_number_is_left_out(bad: Draft) -> None:
    bad.rows = lambda rows: [row | {"group": row["group"] + (row["group"] > 3)} for row in rows]


# Files


@caught_by("columns")
def the_subject_is_published(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("who", pa.array(["P"] * len(table)))


@refused
def counterfeits_are_marked(bad: Draft) -> None:
    bad.types = TYPES.append(pa.field("real", pa.bool_()))
    bad.rows = lambda rows: [row | {"real": True} for row in rows]


@caught_by("columns")
def bounds_are_texts(bad: Draft) -> None:
    def as_text(table: pa.Table) -> pa.Table:
        return table.set_column(1, "age_low", table.column(1).cast(pa.string()))

    bad.table = as_text


@caught_by("hidden")
def the_file_carries_a_note(bad: Draft) -> None:
    bad.note = "patients.csv"


@caught_by("folder")
def a_file_was_left_in_the_folder(bad: Draft) -> None:
    def leave(folder: Path) -> None:
        (folder / "people.csv").write_text("x")

    bad.after = leave


@caught_by("digests")
def counterfeits_were_altered(bad: Draft) -> None:
    def alter(folder: Path) -> None:
        file = folder / "counterfeits.parquet"
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)

    bad.after = alter


@caught_by("csv")
def the_csv_tells_other_values(bad: Draft) -> None:
    bad.commas = lambda rows: [{**rows[0], "age_low": 7}, *rows[1:]]


@refused
def the_promise_is_none(bad: Draft) -> None:
    bad.promise["m"] = 1


@refused
def another_table_is_published(bad: Draft) -> None:
    def add(folder: Path) -> None:
        (folder / "more.parquet").write_bytes((folder / "data.parquet").read_bytes())
        more = {"name": "more", "path": "more.parquet"}
        restate(folder, lambda said: said["resources"].append(said["resources"][0] | more))

    bad.after = add


@refused
def counterfeits_are_not_described(bad: Draft) -> None:
    bad.after = lambda folder: restate(folder, lambda said: said["resources"].pop())
