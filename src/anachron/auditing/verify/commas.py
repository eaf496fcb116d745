"""Does the CSV say what the Parquet file says, and nothing else?"""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb

from anachron.auditing.verdict import Check
from anachron.auditing.verify.database import literal, pattern, quoted

__all__ = ["comma_check"]

_FORMULA = "=+-@\t\r\n"


def comma_check(con: duckdb.DuckDBPyConnection, file: Path, columns: tuple[str, ...]) -> Check:
    """Compare a CSV with the view ``data``, row by row and cell by cell."""
    with file.open(encoding="utf-8", newline="") as text:
        heads = next(csv.reader(text), [])
    right = heads == [_guarded(name) for name in columns]
    differing = _differing_rows(con, file, columns) if right else 0
    measured = "as promised" if right else "other columns"
    if differing:
        measured = f"{differing:,} rows differ"
    return Check(
        "csv",
        right and not differing,
        "the same rows as the Parquet file",
        measured,
        "the CSV file",
    )


def _differing_rows(con: duckdb.DuckDBPyConnection, file: Path, columns: tuple[str, ...]) -> int:
    types = dict(row[:2] for row in con.execute("DESCRIBE data").fetchall())
    texts = ", ".join(f"{literal(f'csv {name}')}: 'VARCHAR'" for name in columns)
    differs = " OR ".join(_differs(name, types[name]) for name in columns)
    found = con.execute(
        f"""
        SELECT count(*) FROM data POSITIONAL JOIN read_csv(
            {pattern(file)}, auto_detect = false, header = true, columns = {{{texts}}},
            delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
            parallel = false, max_line_size = 33554432
        ) AS commas
        WHERE {differs}
        """
    ).fetchall()
    return int(found[0][0])


def _differs(name: str, kind: str) -> str:
    """SQL: a cell of the CSV is not the cell of the Parquet file."""
    here, there = quoted(name), f"commas.{quoted(f'csv {name}')}"
    if kind == "VARCHAR":
        starts = " OR ".join(f"starts_with({here}, chr({ord(c)}))" for c in _FORMULA)
        return f"({there} IS DISTINCT FROM CASE WHEN {starts} THEN '''' || {here} ELSE {here} END)"
    if kind == "BLOB":
        return f"({there} IS DISTINCT FROM lower(hex({here})))"
    # A cell that cannot be read as the type becomes null, and must not pass for one.
    unlike = f"TRY_CAST({there} AS {kind}) IS DISTINCT FROM {here}"
    return f"({unlike} OR ({there} IS NULL) <> ({here} IS NULL))"


def _guarded(name: str) -> str:
    return f"'{name}" if name.startswith(tuple(_FORMULA)) else name
