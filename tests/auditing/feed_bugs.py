"""Privacy bugs in a feed: in what is published, and what the ledger or the records betray."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.auditing.feed_draft import COUNTS, Draft, Group, Record, Row, changed, instant
from tests.auditing.feed_story import FRI, MON, SAT, SUN, THU, TUE, WED
from tests.auditing.seeding import Seeds, Spoil, both, promised, put
from tests.release.forging import restate

FEED = Seeds("anatomy", "generalize")
caught_by, only = FEED.caught_by, FEED.only
FOUND = {"anatomy": ("linked",), "generalize": ("coverage",)}
"""Which check finds that rows of a group are not those of its records."""
COVERED = {"generalize": ("coverage",)}
"""Records that are counted elsewhere are outside all boxes."""


def group(member: str, **fields: Any) -> Spoil:
    """Publish something else of the group of a record."""
    return lambda bad: vars(bad.group(member)).update(fields)


def box(member: str, **bounds: Any) -> Spoil:
    """Give the group of a record other bounds."""
    return group(member, box=bounds)


def each(change: Callable[[Row], Row]) -> Spoil:
    """Change every published row."""
    return put(rows=lambda rows: [change(row) for row in rows])


def counted(change: Callable[[Row], Row]) -> Spoil:
    """Change every published count."""
    return put(counts=lambda counts: [change(row) for row in counts])


def state(name: str, **memory: Any) -> Spoil:
    """Remember something else of a record."""
    return put(state=lambda state: state[name].update(memory))


def listed(name: str, record: str, home: str, snapshot: str | None = None) -> Spoil:
    """Remember a record that is not to be listed."""
    at = None if snapshot is None else instant(snapshot)
    row = {"record": record, "home": instant(home), "snapshot": at}
    return put(state=lambda state: state.update({name: row}))


def forgotten(name: str) -> Spoil:
    """Let the ledger not list a record."""
    return put(state=lambda state: state.pop(name, None))


def published(name: str, day: str, beside: str) -> Spoil:
    """Publish a record on another day, in the group of another record."""

    def spoil(bad: Draft) -> None:
        assert bad.group(beside).day == day
        bad.group(name).members.remove(name)
        bad.group(beside).members.append(name)

    return spoil


def joined(name: str, beside: str) -> Spoil:
    """Publish one more record in a group."""
    return lambda bad: bad.group(beside).members.append(name)


def column(name: str, values: Callable[[pa.Table], Any]) -> Spoil:
    """Publish one more column."""
    return put(table=lambda table: table.append_column(name, values(table)))


# Values of groups and snapshots

caught_by("l-diverse", "l-eligible", "records", **FOUND)(
    a_group_has_one_row_of_a_value_too_many=group("E3", values=["flu", "flu", "cold"]),
    two_spellings_count_as_two_values=group("E3", values=["flu", "Flu\u200b", "cold"]),
)
caught_by("l-diverse", "l-eligible")(l_is_met_on_average_only=promised(l="5/2"))
caught_by("l-eligible", "l-diverse")(
    a_snapshot_is_not_eligible=lambda bad: bad.group("F1").members.remove("F1"),
    # 2 of 4 rows: allowed for 2, but not for a hair more.
    l_is_rounded=promised(l="2001/1000"),
)
caught_by("l-eligible", "l-diverse", "records", **FOUND)(
    a_snapshot_is_eligible_only_with_its_neighbour=both(
        group("C1", values=["gout", "gout"]), group("C2", values=["gout", "cold"])
    )
)


@caught_by("l-diverse", "records", anatomy=("counts",), generalize=("coverage", "order"))
def a_row_has_no_value(bad: Draft) -> None:
    def blank(row: Row) -> Row:
        return row | {"ill": None} if row.get("ill") == "acne" else row

    both(each(blank if bad.then == "generalize" else lambda row: row), counted(blank))(bad)


caught_by("size")(another_number_of_rows_is_stated=put(stated_rows=16))
only("anatomy", "counts", "l-diverse", "l-eligible", "records")(
    a_count_is_one_too_large=counted(lambda row: row | {"count": 2} if row["group"] == 6 else row)
)
only("anatomy", "counts", "linked", "records")(
    values_of_a_group_are_missing=put(
        counts=lambda counts: [row for row in counts if row["group"] != 3]
    ),
    values_are_counted_one_by_one=both(
        group("E3", values=["flu", "cold", "cold"]),
        promised(l="3/2"),
        put(
            counts=lambda counts: [
                row | {"count": 1} for row in counts for _ in range(row["count"])
            ]
        ),
    ),
)
only("anatomy", "counts")(
    values_of_a_group_that_is_not_there=put(
        counts=lambda counts: [*counts, {"group": 99, "ill": "flu", "count": 1}]
    ),
    values_stand_by_their_frequency=put(counts=lambda counts: [counts[1], counts[0], *counts[2:]]),
)

# Times

caught_by("snapshots")(
    a_label_is_that_of_the_day_before=each(
        lambda row: row | {"when": THU} if row["when"] == FRI else row
    ),
    two_days_are_one_snapshot=each(lambda row: row | {"when_end": row["when_end"] + timedelta(1)}),
)
caught_by("snapshots", "due", "records", **COVERED)(
    times_are_exact=each(lambda row: row | {"when_start": row["when_start"] + timedelta(hours=1)})
)
caught_by("snapshots", "due", "roles")(days_of_another_zone=put(zone="Asia/Tokyo"))


def numbered(number: Callable[[int], int]) -> Spoil:
    """Number the groups in another way."""

    def change(row: Row) -> Row:
        return row | {"group": number(row["group"])}

    return both(each(change), counted(change))


caught_by(
    "one snapshot",
    "l-eligible",
    "records",
    anatomy=("counts", "linked"),
    generalize=("coverage", "intervals"),
)(a_group_spans_two_snapshots=numbered(lambda n: n - (n > 2)))
caught_by("due", "records", **COVERED)(
    a_snapshot_that_is_not_due=lambda bad: bad.days.pop(),
)

# Order and numbers

caught_by("order")(
    rows_are_in_the_order_of_the_input=put(rows=lambda rows: [rows[1], rows[0], *rows[2:]])
)
caught_by("order", "groups")(
    snapshots_are_in_another_order=put(rows=lambda rows: rows[4:8] + rows[:4] + rows[8:])
)


@only("generalize", "order")
def groups_are_in_the_order_of_the_computation(bad: Draft) -> None:
    bad.sort = False
    bad.groups[:2] = bad.ordered()[1::-1]


@only("generalize", "order")
def two_groups_with_the_same_intervals(bad: Draft) -> None:
    wide = bad.box(Group(TUE, [*bad.groups[0].members, *bad.groups[1].members]))
    bad.groups[0].box = bad.groups[1].box = wide


caught_by(
    "groups",
    "one snapshot",
    "records",
    anatomy=("counts", "linked"),
    generalize=("coverage", "intervals", "l-eligible"),
)(
    numbers_start_again_with_each_snapshot=each(
        lambda row: row | {"group": row["group"] - 2} if row["when"] != TUE else row
    )
)
caught_by("groups")(
    a_number_is_left_out=numbered(lambda n: n + (n > 3)),
    groups_are_numbered_from_0=numbered(lambda n: n - 1),
)

# Intervals

only("generalize", "intervals")(
    a_bound_is_somebodys_age=box("B1", age_low=21),
    bounds_are_exact_fractions=box("B1", pay_low=1.23),
    the_moved_have_intervals_of_their_own=put(
        rows=lambda rows: [rows[0] | {"age_low": 0}, *rows[1:]]
    ),
)
only("generalize", "intervals", "coverage")(
    an_interval_is_upside_down=box("C2", region_low="south", region_high="middle")
)
only("generalize", "offer")(
    widths_are_finer_than_promised=lambda bad: bad.promise["widths"].update(age="10"),
    another_order_is_declared=lambda bad: bad.promise["orders"].update(
        region=["south", "middle", "north"]
    ),
)
only("generalize", "coverage")(
    a_record_is_outside_its_box=box("B3", age_high=44),
    an_order_is_that_of_the_alphabet=box("C2", region_low="middle", region_high="middle"),
)

# Columns and files

caught_by("columns", "hidden")(
    rows_say_who_was_moved=column("moved", lambda table: pa.array([0] * len(table))),
    rows_say_when_they_happened=column("home", lambda table: table["when_start"]),
)
only("anatomy", "columns", "hidden")(
    values_stand_in_the_rows_too=column("ill", lambda table: pa.array(["flu"] * len(table)))
)
FEED.refuses("anatomy")(
    counts_say_how_many_were_left_out=both(
        put(count_types=COUNTS.append(pa.field("suppressed", pa.int64()))),
        counted(lambda row: row | {"suppressed": 0}),
    )
)


@caught_by("columns")
def times_are_of_another_type(bad: Draft) -> None:
    at = bad.types.get_field_index("when_start")
    kind = pa.field("when_start", pa.timestamp("ms", "UTC"))
    bad.table = lambda table: table.set_column(at, kind, table["when_start"].cast(kind.type))


@caught_by("csv")
def the_csv_says_otherwise(bad: Draft) -> None:
    bad.commas = lambda rows: [rows[1], rows[0], *rows[2:]]
    if bad.then == "anatomy":
        bad.commas = lambda rows: [row | {"age": row["age"] + 1} for row in rows]


def _spoilt(folder: Path) -> None:
    file = folder / "data.parquet"
    file.write_bytes(file.read_bytes()[:-1] + b"?")


caught_by("hidden")(the_file_names_its_source=put(note="visits.csv"))
caught_by("folder")(
    the_ledger_is_published_too=put(after=lambda folder: (folder / "state.parquet").touch())
)
caught_by("digests")(a_file_was_changed=put(after=_spoilt))
caught_by("package")(snapshots_are_not_those_of_the_promise=promised(snapshot="week"))
FEED.refuses()(
    the_description_counts_the_suppressed=put(
        after=lambda folder: restate(folder, lambda said: said["anachron"].update(suppressed=1))
    )
)


@FEED.refuses()
def another_method_follows(bad: Draft) -> None:
    bad.promise["then"] = "generalize" if bad.then == "anatomy" else "anatomy"
    bad.promise |= {"widths": {}, "orders": {}}


# What the ledger remembers


@caught_by("forward")
def a_record_is_published_before_it_happened(bad: Draft) -> None:
    bad.group("C2").day = bad.group("C3").day = TUE


caught_by("forward")(
    everybody_is_listed=listed("E1", "E1", FRI, FRI),
    somebody_of_an_earlier_release_is_left_out_again=listed("A3", "A3", MON),
)
caught_by("delay")(a_record_is_delayed_by_the_whole_window=published("C5", SAT, "F1"))
caught_by("delay", "l-diverse", "records", **COVERED)(
    # Tuesday to Friday is two snapshots only for who forgets the empty Thursday.
    empty_snapshots_are_not_counted=both(published("B4", FRI, "E1"), joined("C5", "C1")),
    a_record_of_an_earlier_release_is_too_late=both(published("A4", FRI, "E1"), joined("B4", "B3")),
)
caught_by("due")(
    an_empty_snapshot_is_not_listed=lambda bad: bad.days.remove(THU),
    a_home_is_no_snapshot=state("C4", home=instant(WED) + 1),
)
caught_by("due", "delay", "forward")(
    a_record_is_moved_to_a_snapshot_to_come=state("C4", snapshot=instant(SUN))
)
caught_by("once", "l-diverse", "l-eligible", "one record each")(
    a_record_is_published_in_two_releases=joined("A1", "B3")
)
caught_by("once", "memory")(
    a_record_is_listed_twice=put(state=lambda state: state.update(twin=state["B4"]))
)
caught_by("state")(
    the_state_is_not_sorted=put(
        state_types=lambda table: table.take(pa.array(range(len(table)))[::-1])
    ),
    the_state_says_who_it_was=put(
        state_types=lambda table: table.append_column("who", pa.array(["Ann"] * len(table)))
    ),
    snapshots_are_listed_backwards=put(said=lambda said: said["snapshots"].reverse()),
    snapshots_are_not_listed=put(said=lambda said: said.clear()),
)

# What the records tell

caught_by("records", **COVERED)(
    a_record_is_published_twice=both(
        lambda bad: bad.groups.append(Group(SAT, ["E1", "E2"])), forgotten("E2")
    ),
    a_record_of_the_snapshot_is_missing=both(
        lambda bad: bad.group("E4").members.remove("E4"), forgotten("E4")
    ),
    the_state_lacks_a_moved_record=forgotten("B4"),
    the_state_lacks_a_suppressed_record=forgotten("C4"),
    a_suppressed_record_is_published_after_all=listed("E1", "E1", FRI),
    a_row_is_made_up=put(shown=lambda records: records.pop("E4")),
    a_moved_record_is_in_another_snapshot_than_listed=state("B4", snapshot=instant(THU)),
)
caught_by("records", **FOUND)(a_value_is_changed=group("E1", values=["acne", "gout"]))
only("anatomy", "records")(
    a_quasi_value_is_changed=each(lambda row: row | {"age": 22} if row["age"] == 21 else row)
)


@only("anatomy", "linked")
def quasi_values_are_swapped_between_rows(bad: Draft) -> None:
    # Eve with gout and Fay with a cold stand in each other's group.
    here, there = bad.group("B2"), bad.group("B3")
    here.values, there.values = bad.values(here), bad.values(there)
    here.members[1], there.members[1] = "B3", "B2"


@only("generalize", "coverage")
def people_are_swapped_between_groups(bad: Draft) -> None:
    here, there = bad.group("B2"), bad.group("B3")
    here.values, there.values = bad.values(there), bad.values(here)


@caught_by("one record each")
def a_person_is_twice_in_a_snapshot(bad: Draft) -> None:
    bad.records["B4"] = changed(bad.records["B4"], who="Ivy")


@caught_by("one record each", "once")
def a_person_comes_from_an_earlier_release(bad: Draft) -> None:
    bad.records["A4"] = changed(bad.records["A4"], who="Ann")


caught_by("memory")(
    somebody_is_listed_who_is_not_there=listed("Z", "nobody", FRI),
    a_home_is_another_day=state("C5", home=instant(THU)),
    # Delayed by the whole window, but the ledger says it happened a day later.
    a_late_record_pretends_to_be_in_time=both(
        published("C5", SAT, "F1"), state("C5", home=instant(THU))
    ),
)


@caught_by("roles")
def the_microdata_are_of_another_type(bad: Draft) -> None:
    def spelt(records: dict[str, Record]) -> None:
        for name, record in records.items():
            records[name] = changed(record, age=f"{record.age} years")

    bad.shown = spelt
