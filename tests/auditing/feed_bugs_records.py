"""Privacy bugs that only the ledger or the records of a feed betray."""

from __future__ import annotations

import pyarrow as pa

from tests.auditing.feed_draft import Draft, Group, Record, Row, changed, instant
from tests.auditing.feed_seeding import caught_by
from tests.auditing.feed_story import FRI, MON, SAT, SUN, THU, TUE, WED

# What the ledger remembers


@caught_by("forward")
def a_record_is_published_before_it_happened(bad: Draft) -> None:
    bad.group("C2").day = bad.group("C3").day = TUE


@caught_by("forward")
def everybody_is_listed(bad: Draft) -> None:
    row = {"record": "E1", "home": instant(FRI), "snapshot": instant(FRI)}
    bad.state = lambda state: state.update(E1=row)


@caught_by("forward")
def somebody_of_an_earlier_release_is_left_out_again(bad: Draft) -> None:
    row = {"record": "A3", "home": instant(MON), "snapshot": None}
    bad.state = lambda state: state.update(A3=row)


@caught_by("delay")
def a_record_is_delayed_by_the_whole_window(bad: Draft) -> None:
    _published(bad, "C5", SAT, "F1")


@caught_by("delay")
def empty_snapshots_are_not_counted(bad: Draft) -> None:
    # Tuesday to Friday is two snapshots only for who forgets the empty Thursday.
    _published(bad, "B4", FRI, "E1")
    bad.group("C1").members.append("C5")


@caught_by("delay")
def a_record_of_an_earlier_release_is_too_late(bad: Draft) -> None:
    _published(bad, "A4", FRI, "E1")
    bad.group("B3").members.append("B4")


@caught_by("due")
def an_empty_snapshot_is_not_listed(bad: Draft) -> None:
    bad.days.remove(THU)


@caught_by("due")
def a_record_is_moved_to_a_snapshot_to_come(bad: Draft) -> None:
    bad.state = lambda state: state["C4"].update(snapshot=instant(SUN))


@caught_by("due")
def a_home_is_no_snapshot(bad: Draft) -> None:
    bad.state = lambda state: state["C4"].update(home=instant(WED) + 1)


@caught_by("once")
def a_record_is_published_in_two_releases(bad: Draft) -> None:
    bad.group("B3").members.append("A1")


@caught_by("once")
def a_record_is_listed_twice(bad: Draft) -> None:
    bad.state = lambda state: state.update(twin=state["B4"])


@caught_by("state")
def the_state_is_not_sorted(bad: Draft) -> None:
    bad.state_types = lambda table: table.take(pa.array(range(len(table)))[::-1])


@caught_by("state")
def the_state_says_who_it_was(bad: Draft) -> None:
    bad.state_types = lambda table: table.append_column("who", pa.array(["Ann"] * len(table)))


@caught_by("state")
def snapshots_are_listed_backwards(bad: Draft) -> None:
    bad.said = lambda said: said["snapshots"].reverse()


@caught_by("state")
def snapshots_are_not_listed(bad: Draft) -> None:
    bad.said = lambda said: said.clear()


# What the records tell


@caught_by("records")
def a_record_is_published_twice(bad: Draft) -> None:
    bad.groups.append(Group(SAT, ["E1", "E2"]))
    for name in ("E1", "E2"):
        _forget(bad, name)


@caught_by("records")
def a_record_of_the_snapshot_is_missing(bad: Draft) -> None:
    bad.group("E4").members.remove("E4")
    _forget(bad, "E4")


@caught_by("records")
def the_state_lacks_a_moved_record(bad: Draft) -> None:
    _forget(bad, "B4")


@caught_by("records")
def the_state_lacks_a_suppressed_record(bad: Draft) -> None:
    _forget(bad, "C4")


@caught_by("records")
def a_suppressed_record_is_published_after_all(bad: Draft) -> None:
    bad.state = lambda state: state.update(E1=_lost("E1", FRI))


@caught_by("records")
def a_row_is_made_up(bad: Draft) -> None:
    def gone(records: dict[str, Record]) -> None:
        del records["E4"]

    bad.shown = gone


@caught_by("records")
def a_value_is_changed(bad: Draft) -> None:
    bad.group("E1").values = ["acne", "gout"]


@caught_by("records", "anatomy")
def a_quasi_value_is_changed(bad: Draft) -> None:
    bad.rows = lambda rows: [row | {"age": 22} if row["age"] == 21 else row for row in rows]


@caught_by("records")
def a_moved_record_is_in_another_snapshot_than_listed(bad: Draft) -> None:
    bad.state = lambda state: state["B4"].update(snapshot=instant(THU))


@caught_by("linked", "anatomy")
def quasi_values_are_swapped_between_rows(bad: Draft) -> None:
    # Eve with gout and Fay with a cold stand in each other's group.
    here, there = bad.group("B2"), bad.group("B3")
    here.values, there.values = bad.values(here), bad.values(there)
    here.members[1], there.members[1] = "B3", "B2"


@caught_by("coverage", "generalize")
def people_are_swapped_between_groups(bad: Draft) -> None:
    here, there = bad.group("B2"), bad.group("B3")
    here.values, there.values = bad.values(there), bad.values(here)


@caught_by("one record each")
def a_person_is_twice_in_a_snapshot(bad: Draft) -> None:
    bad.records["B4"] = changed(bad.records["B4"], who="Ivy")


@caught_by("one record each")
def a_person_comes_from_an_earlier_release(bad: Draft) -> None:
    bad.records["A4"] = changed(bad.records["A4"], who="Ann")


@caught_by("memory")
def somebody_is_listed_who_is_not_there(bad: Draft) -> None:
    bad.state = lambda state: state.update(Z=_lost("nobody", FRI))


@caught_by("memory")
def a_home_is_another_day(bad: Draft) -> None:
    bad.state = lambda state: state["C5"].update(home=instant(THU))


@caught_by("memory")
def a_late_record_pretends_to_be_in_time(bad: Draft) -> None:
    # Delayed by the whole window, but the ledger says it happened a day later.
    _published(bad, "C5", SAT, "F1")
    bad.state = lambda state: state["C5"].update(home=instant(THU))


@caught_by("roles")
def the_microdata_are_of_another_type(bad: Draft) -> None:
    def spelt(records: dict[str, Record]) -> None:
        for name, record in records.items():
            records[name] = changed(record, age=f"{record.age} years")

    bad.shown = spelt


def _published(bad: Draft, name: str, day: str, beside: str) -> None:
    """Publish a record on another day, in the group of another record."""
    assert bad.group(beside).day == day
    bad.group(name).members.remove(name)
    bad.group(beside).members.append(name)


def _forget(bad: Draft, name: str) -> None:
    """Let the ledger not list a record."""

    def forget(state: dict[str, Row]) -> None:
        state.pop(name, None)

    bad.state = forget


def _lost(name: str, day: str) -> Row:
    return {"record": name, "home": instant(day), "snapshot": None}
