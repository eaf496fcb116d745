"""Count the records of a text file once more.

What the reader of an audit overlooks, nobody would miss. So the records of a text file are counted
here a second time, by Python's own reader of CSV.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from anachron.behind.decoding import opened_text
from anachron.errors import Problem, TableError
from anachron.plan.source import source_of

__all__ = ["check_count"]

_SEPARATORS = ",;\t|"
_ENDINGS = tuple(
    f"{ending}{packed}" for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz", ".zst")
)


def check_count(table: object, columns: int, rows: int) -> None:
    """Refuse a text file of which not all records were read; other tables count themselves.

    Parameters
    ----------
    table
        The table as it was given.
    columns
        How many columns it has at least.
    rows
        How many rows were read.
    """
    how = source_of(table)
    if how is None:
        return
    file = Path(how.table).expanduser()
    if not file.is_file() or not file.name.lower().endswith(_ENDINGS):
        return
    if rows not in {_records(file, how.encoding, separator, columns) for separator in _SEPARATORS}:
        raise TableError(
            Problem(
                f"{rows:,} rows were read, which is not as many as the file has records.",
                file.name,
                remedy="Nothing can be said of a release by a part of its table. Save the table "
                "in another format, such as Parquet, and audit with that.",
            )
        )


def _records(file: Path, encoding: str, separator: str, columns: int) -> int:
    """How many records follow the header, if this is the separator; or else -1."""
    told = "utf-8-sig" if encoding == "utf-8" else encoding
    before = csv.field_size_limit(sys.maxsize)
    try:
        with (
            opened_text(file) as stream,
            io.TextIOWrapper(stream, encoding=told, errors="replace", newline="") as text,
        ):
            lines = csv.reader(text, delimiter=separator, skipinitialspace=True)
            wide = len(next(lines, []))
            if wide < columns:
                return -1
            # A line without a byte is a record only where there is one column.
            return sum(1 for line in lines if line or wide == 1)
    finally:
        csv.field_size_limit(before)
