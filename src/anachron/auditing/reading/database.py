"""A DuckDB connection that sees the rows of a release, as they stand in the file."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from anachron.database import connected

__all__ = ["literal", "pattern", "quoted", "reading"]

_MEMORY = "1GB"


@contextmanager
def reading(file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection with the Parquet file as the view ``data``."""
    with connected(_MEMORY) as con:
        con.execute(f"CREATE VIEW data AS FROM read_parquet({pattern(file)})")
        yield con


def quoted(name: str) -> str:
    """Write a column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Write a text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def pattern(file: Path) -> str:
    """Write a file's name in SQL, where ``*`` and ``[`` would stand for other names."""
    return literal(glob.escape(str(file)))
