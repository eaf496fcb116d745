"""Tables of very many columns are looked at in time that grows with their number, or refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import anachron as an
from anachron.errors import TableError
from anachron.proposing import columns
from anachron.proposing.columns import narrowed
from anachron.source import base

MANY = 230


def wide(columns: int) -> Path:
    names = [f"c{i}" for i in range(columns - 2)]
    lines = [
        [f"p{row % 6}", f"2024-05-{row + 1:02d}", *(str((row * i) % 7) for i in range(columns - 2))]
        for row in range(12)
    ]
    rows = [["who", "day", *names], *lines]
    Path("wide.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    return Path("wide.csv")


def test_what_is_proposed_does_not_depend_on_the_parts_in_which_it_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "_WIDE", 10_000)
    monkeypatch.setattr(base, "_FEW", 10_000)
    whole = an.propose(wide(40)).to_dict()
    monkeypatch.setattr(columns, "_WIDE", 5)
    monkeypatch.setattr(base, "_FEW", 5)
    assert an.propose(wide(40)).to_dict() == whole


def test_no_question_is_asked_of_all_columns() -> None:
    """DuckDB takes the square of the columns that a question names, and more."""
    with duckdb.connect() as con:
        names = [f"c{i}" for i in range(MANY)]
        con.execute(f"CREATE TABLE wide AS SELECT {', '.join(f'0 AS {n}' for n in names)}")
        parts = []
        for relation, few in narrowed(con, "wide", names, ("c7",)):
            there = con.sql(f"FROM {relation}").columns
            assert {"c7", *few} == {*there}
            parts.append(few)
        assert [name for few in parts for name in few] == names
        assert max(map(len, parts)) <= 50


def test_too_many_columns_are_refused_before_a_row_is_read() -> None:
    with pytest.raises(
        TableError, match=r"wide.csv: has 4,001 columns; up to 4,000 .* Give a copy"
    ):
        an.propose(wide(4_001))
