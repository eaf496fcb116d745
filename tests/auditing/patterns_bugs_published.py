"""Privacy bugs in what is published of series."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tests.auditing.patterns_draft import Draft, Row, annotated, rewrite
from tests.auditing.patterns_seeding import caught_by, refused
from tests.release.forging import Said, restate


def changed(where: Callable[[Row], bool], **to: object) -> Callable[[list[Row]], list[Row]]:
    """Change some rows, and sort them again."""

    def change(rows: list[Row]) -> list[Row]:
        new = [row | to if where(row) else row for row in rows]
        return sorted(new, key=lambda row: tuple(str(cell) for cell in row.values()))

    return change


# How many share what


@caught_by("k")
def a_group_is_one_row_short_of_k(bad: Draft) -> None:
    bad.groups[2][0][1].remove("Lea")


@caught_by("k")
def k_is_met_on_average_only(bad: Draft) -> None:
    bad.promise["k"] = 5


@caught_by("size")
def another_number_of_rows_is_stated(bad: Draft) -> None:
    def state(said: Said) -> None:
        said["resources"][0]["rows"] += 1

    bad.after = lambda folder: restate(folder, state)


@caught_by("P")
def a_bad_leaf_is_published_as_a_good_one(bad: Draft) -> None:
    bad.groups[1][2] = (5, ["Jan", "Kim"])


@caught_by("P")
def a_subgroup_is_one_row_short_of_p(bad: Draft) -> None:
    bad.groups[0][0] = (4, ["Ann"])


@caught_by("P")
def a_pattern_is_shared_across_groups_only(bad: Draft) -> None:
    bad.groups[0][0], bad.groups[2][1] = (5, ["Ann", "Nan"]), (5, ["Bob", "Oda"])
    bad.groups[0].append((1, ["Pia"]))


@caught_by("P")
def a_subgroup_is_split_by_level(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pay"] == 48, level=4)


# Diversity


@caught_by("diversity")
def two_of_three_have_the_same_value(bad: Draft) -> None:
    bad.diverse()
    bad.people["Cid"].pay = bad.people["Dan"].pay


@caught_by("diversity")
def values_differ_by_less_than_the_noise(bad: Draft) -> None:
    bad.diverse()
    bad.promise["noise"] = "4"


@caught_by("diversity")
def values_are_around_a_number_that_is_nobodys(bad: Draft) -> None:
    bad.diverse()
    bad.promise["noise"] = "2"


@caught_by("diversity")
def l_is_met_on_average_only(bad: Draft) -> None:
    bad.diverse(3)
    bad.promise |= {"P": 3, "k": 4}


@caught_by("diversity")
def a_value_is_missing(bad: Draft) -> None:
    bad.diverse()
    bad.rows = changed(lambda row: row["pay"] == 48, pay=None)


# Words


@caught_by("words")
def a_letter_is_beyond_the_alphabet(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 3, pattern="acda")


@caught_by("words")
def a_pattern_has_a_letter_too_many(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 4, pattern="abcda")


@caught_by("words")
def a_pattern_has_a_letter_too_few(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 4, pattern="abc")


@caught_by("words")
def letters_are_capitals(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 4, pattern="ABCD")


@caught_by("words")
def a_letter_is_none_of_ours(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 4, pattern="aéb")


@caught_by("words")
def a_pattern_is_missing(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 5, pattern=None)


@caught_by("words")
def a_level_is_missing(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 1, level=None)


@caught_by("words")
def level_one_tells_a_shape(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 1, pattern="abaa")


@caught_by("words")
def a_level_is_0(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["level"] == 1, level=0)


@caught_by("words")
def a_level_is_finer_than_promised(bad: Draft) -> None:
    bad.promise["max_level"] = 4


@caught_by("words")
def the_highest_level_is_that_of_a_suppressed_series(bad: Draft) -> None:
    def state(said: Row) -> None:
        said["highest_level"] = 4

    bad.said = state


# Envelopes


def spoilt(number: int, **bounds: float | None) -> Callable[[list[Row]], list[Row]]:
    """Give an envelope other bounds."""
    return lambda envelopes: [row | bounds if row["group"] == number else row for row in envelopes]


@caught_by("envelopes")
def a_lower_bound_is_somebodys_value(bad: Draft) -> None:
    bad.envelopes = spoilt(1, mon_low=10.2)


@caught_by("envelopes")
def an_upper_bound_is_somebodys_value(bad: Draft) -> None:
    bad.envelopes = spoilt(2, wed_high=37.7)


@caught_by("envelopes")
def a_bound_is_off_by_the_last_bit(bad: Draft) -> None:
    bad.envelopes = spoilt(1, mon_low=9.999999999999998)


@caught_by("envelopes")
def an_envelope_is_upside_down(bad: Draft) -> None:
    bad.envelopes = spoilt(3, thu_low=54.0, thu_high=50.0)


@caught_by("envelopes")
def a_bound_is_missing(bad: Draft) -> None:
    bad.envelopes = spoilt(3, thu_low=None)


@caught_by("envelopes")
def a_bound_is_infinite(bad: Draft) -> None:
    bad.envelopes = spoilt(3, thu_high=float("inf"))


@caught_by("offer")
def the_grid_is_finer_than_promised(bad: Draft) -> None:
    bad.said = lambda said: said.update(precision="0.25")


@caught_by("offer")
def values_of_more_times_than_promised(bad: Draft) -> None:
    bad.promise["values"] = ["mon", "tue", "wed"]


@caught_by("offer")
def patterns_of_more_times_than_promised(bad: Draft) -> None:
    bad.promise["patterns"] = ["mon", "tue", "wed"]


# Numbers and order


@caught_by("groups")
def a_group_number_is_left_out(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["group"] == 3, group=4)
    bad.envelopes = spoilt(3, group=4)


@caught_by("groups")
def groups_are_counted_from_0(bad: Draft) -> None:
    bad.rows = lambda rows: [row | {"group": row["group"] - 1} for row in rows]
    bad.envelopes = lambda envelopes: [row | {"group": row["group"] - 1} for row in envelopes]


@caught_by("groups")
def the_envelope_of_a_suppressed_group_is_left(bad: Draft) -> None:
    bad.envelopes = lambda envelopes: [*envelopes, envelopes[-1] | {"group": 4}]


@caught_by("groups")
def a_group_has_two_envelopes(bad: Draft) -> None:
    bad.envelopes = lambda envelopes: [*envelopes, envelopes[-1]]


@caught_by("groups")
def a_group_has_no_envelope(bad: Draft) -> None:
    bad.envelopes = lambda envelopes: envelopes[:-1]


@caught_by("groups")
def a_row_is_of_no_group(bad: Draft) -> None:
    bad.rows = changed(lambda row: row["pay"] == 48, group=None)


@caught_by("order")
def rows_are_in_the_order_of_the_table(bad: Draft) -> None:
    bad.rows = lambda rows: rows[::-1]


@caught_by("order")
def rows_of_a_pattern_are_in_the_order_of_the_table(bad: Draft) -> None:
    bad.rows = lambda rows: [rows[1], rows[0], *rows[2:]]


@caught_by("order")
def groups_are_numbered_as_they_were_found(bad: Draft) -> None:
    bad.groups.reverse()
    bad.sort = False


# Files


@refused
def the_subject_is_a_column_of_the_rows(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("who", table["pattern"])


@refused
def envelopes_tell_how_many_were_suppressed(bad: Draft) -> None:
    bad.frame = lambda table: table.append_column("suppressed", table["group"])


@caught_by("columns")
def bounds_are_of_another_precision(bad: Draft) -> None:
    bad.frame = lambda table: table.set_column(
        1, "mon_low", pc.cast(table["mon_low"], pa.float32())
    )


@refused
def the_level_is_not_told(bad: Draft) -> None:
    bad.table = lambda table: table.drop_columns("level")


@refused
def an_exact_value_is_published_beside_its_bounds(bad: Draft) -> None:
    bad.frame = lambda table: table.append_column("mon", table["mon_low"])


@refused
def the_precision_is_not_told(bad: Draft) -> None:
    bad.said = lambda said: said.pop("precision")


@caught_by("package")
def other_break_points_are_told(bad: Draft) -> None:
    bad.said = lambda said: said.update(break_points=2)


@refused
def p_is_above_k(bad: Draft) -> None:
    bad.promise["P"] = 5


@refused
def a_time_is_said_to_be_hidden_and_is_not(bad: Draft) -> None:
    bad.said = lambda said: said["columns"]["tue"].update(published=[])


@caught_by("hidden")
def the_file_names_its_source(bad: Draft) -> None:
    bad.after = lambda folder: rewrite(folder, "data.parquet", annotated)


@caught_by("hidden")
def the_envelopes_name_their_source(bad: Draft) -> None:
    bad.after = lambda folder: rewrite(folder, "envelopes.parquet", annotated)


@caught_by("csv")
def the_csv_tells_another_pattern(bad: Draft) -> None:
    def spoil(file: Path) -> None:
        file.write_text(file.read_text().replace("aaaa", "bbbb"))

    bad.csv = True
    bad.after = lambda folder: rewrite(folder, "data.csv", spoil)


@caught_by("csv")
def the_csv_tells_exact_bounds(bad: Draft) -> None:
    def spoil(file: Path) -> None:
        file.write_text(file.read_text().replace("50.0", "50.2"))

    bad.csv = True
    bad.after = lambda folder: rewrite(folder, "envelopes.csv", spoil)


@caught_by("digests")
def a_file_was_changed_afterwards(bad: Draft) -> None:
    def flip(folder: Path) -> None:
        content = bytearray((folder / "envelopes.parquet").read_bytes())
        content[10] ^= 1
        (folder / "envelopes.parquet").write_bytes(content)

    bad.after = flip


@caught_by("folder")
def the_table_lies_beside_the_release(bad: Draft) -> None:
    def leave(folder: Path) -> None:
        (folder / "table.csv").write_text("who\n")

    bad.after = leave
