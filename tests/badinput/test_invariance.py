"""Registers that cannot be published: where, why, what to do; nothing told, nothing lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import (
    AlreadyPublished,
    AnachronError,
    GuaranteeError,
    LedgerError,
    PlanError,
    TableError,
)
from tests.badinput.refusing import CANARY, Case, check_silent
from tests.flow.registers import DISTRICTS
from tests.flow.tables import contents
from tests.release.forging import altered

SCHEMA = an.Schema(subject="who", quasi=["age", "district"], sensitive="ill")
ORDERS = {"district": DISTRICTS}
PROMISE = an.MInvariance(m=2, orders=ORDERS)


def table(**columns: Any) -> pa.Table:
    """Eight good people, but for the given columns."""
    good = {
        "who": [f"{CANARY}-{i}" for i in range(8)],
        "age": [4711 + i for i in range(8)],
        "district": list(DISTRICTS) * 2,
        "ill": [f"{CANARY} flu", f"{CANARY} asthma"] * 4,
    }
    return pa.table(good | columns)


def published(
    root: Path,
    rows: pa.Table | None = None,
    promise: an.MInvariance | None = None,
    schema: an.Schema | None = None,
) -> an.Release:
    places = {"ledger": root / "ledger", "to": root / "releases"}
    given = table() if rows is None else rows
    return an.publish(given, schema or SCHEMA, promise or PROMISE, **places)


def names(*numbers: int) -> list[str]:
    return [f"{CANARY}-{i}" for i in numbers]


CASES = [
    Case("the same person twice", "earlier row too (2 such rows)",
         table(who=names(0, 1, 2, 1, 4, 5, 2, 7)), column="who", row=4),
    Case("no person", "", table(who=[*names(0, 1), None, *names(3, 4, 5, 6, 7)]),
         column="who", row=3),
    Case("no sensitive value", "empty in 2 rows",
         table(ill=[CANARY, "b", "c", None, "e", None, "g", "h"]), column="ill", row=4),
    Case("no quasi value", "empty in 1 rows", table(age=[1, 2, 3, 4, 5, 6, None, 4711]),
         column="age", row=7),
    Case("no text", "empty in 1 rows", table(district=[*DISTRICTS, None, *DISTRICTS[1:]]),
         column="district", row=5),
    Case("no number", "finite", table(age=[1.5, 2, float("nan"), 4, 5, 6, 7, 8]),
         promise=an.MInvariance(m=2, widths={"age": 1}, orders=ORDERS), column="age", row=3),
    Case("more candidates than values", "2 different sensitive values, fewer than m = 3",
         promise=an.MInvariance(m=3, orders=ORDERS), error=GuaranteeError),
    Case("one value only", "1 different sensitive values, fewer than m = 2",
         table(ill=[CANARY] * 8), error=GuaranteeError),
    Case("too many of one value",
         "Of 8 new people with 2 different sensitive values, at most one in m = 2 may share a "
         "value. At least 4 of them, with the 1 most frequent values",
         table(ill=[CANARY] * 6 + ["b"] * 2), error=GuaranteeError),
    Case("a value that is not declared", "does not list (1 rows)",
         table(ill=[f"{CANARY} flu", f"{CANARY} asthma", "burn", *[f"{CANARY} flu"] * 2,
                    *["asthma"] * 3]),
         promise=an.MInvariance(m=2, orders=ORDERS, values=[
             f"{CANARY} flu", f"{CANARY} asthma", "asthma"]), column="ill", row=3),
    Case("too few values to hide a change", "values lists 4 sensitive values. With fewer than",
         promise=an.MInvariance(m=2, mode="transparent", orders=ORDERS, values=[
             f"{CANARY} flu", f"{CANARY} asthma", "gout", "burn"]), error=PlanError),
    Case("held back in a mode that hides it", "known to have a frequent value",
         promise=an.MInvariance(m=2, mode="sticky", when_ineligible="hold", orders=ORDERS),
         error=PlanError),
    Case("text without an order", "no order of its own", promise=an.MInvariance(m=2),
         column="district"),
    Case("a text that the order does not list", "order does not list (1 rows)",
         table(district=[*DISTRICTS, CANARY, *DISTRICTS[1:]]), column="district"),
    Case("fractions without a width", "need a least width", table(age=[4711.5] * 8), column="age"),
    Case("half a width for whole numbers", "needs a whole width",
         promise=an.MInvariance(m=2, widths={"age": "0.5"}, orders=ORDERS), column="age"),
    Case("a width beyond all numbers", "needs a whole width",
         promise=an.MInvariance(m=2, widths={"age": "1e40"}, orders=ORDERS), column="age"),
    Case("values outside their domain", "outside its declared domain",
         promise=an.MInvariance(m=2, domains={"age": (0, 4712)}, orders=ORDERS), column="age"),
    Case("numbers too large to compare", "cannot be compared exactly",
         table(age=[2**53 + 4711 + i for i in range(8)]), column="age"),
    Case("a quasi column that is neither number nor text", "neither a number nor text",
         table(age=[True, False] * 4), column="age"),
    Case("a time column", "without a time column", table(seen=["2024-05-01"] * 8),
         schema=an.Schema(subject="who", time="seen", quasi="age", sensitive="ill"),
         error=PlanError),
    Case("two sensitive columns", "one sensitive column", table(score=[CANARY] * 8),
         schema=an.Schema(subject="who", quasi="age", sensitive=["ill", "score"]),
         error=PlanError),
    Case("no sensitive column", "one sensitive column",
         schema=an.Schema(subject="who", quasi="age"), error=PlanError),
    Case("no quasi column", "at least one quasi column",
         schema=an.Schema(subject="who", sensitive="ill"), error=PlanError),
    Case("nobody", "", table().slice(0, 0)),
]  # fmt: skip


LATER = [c for c in CASES if (c.promise, c.schema, c.error) == (None, None, TableError)]
"""Those that can also happen after the first release."""


@pytest.mark.parametrize(
    ("case", "first"),
    [*((case, True) for case in CASES), *((case, False) for case in LATER)],
    ids=[*(case.why for case in CASES), *(f"{case.why}, later" for case in LATER)],
)
def test_is_refused(tmp_path: Path, case: Case, first: bool) -> None:
    if not first:
        published(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(case.error) as caught:
        published(tmp_path, case.rows, case.promise, case.schema)
    told = str(caught.value)
    assert case.says in told
    check_silent(caught.value)
    if isinstance(caught.value, TableError):
        problem = next(p for p in caught.value.problems if case.says in str(p))
        assert (problem.column, problem.row) == (case.column, case.row)
    after = {name: data for name, data in contents(tmp_path).items() if name in before}
    assert after == before
    assert contents(tmp_path / "releases").keys() == {
        name.removeprefix("releases/") for name in before if name.startswith("releases/")
    }
    if (tmp_path / "ledger").exists():
        ledger = an.Ledger.open(tmp_path / "ledger")
        assert len(ledger.entries()) == (0 if first else 1)
        assert ledger.check() == []
    # What was refused does not stand in the way of what is right.
    assert published(tmp_path, table(age=list(range(8)))).number == (1 if first else 2)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    rows = table(who=names(0, 0, 2, 3, 4, 5, 6, 7), ill=[None, *"bcdefgh"], age=[1.5] * 8)
    with pytest.raises(TableError) as caught:
        published(tmp_path, rows)
    assert {p.column for p in caught.value.problems} == {"who", "ill", "age"}


OTHER = table(age=list(range(8)))

CHANGES: list[tuple[str, Callable[[Path], an.Release], type[AnachronError], str]] = [
    ("m", lambda root: published(root, OTHER, an.MInvariance(m=3, orders=ORDERS)), PlanError,
     "m must not change in a history"),
    ("mode", lambda root: published(
        root, OTHER, an.MInvariance(m=2, mode="sticky", orders=ORDERS)), PlanError,
     "mode must not change in a history"),
    ("order", lambda root: published(
        root, OTHER, an.MInvariance(m=2, orders={"district": DISTRICTS[::-1]})), PlanError,
     "orders may change only so"),
    ("schema", lambda root: published(
        root, OTHER, schema=an.Schema(subject="who", quasi="age", sensitive="ill")), PlanError,
     "quasi must not change in a history"),
    ("m for the same register", lambda root: published(
        root, table(), an.MInvariance(m=3, orders=ORDERS)), AlreadyPublished,
     "published before, as release 1"),
    ("type of the sensitive column", lambda root: published(
        root, table(ill=[1, 2] * 4)), TableError,
     "column 'ill': is of a type in which values of earlier releases"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("publish", "error", "says"), [c[1:] for c in CHANGES], ids=[c[0] for c in CHANGES]
)
def test_what_stays_the_same_in_a_history_must_not_change(
    tmp_path: Path, publish: Callable[[Path], an.Release], error: type[AnachronError], says: str
) -> None:
    published(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(error, match=says) as caught:
        publish(tmp_path)
    check_silent(caught.value)
    assert contents(tmp_path) == before
    assert published(tmp_path, OTHER).number == 2


@pytest.mark.parametrize(
    ("part", "harm", "says"),
    [
        ("state/0002.encrypted", altered, "damaged"),
        ("state/0002.encrypted", Path.unlink, "missing"),
        ("state", shutil.rmtree, "state"),
        ("key", Path.unlink, "missing"),
        ("key", altered, "not the one this ledger was made with"),
        ("catalog.sqlite", Path.unlink, "is not a ledger"),
    ],
)
def test_a_harmed_ledger_is_noticed_and_nothing_is_published(
    tmp_path: Path, part: str, harm: Callable[[Path], None], says: str
) -> None:
    published(tmp_path)
    published(tmp_path, OTHER)
    shutil.copytree(tmp_path / "ledger", tmp_path / "backup")
    harm(tmp_path / "ledger" / part)
    before = contents(tmp_path)
    with pytest.raises(LedgerError, match=says) as caught:
        published(tmp_path, table(age=list(range(8, 16))))
    check_silent(caught.value)
    assert contents(tmp_path) == before
    # With the backup of the same day all is well again.
    shutil.rmtree(tmp_path / "ledger")
    shutil.copytree(tmp_path / "backup", tmp_path / "ledger")
    assert published(tmp_path, table(age=list(range(8, 16)))).number == 3


def test_a_lost_ledger_beside_releases_is_noticed(tmp_path: Path) -> None:
    published(tmp_path)
    shutil.rmtree(tmp_path / "ledger")
    before = contents(tmp_path / "releases")
    with pytest.raises(LedgerError, match="is not in the ledger"):
        published(tmp_path, OTHER)
    assert contents(tmp_path / "releases") == before


def test_an_old_ledger_beside_newer_releases_is_noticed(tmp_path: Path) -> None:
    published(tmp_path)
    shutil.copytree(tmp_path / "ledger", tmp_path / "backup")
    published(tmp_path, OTHER)
    shutil.rmtree(tmp_path / "ledger")
    shutil.copytree(tmp_path / "backup", tmp_path / "ledger")
    before = contents(tmp_path)
    for rows in (OTHER, table(age=list(range(8, 16)))):
        with pytest.raises(LedgerError, match="older than the releases"):
            published(tmp_path, rows)
    assert contents(tmp_path) == before
