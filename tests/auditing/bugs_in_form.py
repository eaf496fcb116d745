"""Bugs in how it is published."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pyarrow as pa

from tests.auditing.draft import TYPES, Draft, Row
from tests.auditing.seeding import caught_by, refused
from tests.release.forging import Said, restate

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

# Published times


@caught_by("granules")
def a_granule_ends_a_day_late(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2024-W14":
            row["admitted_end"] += DAY


@caught_by("granules")
def granules_overlap(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2024-W13":
            row["admitted_end"] += DAY


@caught_by("granules")
def a_label_is_off_by_one(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2024-W14":
            row["admitted"] = "2024-W15"


@caught_by("granules")
def two_granules_share_a_label(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2024-W14":
            row["admitted"] = "2024-W13"


@caught_by("granules")
def times_are_shifted_by_an_hour(bad: Draft) -> None:
    for row in bad.rows:
        row["admitted_start"] += HOUR
        row["admitted_end"] += HOUR


@caught_by("granules")
def summer_time_is_forgotten(bad: Draft) -> None:
    for row in bad.rows:
        row["admitted_end"] = row["admitted_start"] + 7 * DAY


@caught_by("granules")
def the_exact_time_is_a_bound(bad: Draft) -> None:
    for row in bad.rows:
        row["admitted_start"] += 30 * timedelta(minutes=1)


@caught_by("granules")
def a_month_among_weeks(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2025-W02":
            row["admitted"] = "2025-01"
            row["admitted_start"] -= 5 * DAY
            row["admitted_end"] += 19 * DAY


@caught_by("granules")
def the_year_of_a_week_is_that_of_its_monday(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2025-W01":
            row["admitted"] = "2024-W01"


@caught_by("granules")
def a_granule_is_empty(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2025-W02":
            row["admitted_end"] = row["admitted_start"]


@caught_by("granules")
def a_bound_is_missing(bad: Draft) -> None:
    for row in bad.rows:
        if row["admitted"] == "2025-W02":
            row["admitted_end"] = None


# Published quasi values


@caught_by("values")
def an_exact_value_is_a_bound(bad: Draft) -> None:
    for row in bad.rows:
        if row["age_low"] == 20:
            row["age_high"] = 26


@caught_by("values")
def bins_have_another_width(bad: Draft) -> None:
    bad.columns["age"]["width"] = "20"


@caught_by("values")
def bins_are_off_the_grid(bad: Draft) -> None:
    bad.columns["age"]["origin"] = "5"


@caught_by("values")
def bins_share_their_bounds(bad: Draft) -> None:
    for row in bad.rows:
        if row["age_low"] is not None:
            row["age_high"] += 1


@caught_by("values")
def one_bound_is_missing(bad: Draft) -> None:
    for row in bad.group(1):
        row["age_high"] = None


@caught_by("values")
def a_prefix_is_too_long(bad: Draft) -> None:
    for row in bad.group(1):
        row["zip"] = "100*"


@caught_by("values")
def a_text_is_not_cut(bad: Draft) -> None:
    for row in bad.group(1):
        row["zip"] = "10"


@caught_by("values")
def a_value_is_not_replaced_by_its_class(bad: Draft) -> None:
    for row in bad.group(1):
        row["ward"] = "eye"


@caught_by("offer")
def a_granularity_was_not_on_offer(bad: Draft) -> None:
    bad.promise["granularities"] = ["month"]


@caught_by("offer")
def a_width_was_not_on_offer(bad: Draft) -> None:
    bad.promise["ladders"]["age"]["bins"] = ["20"]


@caught_by("offer")
def a_column_was_dropped_that_must_stay(bad: Draft) -> None:
    del bad.promise["ladders"]["insurance"]


@caught_by("offer")
def another_hierarchy_was_used(bad: Draft) -> None:
    bad.columns["ward"]["covers"]["head"].append("nose")


# Order and numbers


@caught_by("order")
def rows_of_a_group_stand_in_input_order(bad: Draft) -> None:
    group = bad.group(5)
    at = bad.rows.index(group[0])
    bad.rows[at : at + len(group)] = reversed(group)


@caught_by("order")
def groups_stand_in_input_order(bad: Draft) -> None:
    groups = [bad.group(n) for n in (3, 1, 2, 5, 4, 7, 6)]
    bad.rows = [{**row, "group": n} for n, rows in enumerate(groups, 1) for row in rows]


@caught_by("order")
def missing_values_come_first(bad: Draft) -> None:
    bad.rows.sort(key=lambda row: (row["group"], row["diagnosis"] is not None))


@caught_by("groups")
def groups_are_numbered_as_they_were_processed(bad: Draft) -> None:
    for row in bad.rows:
        row["group"] = {1: 4, 4: 1}.get(row["group"], row["group"])


@caught_by("groups")
def groups_are_numbered_from_zero(bad: Draft) -> None:
    for row in bad.rows:
        row["group"] -= 1


@caught_by("groups")
def numbers_tell_of_groups_left_out(bad: Draft) -> None:
    for row in bad.rows:
        row["group"] += row["group"] > 3


@caught_by("groups")
def two_combinations_have_one_number(bad: Draft) -> None:
    for row in bad.rows:
        row["group"] -= row["group"] > 3


@caught_by("groups")
def one_combination_has_two_numbers(bad: Draft) -> None:
    last = bad.group(7)[-1]
    last["group"] = 8


@caught_by("groups")
def a_number_is_missing(bad: Draft) -> None:
    bad.rows[3]["group"] = None


# Files


@caught_by("columns")
def the_subject_is_published(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("patient", pa.array(["P"] * len(table)))


@refused
def the_subject_is_declared_and_published(bad: Draft) -> None:
    bad.types = TYPES.append(pa.field("patient", pa.string()))
    for row in bad.rows:
        row["patient"] = "P"


@caught_by("columns")
def a_column_that_was_left_out_is_there(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("insurance", pa.array(["a"] * len(table)))


@caught_by("columns")
def columns_stand_in_another_order(bad: Draft) -> None:
    bad.table = lambda table: table.select(table.column_names[::-1])


@caught_by("columns")
def times_have_no_zone(bad: Draft) -> None:
    def strip(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index("admitted_start")
        naive = table.column(at).cast(pa.timestamp("us"))
        return table.set_column(at, "admitted_start", naive)

    bad.table = strip


@caught_by("hidden")
def a_dictionary_lists_what_was_left_out(bad: Draft) -> None:
    def hide(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index("diagnosis")
        coded = table.column(at).combine_chunks().dictionary_encode()
        values = pa.concat_arrays([coded.dictionary, pa.array(["rare disease"])])
        column = pa.DictionaryArray.from_arrays(coded.indices, values)
        return table.set_column(at, "diagnosis", column)

    bad.table = hide


@caught_by("hidden")
def the_file_carries_a_note(bad: Draft) -> None:
    bad.note = "patients.csv"


@caught_by("folder")
def a_file_was_left_in_the_folder(bad: Draft) -> None:
    bad.after = lambda folder: (folder / "patients.csv").write_text("x") and None


@caught_by("digests")
def the_digest_is_not_that_of_the_file(bad: Draft) -> None:
    def alter(folder: Path) -> None:
        file = folder / "data.parquet"
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)

    bad.after = alter


@refused
def the_description_lacks_a_step(bad: Draft) -> None:
    del bad.columns["age"]["step"]


@refused
def the_promise_is_none(bad: Draft) -> None:
    bad.promise["k"] = 1


@refused
def a_quasi_column_is_declared_sensitive(bad: Draft) -> None:
    def rename(said: Said) -> None:
        said["anachron"]["columns"]["insurance"]["role"] = "sensitive"

    bad.after = lambda folder: restate(folder, rename)


@caught_by("csv")
def the_csv_has_a_row_more(bad: Draft) -> None:
    bad.commas = lambda rows: [*rows, rows[-1]]


@caught_by("csv")
def the_csv_tells_other_values(bad: Draft) -> None:
    def alter(rows: list[Row]) -> list[Row]:
        rows[0]["cost"] = 3.25
        return rows

    bad.commas = alter


@caught_by("csv")
def the_csv_is_in_another_order(bad: Draft) -> None:
    bad.commas = lambda rows: rows[::-1]


@caught_by("csv")
def the_csv_tells_what_is_missing(bad: Draft) -> None:
    def tell(rows: list[Row]) -> list[Row]:
        for row in rows:
            row["age_low"] = row["age_low"] or "unknown"
        return rows

    bad.commas = tell
