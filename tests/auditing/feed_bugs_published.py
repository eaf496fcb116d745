"""Privacy bugs in what is published of a feed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.auditing.feed_draft import COUNTS, Draft, Group, Row
from tests.auditing.feed_seeding import caught_by, refused
from tests.auditing.feed_story import FRI, THU, TUE
from tests.release.forging import restate


def _each(bad: Draft, change: Any) -> None:
    """Change every published row."""
    bad.rows = lambda rows: [change(row) for row in rows]


# Values of groups and snapshots


@caught_by("l-diverse")
def a_group_has_one_row_of_a_value_too_many(bad: Draft) -> None:
    bad.group("E3").values = ["flu", "flu", "cold"]


@caught_by("l-diverse")
def two_spellings_count_as_two_values(bad: Draft) -> None:
    bad.group("E3").values = ["flu", "Flu\u200b", "cold"]


@caught_by("l-diverse")
def l_is_met_on_average_only(bad: Draft) -> None:
    bad.promise["l"] = "5/2"


@caught_by("l-eligible")
def a_snapshot_is_not_eligible(bad: Draft) -> None:
    bad.group("F1").members.remove("F1")


@caught_by("l-eligible")
def a_snapshot_is_eligible_only_with_its_neighbour(bad: Draft) -> None:
    bad.group("C1").values, bad.group("C2").values = ["gout", "gout"], ["gout", "cold"]


@caught_by("l-eligible")
def l_is_rounded(bad: Draft) -> None:
    # 2 of 4 rows: allowed for 2, but not for a hair more.
    bad.promise["l"] = "2001/1000"


@caught_by("l-diverse")
def a_row_has_no_value(bad: Draft) -> None:
    def blank(row: Row) -> Row:
        return row | {"ill": None} if row.get("ill") == "acne" else row

    _each(bad, blank if bad.then == "generalize" else lambda row: row)
    bad.counts = lambda counts: [blank(row) for row in counts]


@caught_by("size")
def another_number_of_rows_is_stated(bad: Draft) -> None:
    bad.stated_rows = 16


@caught_by("counts", "anatomy")
def a_count_is_one_too_large(bad: Draft) -> None:
    bad.counts = lambda counts: [row | {"count": 2} if row["group"] == 6 else row for row in counts]


@caught_by("counts", "anatomy")
def values_of_a_group_are_missing(bad: Draft) -> None:
    bad.counts = lambda counts: [row for row in counts if row["group"] != 3]


@caught_by("counts", "anatomy")
def values_of_a_group_that_is_not_there(bad: Draft) -> None:
    bad.counts = lambda counts: [*counts, {"group": 99, "ill": "flu", "count": 1}]


@caught_by("counts", "anatomy")
def values_are_counted_one_by_one(bad: Draft) -> None:
    bad.group("E3").values = ["flu", "cold", "cold"]
    bad.promise["l"] = "3/2"
    bad.counts = lambda counts: [row | {"count": 1} for row in counts for _ in range(row["count"])]


@caught_by("counts", "anatomy")
def values_stand_by_their_frequency(bad: Draft) -> None:
    bad.counts = lambda counts: [counts[1], counts[0], *counts[2:]]


# Times


@caught_by("snapshots")
def a_label_is_that_of_the_day_before(bad: Draft) -> None:
    _each(bad, lambda row: row | {"when": THU} if row["when"] == FRI else row)


@caught_by("snapshots")
def times_are_exact(bad: Draft) -> None:
    hour = timedelta(hours=1)
    _each(bad, lambda row: row | {"when_start": row["when_start"] + hour})


@caught_by("snapshots")
def two_days_are_one_snapshot(bad: Draft) -> None:
    day = timedelta(1)
    _each(bad, lambda row: row | {"when_end": row["when_end"] + day})


@caught_by("snapshots")
def days_of_another_zone(bad: Draft) -> None:
    bad.zone = "Asia/Tokyo"


@caught_by("one snapshot")
def a_group_spans_two_snapshots(bad: Draft) -> None:
    def merge(row: Row) -> Row:
        return row | {"group": row["group"] - (row["group"] > 2)}

    _each(bad, merge)
    bad.counts = lambda counts: [merge(row) for row in counts]


@caught_by("due")
def a_snapshot_that_is_not_due(bad: Draft) -> None:
    bad.days = bad.days[:-1]


# Order and numbers


@caught_by("order")
def rows_are_in_the_order_of_the_input(bad: Draft) -> None:
    bad.rows = lambda rows: [rows[1], rows[0], *rows[2:]]


@caught_by("order")
def snapshots_are_in_another_order(bad: Draft) -> None:
    bad.rows = lambda rows: rows[4:8] + rows[:4] + rows[8:]


@caught_by("order", "generalize")
def groups_are_in_the_order_of_the_computation(bad: Draft) -> None:
    bad.sort = False
    bad.groups[:2] = bad.ordered()[1::-1]


@caught_by("order", "generalize")
def two_groups_with_the_same_intervals(bad: Draft) -> None:
    wide = bad.box(Group(TUE, [*bad.groups[0].members, *bad.groups[1].members]))
    bad.groups[0].box = bad.groups[1].box = wide


@caught_by("groups")
def numbers_start_again_with_each_snapshot(bad: Draft) -> None:
    def renumber(row: Row) -> Row:
        return row | {"group": row["group"] - 2} if row["when"] != TUE else row

    _each(bad, renumber)


@caught_by("groups")
def a_number_is_left_out(bad: Draft) -> None:
    def jump(row: Row) -> Row:
        return row | {"group": row["group"] + (row["group"] > 3)}

    _each(bad, jump)
    bad.counts = lambda counts: [jump(row) for row in counts]


@caught_by("groups")
def groups_are_numbered_from_0(bad: Draft) -> None:
    def less(row: Row) -> Row:
        return row | {"group": row["group"] - 1}

    _each(bad, less)
    bad.counts = lambda counts: [less(row) for row in counts]


# Intervals


@caught_by("intervals", "generalize")
def a_bound_is_somebodys_age(bad: Draft) -> None:
    bad.group("B1").box = {"age_low": 21}


@caught_by("intervals", "generalize")
def bounds_are_exact_fractions(bad: Draft) -> None:
    bad.group("B1").box = {"pay_low": 1.23}


@caught_by("intervals", "generalize")
def the_moved_have_intervals_of_their_own(bad: Draft) -> None:
    bad.rows = lambda rows: [rows[0] | {"age_low": 0}, *rows[1:]]


@caught_by("intervals", "generalize")
def an_interval_is_upside_down(bad: Draft) -> None:
    bad.group("C2").box = {"region_low": "south", "region_high": "middle"}


@caught_by("offer", "generalize")
def widths_are_finer_than_promised(bad: Draft) -> None:
    bad.promise["widths"]["age"] = "10"


@caught_by("offer", "generalize")
def another_order_is_declared(bad: Draft) -> None:
    bad.promise["orders"]["region"] = ["south", "middle", "north"]


@caught_by("coverage", "generalize")
def a_record_is_outside_its_box(bad: Draft) -> None:
    bad.group("B3").box = {"age_high": 44}


@caught_by("coverage", "generalize")
def an_order_is_that_of_the_alphabet(bad: Draft) -> None:
    bad.group("C2").box = {"region_low": "middle", "region_high": "middle"}


# Columns and files


@caught_by("columns")
def rows_say_who_was_moved(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("moved", pa.array([0] * len(table)))


@caught_by("columns")
def rows_say_when_they_happened(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("home", table["when_start"])


@caught_by("columns", "anatomy")
def values_stand_in_the_rows_too(bad: Draft) -> None:
    bad.table = lambda table: table.append_column("ill", pa.array(["flu"] * len(table)))


@refused("anatomy")
def counts_say_how_many_were_left_out(bad: Draft) -> None:
    bad.count_types = COUNTS.append(pa.field("suppressed", pa.int64()))
    bad.counts = lambda counts: [row | {"suppressed": 0} for row in counts]


@caught_by("columns")
def times_are_of_another_type(bad: Draft) -> None:
    at = bad.types.get_field_index("when_start")
    kind = pa.field("when_start", pa.timestamp("ms", "UTC"))
    bad.table = lambda table: table.set_column(at, kind, table["when_start"].cast(kind.type))


@caught_by("hidden")
def the_file_names_its_source(bad: Draft) -> None:
    bad.note = "visits.csv"


@caught_by("csv")
def the_csv_says_otherwise(bad: Draft) -> None:
    bad.commas = lambda rows: [rows[1], rows[0], *rows[2:]]
    if bad.then == "anatomy":
        bad.commas = lambda rows: [row | {"age": row["age"] + 1} for row in rows]


@caught_by("folder")
def the_ledger_is_published_too(bad: Draft) -> None:
    bad.after = lambda folder: (folder / "state.parquet").touch()


@caught_by("digests")
def a_file_was_changed(bad: Draft) -> None:
    def spoil(folder: Path) -> None:
        file = folder / "data.parquet"
        file.write_bytes(file.read_bytes()[:-1] + b"?")

    bad.after = spoil


@refused()
def the_description_counts_the_suppressed(bad: Draft) -> None:
    bad.after = lambda folder: restate(folder, lambda said: said["anachron"].update(suppressed=1))


@caught_by("package")
def snapshots_are_not_those_of_the_promise(bad: Draft) -> None:
    bad.promise["snapshot"] = "week"


@refused()
def another_method_follows(bad: Draft) -> None:
    bad.promise["then"] = "generalize" if bad.then == "anatomy" else "anatomy"
    bad.promise |= {"widths": {}, "orders": {}}
