"""A question means what SQL says it means: DuckDB is asked the same of exact records."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from decimal import Decimal

import duckdb
import pytest

from anachron.asking.parse import parse
from anachron.asking.question import All, Among, Any, Condition, Ranges, leaves
from anachron.errors import QuestionError
from tests.asking.catalogues import RECORDS, holds, instant

DAYS = [f"2014-05-0{day} {hour:02d}:00:00" for day in (1, 2, 3) for hour in (0, 12)]
VALUES: dict[str, list[object]] = {
    "n": [0, 1, 2, 3, 4, 5, None],
    "x": [0.0, 0.1, 0.5, 1.0, 2.5, None],
    "money": [Decimal("0.10"), Decimal("1.00"), Decimal("1.50"), None],
    "t": ["a", "ab", "abc", "b", "ba", "", None],
    "b": [True, False, None],
    "born": [date(2000, 1, day) for day in (1, 2, 3)] + [None],
    "seen": [*DAYS],
}
TYPES = {"n": "BIGINT", "x": "DOUBLE", "money": "DECIMAL(9,2)", "t": "VARCHAR", "b": "BOOLEAN",
         "born": "DATE", "seen": "TIMESTAMP"}  # fmt: skip


@pytest.fixture(scope="module")
def records():
    """Every value beside every other once in a while, and the same in DuckDB."""
    draw = random.Random(7)
    rows = [{name: draw.choice(some) for name, some in VALUES.items()} for _ in range(150)]
    connection = duckdb.connect()
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    connection.execute(f"CREATE TABLE records (i BIGINT, {columns})")
    lines = [f"({i}, {', '.join(_sql(row[name]) for name in TYPES)})" for i, row in enumerate(rows)]
    connection.execute(f"INSERT INTO records VALUES {', '.join(lines)}")
    coded = [{**row, "seen": instant(str(row["seen"])), "born": _days(row["born"])} for row in rows]
    yield connection, coded
    connection.close()


def _sql(value: object) -> str:
    return "NULL" if value is None else f"'{value}'"


def _days(day: object) -> int | None:
    return None if day is None else (day - date(1970, 1, 1)).days  # type: ignore[operator]


def literal(draw: random.Random, column: str) -> str:
    if column == "n":
        return draw.choice(["0", "2", "3", "4", "2.5", "-1", "(3)", "3e0"])
    if column in ("x", "money"):
        return draw.choice(["0", "0.1", "0.5", "1", "1.5", "-0.25", "2.500", "1e-1"])
    if column == "t":
        return draw.choice(["'a'", "'ab'", "'abc'", "'b'", "''", "'zz'"])
    if column == "b":
        return draw.choice(["TRUE", "FALSE"])
    if column == "born":
        return f"DATE '2000-01-0{draw.randint(1, 3)}'"
    return f"TIMESTAMP '{draw.choice(DAYS)}'"


def test_of(draw: random.Random, column: str) -> str:
    """One test of a column, of any form that it can have."""
    one, two = sorted((literal(draw, column), literal(draw, column)))
    forms = [f"{column} = {one}", f"{column} <> {one}", f"{column} IS NULL",
             f"{column} IS NOT NULL", f"{one} = {column}",
             f"{column} IN ({one}, {two})", f"{column} NOT IN ({one}, {two})"]  # fmt: skip
    if column not in ("t", "b"):
        sign = draw.choice(["<", "<=", ">", ">="])
        forms += [f"{column} {sign} {one}", f"{one} {sign} {column}",
                  f"{column} BETWEEN {one} AND {two}", f"{column} BETWEEN {two} AND {one}",
                  f"{column} NOT BETWEEN {one} AND {two}"]  # fmt: skip
    if column == "t":
        forms += ["t LIKE 'a%'", "t NOT LIKE 'ab%'", "t LIKE 'ba%'", "t LIKE '%'", "t LIKE 'ab'",
                  "starts_with(t, 'b')"]  # fmt: skip
    if column == "b":
        forms += ["b", "b IS TRUE", "b IS NOT TRUE", "b IS FALSE", "b IS NOT FALSE"]
    return draw.choice(forms)


def tree(draw: random.Random, columns: list[str], depth: int) -> str:
    kind = draw.random()
    if depth == 0 or kind < 0.25:
        return (
            draw.choice(["TRUE", "FALSE"])
            if draw.random() < 0.04
            else test_of(draw, draw.choice(columns))
        )
    if kind < 0.4:
        return f"NOT ({tree(draw, columns, depth - 1)})"
    parts = [tree(draw, columns, depth - 1) for _ in range(draw.randint(2, 3))]
    return "(" + draw.choice([" AND ", " OR "]).join(parts) + ")"


test_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(4))
def test_every_condition_means_what_sql_says(records, seed) -> None:
    connection, rows = records
    draw = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(90):
        columns = draw.sample(list(TYPES), draw.choice([1, 1, 2, 3]))
        text = tree(draw, columns, draw.choice([1, 2, 3]))
        truth = {i for (i,) in connection.execute(
            f"SELECT i FROM records WHERE {text}").fetchall()}  # fmt: skip
        try:
            condition = parse(f"SELECT COUNT(*) WHERE {text}", RECORDS).where
        except QuestionError as error:
            outcomes["refused"] += "no exact answer is known" in str(error)
            continue
        outcomes["answered"] += 1
        assert {i for i, row in enumerate(rows) if holds(condition, row)} == truth, text
        assert_normal(condition)
    assert sum(outcomes.values()) == 90
    assert outcomes["answered"] > 60, outcomes


def test_on_one_column_of_numbers_everything_can_be_answered(records) -> None:
    connection, rows = records
    draw = random.Random(11)
    for _ in range(90):
        text = tree(draw, [draw.choice(["n", "x", "money", "born", "seen", "b"])], 3)
        truth = {i for (i,) in connection.execute(
            f"SELECT i FROM records WHERE {text}").fetchall()}  # fmt: skip
        condition = parse(f"SELECT COUNT(*) WHERE {text}", RECORDS).where
        assert len(leaves(condition)) <= 1, text
        assert {i for i, row in enumerate(rows) if holds(condition, row)} == truth, text


def assert_normal(condition: Condition) -> None:
    """Each column once, AND and OR in turn, spans apart and in order."""
    found = [leaf.column for leaf in leaves(condition)]  # type: ignore[union-attr]
    assert len(found) == len(set(found))
    if isinstance(condition, All | Any):
        assert len(condition.parts) != 1
        for part in condition.parts:
            assert type(part) is not type(condition)
            assert part not in (All(()), Any(()))
            assert_normal(part)
    if isinstance(condition, Ranges):
        for one, other in zip(condition.spans, condition.spans[1:], strict=False):
            assert one.high is not None
            assert other.low is not None
            assert one.high <= other.low
        if condition.column == "n":
            assert all(span.low_closed and span.high_closed for span in condition.spans)
        if condition.column in ("seen", "born"):
            assert all(span.high is None or not span.high_closed for span in condition.spans)
    if isinstance(condition, Among):
        assert condition.values or condition.inside is condition.nulls
