"""Privacy bugs in series: in what is published, and what only the table or the ledger betrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tests.auditing.patterns_draft import Draft, Person, Row, annotated, rewrite, word
from tests.auditing.seeding import Seeds, Spoil, both, promised, put
from tests.release.forging import altered, restate

SERIES = Seeds()
caught_by, refused = SERIES.caught_by, SERIES.refuses()


def rows(name: str, *values: object, **to: object) -> Spoil:
    """Give the rows with such a cell other cells, and sort them again."""

    def change(published: list[Row]) -> list[Row]:
        new = [row | to if row[name] in values else row for row in published]
        return sorted(new, key=lambda row: tuple(str(cell) for cell in row.values()))

    return put(rows=change)


def envelope(number: int, **bounds: float | None) -> Spoil:
    """Give an envelope other bounds."""
    return put(envelopes=lambda all_: [r | bounds if r["group"] == number else r for r in all_])


def told(**facts: object) -> Spoil:
    """Let the description say something else."""
    return put(said=lambda said: said.update(facts))


def renamed(name: str, other: dict[object, object]) -> Callable[[list[Row]], list[Row]]:
    """Put another value in the place of some."""
    return lambda all_: [row | {name: other.get(row[name], row[name])} for row in all_]


def halves(bad: Draft) -> None:
    """Let two times share a letter."""
    bad.over_segments(2, 2)


# How many share what


def _one_row_more(folder: Path) -> None:
    def state(said: Row) -> None:
        said["resources"][0]["rows"] += 1

    restate(folder, state)


caught_by("k", "P", "breach", "suppressed")(
    a_group_is_one_row_short_of_k=lambda bad: bad.groups[2][0][1].remove("Lea")
)
caught_by("k")(k_is_met_on_average_only=promised(k=5))
caught_by("size")(another_number_of_rows_is_stated=put(after=_one_row_more))


def _called_good(bad: Draft) -> None:
    bad.groups[1][2] = (5, ["Jan", "Kim"])


caught_by("P", "breach")(a_bad_leaf_is_published_as_a_good_one=_called_good)
caught_by("breach", "P")(values_and_shape_together_leave_one_row=_called_good)


@caught_by("P", "breach", "suppressed")
def a_subgroup_is_one_row_short_of_p(bad: Draft) -> None:
    bad.groups[0][0] = (4, ["Ann"])


@caught_by("P", "breach")
def a_pattern_is_shared_across_groups_only(bad: Draft) -> None:
    bad.groups[0][0], bad.groups[2][1] = (5, ["Ann", "Nan"]), (5, ["Bob", "Oda"])
    bad.groups[0].append((1, ["Pia"]))


caught_by("P", "rows", "value")(a_subgroup_is_split_by_level=rows("pay", 48, level=4))

# Diversity


@caught_by("diversity")
def two_of_three_have_the_same_value(bad: Draft) -> None:
    bad.diverse()
    bad.people["Cid"].pay = bad.people["Dan"].pay


caught_by("diversity")(
    values_differ_by_less_than_the_noise=both(Draft.diverse, promised(noise="4")),
    values_are_around_a_number_that_is_nobodys=both(Draft.diverse, promised(noise="2")),
)
caught_by("diversity", "P", "breach")(
    l_is_met_on_average_only=both(lambda bad: bad.diverse(3), promised(P=3, k=4))
)
caught_by("diversity", "rows", "value")(
    a_value_is_missing=both(Draft.diverse, rows("pay", 48, pay=None))
)

# Words

caught_by("words", "rows", "shape", "value")(
    a_letter_is_beyond_the_alphabet=rows("level", 3, pattern="acda"),
    a_pattern_has_a_letter_too_many=rows("level", 4, pattern="abcda"),
    a_pattern_has_a_letter_too_few=rows("level", 4, pattern="abc"),
    letters_are_capitals=rows("level", 4, pattern="ABCD"),
    a_letter_is_none_of_ours=rows("level", 4, pattern="aéb"),
)
caught_by("words", "rows", "shape")(
    a_pattern_is_missing=rows("level", 5, pattern=None),
    level_one_tells_a_shape=rows("level", 1, pattern="abaa"),
    a_level_is_0=rows("level", 1, level=0),
    a_level_is_finer_than_promised=promised(max_level=4),
)
caught_by("words", "order", "rows", "shape")(a_level_is_missing=rows("level", 1, level=None))
caught_by("words")(the_highest_level_is_that_of_a_suppressed_series=told(highest_level=4))
caught_by("shape", "rows")(
    a_recycled_leaf_gets_the_pattern_of_its_first_member=lambda bad: rows(
        "level", 1, level=3, pattern=word(bad.people["Jan"].series, 3)
    )(bad),
    a_pattern_is_that_of_another_level=rows("pattern", "cbba", level=4),
    a_pattern_has_one_wrong_letter=rows("pattern", "abce", pattern="abde"),
    a_naive_merge_publishes_a_foreign_pattern=rows("group", 1, level=3, pattern="cbba"),
    constant_series_are_spelt_with_the_first_letter=rows("pattern", "cccc", pattern="aaaa"),
    a_segment_has_the_letter_of_its_last_time=both(halves, rows("pattern", "ad", pattern="bd")),
    # Those of the sample give aabc and abbc.
    deviations_are_those_of_a_population=rows("pay", 31, 35, level=3, pattern="aacc"),
)

# Envelopes

caught_by("envelopes")(
    a_lower_bound_is_somebodys_value=envelope(1, mon_low=10.2),
    an_upper_bound_is_somebodys_value=envelope(2, wed_high=37.7),
    a_bound_is_off_by_the_last_bit=envelope(1, mon_low=9.999999999999998),
    a_bound_is_infinite=envelope(3, thu_high=float("inf")),
)
caught_by("envelopes", "coverage")(
    an_envelope_is_upside_down=envelope(3, thu_low=54.0, thu_high=50.0),
    a_bound_is_missing=envelope(3, thu_low=None),
)
caught_by("coverage")(
    a_lower_bound_is_one_step_too_high=envelope(1, mon_low=10.5),
    an_upper_bound_is_one_step_too_low=envelope(2, wed_high=37.5),
    bounds_are_rounded_to_the_nearest=envelope(3, thu_high=53.0),
)


@caught_by("coverage")
def envelopes_are_those_before_recycling(bad: Draft) -> None:
    bad.groups[2][1][1].append("Pia")
    bad.people["Pia"] = Person((70.2, 70.9, 71.7, 72.9), 87)
    envelope(3, mon_high=51.0, tue_high=51.5, wed_high=52.0, thu_high=53.5)(bad)


caught_by("offer")(
    the_grid_is_finer_than_promised=told(precision="0.25"),
    values_of_more_times_than_promised=promised(values=["mon", "tue", "wed"]),
    patterns_of_more_times_than_promised=promised(patterns=["mon", "tue", "wed"]),
    every_time_has_a_letter_where_segments_are_promised=promised(segments=2),
    segments_have_letters_where_every_time_is_promised=both(
        halves, lambda bad: bad.promise.pop("segments")
    ),
    more_segments_than_promised=both(lambda bad: bad.over_segments(1, 1, 2), promised(segments=2)),
    segments_are_cut_where_values_change=lambda bad: bad.over_segments(1, 3),
)

# Numbers and order


def _less(all_: list[Row]) -> list[Row]:
    return [row | {"group": row["group"] - 1} for row in all_]


caught_by("groups")(
    the_envelope_of_a_suppressed_group_is_left=put(
        envelopes=lambda all_: [*all_, all_[-1] | {"group": 4}]
    ),
    a_group_has_two_envelopes=put(envelopes=lambda all_: [*all_, all_[-1]]),
)
caught_by("groups", "state")(
    a_group_number_is_left_out=both(rows("group", 3, group=4), envelope(3, group=4)),
    groups_are_counted_from_0=put(rows=_less, envelopes=_less),
)
caught_by("groups", "coverage")(a_group_has_no_envelope=put(envelopes=lambda all_: all_[:-1]))
caught_by("groups", "P", "k", "order", "rows", "state")(
    a_row_is_of_no_group=rows("pay", 48, group=None)
)
caught_by("order")(
    rows_are_in_the_order_of_the_table=put(rows=lambda all_: all_[::-1]),
    rows_of_a_pattern_are_in_the_order_of_the_table=put(
        rows=lambda all_: [all_[1], all_[0], *all_[2:]]
    ),
    groups_are_numbered_as_they_were_found=both(lambda bad: bad.groups.reverse(), put(sort=False)),
)

# Files


def rewritten(name: str, change: Callable[[Path], None]) -> Spoil:
    """Change a file of the release, and let its description know."""
    return put(after=lambda folder: rewrite(folder, name, change))


def replaced(old: str, new: str) -> Callable[[Path], None]:
    """Put another text into a file."""
    return lambda file: file.write_text(file.read_text().replace(old, new)) and None


caught_by("columns")(
    bounds_are_of_another_precision=put(
        frame=lambda table: table.set_column(1, "mon_low", pc.cast(table["mon_low"], pa.float32()))
    )
)
refused(
    the_subject_is_a_column_of_the_rows=put(
        table=lambda table: table.append_column("who", table["pattern"])
    ),
    envelopes_tell_how_many_were_suppressed=put(
        frame=lambda table: table.append_column("suppressed", table["group"])
    ),
    the_level_is_not_told=put(table=lambda table: table.drop_columns("level")),
    an_exact_value_is_published_beside_its_bounds=put(
        frame=lambda table: table.append_column("mon", table["mon_low"])
    ),
    segments_hold_no_time=both(halves, told(segments=[4, 0])),
    the_precision_is_not_told=put(said=lambda said: said.pop("precision")),
    p_is_above_k=promised(P=5),
    a_time_is_said_to_be_hidden_and_is_not=put(
        said=lambda said: said["columns"]["tue"].update(published=[])
    ),
)
caught_by("package")(other_break_points_are_told=told(break_points=2))
caught_by("hidden")(
    the_file_names_its_source=rewritten("data.parquet", annotated),
    the_envelopes_name_their_source=rewritten("envelopes.parquet", annotated),
)
caught_by("csv")(
    the_csv_tells_another_pattern=both(
        put(csv=True), rewritten("data.csv", replaced("aaaa", "bbbb"))
    ),
    the_csv_tells_exact_bounds=both(
        put(csv=True), rewritten("envelopes.csv", replaced("50.0", "50.2"))
    ),
)
caught_by("digests")(
    a_file_was_changed_afterwards=put(after=lambda folder: altered(folder / "envelopes.parquet"))
)
caught_by("folder")(
    the_table_lies_beside_the_release=put(
        after=lambda folder: (folder / "table.csv").write_text("who\n")
    )
)

# Sensitive values, and one row each


def _swapped(published: list[Row]) -> list[Row]:
    new = renamed("pay", {31: 79, 79: 31})(published)
    return sorted(new, key=lambda row: tuple(row.values()))


caught_by("value", "rows")(
    a_value_is_that_of_nobody=rows("pay", 48, pay=47),
    values_are_swapped_between_groups=put(rows=_swapped),
    a_value_of_the_table_is_not_the_published_one=put(
        register=lambda all_: [row | {"pay": 0} if row["who"] == "Ann" else row for row in all_]
    ),
)
caught_by("rows", "value")(
    # Fay and Gus fit level 1 too; Fay is put there in the place of Kim.
    a_person_stands_in_two_subgroups=rows("pay", 67, pay=52),
    a_row_is_published_twice=rows("pay", 44, pay=40),
)
caught_by("state")(
    a_person_is_remembered_twice=put(
        state=lambda all_: [*all_[:-1], all_[0] | {"group": all_[-1]["group"]}]
    ),
    a_person_is_remembered_in_another_group=put(
        state=lambda all_: [all_[0] | {"group": 3}, *all_[1:]]
    ),
    a_person_is_not_remembered=put(state=lambda all_: all_[1:]),
    the_memory_holds_more_than_groups=put(state=lambda all_: [row | {"pay": 1} for row in all_]),
)
caught_by("memory", "rows")(
    the_suppressed_is_remembered_under_another_name=put(
        state=lambda all_: [all_[0] | {"subject": "Zoe"}, *all_[1:]]
    )
)
caught_by("coverage", "rows", "shape", "value")(
    two_people_are_remembered_in_each_others_group=put(
        state=renamed("subject", {"Ann": "Nan", "Nan": "Ann"})
    )
)

# Who is not published, and the table

caught_by("suppressed")(
    as_many_as_p_are_suppressed=lambda bad: bad.people.update(
        Quy=Person((90.3, 60.1, 92.2, 68.3), 88)
    ),
    somebody_is_suppressed_where_values_are_diverse=promised(l=2),
    another_number_of_suppressed_is_stated=told(suppressed_series=0),
    another_number_of_dropped_is_stated=told(dropped_series=2),
)
caught_by("suppressed", "memory", "rows")(
    rows_are_those_of_people_who_are_not_there=put(register=lambda all_: all_[2:])
)
caught_by("roles")(
    a_person_has_two_series=put(register=lambda all_: [*all_, all_[0]]),
    a_series_has_a_gap=put(register=lambda all_: [all_[0] | {"tue": None}, *all_[1:]]),
)
