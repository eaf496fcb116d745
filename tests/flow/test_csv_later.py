"""CSV files that are asked for once a table is published: beside the same release, and recorded."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, LedgerError
from anachron.flow.verdicts import audit_history
from tests.flow.registers import PLAIN, clinic, three_quarters
from tests.flow.registers import SCHEMA as REGISTER
from tests.flow.registers import as_table as people
from tests.flow.registers import promise as invariance
from tests.flow.tables import DAY_WEEK_MONTH, PAPER, PAPER_SCHEMA, VISIT_SCHEMA, contents, visits
from tests.flow.test_feeds import SCHEMA as FEED
from tests.flow.test_feeds import feed
from tests.release.forging import reseal

BY_MONTH = an.TimeGranularity(k=2, granularities=DAY_WEEK_MONTH)


@dataclass(frozen=True)
class Case:
    table: pa.Table
    schema: an.Schema
    guarantee: Any

    def publish(self, root: Path, csv: bool) -> an.Release:
        return an.publish(
            self.table, self.schema, self.guarantee,
            ledger=root / "ledger", to=root / "releases", csv=csv,
        )  # fmt: skip


def load_curves() -> pa.Table:
    return pa.table(
        {"meter": range(12), **{f"t{j}": [i * j % 5 for i in range(12)] for j in (1, 2, 3)}}
    )


CASES = {
    "events": Case(visits(), VISIT_SCHEMA, an.TimeGranularity(
        k=2, granularities=("month", "year"), max_suppressed="0.9")),
    "register": Case(people(clinic()), REGISTER, invariance()),
    "series": Case(load_curves(), an.Schema(subject="meter", series=["t1", "t2", "t3"]),
                   an.KPAnonymity(k=3, P=2)),
    "feed": Case(feed(days=5), FEED, an.Reposition(l=2, window=2)),
}  # fmt: skip


def sound(root: Path, case: Case | None = None) -> None:
    assert an.Ledger.open(root / "ledger").check() == []
    given = {} if case is None else {"table": case.table, "schema": case.schema}
    for owner in ({"ledger": root / "ledger", **given}, {}):
        for verdict in audit_history(root / "releases", **owner):
            assert verdict.holds, [str(check) for check in verdict.failures]


@pytest.fixture
def two_of_a_kind(tmp_path: Path) -> Callable[[], tuple[Path, Path]]:
    """Two folders whose ledgers have the same key."""

    def make() -> tuple[Path, Path]:
        one, other = tmp_path / "one", tmp_path / "other"
        an.Ledger.open(one / "ledger")
        shutil.copytree(one / "ledger", other / "ledger")
        return one, other

    return make


def modified(folder: Path) -> dict[str, float]:
    return {p.name: p.stat().st_mtime for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", CASES)
def test_they_are_those_of_a_first_publication(
    two_of_a_kind: Callable[[], tuple[Path, Path]], name: str
) -> None:
    """Publishing again with csv=True was refused, or wrote nothing."""
    case = CASES[name]
    late, early = two_of_a_kind()
    first = case.publish(late, csv=False)
    assert not list(first.path.glob("*.csv"))
    before = contents(late / "releases")
    again = case.publish(late, csv=True)
    assert (again.number, again.path) == (first.number, first.path)
    case.publish(early, csv=True)
    assert contents(late / "releases") == contents(early / "releases")
    assert modified(late / "releases") == modified(early / "releases")
    data = {n: b for n, b in before.items() if n.endswith(".parquet")}
    now = contents(late / "releases")
    assert {n: b for n, b in now.items() if n.endswith(".parquet")} == data
    assert {n for n in now if n.endswith(".csv")} == {n.replace("parquet", "csv") for n in data}
    sound(late, case)
    for csv in (True, False):  # and then they stay
        case.publish(late, csv=csv)
        assert contents(late / "releases") == now
    assert len(an.Ledger.open(late / "ledger").entries()) == len(list(first.path.parent.iterdir()))


KINDS: dict[str, list[Any]] = {
    "whole": [1, -2, None, 3, 4, 5],
    "fraction": [0.1, -0.0, 1e300, float("inf"), None, 1 / 3],
    "text": ["=1", "", None, 'say "x"', "a,b", "line\nbreak"],
    "flag": [True, False, None, True, False, True],
    "day": [date(2020, 1, 1)] * 5 + [None],
    "moment": [datetime(2020, 1, 1, 12, 30, 0, 5)] * 5 + [None],
    "clock": [time(12, 30)] * 5 + [None],
    "price": [Decimal("1.50")] * 5 + [None],
    "bytes": [b"\x00\xff"] * 5 + [None],
}


def test_values_of_every_kind_are_written_alike(tmp_path: Path) -> None:
    table = PAPER.drop_columns("data")
    for kind, values in KINDS.items():
        table = table.append_column(kind, pa.array(values))
    case = Case(table, an.Schema("uid", "t", "q", list(KINDS)), BY_MONTH)
    case.publish(tmp_path / "late", csv=False)
    case.publish(tmp_path / "late", csv=True)
    case.publish(tmp_path / "early", csv=True)
    assert contents(tmp_path / "late/releases") == contents(tmp_path / "early/releases")


def test_beside_an_older_release_the_chain_of_descriptions_holds(tmp_path: Path) -> None:
    cases = [Case(visits(year=2020 + i), VISIT_SCHEMA, an.TimeGranularity(
        k=2, granularities=("month", "year"), max_suppressed="0.9")) for i in range(3)]  # fmt: skip
    for case in cases:
        case.publish(tmp_path, csv=False)
    cases[0].publish(tmp_path, csv=True)
    sound(tmp_path)
    [first, second, _] = an.Ledger.open(tmp_path / "ledger").entries()
    assert first.copied_from is not None
    assert first.package_for(2) == first.copied_from["datapackage.json"] != first.package
    assert "data.csv" not in first.copied_from
    assert second.copied_from is None
    shutil.rmtree(tmp_path / "releases" / "0002")  # what is made again names what it named
    cases[1].publish(tmp_path, csv=True)
    shutil.rmtree(tmp_path / "releases" / "0001")
    cases[0].publish(tmp_path, csv=False)
    assert (tmp_path / "releases/0001/data.csv").exists()
    Case(visits(year=2030), VISIT_SCHEMA, cases[0].guarantee).publish(tmp_path, csv=False)
    sound(tmp_path)


def test_a_register_goes_on_after_them(tmp_path: Path) -> None:
    quarters = [Case(people(quarter), REGISTER, invariance()) for quarter in three_quarters()]
    quarters[0].publish(tmp_path, csv=False)
    quarters[0].publish(tmp_path, csv=True)
    quarters[1].publish(tmp_path, csv=False)
    assert quarters[1].publish(tmp_path, csv=True).number == 2
    assert quarters[2].publish(tmp_path, csv=False).number == 3
    sound(tmp_path, quarters[2])


def test_another_promise_for_the_same_table_is_still_refused(tmp_path: Path) -> None:
    Case(PAPER, PAPER_SCHEMA, BY_MONTH).publish(tmp_path, csv=False)
    other = an.TimeGranularity(k=2, granularities=["year"])
    with pytest.raises(AlreadyPublished, match="another schema or guarantee"):
        Case(PAPER, PAPER_SCHEMA, other).publish(tmp_path, csv=True)


def test_nothing_is_written_beside_a_damaged_release(tmp_path: Path) -> None:
    case = Case(PAPER, PAPER_SCHEMA, BY_MONTH)
    release = case.publish(tmp_path, csv=False)
    description = release.path / "datapackage.json"
    description.write_bytes(description.read_bytes().replace(b'"title"', b'"titel"'))
    with pytest.raises(LedgerError, match="not"):
        case.publish(tmp_path, csv=True)
    assert sorted(p.name for p in release.path.iterdir()) == ["data.parquet", "datapackage.json"]


def test_plain_registers_have_them_too(tmp_path: Path) -> None:
    case = Case(people(clinic()).select(["who", "age", "ill"]), PLAIN, an.MInvariance(m=2))
    case.publish(tmp_path, csv=False)
    release = case.publish(tmp_path, csv=True)
    names = {p.name for p in release.path.iterdir()}
    assert {"data.csv", "counterfeits.csv"} <= names
    sound(tmp_path, case)


def test_a_parquet_file_in_the_place_of_another_is_refuted(tmp_path: Path) -> None:
    """Its columns are not those that the CSV file beside it is compared by."""
    folder = shutil.copytree(CASES["register"].publish(tmp_path, csv=True).path, tmp_path / "0001")
    shutil.copy(folder / "counterfeits.parquet", folder / "data.parquet")
    reseal(folder)
    told = an.audit(folder)
    assert not told.holds
    assert ("csv", "other columns") in [(one.name, one.measured) for one in told.failures]
