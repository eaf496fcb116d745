"""Declared values: what somebody's value becomes never tells by itself whose it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import GuaranteeError, PlanError, TableError

SCHEMA = an.Schema(subject="who", quasi="age", sensitive="ill")
ILLNESSES = ["asthma", "burn", "cold", "flu", "gout", "hiv"]


def register(**ill: str) -> pa.Table:
    return pa.table({"who": list(ill), "age": [30 + i for i in range(len(ill))],
                     "ill": list(ill.values())})  # fmt: skip


FIRST = register(Ann="flu", Ben="cold", Cid="asthma", Dea="burn")
CHANGED = register(Ann="hiv", Ben="cold", Cid="asthma", Dea="burn")


def released(folder: Path, table: pa.Table, accept: str = "", **promise: Any) -> an.Release:
    kept = an.MInvariance(m=2, **{"mode": "transparent", **promise})
    places = {"ledger": folder / "ledger", "to": folder / "releases"}
    return an.publish(table, SCHEMA, kept, **places, accept=accept or ())


@pytest.mark.parametrize("mode", ["transparent", "sticky"])
def test_an_undeclared_value_that_nobody_showed_is_refused(tmp_path: Path, mode: str) -> None:
    released(tmp_path, FIRST, mode=mode)
    with pytest.raises(GuaranteeError, match=r"no release has shown.*List in values"):
        released(tmp_path, CHANGED, mode=mode)
    assert len(an.Ledger.open(tmp_path / "ledger").entries()) == 1
    # The advice can be followed: values may be added at any time.
    release = released(tmp_path, CHANGED, mode=mode, values=ILLNESSES)
    assert an.audit(release, table=CHANGED, ledger=tmp_path / "ledger").holds
    with pytest.raises(PlanError, match="values"):
        released(tmp_path, FIRST, mode=mode, values=ILLNESSES[1:])
    with pytest.raises(TableError, match="does not list"):
        released(tmp_path, register(Ann="mumps", Ben="cold"), mode=mode, values=ILLNESSES)


def test_a_declared_value_may_be_a_candidate_though_nobody_has_it(tmp_path: Path) -> None:
    """Of forty people who get better, not all have the same candidate beside the cold."""
    people = [f"P{i}" for i in range(40)]
    before = register(**dict(zip(people, ["flu", "burn"] * 20, strict=True)))
    after = register(**dict.fromkeys(people, "cold"))
    released(tmp_path, before, values=ILLNESSES)
    better = released(tmp_path, after, "changes", values=ILLNESSES)
    shown = better.table()["ill"].to_pylist()
    assert {"asthma", "gout", "hiv"} <= set(shown)
    assert {"flu", "burn"}.isdisjoint(shown)


def test_the_papers_mode_needs_no_declaration(tmp_path: Path) -> None:
    released(tmp_path, FIRST, mode="paper")
    assert "hiv" in released(tmp_path, CHANGED, mode="paper").table()["ill"].to_pylist()


def test_values_that_never_change_need_not_be_many(tmp_path: Path) -> None:
    some = ["asthma", "burn", "cold", "flu"]
    with pytest.raises(PlanError, match="3 m − 1 = 5"):
        released(tmp_path, FIRST, values=some)
    release = released(tmp_path, FIRST, values=some, changes={value: [] for value in some})
    assert release.description["anachron"]["guarantee"]["values"] == some


@pytest.mark.parametrize(
    ("mode", "ann"), [("paper", "cold"), ("transparent", "asthma"), ("sticky", "cold")]
)
def test_where_no_value_ever_changes_a_table_in_which_one_did_is_refused(
    tmp_path: Path, mode: str, ann: str
) -> None:
    """To another one of the set, or to one outside; and the advice can be followed."""
    some = ["asthma", "burn", "cold", "flu"]
    never: dict[str, list[str]] = {value: [] for value in some}
    promise = {"mode": mode, "values": some, "changes": never}
    first = register(Ann="flu", Ben="cold")
    released(tmp_path, first, **promise)
    now = register(Ann=ann, Ben="cold")
    with pytest.raises(GuaranteeError, match=r"1 known people .* no value ever becomes another"):
        released(tmp_path, now, **promise)
    assert len(an.Ledger.open(tmp_path / "ledger").entries()) == 1
    later = released(tmp_path, register(Ben="cold"), **promise)
    assert an.audit(later, table=register(Ben="cold"), ledger=tmp_path / "ledger").holds
    any_to_any = {value: [other for other in some if other != value] for value in some}
    changed = released(tmp_path, now, **{**promise, "changes": any_to_any})
    assert an.audit(changed, table=now, ledger=tmp_path / "ledger").holds


def test_what_can_become_what_is_not_for_groups_that_are_made_anew(tmp_path: Path) -> None:
    """Two people with {flu, hiv} in two groups: both have hiv, if that never becomes flu."""
    some = {"flu": ["hiv"], "hiv": []}
    with pytest.raises(PlanError, match=r'changes is not for mode "transparent".*sticky'):
        released(tmp_path, FIRST, changes=some)
    assert not (tmp_path / "releases").exists()
    assert released(tmp_path, FIRST, mode="sticky", changes=some).number == 1


def test_a_list_with_a_value_twice_is_refused() -> None:
    with pytest.raises(PlanError, match="twice"):
        an.MInvariance(m=2, values=["a", "b", "a"])
    with pytest.raises(PlanError, match="a list"):
        an.MInvariance(m=2, values="flu")
    assert "values" not in an.MInvariance(m=2).to_dict()
    kept = an.MInvariance(m=2, values=["b", "a"])
    assert an.MInvariance.from_dict(kept.to_dict()) == kept
