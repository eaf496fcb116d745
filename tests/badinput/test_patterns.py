"""Series that cannot be published: where, why, what to do; nothing told, nothing written."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import GuaranteeError, PlanError, TableError
from anachron.guarantees import KPAnonymity
from tests.badinput.refusing import CANARY, Case, check_silent
from tests.flow.tables import contents

TIMES = ("t1", "t2", "t3", "t4")
WIDE = an.Schema(subject="who", series=TIMES, sensitive="bill")
LONG = an.Schema(subject="who", time="at", series="kwh", sensitive="bill")
PROMISE = KPAnonymity(k=4, P=2, precision=1)
DAILY = KPAnonymity(k=4, P=2, precision=1, granularity="day")
PEOPLE = [f"{CANARY}-{i}" for i in range(8)]


def wide(**columns: Any) -> pa.Table:
    """Eight good series, but for the given columns."""
    series = {t: [4711 + (i * 7 + j * 5) % 11 for i in range(8)] for j, t in enumerate(TIMES)}
    return pa.table({"who": PEOPLE, "bill": [CANARY] * 8} | series | columns)


def long(skip: tuple[int, ...] = (), extra: int | None = None, **columns: Any) -> pa.Table:
    """Four days of eight people, one row each, but for some rows and columns."""
    rows = [
        {"who": who, "at": f"2024-05-0{day}", "kwh": 4711 + (i * 7 + day * 5) % 11,
         "bill": f"{CANARY} {i}"}
        for i, who in enumerate(PEOPLE) for day in range(1, 5)
    ]  # fmt: skip
    kept = [row for number, row in enumerate(rows) if number not in skip]
    table = pa.Table.from_pylist(kept if extra is None else [*kept, rows[extra]])
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    return table


def with_cell(name: str, row: int, value: Any) -> list[Any]:
    """A column of the good wide table with one other cell."""
    cells = wide()[name].to_pylist()
    return [*cells[:row], value, *cells[row + 1 :]]


HUGE = [1e15 + i % 3 / 8 for i in range(8)]

CASES = [
    Case("fewer than k series", "there are 8 series, fewer than k = 9. Nothing was published.",
         promise=KPAnonymity(k=9, P=2), error=GuaranteeError),
    Case("fewer than k series without gaps", "6 series without gaps, of 8, fewer than k = 7",
         wide(t2=with_cell("t2", 3, None), t3=with_cell("t3", 4, None)),
         KPAnonymity(k=7, P=2, gaps="drop"), error=GuaranteeError),
    Case("NaN", "not a finite number (NaN or infinite) in 1 row.",
         wide(t3=pa.array(with_cell("t3", 5, float("nan")), pa.float64())), column="t3", row=6),
    Case("infinite", "not a finite number (NaN or infinite) in 2 rows.",
         wide(t1=[1.0, float("inf"), float("-inf"), *[2.0] * 5]), column="t1", row=2),
    Case("text among numbers", "is text, not a number, in 1 row.",
         wide(t2=[*map(str, range(6)), CANARY, "7"]), column="t2", row=7),
    Case("numbers as text", "is text, not a number, in 8 rows.",
         wide(t2=list(map(str, range(8)))), column="t2", row=1),
    Case("truth values", "BOOLEAN, which cannot be a series", wide(t2=[True, False] * 4),
         column="t2"),
    Case("lists", "list, which cannot be a series", wide(t2=[[4711]] * 8), column="t2"),
    Case("whole numbers beyond floating-point ones", "more digits than",
         wide(t4=with_cell("t4", 2, 2**53)), column="t4", row=3),
    Case("decimals beyond floating-point ones", "more digits than",
         wide(t4=pa.array([Decimal("4711.000000000001"), *map(Decimal, range(7))])),
         column="t4", row=1),
    Case("numbers without squares", "more digits than",
         wide(t4=[0.5, 1e200, *[1.5] * 6]), column="t4", row=2),
    Case("shape lost to rounding", "3 series vary by less than a trillionth",
         wide(**{t: [1e15 + (i < 3) * j for i in range(8)] for j, t in enumerate(TIMES)}),
         KPAnonymity(k=4, P=2, precision=100), row=1),
    Case("a missing value", "2 of 8 series lack a value at 1 to 2 of 4 times.",
         wide(t2=with_cell("t2", 3, None), t3=with_cell("t3", 3, None),
              t4=with_cell("t4", 6, None)), column="t2", row=4),
    Case("a missing value at an end", "lack a value at the first or at the last time",
         wide(t2=with_cell("t2", 3, None), t4=with_cell("t4", 3, None)),
         KPAnonymity(k=4, P=2, gaps="interpolate"), column="t4", row=4),
    Case("one time left", "there is 1 time at which all series have a value",
         wide(t1=with_cell("t1", 1, None), t2=with_cell("t2", 3, None),
              t4=with_cell("t4", 6, None)), KPAnonymity(k=4, P=2, gaps="trim")),
    Case("no time left", "there is no time at which all series have a value",
         wide(**{t: with_cell(t, i, None) for i, t in enumerate(TIMES)}),
         KPAnonymity(k=4, P=2, gaps="trim")),
    Case("a person twice", "earlier row too (2 such rows)",
         wide(who=[*PEOPLE[:3], PEOPLE[1], *PEOPLE[4:7], PEOPLE[0]]), column="who", row=4),
    Case("nobody", "missing in 1 row", wide(who=[*PEOPLE[:7], None]), column="who", row=8),
    Case("fractions without a precision", "precision is missing",
         wide(t1=[4711.5] * 8), KPAnonymity(k=4, P=2), error=PlanError),
    Case("numbers beyond the precision", "too large for the precision",
         wide(t1=HUGE), KPAnonymity(k=4, P=2, precision="0.01"), error=PlanError),
    Case("quasi columns", "no quasi columns", wide(age=range(8)),
         schema=an.Schema(subject="who", quasi="age", series=TIMES), error=PlanError),
    Case("no series", "(k,P)-anonymity is for series",
         schema=an.Schema(subject="who", sensitive="bill"), error=PlanError),
    Case("a granularity without a time", "granularity is needed with a time column",
         promise=DAILY, error=PlanError),
    Case("a time without a granularity", "granularity is needed with a time column",
         long(), schema=LONG, error=PlanError),
    Case("l of two columns", "there are 2", wide(other=range(8)),
         KPAnonymity(k=4, P=2, l=2), an.Schema("who", series=TIMES, sensitive=["bill", "other"]),
         PlanError),
    Case("l of missing values", "is empty for 2 subjects.",
         wide(bill=["a", "b", None, "c", "d", None, "e", "f"]), KPAnonymity(k=4, P=2, l=2),
         column="bill", row=3),
    Case("l of values that look alike", "differ from others only in capitals",
         wide(bill=[CANARY, f"{CANARY} ", "c", "d", "e", "f", "g", "h"]),
         KPAnonymity(k=4, P=2, l=2), column="bill", row=2),
    Case("l with one value", "1/2 of all series", promise=KPAnonymity(k=4, P=2, l=2),
         error=GuaranteeError),
    Case("noise for texts", "noise has no meaning",
         promise=KPAnonymity(k=4, P=2, l=2, noise=1), error=PlanError, column="bill"),
    Case("a time that is not there", "no value at such a time",
         promise=KPAnonymity(k=4, P=2, values=["t1", "t9"]), error=PlanError, column="t9"),
    Case("a time that was trimmed", "no value at such a time",
         wide(t1=with_cell("t1", 1, None)), KPAnonymity(k=4, P=2, patterns=["t1", "t2"],
         gaps="trim"), error=PlanError, column="t1"),
    Case("a name that is taken", "two published columns", wide(Level=range(8)),
         schema=an.Schema("who", series=TIMES, sensitive="Level"), column="Level"),
    # Long tables.
    Case("long: fewer than k series", "there are 8 series, fewer than k = 9", long(),
         KPAnonymity(k=9, P=2, granularity="day"), LONG, GuaranteeError),
    Case("long: one time point", "there is 1 time",
         long(skip=tuple(i for i in range(32) if i % 4)), DAILY, LONG, column="at"),
    Case("long: a time twice", "same day as that of an earlier row of the same subject (1 such",
         long(extra=9), DAILY, LONG, column="at", row=33),
    Case("long: coarser than the table", "same week as that of an earlier row of the same "
         "subject (16 such", long(at=[f"2024-05-{d:02d}" for d in (1, 2, 8, 9)] * 8),
         KPAnonymity(k=4, P=2, granularity="week"), LONG, column="at", row=2),
    Case("long: unequal lengths", "2 of 8 series lack a value at 1 of 4 times.",
         long(skip=(7, 16)), DAILY, LONG, column="kwh", row=5),
    Case("long: shorter at an end", "2 of 8 series lack a value at the first or at the last",
         long(skip=(7, 16)), KPAnonymity(k=4, P=2, granularity="day", gaps="interpolate"), LONG,
         column="kwh", row=5),
    Case("long: an empty cell", "1 of 8 series lack a value at 1 of 4 times.",
         long(kwh=[1, 2, None, *range(29)]), DAILY, LONG, column="kwh", row=1),
    Case("long: NaN", "not a finite number", long(kwh=[1.0, float("nan"), *map(float, range(30))]),
         DAILY, LONG, column="kwh", row=2),
    Case("long: text", "is text, not a number", long(kwh=[*map(str, range(31)), CANARY]),
         DAILY, LONG, column="kwh", row=32),
    Case("long: shape lost to rounding", "8 series vary by less than a trillionth",
         long(kwh=[1e15 + i % 4 for i in range(32)]),
         KPAnonymity(k=4, P=2, granularity="day", precision=100), LONG, column="kwh", row=1),
    Case("long: a sensitive value that changes", "not the same in all rows of a subject (1 rows",
         long(bill=[4711 if i == 21 else i // 4 for i in range(32)]),
         DAILY, LONG, column="bill", row=22),
    Case("long: a stray time", "times of 'hour', and there are 32 rows.",
         long(at=["1900-10-14", *long()["at"].to_pylist()[1:]]),
         KPAnonymity(k=4, P=2, granularity="hour"), LONG, column="at"),
    Case("long: days off", "lies in no granule of 'office' in 16 rows",
         long(at=[f"2024-05-0{d}" for d in (3, 4, 5, 6)] * 8),
         KPAnonymity(k=4, P=2, granularity=an.Granularity.business_days("office")), LONG,
         column="at", row=2),
    Case("long: too much to interpolate", "too many to interpolate",
         long(at=["2024-05-01", "2024-05-02", "2024-05-03", "2024-11-30"] * 8),
         KPAnonymity(k=4, P=2, granularity="day", gaps="interpolate"), LONG, column="at"),
]  # fmt: skip


def published(
    root: Path, rows: Any = None, promise: KPAnonymity | None = None, schema: Any = None
) -> an.Release:
    places = {"ledger": root / "ledger", "to": root / "releases"}
    given = wide() if rows is None else rows
    return an.publish(given, schema or WIDE, promise or PROMISE, **places)


@pytest.mark.parametrize("case", CASES, ids=[case.why for case in CASES])
def test_is_refused(tmp_path: Path, case: Case) -> None:
    with pytest.raises(case.error) as caught:
        published(tmp_path, case.rows, case.promise, case.schema)
    assert case.says in str(caught.value)
    check_silent(caught.value)
    if isinstance(caught.value, TableError | PlanError):
        problem = next(p for p in caught.value.problems if case.says in str(p))
        assert (problem.column, problem.row) == (case.column, case.row)
        assert problem.remedy
    assert not contents(tmp_path / "releases")
    if (tmp_path / "ledger").exists():
        assert an.Ledger.open(tmp_path / "ledger").entries() == []
        assert not contents(tmp_path / "ledger" / "state")
    # What was refused does not stand in the way of what is right.
    assert published(tmp_path, wide()).number == 1


def test_good_tables_are_good(tmp_path: Path) -> None:
    assert published(tmp_path / "wide", wide()).table().num_rows > 6
    assert published(tmp_path / "long", long(), DAILY, LONG).table().num_rows > 6


def test_a_p_above_k() -> None:
    with pytest.raises(PlanError, match=r"P must be at most k \(4\), found 5"):
        KPAnonymity(k=4, P=5)


def test_all_columns_are_told_at_once(tmp_path: Path) -> None:
    rows = wide(t1=[CANARY] * 8, t2=[float("nan")] * 8, t4=[2**60] * 8)
    with pytest.raises(TableError) as caught:
        published(tmp_path, rows)
    assert [p.column for p in caught.value.problems] == ["t1", "t2", "t4"]
    check_silent(caught.value)


def test_a_file_is_named(tmp_path: Path) -> None:
    lines = ["who,bill,t1,t2,t3,t4", *(f"{who},x,1,2,{i},4" for i, who in enumerate(PEOPLE))]
    (tmp_path / "meters.csv").write_text("\n".join(lines).replace("7,4", f"{CANARY},4"))
    with pytest.raises(TableError, match=r"meters.csv, column 't3', row 8: is text"):
        published(tmp_path, tmp_path / "meters.csv")


def test_numbers_in_a_frame_of_pandas_may_be_missing(tmp_path: Path) -> None:
    frame = wide().to_pandas()
    frame.loc[2, "t3"] = np.nan
    with pytest.raises(TableError, match=r"column 't3', row 3: 1 of 8 series lack a value at 1 of"):
        published(tmp_path, frame)
