"""Privacy bugs in a table of events: in how it is published, and in who and what is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.auditing.draft import TYPES, Draft, Row, cell
from tests.auditing.seeding import Seeds, Spoil, both, promised, put
from tests.release.forging import altered, restate

EVENTS = Seeds()
caught_by, refused = EVENTS.caught_by, EVENTS.refuses()
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MATCHED = ("sensitive values", "suppression", "whole groups")
"""What else fails where rows of the table are not found among the published ones."""


def each(change: Callable[[Row], Any], **where: Any) -> Spoil:
    """Change the rows with these cells, or all."""

    def spoil(bad: Draft) -> None:
        for row in bad.rows:
            if all(row[name] == value for name, value in where.items()):
                change(row)

    return spoil


def to(**cells: Any) -> Callable[[Row], None]:
    """Give a row other cells."""
    return lambda row: row.update(cells)


def by(**shifts: Any) -> Callable[[Row], None]:
    """Add something to cells of a row."""
    return lambda row: row.update({name: row[name] + shift for name, shift in shifts.items()})


def or_else(name: str, value: str) -> Callable[[Row], None]:
    """Give a row a value where it has none."""
    return lambda row: row.update({name: row[name] or value})


def tidy(*spoils: Spoil) -> Spoil:
    """Spoil, and put rows and numbers in order."""
    return both(*spoils, Draft.tidy)


def added(number: int, times: int = 1, *, counted: int | None = None) -> Spoil:
    """Publish a cell that must be left out, and count its rows as published."""

    def spoil(bad: Draft) -> None:
        rows = cell(number)
        bad.rows += rows * times
        bad.suppressed -= len(rows) if counted is None else counted
        bad.tidy()

    return spoil


# Published times

caught_by("granules")(
    granules_overlap=each(by(admitted_end=DAY), admitted="2024-W13"),
    a_label_is_off_by_one=each(to(admitted="2024-W15"), admitted="2024-W14"),
    two_granules_share_a_label=each(to(admitted="2024-W13"), admitted="2024-W14"),
    summer_time_is_forgotten=each(
        lambda row: row.update(admitted_end=row["admitted_start"] + 7 * DAY)
    ),
    the_year_of_a_week_is_that_of_its_monday=each(to(admitted="2024-W01"), admitted="2025-W01"),
    a_bound_is_missing=each(to(admitted_end=None), admitted="2025-W02"),
)
caught_by("granules", *MATCHED)(
    a_granule_ends_a_day_late=each(by(admitted_end=DAY), admitted="2024-W14"),
)
caught_by("granules", "people", *MATCHED)(
    times_are_shifted_by_an_hour=each(by(admitted_start=HOUR, admitted_end=HOUR)),
    a_granule_is_empty=each(
        lambda row: row.update(admitted_end=row["admitted_start"]), admitted="2025-W02"
    ),
)
caught_by("granules", "people", "share", *MATCHED)(
    the_exact_time_is_a_bound=each(by(admitted_start=timedelta(minutes=30))),
)

caught_by("granules", "left out", "people", "share", *MATCHED)(
    a_month_among_weeks=both(
        each(by(admitted_start=-5 * DAY, admitted_end=19 * DAY), admitted="2025-W02"),
        each(to(admitted="2025-01"), admitted="2025-W02"),
    )
)

# Published quasi values

caught_by("values", *MATCHED)(an_exact_value_is_a_bound=each(to(age_high=26), age_low=20))
caught_by("values", "left out", "order", "people", *MATCHED)(
    one_bound_is_missing=each(to(age_high=None), group=1),
    a_prefix_is_too_long=each(to(zip="100*"), group=1),
    a_value_is_not_replaced_by_its_class=each(to(ward="eye"), group=1),
)
caught_by("values", "left out", "people", *MATCHED)(a_text_is_not_cut=each(to(zip="10"), group=1))


caught_by("values", "left out")(
    bins_have_another_width=lambda bad: bad.columns["age"].update(width="20")
)
caught_by("values", "offer")(
    bins_are_off_the_grid=lambda bad: bad.columns["age"].update(origin="5")
)
caught_by("values", "one group")(
    bins_share_their_bounds=each(lambda row: row["age_low"] is not None and by(age_high=1)(row))
)
caught_by("offer")(
    a_granularity_was_not_on_offer=promised(granularities=["month"]),
    a_width_was_not_on_offer=lambda bad: bad.promise["ladders"]["age"].update(bins=["20"]),
    a_column_was_dropped_that_must_stay=lambda bad: bad.promise["ladders"].pop("insurance"),
    another_hierarchy_was_used=lambda bad: bad.columns["ward"]["covers"]["head"].append("nose"),
)

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


def numbered(number: Callable[[int], int]) -> Spoil:
    """Number the groups in another way."""
    return each(lambda row: row.update(group=number(row["group"])))


caught_by("groups")(
    groups_are_numbered_as_they_were_processed=numbered(lambda n: {1: 4, 4: 1}.get(n, n)),
    numbers_tell_of_groups_left_out=numbered(lambda n: n + (n > 3)),
    two_combinations_have_one_number=numbered(lambda n: n - (n > 3)),
)
caught_by("groups", "sensitive values", "suppression")(
    groups_are_numbered_from_zero=numbered(lambda n: n - 1),
)
caught_by("groups", "rows", "sensitive values", "whole groups")(
    one_combination_has_two_numbers=lambda bad: bad.group(7)[-1].update(group=8),
)
caught_by("groups", "rows", *MATCHED)(
    a_number_is_missing=lambda bad: bad.rows[3].update(group=None)
)

# Files


def column(name: str, value: str) -> Spoil:
    """Publish one more column."""
    return put(table=lambda table: table.append_column(name, pa.array([value] * len(table))))


caught_by("columns", "hidden")(
    the_subject_is_published=column("patient", "P"),
    a_column_that_was_left_out_is_there=column("insurance", "a"),
    columns_stand_in_another_order=put(table=lambda table: table.select(table.column_names[::-1])),
)


@caught_by("columns")
def times_have_no_zone(bad: Draft) -> None:
    def strip(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index("admitted_start")
        naive = table.column(at).cast(pa.timestamp("us"))
        return table.set_column(at, "admitted_start", naive)

    bad.table = strip


caught_by("hidden")(the_file_carries_a_note=put(note="patients.csv"))


@caught_by("hidden")
def a_dictionary_lists_what_was_left_out(bad: Draft) -> None:
    def hide(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index("diagnosis")
        coded = table.column(at).combine_chunks().dictionary_encode()
        values = pa.concat_arrays([coded.dictionary, pa.array(["rare disease"])])
        column = pa.DictionaryArray.from_arrays(coded.indices, values)
        return table.set_column(at, "diagnosis", column)

    bad.table = hide


def left(folder: Path) -> None:
    (folder / "patients.csv").write_text("x")


caught_by("folder")(a_file_was_left_in_the_folder=put(after=left))
caught_by("digests")(
    the_digest_is_not_that_of_the_file=put(after=lambda folder: altered(folder / "data.parquet")),
)


def _as_sensitive(said: Any) -> None:
    said["anachron"]["columns"]["insurance"]["role"] = "sensitive"


refused(
    the_description_lacks_a_step=lambda bad: bad.columns["age"].pop("step"),
    the_promise_is_none=promised(k=1),
    a_quasi_column_is_declared_sensitive=put(after=lambda folder: restate(folder, _as_sensitive)),
)


@refused
def the_subject_is_declared_and_published(bad: Draft) -> None:
    bad.types = TYPES.append(pa.field("patient", pa.string()))
    each(to(patient="P"))(bad)


def _unknown(rows: list[Row]) -> list[Row]:
    return [row | {"age_low": row["age_low"] or "unknown"} for row in rows]


caught_by("csv")(
    the_csv_has_a_row_more=put(commas=lambda rows: [*rows, rows[-1]]),
    the_csv_tells_other_values=put(commas=lambda rows: [rows[0] | {"cost": 3.25}, *rows[1:]]),
    the_csv_is_in_another_order=put(commas=lambda rows: rows[::-1]),
    the_csv_tells_what_is_missing=put(commas=_unknown),
)

# Who is counted, and what is left out

caught_by("people")(rows_counted_instead_of_people=added(7))
caught_by("people", "left out")(
    a_group_with_one_person_too_few=both(added(7), promised(max_share=None)),
)
caught_by("people", "sensitive values", "share", "whole groups")(
    a_week_is_published_for_the_one_who_came_as_it_began=added(9, 3),
)


@caught_by("people", "sensitive values", "whole groups")
def a_group_that_nobody_is_in(bad: Draft) -> None:
    bad.rows += [{**row, "sex": "x"} for row in bad.group(1)]
    bad.tidy()


@caught_by("rows", "people", *MATCHED)
def a_suppressed_row_is_present(bad: Draft) -> None:
    bad.rows.append(cell(7)[0])
    bad.tidy()


caught_by("rows", "people", "stated suppression", "suppression")(
    nothing_is_published=lambda bad: bad.rows.clear(),
)


@caught_by("left out")
def the_first_subject_is_not_counted(bad: Draft) -> None:
    small = [n for n in range(1, 8) if len(bad.group(n)) == 3]
    bad.rows = [row for row in bad.rows if row["group"] not in small[:1]]
    bad.suppressed += 3
    bad.promise["max_suppressed"] = "1/2"
    bad.tidy()


@caught_by("left out")
def a_whole_quasi_value_is_left_out(bad: Draft) -> None:
    bad.rows = [row for row in bad.rows if row["age_low"] is not None]
    bad.promise["max_share"] = None
    added(8, counted=3)(bad)


caught_by("share")(
    one_person_owns_most_of_a_group=added(8),
    the_share_is_compared_with_rounding=promised(max_share=f"{'49' + '9' * 28}/{10**30}"),
)
too_many = promised(max_suppressed="1/100")
caught_by("suppression", "stated suppression")(more_rows_are_left_out_than_allowed=too_many)
caught_by("stated suppression", "suppression")(more_rows_are_stated_left_out_than_allowed=too_many)
caught_by("suppression")(fewer_rows_are_stated_than_left_out=put(suppressed=1))


@caught_by("size")
def another_number_of_rows_is_stated(bad: Draft) -> None:
    bad.stated_rows = len(bad.rows) + 1


# Which rows are in a group


@caught_by("whole groups", "rows", "sensitive values", "suppression")
def a_group_is_half_published(bad: Draft) -> None:
    group = bad.group(2)
    bad.rows = [row for row in bad.rows if row not in group[:2]]
    bad.suppressed += 2
    bad.tidy()


caught_by("whole groups", "sensitive values")(
    a_row_is_missing=tidy(lambda bad: bad.rows.remove(bad.group(4)[-1])),
    a_row_is_published_twice=tidy(lambda bad: bad.rows.append(dict(bad.rows[5]))),
)
caught_by("whole groups", "left out", "sensitive values", "suppression")(
    null_matches_any_value=tidy(each(to(sex="f"), sex=None)),
    a_class_is_given_to_rows_of_another=tidy(
        each(lambda row: row.update(ward={"head": "chest", "chest": "head"}[row["ward"]]), group=1)
    ),
)
caught_by("whole groups", "left out", "people", "sensitive values", "suppression")(
    a_missing_number_falls_into_a_bin=tidy(each(to(age_low=30, age_high=39), age_low=None)),
)


@caught_by("whole groups", "sensitive values")
def a_row_is_moved_to_the_week_after(bad: Draft) -> None:
    weeks = {row["admitted"]: row for row in bad.rows}
    first = next(row for row in bad.rows if row["admitted"] == "2024-W13")
    for name in ("admitted", "admitted_start", "admitted_end"):
        first[name] = weeks["2024-W14"][name]
    bad.tidy()


caught_by("one group", "offer")(
    a_value_stands_in_two_classes=lambda bad: bad.columns["ward"]["covers"]["head"].append("lung")
)
caught_by("one group", "values")(bins_overlap=tidy(each(to(age_high=35), age_low=20)))

# Sensitive values

caught_by("sensitive values")(
    missing_becomes_empty=tidy(each(or_else("diagnosis", ""))),
    missing_becomes_the_first_value=tidy(each(or_else("diagnosis", "flu"))),
    missing_becomes_another_value=tidy(each(or_else("diagnosis", "gout"))),
    missing_becomes_the_last_value=tidy(each(or_else("diagnosis", "=cold"))),
)


@caught_by("sensitive values")
def sensitive_values_are_swapped_between_groups(bad: Draft) -> None:
    one, other = bad.group(1)[0], bad.group(5)[0]
    one["cost"], other["cost"] = other["cost"] + 1000, one["cost"] + 1000
    bad.tidy()


@caught_by("sensitive values")
def sensitive_columns_are_sorted_apart(bad: Draft) -> None:
    group = bad.group(7)
    costs = [row["cost"] for row in group]
    for row, cost in zip(group, costs[1:] + costs[:1], strict=True):
        row["cost"] = cost
    bad.tidy()
