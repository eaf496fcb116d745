"""What the audit of a feed can and cannot tell, by what it is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.calendar.definitions import Granularity
from anachron.schema import Schema
from tests.auditing.feed_draft import (
    SCHEMA,
    Draft,
    Group,
    Record,
    Row,
    changed,
    instant,
    loaded,
    past,
    promise,
    waiting_table,
)
from tests.auditing.feed_story import FRI, RECORDS, SAT, SUN, TUE, WED, first, second
from tests.auditing.judging import assert_holds, failing

BOTH = pytest.mark.parametrize("then", ["anatomy", "generalize"])


def only(*days: str) -> dict[str, Record]:
    return {name: record for name, record in RECORDS.items() if record.home in days}


def whole(then: str, **settings: Any) -> Draft:
    """All of Tuesday to Saturday, as a feed that begins and ends with it."""
    draft = second(then)
    draft.records = only(TUE, WED, FRI, SAT)
    draft.group("A4").members.remove("A4")
    draft.group("B3").members.append("B4")
    draft.group("C1").members.remove("B4")
    draft.group("C1").members.append("C2")
    draft.group("C3").members.remove("C2")
    draft.groups = [group for group in draft.groups if group.members != ["C3"]]
    draft.group("C1").members.append("C3")
    draft.promise = promise(then, **settings)
    return draft


def judged(draft: Draft, folder: Path, *before: pa.Table) -> Verdict:
    release = draft.write(folder / f"{draft.number:04d}")
    return verify(release, microdata=loaded(draft.microdata()), history=past(draft, *before))


@BOTH
def test_the_loss_of_a_whole_feed_is_counted_again(then: str, tmp_path: Path) -> None:
    costs = {"gout": 7, "*": "5/2"}
    draft = whole(then, mu=["0", "1", "7/3"], beta=costs)
    verdict = judged(draft, tmp_path)
    assert_holds(verdict)
    # C5 two snapshots late, C4 (gout) never.
    assert verdict.figures["moved"] == 1
    assert verdict.figures["suppressed"] == 1
    assert verdict.figures["loss"] == "28/3"
    assert verdict.figures["longest_delay"] == 2


@BOTH
def test_the_release_alone_says_nothing_of_records(then: str, tmp_path: Path) -> None:
    verdict = verify(second(then).write(tmp_path / "0002"))
    assert verdict.holds
    assert verdict.scope == "published"
    assert "records" not in {check.name for check in verdict.checks}
    assert "moved" not in verdict.figures


@BOTH
def test_with_the_ledger_alone(then: str, tmp_path: Path) -> None:
    draft = second(then)
    release = draft.write(tmp_path / "0002")
    for before in ((), (first(then).state_table(),)):
        verdict = verify(release, history=past(draft, *before))
        assert verdict.holds
        assert {"forward", "delay", "once"} <= {check.name for check in verdict.checks}


@BOTH
def test_a_first_release(then: str, tmp_path: Path) -> None:
    verdict = judged(first(then), tmp_path)
    assert_holds(verdict)
    assert verdict.figures["moved"] == 0
    # Who waits may still be published: the window is three snapshots.
    assert verdict.figures["suppressed"] == 0


@BOTH
def test_a_release_of_nothing(then: str, tmp_path: Path) -> None:
    draft = second(then)
    draft.groups = []
    release = draft.write(tmp_path / "0002")
    assert failing(verify(release)) == {"l-diverse"}
    held = loaded(RECORDS)
    assert failing(verify(release, microdata=held)) == {"l-diverse"}
    assert failing(verify(release, microdata=held, history=past(draft))) == {"l-diverse"}
    draft.state = lambda state: state.clear()
    found = failing(verify(release, microdata=held, history=past(draft)))
    assert {"l-diverse", "records"} <= found


# A push: some records were waiting


def pushed(draft: Draft, folder: Path, new: dict[str, Record]) -> Verdict:
    waiting = waiting_table({"A3": RECORDS["A3"], "A4": RECORDS["A4"], **only(TUE, WED)}, TUE)
    release = draft.write(folder / "0002")
    return verify(release, microdata=loaded(new), history=past(draft, waiting=waiting))


@BOTH
def test_a_push_completes_what_was_waiting(then: str, tmp_path: Path) -> None:
    verdict = pushed(second(then), tmp_path, only(FRI, SAT, SUN))
    assert_holds(verdict)
    assert verdict.figures["records"] == 15
    assert verdict.figures["moved"] == 3
    # A3 and C4 can no longer be published: linear costs, and a window of 3.
    assert verdict.figures["suppressed"] == 2
    assert verdict.figures["loss"] == "10"


@pytest.mark.parametrize(("window", "gone"), [(3, 2), (4, 2), (5, 1), (6, 1), (7, 0)])
def test_who_can_still_be_published_is_not_lost(window: int, gone: int, tmp_path: Path) -> None:
    draft = second("anatomy")
    draft.promise = promise("anatomy", window=window)
    verdict = pushed(draft, tmp_path, only(FRI, SAT, SUN))
    assert verdict.holds
    assert verdict.figures["suppressed"] == gone


@BOTH
def test_what_is_pushed_again_counts_once(then: str, tmp_path: Path) -> None:
    verdict = pushed(second(then), tmp_path, only(WED, FRI, SAT, SUN))
    assert_holds(verdict)


@BOTH
def test_a_waiting_record_is_compared_too(then: str, tmp_path: Path) -> None:
    bad = second(then)
    bad.group("B1").values = ["acne", "gout"]
    assert "records" in failing(pushed(bad, tmp_path, only(FRI, SAT, SUN)))


@BOTH
def test_who_was_not_waiting_cannot_come(then: str, tmp_path: Path) -> None:
    bad = second(then)
    bad.group("B1").members.append("A1")
    bad.group("B1").values = ["flu", "flu", "gout"]
    bad.promise = promise(then, l="3/2")
    assert "memory" in failing(pushed(bad, tmp_path, only(FRI, SAT, SUN)))


@BOTH
def test_a_person_who_waits_is_recognised_in_the_push(then: str, tmp_path: Path) -> None:
    draft = second(then)
    draft.records["E1"] = changed(RECORDS["E1"], who="Lou")  # C5 of Lou is moved to that day
    new = only(FRI, SAT, SUN) | {"E1": draft.records["E1"]}
    assert failing(pushed(draft, tmp_path, new)) == {"one record each"}


@BOTH
def test_the_end_of_a_feed_has_no_rows_of_its_own(then: str, tmp_path: Path) -> None:
    draft = whole(then)
    release = draft.write(tmp_path / "0002")
    waiting = waiting_table(draft.records, TUE)
    verdict = verify(release, history=past(draft, waiting=waiting))
    assert_holds(verdict)
    assert verdict.figures["loss"] == "5"
    gone = {name: record for name, record in draft.records.items() if name != "E1"}
    short = past(draft, waiting=waiting_table(gone, TUE))
    assert "records" in failing(verify(release, history=short))


@BOTH
def test_a_memory_without_its_form_is_refused(then: str, tmp_path: Path) -> None:
    draft = second(then)
    release = draft.write(tmp_path / "0002")
    waiting = waiting_table(only(TUE, WED), TUE)
    for broken in (
        waiting.drop_columns(["key_low"]),
        waiting.drop_columns(["quasi age"]),
        waiting.replace_schema_metadata({b"anachron": b"{}"}),
    ):
        verdict = verify(release, history=past(draft, waiting=broken))
        assert failing(verdict) == {"state"}


# Without the ledger


@BOTH
def test_without_the_ledger_rows_must_be_somebodys(then: str, tmp_path: Path) -> None:
    release = second(then).write(tmp_path / "0002")
    assert verify(release, microdata=loaded(RECORDS)).holds
    later = RECORDS | {"F1": changed(RECORDS["F1"], when=f"{SUN} 10:00")}
    earlier = RECORDS | {"F1": changed(RECORDS["F1"], when=f"{WED} 10:00")}
    other = RECORDS | {"F1": changed(RECORDS["F1"], ill="gout")}
    fewer = {name: record for name, record in RECORDS.items() if name not in ("F1", "C3")}
    for records in (later, earlier, other, fewer):
        assert failing(verify(release, microdata=loaded(records))) == {"records"}


def test_without_the_ledger_quasi_rows_are_compared(tmp_path: Path) -> None:
    release = second("anatomy").write(tmp_path / "0002")
    assert failing(
        verify(release, microdata=loaded(RECORDS | {"F1": changed(RECORDS["F1"], age=99)}))
    ) == {"records"}


# Records that come late, or twice


@BOTH
def test_who_came_too_late_is_missing(then: str, tmp_path: Path) -> None:
    dropped = Record("Zoe", f"{TUE} 05:00", 50, 1.0, "north", "cold")
    for late, right in (("refuse", False), ("drop", True), ("recycle", True)):
        draft = second(then)
        draft.promise = promise(then, late=late)
        draft.shown = lambda records: records.update(Z=dropped)
        verdict = judged(draft, tmp_path / late, first(then).state_table())
        assert verdict.holds is right
        assert right or "records" in failing(verdict)


@BOTH
def test_who_came_too_late_excuses_no_strange_row(then: str, tmp_path: Path) -> None:
    draft = second(then)
    draft.promise = promise(then, late="drop")
    draft.group("E1").values = ["acne", "gout"]
    assert "records" in failing(judged(draft, tmp_path, first(then).state_table()))


@BOTH
def test_one_of_several_records_of_a_person(then: str, tmp_path: Path) -> None:
    again = changed(RECORDS["B1"], when=f"{TUE} 22:00", age=77)
    found = []
    for repeated in ("refuse", "one"):
        # The hash decides which of the two is kept.
        for kept in ("B1", "B1b"):
            draft = second(then)
            draft.records["B1b"] = again
            draft.promise = promise(then, repeated=repeated)
            members = draft.group("B1").members
            members[members.index("B1")] = kept
            draft.state = lambda state: (state.pop("B1", None), state.pop("B1b", None), None)[-1]
            verdict = judged(draft, tmp_path / repeated / kept, first(then).state_table())
            found.append(verdict.holds)
    assert sorted(found[:2]) == [False, False]
    assert sorted(found[2:]) == [False, True]


# Calendars


def test_delays_skip_what_is_no_snapshot(tmp_path: Path) -> None:
    """Friday to Tuesday is two business days, with a holiday on Monday only one."""
    days = ["2024-05-10", "2024-05-14", "2024-05-15"]
    records = {
        name: Record(name, f"{day} 12:00", age, 1.0, "north", ill)
        for name, day, age, ill in [
            ("a", days[0], 10, "flu"),
            ("b", days[0], 20, "flu"),
            ("c", days[1], 30, "cold"),
            ("d", days[2], 40, "gout"),
            ("e", days[2], 50, "cold"),
        ]
    }
    groups = [Group(days[1], ["a", "c"]), Group(days[2], ["d", "e"])]
    for holidays, right in ((["2024-05-13"], True), ([], False)):
        calendar = Granularity.business_days(holidays=holidays)
        draft = Draft("anatomy", 1, records, list(days), [*groups])
        if not right:
            draft.days.insert(1, "2024-05-13")
        draft.promise = promise("anatomy", snapshot=calendar, window=2)
        draft.columns["when"]["granularity"] = calendar.to_dict()
        verdict = judged(draft, tmp_path / str(right))
        assert failing(verdict) == (set() if right else {"delay"})


def test_snapshots_do_not_overlap(tmp_path: Path) -> None:
    """Any two days look like one of the snapshots, but not all of them can be."""
    pairs = Granularity.every("pair", 2, "day", anchor=TUE)
    for step, right in ((2, True), (1, False)):
        draft = Draft("anatomy", 1, dict(RECORDS), [TUE], second("anatomy").groups[:4])
        draft.promise = promise("anatomy", snapshot=pairs)
        draft.columns["when"]["granularity"] = pairs.to_dict()
        draft.rows = partial(_pairs, step=step)
        assert failing(verify(draft.write(tmp_path / str(step)))) == (
            set() if right else {"snapshots"}
        )


def _pairs(rows: list[Row], step: int) -> list[Row]:
    """Make the rows of two days those of pairs of days, so many days apart."""
    start = rows[0]["when_start"]
    times = {TUE: start, WED: start + timedelta(step)}
    return [
        row
        | {
            "when": f"{times[row['when']]:%Y-%m-%d}",
            "when_start": times[row["when"]],
            "when_end": times[row["when"]] + timedelta(2),
        }
        for row in rows
    ]


def test_microdata_with_other_roles_do_not_fit(tmp_path: Path) -> None:
    good = second("anatomy")
    release = good.write(tmp_path / "0002")
    for change in ({"quasi": ["pay", "age", "region"]}, {"time_zone": "Asia/Tokyo"}):
        other = Schema.from_dict(SCHEMA.to_dict() | change)
        for shown in (None, past(good)):
            assert failing(verify(release, microdata=loaded(RECORDS, other), history=shown)) == {
                "roles"
            }


def test_missing_quasi_values_are_values_of_anatomy(tmp_path: Path) -> None:
    good = second("anatomy")
    good.records["F1"] = replace(RECORDS["F1"], region=None)  # type: ignore[arg-type]
    before = first("anatomy")
    before.records = good.records
    assert judged(good, tmp_path / "1", before.state_table()).holds
    bad = second("anatomy")
    bad.records["F1"] = good.records["F1"]
    bad.rows = lambda rows: [row | {"region": row["region"] or "south"} for row in rows]
    assert failing(judged(bad, tmp_path / "2", before.state_table())) == {"records"}


def test_a_state_far_away_is_no_danger(tmp_path: Path) -> None:
    bad = second("anatomy")
    bad.promise = promise("anatomy", snapshot="second")
    bad.columns["when"]["granularity"] = "second"
    bad.state = lambda state: state["C4"].update(home=instant("0900-01-01"))
    assert {"due", "snapshots"} <= failing(verify(bad.write(tmp_path / "1"), history=past(bad)))
