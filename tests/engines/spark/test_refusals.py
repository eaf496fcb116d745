"""What is refused of a table is refused of a DataFrame: the same errors, by all four methods."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from tests.engines.spark.parity import published, spread
from tests.engines.spark.tables import METHODS, Case

ROWS = 24
DAYS = [date(2024, 5, 1 + n // 6) for n in range(ROWS)]
WHO = [f"p{n:02}" for n in range(ROWS)]
ILL = [["flu", "cold", "burn"][n % 3] for n in range(ROWS)]
AGES = [20 + n for n in range(ROWS)]
Spoiling = Callable[[Case], Case]


def given(method: str) -> Case:
    """A small table that is published."""
    columns: dict[str, Any] = {"who": WHO, "day": DAYS, "age": AGES, "ill": ILL}
    timed = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")
    if method == "events":
        columns |= {"who": [f"p{n % 8:02}" for n in range(ROWS)], "age": [1] * ROWS}
        promise: Any = an.TimeGranularity(k=2, granularities=["day", "week", "month"])
        return Case(timed, promise, [pa.table(columns)])
    if method == "register":
        schema = an.Schema(subject="who", quasi="age", sensitive="ill")
        return Case(schema, an.MInvariance(m=2, mode="paper"), [pa.table(columns)])
    if method == "feed":
        promise = an.Reposition(l=2, window=3, then="generalize")
        return Case(timed, promise, [pa.table(columns)])
    cells = {"who": [WHO[n // 4] for n in range(ROWS)],
             "day": [date(2024, 5, 1 + n % 4) for n in range(ROWS)],
             "age": [float(n % 7) for n in range(ROWS)]}  # fmt: skip
    schema = an.Schema(subject="who", time="day", series="age")
    return Case(schema, an.KPAnonymity(k=3, P=2, precision="0.5", granularity="day"),
                [pa.table(cells)])  # fmt: skip


def cell(column: str, *wrong: object, kind: pa.DataType | None = None) -> Spoiling:
    """Put other cells into the first rows of a column."""

    def spoil(case: Case) -> Case:
        [table] = case.tables
        cells = [*wrong, *table[column].to_pylist()[len(wrong) :]]
        return whole(column, cells, kind or table.schema.field(column).type)(case)

    return spoil


def whole(column: str, cells: Sequence[object], kind: pa.DataType | None = None) -> Spoiling:
    """Put another column in the place of one."""

    def spoil(case: Case) -> Case:
        [table] = case.tables
        at = table.column_names.index(column)
        return replace(case, tables=[table.set_column(at, column, pa.array(cells, kind))])

    return spoil


def without(column: str) -> Spoiling:
    return lambda case: replace(case, tables=[case.tables[0].drop([column])])


def promised(promise: Any) -> Spoiling:
    return lambda case: replace(case, promise=promise)


def told(**roles: Any) -> Spoiling:
    return lambda case: replace(
        case, schema=an.Schema.from_dict({**case.schema.to_dict(), **roles})
    )


def both(*spoilings: Spoiling) -> Spoiling:
    def spoil(case: Case) -> Case:
        for one in spoilings:
            case = one(case)
        return case

    return spoil


def empty(case: Case) -> Case:
    return replace(case, tables=[case.tables[0].slice(0, 0)])


NIGHT = [datetime(2024, 3, 31, 2, 30)] + [datetime(2024, 5, 1) + timedelta(days=n // 6)
                                         for n in range(1, ROWS)]  # fmt: skip
ALL: dict[str, Spoiling] = {
    "nobody": cell("who", None, None),
    "nobody, and an empty name": cell("who", None, "", " "),
    "a name of nothing that can be seen": cell("who", "\u200b"),
    "two spellings": cell("who", "P01", "p01 ", "p01"),
    "accents": cell("who", "Zo\u00eb", "Zoe\u0308"),
    "subjects that are fractions": whole("who", [n / 2 for n in range(ROWS)]),
    "subjects that are lists": whole("who", [[1]] * ROWS),
    "subjects that are bytes": whole("who", [b"x"] * ROWS),
    "no subject": without("who"),
    "no quasi column": without("age"),
    "quasi that is a list": whole("age", [[1]] * ROWS),
    "quasi that is a struct": whole("age", [{"a": 1}] * ROWS),
    "quasi that is bytes": whole("age", [b"x"] * ROWS),
    "no number": whole("age", [float("nan"), float("inf"), *map(float, range(ROWS - 2))]),
    "no rows": empty,
    "the same name in capitals": lambda case: replace(
        case, tables=[case.tables[0].append_column("WHO", pa.array(WHO))],
        schema=an.Schema.from_dict({**case.schema.to_dict(), "subject": "Who"}),
    ),
}  # fmt: skip
TIMED: dict[str, Spoiling] = {
    "no time": cell("day", None, None),
    "no time at all": whole("day", [None] * ROWS, pa.date32()),
    "times that are truth values": whole("day", [True] * ROWS),
    "times that are bytes": whole("day", [b"x"] * ROWS),
    "times of several kinds": whole("day", ["2024-05-01", "2024-05", "2024", *["2024-05-02"] * 21]),
    "a day that never was": whole("day", ["2024-02-30", "2024-13-01", *["2024-05-02"] * 22]),
    "no dates": whole("day", ["x", "", " ", *["2024-05-02"] * 21]),
    "a day and month in doubt": whole("day", ["03/04/2025"] * ROWS),
    "a time that was skipped": both(whole("day", NIGHT), told(time_zone="Europe/Rome")),
    "numbers without a unit": whole("day", [5] * ROWS),
    "times with and without a zone": whole(
        "day", ["2024-05-01T10:00:00", "2024-05-01T10:00:00Z", *["2024-05-01T10:00:00"] * 22]
    ),
    "instants before calendars": whole(
        "day", [datetime(1, 1, 1, tzinfo=UTC)] * ROWS, pa.timestamp("us", "UTC")
    ),
    "no column of times": without("day"),
}
OWN: dict[str, dict[str, Spoiling]] = {
    "events": {
        **TIMED,
        "a promise that cannot be kept": promised(
            an.TimeGranularity(k=20, granularities=["day", "week"], max_suppressed="0")
        ),
        "a nested sensitive column": whole("ill", [[1]] * ROWS),
    },
    "register": {
        "a person twice": cell("who", "p05"),
        "no value": cell("ill", None),
        "no age": cell("age", None),
        "too few values": promised(an.MInvariance(m=4, mode="paper")),
        "a value that is not listed": promised(
            an.MInvariance(m=2, mode="paper", values=["flu", "cold"])
        ),
        "a value too often": whole("ill", ["flu"] * 20 + ["cold"] * 4),
        "values spelled in two ways": cell("ill", "Flu", "flu "),
        "text without an order": whole("age", ["x", "y"] * 12),
        "fractions without a width": whole("age", [n / 4 for n in range(ROWS)]),
        "decimals without a width": whole("age", [Decimal(n) / 4 for n in range(ROWS)]),
        "a quasi column that is a date": whole("age", DAYS),
    },
    "feed": {
        **TIMED,
        "no value": cell("ill", None),
        "no age": cell("age", None),
        "one value": whole("ill", ["flu"] * ROWS),
        "values spelled in two ways": cell("ill", "Flu", "flu "),
        "text without an order": whole("age", ["x", "y"] * 12),
        "fractions without a width": whole("age", [n / 4 for n in range(ROWS)]),
        "a promise that cannot be kept": promised(
            an.Reposition(l=5, window=3, then="generalize")
        ),
    },
    "series": {
        **TIMED,
        "a day twice": cell("day", date(2024, 5, 2)),
        "a gap": cell("age", None),
        "a word": whole("age", ["x", "1", *["2"] * 22]),
        "numbers too large": cell("age", 1e300),
        "too few people": promised(
            an.KPAnonymity(k=7, P=2, precision="0.5", granularity="day")
        ),
        "no precision": promised(an.KPAnonymity(k=3, P=2, granularity="day")),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Refusal:
    """A table that is refused, and by which method."""

    method: str
    name: str

    def case(self) -> Case:
        return {**ALL, **OWN[self.method]}[self.name](given(self.method))


REFUSALS = [Refusal(method, name) for method in METHODS for name in (*ALL, *OWN[method])]


@pytest.mark.parametrize("method", METHODS)
def test_what_is_spoiled_would_be_published(method: str, tmp_path: Path) -> None:
    case = given(method)
    assert not [name for name in published(case, list(case.tables), tmp_path)
                if name.startswith("refused")]  # fmt: skip


@pytest.mark.campaign
@pytest.mark.parametrize("one", REFUSALS, ids=lambda one: f"{one.method}: {one.name}")
def test_a_frame_is_refused_in_the_words_of_a_table(
    spark: Any, one: Refusal, tmp_path: Path
) -> None:
    case = one.case()
    [table] = case.tables
    here = published(case, [table], tmp_path / "here")
    there = published(case, [spread(spark, table, random.Random(one.name))], tmp_path / "there")
    assert "refused 0" in here
    assert there == here
    assert not (tmp_path / "there" / "releases").exists()
    assert not spark.sparkContext._jsc.getPersistentRDDs().size()
