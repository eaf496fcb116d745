"""What of a promise may change in the middle of a history, and what may not: advice is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.whole import verify_history
from anachron.behind import read
from anachron.errors import AlreadyPublished, GuaranteeError, PlanError, TableError
from anachron.guarantees.lasting import HISTORIES, PARTS, lasts
from anachron.methods.invariance.changes import fits
from tests.flow.registers import (
    DISTRICTS,
    ILLS,
    ORDERS,
    SCHEMA,
    WIDTHS,
    People,
    as_table,
    changed,
    clinic,
    released,
    three_quarters,
)
from tests.flow.test_feeds import SCHEMA as FEED
from tests.flow.test_feeds import feed, of_day, plan

ALL = {ill: [other for other in ILLS if other != ill] for ill in ILLS}


def promised(**parts: Any) -> an.MInvariance:
    return an.MInvariance(**{"m": 2, "widths": WIDTHS, "orders": ORDERS, **parts})


def sound(root: Path, table: object = None, schema: an.Schema = SCHEMA) -> an.Verdict:
    """The verdict on the whole history, which holds, as does each release and the ledger."""
    ledger = an.Ledger.open(root / "ledger")
    held = None if table is None else read(table, schema)
    *each, whole = verify_history(root / "releases", ledger=ledger, microdata=held)
    for verdict in (*each, whole):
        assert verdict.holds, [str(check) for check in verdict.failures]
    assert ledger.check() == []
    return whole


def same_promise(verdict: an.Verdict) -> str:
    return next(check.measured for check in verdict.checks if check.name == "same promise")


@pytest.mark.parametrize("mode", ["transparent", "sticky"])
def test_who_is_told_to_publish_people_with_more_can_do_so(tmp_path: Path, mode: str) -> None:
    first = clinic()
    released(first, tmp_path, promised(mode=mode))
    more = {**first, **{f"new-{i}": (40, 1.0, "hill", "flu") for i in range(3)}}
    with pytest.raises(GuaranteeError, match="Publish them later, together with more people"):
        released(more, tmp_path, promised(mode=mode))
    more |= {f"more-{i}": (41, 1.0, "hill", "eczema") for i in range(3)}
    assert released(more, tmp_path, promised(mode=mode)).number == 2
    sound(tmp_path)


def test_who_is_told_to_hold_people_back_can_do_so(tmp_path: Path) -> None:
    mode = "paper"
    first = clinic()
    released(first, tmp_path, promised(mode=mode))
    more = {**first, **{f"new-{i}": (40, 1.0, "hill", "flu") for i in range(3)}}
    with pytest.raises(GuaranteeError, match="when_ineligible='hold'"):
        released(more, tmp_path, promised(mode=mode))
    second = released(more, tmp_path, promised(mode=mode, when_ineligible="hold"))
    assert second.explanation is not None
    assert second.explanation["held"] > 0
    assert any("when_ineligible" in note for note in second.explanation["notes"])
    released(three_quarters()[2], tmp_path, promised(mode=mode, when_ineligible="refuse"))
    assert "allowed: 2" in same_promise(sound(tmp_path))


def refused(people: People, root: Path, guarantee: an.MInvariance, *words: str) -> None:
    with pytest.raises((PlanError, TableError)) as told:
        released(people, root, guarantee)
    assert all(word in str(told.value) for word in words), str(told.value)


@pytest.mark.parametrize("mode", ["paper", "sticky"])
def test_new_districts_and_wider_domains_are_added_as_advised(tmp_path: Path, mode: str) -> None:
    first = clinic()
    old = {"age": (18, 89)}
    released(first, tmp_path, promised(mode=mode, domains=old))
    names = list(first)
    second = {**first, names[0]: changed(first[names[0]], district="new town")}
    refused(second, tmp_path, promised(mode=mode, domains=old), "Add them", "at the end")
    longer = {"district": (*DISTRICTS, "new town")}
    released(second, tmp_path, promised(mode=mode, domains=old, orders=longer))
    third = {**second, names[1]: changed(second[names[1]], age=97)}
    refused(third, tmp_path, promised(mode=mode, domains=old, orders=longer), "Widen it")
    wider = {"age": (0, 120)}
    released(third, tmp_path, promised(mode=mode, domains=wider, orders=longer))
    released(first, tmp_path, promised(mode=mode, domains=wider, orders=longer))
    assert "allowed: 2" in same_promise(sound(tmp_path, as_table(first)))


def test_all_bounds_of_all_releases_lie_on_the_first_grid(tmp_path: Path) -> None:
    """Laid together, the boxes of a person are never finer than the grid that was promised."""
    parts: list[dict[str, Any]] = [
        {},
        {"domains": {"age": (3, 131)}},
        {"widths": {"age": 10, "pay": "0.1"}},
        {"widths": {"age": 30, "pay": "0.7"}, "orders": {"district": (*DISTRICTS, "x", "y")}},
        {"widths": {"age": 30, "pay": "0.7"}, "orders": {"district": (*DISTRICTS, "x", "y")},
         "domains": {"pay": (0, 4)}},
    ]  # fmt: skip
    quarters = three_quarters()
    for number, part in enumerate(parts):
        release = released(quarters[number % 3], tmp_path, promised(**part))
        table = release.table()
        assert all(low % 5 == 0 for low in table["age_low"].to_pylist())
        assert all(high % 5 == 4 for high in table["age_high"].to_pylist())
        for name in ("pay_low", "pay_high"):
            ends = [Decimal(repr(end)) for end in table[name].to_pylist()]
            assert all(end % Decimal("0.1") == 0 for end in ends)
        assert set(table["district_low"].to_pylist()) <= set(DISTRICTS)
    assert "allowed: 4" in same_promise(sound(tmp_path))


def test_changes_that_were_forgotten_are_added_as_advised(tmp_path: Path) -> None:
    """Some values only were listed; the refusal said that values had changed too often."""
    first = clinic(48, ills=8)
    some = {"flu": ["asthma"]}
    made = released(first, tmp_path, promised(changes=some))
    groups: dict[int, set[str]] = {}
    for row in made.table().to_pylist():
        groups.setdefault(row["group"], set()).add(row["ill"])
    moved = {
        who: changed(person, ill=ILLS[(ILLS.index(person[3]) + 4) % 8])
        for who, person in first.items()
    }
    with pytest.raises(GuaranteeError) as told:
        released(moved, tmp_path, promised(changes=some), accept="changes")
    assert "changed too often" not in str(told.value)
    assert "nothing for 7 of 8 values" in str(told.value)
    assert "add to changes" in str(told.value)
    more = {**ALL, "flu": ["asthma", *ALL["flu"]]}
    released(moved, tmp_path, promised(changes=more), accept="changes")
    released(first, tmp_path, promised(), accept="changes")  # any can become any
    refused(moved, tmp_path, promised(changes=ALL), "changes may change only so")
    sound(tmp_path)


def test_a_value_that_changed_too_often_is_still_told(tmp_path: Path) -> None:
    people = {f"p{i}": (30, 1.0, "hill", ILLS[i % 2]) for i in range(6)}
    released(people, tmp_path, promised())
    moved = {who: changed(person, ill="colitis") for who, person in people.items()}
    with pytest.raises(GuaranteeError, match="changed too often") as told:
        released(moved, tmp_path, promised())
    assert "lists" not in str(told.value)


def test_what_may_become_more_leaves_as_many_candidates() -> None:
    """Why changes may be added: sets that fit fit all the more."""
    rng = np.random.default_rng(12)
    fitting = 0
    for _ in range(2_000):
        m = int(rng.integers(2, 4))
        old, new = (0, 1, 2, 3)[: int(rng.integers(m, 5))], (4, 5, 6, 7)[: int(rng.integers(m, 5))]
        can = {a: frozenset(b for b in new if rng.random() < 0.5) for a in old}
        more = {a: can[a] | {b for b in new if rng.random() < 0.3} for a in old}
        if fits(old, new, m, can):
            fitting += 1
            assert fits(old, new, m, more)
            assert fits(old, new, m, None)
    assert fitting > 300


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a larger m": ({"m": 3}, "m must not change"),
    "a smaller m": ({"m": 2}, "m must not change"),
    "another mode": ({"mode": "transparent"}, "mode must not change"),
    "a finer grid": ({"widths": {**WIDTHS, "age": 1}}, "to a whole multiple"),
    "a shifted grid": ({"widths": {**WIDTHS, "age": 7}}, "to a whole multiple"),
    "a district in between": (
        {"orders": {"district": ("harbour", "x", "old town", "market", "hill")}}, "at the end",
    ),
    "a district less": ({"orders": {"district": DISTRICTS[:-1]}}, "at the end"),
    "fewer changes": ({"changes": {"flu": ["asthma"]}}, "changes may be added"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_protects_people_must_not_change(tmp_path: Path, case: str) -> None:
    parts, words = WRONG[case]
    before: dict[str, Any] = {"changes": ALL}
    if case == "a smaller m":
        before["m"] = 3
    first = clinic(48, ills=8)
    released(first, tmp_path, promised(**before))
    second = {who: person for who, person in first.items() if person[2] != "hill"}
    refused(second, tmp_path, promised(**{**before, **parts}), words, "new ledger")
    assert len(list((tmp_path / "releases").iterdir())) == 1


def test_the_audit_refuses_what_publishing_refuses() -> None:
    before = promised(changes=ALL, m=3).to_dict()
    for parts, _ in WRONG.values():
        after = promised(**{"changes": ALL, "m": 3, **parts}).to_dict()
        assert lasts(before, after) == (before == after)
    assert lasts(before, {**before, "when_ineligible": "hold"})
    assert not lasts(before, an.TimeGranularity(k=2).to_dict())


@pytest.mark.parametrize("part", ["widths", "orders", "domains", "changes", "m", "mode"])
@pytest.mark.parametrize("bad", [None, 7, "x", [1], {"age": "x"}, {"age": "0"}, {"age": None}])
def test_a_malformed_promise_follows_nothing(part: str, bad: object) -> None:
    good = promised(changes=ALL).to_dict()
    # What says nothing is judged by the audit of the release itself.
    free = part == "domains" or (part == "changes" and bad is None)
    assert lasts(good, {**good, part: bad}) == free
    assert lasts({**good, part: bad}, good) in (True, False)


def test_another_schema_is_another_history(tmp_path: Path) -> None:
    released(clinic(), tmp_path)
    fewer = an.Schema(subject="who", quasi=("age", "pay"), sensitive="ill")
    with pytest.raises(PlanError, match="quasi must not change"):
        released(clinic(seed=2), tmp_path, schema=fewer)


def test_every_part_of_every_promise_is_decided_on() -> None:
    kinds: Mapping[str, type] = {
        "schema": an.Schema, "invariance": an.MInvariance, "reposition": an.Reposition,
    }  # fmt: skip
    assert set(PARTS) == {"schema", *HISTORIES}
    for name, kind in kinds.items():
        assert PARTS[name].keys() == {field.name for field in fields(kind)}
        assert all(part.why and part.may for part in PARTS[name].values())


def test_late_records_are_recycled_from_now_on_as_advised(tmp_path: Path) -> None:
    table = feed(days=8)
    days = sorted(set(table["day"].to_pylist()))
    on_time = of_day(table, *days)
    late = of_day(table, days[3]).slice(0, 1)
    rest = on_time.filter(pa.compute.invert(pa.compute.is_in(on_time["who"], late["who"])))
    strict, patient = (
        an.Reposition(l=2, window=3, late=way, solver="recycle") for way in ("refuse", "recycle")
    )
    for day in days[:5]:
        an.open(plan(tmp_path, strict)).push(of_day(rest, day))
    again = pa.concat_tables([of_day(rest, days[5]), late])
    with pytest.raises(AlreadyPublished, match='with late = "recycle"'):
        an.open(plan(tmp_path, strict)).push(again)
    an.open(plan(tmp_path, patient)).push(again)
    with pytest.raises(PlanError, match="from refuse to recycle to drop"):
        an.open(plan(tmp_path, strict)).push(of_day(rest, days[6]))
    for day in days[6:]:
        an.open(plan(tmp_path, patient)).push(of_day(rest, day))
    an.open(plan(tmp_path, patient)).flush()
    assert "allowed: 1" in same_promise(sound(tmp_path, pa.concat_tables([rest, late]), FEED))
    assert an.ask([an.Release(p) for p in sorted((tmp_path / "releases").iterdir())],
                  "SELECT COUNT(*)").estimate == rest.num_rows + 1  # fmt: skip


def test_a_late_record_of_a_day_that_is_out_leaves_older_releases_right(tmp_path: Path) -> None:
    table = feed(days=8)
    days = sorted(set(table["day"].to_pylist()))
    strict, loose = (an.Reposition(l=2, window=2, late=way) for way in ("refuse", "drop"))
    late = of_day(table, days[0]).slice(0, 1)
    rest = table.filter(pa.compute.invert(pa.compute.is_in(table["who"], late["who"])))
    for day in days[:5]:
        an.open(plan(tmp_path, strict)).push(of_day(rest, day))
    an.open(plan(tmp_path, loose)).push(pa.concat_tables([of_day(rest, days[5]), late]))
    an.open(plan(tmp_path, loose)).push(of_day(rest, *days[6:]))
    an.open(plan(tmp_path, loose)).flush()
    sound(tmp_path, pa.concat_tables([rest, late]), FEED)


def test_files_with_commas_may_begin_in_the_middle_of_a_feed(tmp_path: Path) -> None:
    table = feed(days=6)
    days = sorted(set(table["day"].to_pylist()))
    guarantee = an.Reposition(l=2, window=2)
    an.open(plan(tmp_path, guarantee)).push(of_day(table, *days[:3]))
    an.open(plan(tmp_path, guarantee, csv=True)).push(of_day(table, *days[3:]))
    sound(tmp_path, table, FEED)


def test_a_feed_may_change_its_solver_and_its_budget(tmp_path: Path) -> None:
    """Feeds that were begun with the one that was the default go on with the one that is."""
    table = feed(days=9)
    days = sorted(set(table["day"].to_pylist()))
    for number, parts in enumerate(({"solver": "recycle", "budget": 0}, {}, {"solver": "recycle"})):
        promise = an.Reposition(l=2, window=3, **parts)
        an.open(plan(tmp_path, promise)).push(of_day(table, *days[3 * number : 3 * number + 3]))
    releases = an.open(plan(tmp_path, promise)).flush()
    sound(tmp_path, table, FEED)
    changes = [e.explanation["notes"] for e in an.Ledger.open(tmp_path / "ledger").entries()]
    assert any("solver is not as in the release before" in note for one in changes for note in one)
    assert releases


def test_an_order_that_was_forgotten_is_added_in_an_m_invariant_feed(tmp_path: Path) -> None:
    table = feed(days=8)
    days = sorted(set(table["day"].to_pylist()))

    def of(**parts: Any) -> an.Publisher:
        then = an.MInvariance(**{"m": 2, **parts})
        return an.open(plan(tmp_path, an.Reposition(window=2, then=then)))

    with pytest.raises(TableError, match="List its values in orders"):
        of().push(of_day(table, *days[:4]))
    two: dict[str, Any] = {"orders": {"ward": ["north", "west"]}}
    with pytest.raises(TableError, match="Add them to its order"):
        of(**two).push(of_day(table, *days[:4]))
    three: dict[str, Any] = {"orders": {"ward": ["west", "north", "east"]}}
    of(**three).push(of_day(table, *days[:4]))
    with pytest.raises(PlanError, match=r"then\.orders may change only so"):
        of(orders={"ward": ["east", "north", "west"]}).push(of_day(table, days[4]))
    four: dict[str, Any] = {"orders": {"ward": ["west", "north", "east", "south"]}}
    of(**four).push(of_day(table, *days[4:6]))
    of(**four, domains={"age": (0, 200)}).push(of_day(table, *days[6:]))
    of(**four).flush()
    sound(tmp_path)


@pytest.mark.parametrize("csv", [False, True])
def test_a_mode_cannot_begin_in_the_middle_of_a_feed(tmp_path: Path, csv: bool) -> None:
    table = feed(days=4)
    days = sorted(set(table["day"].to_pylist()))
    parts: dict[str, Any] = {"m": 2, "orders": {"ward": ["west", "north", "east"]}}
    then = an.MInvariance(**parts)
    an.open(plan(tmp_path, an.Reposition(window=2, then=then))).push(of_day(table, *days[:3]))
    other = an.Reposition(window=2, then=an.MInvariance(mode="transparent", **parts))
    with pytest.raises(PlanError, match=r"then\.mode must not change"):
        an.open(plan(tmp_path, other, csv)).push(of_day(table, days[3]))


def test_the_certificate_shows_what_changed(tmp_path: Path) -> None:
    released(clinic(), tmp_path)
    second = released(three_quarters()[1], tmp_path, promised(when_ineligible="hold"))
    page = an.report(second, tmp_path / "page.html", ledger=tmp_path / "ledger").read_text()
    assert "When_ineligible is not as in the release before" in page
