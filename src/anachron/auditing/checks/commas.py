"""Does the CSV say what the Parquet file says, and nothing else?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.reading.database import literal, pattern, quoted, reading
from anachron.release.commas import CommaWriter
from anachron.release.describe import Field

__all__ = ["unlike"]


_FORMULA = "=+-@\t\r\n"


def unlike(parquet: Path, file: Path, fields: Sequence[Field]) -> str:
    """Say how a CSV differs from the Parquet file, as a reader sees it or byte by byte."""
    columns = tuple(field.name for field in fields)
    try:
        return _unlike(parquet, file, columns) or _odd_bytes(parquet, file)
    except (pa.ArrowException, duckdb.Error, csv.Error, OSError, ValueError, OverflowError):
        return "it cannot be read"  # why is not quoted: it may hold cells


def _unlike(parquet: Path, file: Path, columns: tuple[str, ...]) -> str:
    """Say how what a reader sees in the CSV differs from the Parquet file."""
    with file.open(encoding="utf-8", newline="") as text:
        heads = next(csv.reader(text), [])
    if heads != [_guarded(name) for name in columns]:
        return "other columns"
    with reading(parquet) as con:
        differing = _differing_rows(con, file, columns)
    return f"{differing:,} rows differ" if differing else ""


def _odd_bytes(parquet: Path, file: Path) -> str:
    """Say where a CSV is not exactly what the rows are written as."""
    with file.open("rb") as there, pq.ParquetFile(parquet) as rows:
        same = _Same(there)
        writer = CommaWriter(same, rows.schema_arrow)
        for group in range(rows.num_row_groups):
            writer.write(rows.read_row_group(group))
        if same.differs is None and there.read(1):
            same.differs = same.at
    return "" if same.differs is None else f"other bytes than the rows, from {same.differs:,} on"


class _Same:
    """Takes bytes, and compares them with those of a file."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.at = 0
        self.differs: int | None = None
        """From which byte on, roughly: that of the block in which it was noticed."""

    def write(self, data: bytes) -> int:
        if self.differs is None and self.file.read(len(data)) != data:
            self.differs = self.at
        self.at += len(data)
        return len(data)


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
