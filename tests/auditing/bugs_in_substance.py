"""Bugs in who and what is published."""

from __future__ import annotations

from tests.auditing.draft import Draft, cell
from tests.auditing.seeding import caught_by

# Who is counted, and what is left out


@caught_by("people")
def rows_counted_instead_of_people(bad: Draft) -> None:
    bad.rows += cell(7)
    bad.suppressed -= 4
    bad.tidy()


@caught_by("people")
def a_group_with_one_person_too_few(bad: Draft) -> None:
    bad.rows += cell(7)
    bad.suppressed -= 4
    bad.promise["max_share"] = None
    bad.tidy()


@caught_by("rows")
def a_suppressed_row_is_present(bad: Draft) -> None:
    bad.rows.append(cell(7)[0])
    bad.tidy()


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
    bad.rows += cell(8)
    bad.promise["max_share"] = None
    bad.suppressed -= 3
    bad.tidy()


@caught_by("share")
def one_person_owns_most_of_a_group(bad: Draft) -> None:
    bad.rows += cell(8)
    bad.suppressed -= 6
    bad.tidy()


@caught_by("share")
def the_share_is_compared_with_rounding(bad: Draft) -> None:
    bad.promise["max_share"] = f"{'49' + '9' * 28}/{10**30}"


@caught_by("suppression")
def more_rows_are_left_out_than_allowed(bad: Draft) -> None:
    bad.promise["max_suppressed"] = "1/100"


@caught_by("stated suppression")
def more_rows_are_stated_left_out_than_allowed(bad: Draft) -> None:
    bad.promise["max_suppressed"] = "1/100"


@caught_by("suppression")
def fewer_rows_are_stated_than_left_out(bad: Draft) -> None:
    bad.suppressed = 1


@caught_by("people")
def a_group_that_nobody_is_in(bad: Draft) -> None:
    bad.rows += [{**row, "sex": "x"} for row in bad.group(1)]
    bad.tidy()


@caught_by("rows")
def nothing_is_published(bad: Draft) -> None:
    bad.rows.clear()


@caught_by("size")
def another_number_of_rows_is_stated(bad: Draft) -> None:
    bad.stated_rows = len(bad.rows) + 1


# Which rows are in a group


@caught_by("whole groups")
def a_group_is_half_published(bad: Draft) -> None:
    group = bad.group(2)
    bad.rows = [row for row in bad.rows if row not in group[:2]]
    bad.suppressed += 2
    bad.tidy()


@caught_by("whole groups")
def a_row_is_missing(bad: Draft) -> None:
    bad.rows.remove(bad.group(4)[-1])
    bad.tidy()


@caught_by("whole groups")
def a_row_is_published_twice(bad: Draft) -> None:
    bad.rows.append(dict(bad.rows[5]))
    bad.tidy()


@caught_by("whole groups")
def null_matches_any_value(bad: Draft) -> None:
    for row in bad.rows:
        if row["sex"] is None:
            row["sex"] = "f"
    bad.tidy()


@caught_by("whole groups")
def a_missing_number_falls_into_a_bin(bad: Draft) -> None:
    for row in bad.rows:
        if row["age_low"] is None:
            row["age_low"], row["age_high"] = 30, 39
    bad.tidy()


@caught_by("whole groups")
def a_class_is_given_to_rows_of_another(bad: Draft) -> None:
    for row in bad.group(1):
        row["ward"] = "chest" if row["ward"] == "head" else "head"
    bad.tidy()


@caught_by("whole groups")
def a_row_is_moved_to_the_week_after(bad: Draft) -> None:
    weeks = {row["admitted"]: row for row in bad.rows}
    first = next(row for row in bad.rows if row["admitted"] == "2024-W13")
    for name in ("admitted", "admitted_start", "admitted_end"):
        first[name] = weeks["2024-W14"][name]
    bad.tidy()


@caught_by("one group")
def a_value_stands_in_two_classes(bad: Draft) -> None:
    bad.columns["ward"]["covers"]["head"].append("lung")


@caught_by("one group")
def bins_overlap(bad: Draft) -> None:
    for row in bad.rows:
        if row["age_low"] == 20:
            row["age_high"] = 35
    bad.tidy()


# Sensitive values


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


@caught_by("sensitive values")
def missing_becomes_empty(bad: Draft) -> None:
    for row in bad.rows:
        row["diagnosis"] = row["diagnosis"] or ""
    bad.tidy()


@caught_by("sensitive values")
def missing_becomes_the_first_value(bad: Draft) -> None:
    for row in bad.rows:
        row["diagnosis"] = row["diagnosis"] or "flu"
    bad.tidy()


@caught_by("sensitive values")
def missing_becomes_another_value(bad: Draft) -> None:
    for row in bad.rows:
        row["diagnosis"] = row["diagnosis"] or "gout"
    bad.tidy()


@caught_by("sensitive values")
def missing_becomes_the_last_value(bad: Draft) -> None:
    for row in bad.rows:
        row["diagnosis"] = row["diagnosis"] or "=cold"
    bad.tidy()


@caught_by("people")
def a_week_is_published_for_the_one_who_came_as_it_began(bad: Draft) -> None:
    bad.rows += cell(9) * 3
    bad.suppressed -= 1
    bad.tidy()
