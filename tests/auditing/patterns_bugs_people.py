"""Privacy bugs that show only where the table or the ledger is at hand."""

from __future__ import annotations

from tests.auditing.patterns_bugs_published import changed, spoilt
from tests.auditing.patterns_draft import Draft, Person, Row, word
from tests.auditing.patterns_seeding import caught_by

# Envelopes


@caught_by("coverage")
def a_lower_bound_is_one_step_too_high(bad: Draft) -> None:
    bad.envelopes = spoilt(1, mon_low=10.5)


@caught_by("coverage")
def an_upper_bound_is_one_step_too_low(bad: Draft) -> None:
    bad.envelopes = spoilt(2, wed_high=37.5)


@caught_by("coverage")
def bounds_are_rounded_to_the_nearest(bad: Draft) -> None:
    bad.envelopes = spoilt(3, thu_high=53.0)


@caught_by("coverage")
def envelopes_are_those_before_recycling(bad: Draft) -> None:
    bad.groups[2][1][1].append("Pia")
    bad.people["Pia"] = Person((70.2, 70.9, 71.7, 72.9), 87)
    bad.envelopes = spoilt(3, mon_high=51.0, tue_high=51.5, wed_high=52.0, thu_high=53.5)


# Patterns


@caught_by("shape")
def a_recycled_leaf_gets_the_pattern_of_its_first_member(bad: Draft) -> None:
    first = word(bad.people["Jan"].series, 3)
    bad.rows = changed(lambda row: row["level"] == 1, level=3, pattern=first)


@caught_by("shape")
def a_pattern_is_that_of_another_level(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pattern"] == "cbba", level=4)


@caught_by("shape")
def a_pattern_has_one_wrong_letter(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pattern"] == "abce", pattern="abde")


@caught_by("shape")
def a_naive_merge_publishes_a_foreign_pattern(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["group"] == 1, level=3, pattern="cbba")


@caught_by("shape")
def constant_series_are_spelt_with_the_first_letter(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pattern"] == "cccc", pattern="aaaa")


@caught_by("shape")
def deviations_are_those_of_a_population(bad: Draft) -> None:
    # Those of the sample give aabc and abbc.
    bad.rows = changed(lambda row: row["pay"] in (31, 35), level=3, pattern="aacc")


# Sensitive values


@caught_by("value")
def a_value_is_that_of_nobody(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pay"] == 48, pay=47)


@caught_by("value")
def values_are_swapped_between_groups(bad: Draft) -> None:
    def swap(rows: list[Row]) -> list[Row]:
        other = {31: 79, 79: 31}
        new = [row | {"pay": other.get(row["pay"], row["pay"])} for row in rows]
        return sorted(new, key=lambda row: tuple(row.values()))

    bad.rows = swap


@caught_by("value")
def a_value_of_the_table_is_not_the_published_one(bad: Draft) -> None:
    bad.register = lambda rows: [row | {"pay": 0} if row["who"] == "Ann" else row for row in rows]


# One row each


@caught_by("rows")
def a_person_stands_in_two_subgroups(bad: Draft) -> None:
    # Fay and Gus fit level 1 too; Fay is put there in the place of Kim.
    bad.rows = changed(lambda row: row["pay"] == 67, pay=52)


@caught_by("rows")
def a_row_is_published_twice(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pay"] == 44, pay=40)


@caught_by("state")
def a_person_is_remembered_twice(bad: Draft) -> None:
    bad.state = lambda state: [*state[:-1], state[0] | {"group": state[-1]["group"]}]


@caught_by("state")
def a_person_is_remembered_in_another_group(bad: Draft) -> None:
    bad.state = lambda state: [state[0] | {"group": 3}, *state[1:]]


@caught_by("state")
def a_person_is_not_remembered(bad: Draft) -> None:
    bad.state = lambda state: state[1:]


@caught_by("state")
def the_memory_holds_more_than_groups(bad: Draft) -> None:
    bad.state = lambda state: [row | {"pay": 1} for row in state]


@caught_by("memory")
def the_suppressed_is_remembered_under_another_name(bad: Draft) -> None:
    bad.state = lambda state: [state[0] | {"subject": "Zoe"}, *state[1:]]


@caught_by("coverage")
def two_people_are_remembered_in_each_others_group(bad: Draft) -> None:
    def swap(state: list[Row]) -> list[Row]:
        other = {"Ann": "Nan", "Nan": "Ann"}
        return [row | {"subject": other.get(row["subject"], row["subject"])} for row in state]

    bad.state = swap


# Who is not published


@caught_by("suppressed")
def as_many_as_p_are_suppressed(bad: Draft) -> None:
    bad.people["Quy"] = Person((90.3, 60.1, 92.2, 68.3), 88)


@caught_by("suppressed")
def somebody_is_suppressed_where_values_are_diverse(bad: Draft) -> None:
    bad.promise["l"] = 2


@caught_by("suppressed")
def another_number_of_suppressed_is_stated(bad: Draft) -> None:
    bad.said = lambda said: said.update(suppressed_series=0)


@caught_by("suppressed")
def another_number_of_dropped_is_stated(bad: Draft) -> None:
    bad.said = lambda said: said.update(dropped_series=2)


@caught_by("suppressed")
def rows_are_those_of_people_who_are_not_there(bad: Draft) -> None:
    bad.register = lambda rows: rows[2:]


# Breach


@caught_by("breach")
def values_and_shape_together_leave_one_row(bad: Draft) -> None:
    bad.groups[1][2] = (5, ["Jan", "Kim"])


# The table


@caught_by("roles")
def a_person_has_two_series(bad: Draft) -> None:
    bad.register = lambda rows: [*rows, rows[0]]


@caught_by("roles")
def a_series_has_a_gap(bad: Draft) -> None:
    bad.register = lambda rows: [rows[0] | {"tue": None}, *rows[1:]]
