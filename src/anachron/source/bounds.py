"""How many rows, and how much text, so many bytes may become: looked at before they are read."""

from __future__ import annotations

import duckdb

from anachron.arrow_files import Declared
from anachron.errors import TableError
from anachron.source.base import Source, few_at_a_time, quoted, reading

__all__ = ["check_rows", "check_texts", "check_unpacked"]

MOST_ROWS = 10_000_000
ROWS_PER_BYTE = 16
"""People and times differ from row to row, and take a part of a bit at least to say so."""
MOST_TEXT = 1 << 30
TEXT_PER_BYTE = 200
_TEXTS = ("VARCHAR", "ENUM")


def check_rows(rows: int, size: int, name: str) -> None:
    """Refuse columns that would become far more rows than they have bytes."""
    if rows > MOST_ROWS and rows > ROWS_PER_BYTE * size:
        raise TableError(
            f"declares {rows:,} rows in {size:,} bytes: they would all be the same.",
            name,
            remedy="Check what wrote it. If it is a table all the same, write it as CSV.",
        )


def check_unpacked(found: Declared, size: int, name: str) -> None:
    """Refuse an Arrow file that would become far more than it has bytes."""
    check_rows(found.rows, size, name)
    if found.bytes > max(MOST_TEXT, TEXT_PER_BYTE * size):
        raise TableError(
            f"would become {found.bytes:,} bytes once it is unpacked.",
            name,
            remedy="Check what wrote it. If it is a table all the same, write it unpacked.",
        )


def check_texts(con: duckdb.DuckDBPyConnection, source: Source, rows: int, size: int) -> Source:
    """Refuse a table whose texts, each stored once, would become far more where they are used."""
    check_rows(rows, size, source.name)
    most = max(MOST_TEXT, TEXT_PER_BYTE * size)
    texts = [name for name, kind in source.columns.items() if kind.startswith(_TEXTS)]
    for few in few_at_a_time(texts):
        sums = ", ".join(f"sum(strlen({quoted(name)}::VARCHAR))" for name in few)
        with reading(source.name):
            found = con.sql(f"SELECT {sums} FROM {source.relation}").fetchall()[0]
        for name, total in zip(few, found, strict=True):
            if (total or 0) > most:
                raise TableError(
                    f"its texts would become {int(total):,} bytes.",
                    source.name,
                    name,
                    remedy="Leave the column without a role, or shorten its texts.",
                )
    return source
