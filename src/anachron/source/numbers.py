"""Which columns of a text file are numbers.

A column is numbers if every cell that is not empty is written as one: whole numbers without
leading zeros, plus signs, blanks or separators (so that postcodes, and codes such as ``1_000`` or
``0x1F``, stay text), or decimal numbers with a point and at most 15 digits before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import duckdb

from anachron.source.base import few_at_a_time, quoted, types_of

__all__ = ["type_columns"]

_DECIMAL = r"-?(0|[1-9][0-9]{0,14})([.][0-9]+)?([eE][+-]?[0-9]{1,3})?|(?i:[+-]?(nan|inf|infinity))"
_FIRST_LOOK = 5_000


def type_columns(
    con: duckdb.DuckDBPyConnection,
    raw: str,
    relation: str,
    columns: Sequence[str],
    as_written: Collection[str],
    decimal: str = ".",
) -> dict[str, str]:
    """Make a view of a table of texts in which columns of numbers are numbers."""
    whole: set[str] = set()
    points: set[str] = set()
    for few in few_at_a_time([column for column in columns if column not in as_written]):
        whole |= {*_those(con, raw, few, _is_whole)}
        others = [column for column in few if column not in whole]
        points |= {*_those(con, raw, others, lambda name: _is_decimal(name, decimal), decimal)}
    parts = []
    for column in columns:
        name = quoted(column)
        kind = "BIGINT" if column in whole else "DOUBLE" if column in points else "VARCHAR"
        value = _pointed(name, decimal) if column in points else name
        parts.append(f"CAST({value} AS {kind}) AS {name}")
    con.execute(f"CREATE VIEW {relation} AS SELECT {', '.join(parts)} FROM {raw}")
    return types_of(con, relation)


def _is_whole(name: str) -> str:
    """Whether a cell is exactly what its number would be written as."""
    return f"CAST(TRY_CAST({name} AS BIGINT) AS VARCHAR) = {name}"


def _is_decimal(name: str, decimal: str) -> str:
    pattern = _DECIMAL.replace("[.]", f"[{decimal}]")
    return f"regexp_full_match({name}, '{pattern}')"


def _pointed(name: str, decimal: str) -> str:
    """SQL for the text of a number with a point."""
    return name if decimal == "." else f"replace({name}, '{decimal}', '.')"


def _those(
    con: duckdb.DuckDBPyConnection,
    raw: str,
    columns: Sequence[str],
    test: Callable[[str], str],
    decimal: str = ".",
) -> list[str]:
    """The columns in which every cell passes the test, and some cell is a finite number."""
    # A first look at few rows spares most columns of text the full one.
    for rows in (f"(SELECT * FROM {raw} LIMIT {_FIRST_LOOK})", raw):
        if not columns:
            return []
        tests = ", ".join(
            f"count_if({name} IS NOT NULL AND ({test(name)}) IS NOT TRUE) = 0"
            for name in map(quoted, columns)
        )
        passed = con.execute(f"SELECT {tests} FROM {rows}").fetchall()[0]
        columns = [column for column, all_pass in zip(columns, passed, strict=True) if all_pass]
    some = ", ".join(
        f"bool_or(isfinite(TRY_CAST({_pointed(name, decimal)} AS DOUBLE)))"
        for name in map(quoted, columns)
    )
    finite = con.execute(f"SELECT {some} FROM {raw}").fetchall()[0] if columns else ()
    return [column for column, number in zip(columns, finite, strict=True) if number]
