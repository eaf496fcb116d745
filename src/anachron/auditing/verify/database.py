"""A DuckDB connection that sees the rows of a release, as they stand in the file."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

__all__ = ["connected", "literal", "pattern", "quoted", "reading"]

_MEMORY = "1GB"
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@contextmanager
def connected(memory: str = _MEMORY) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection that loads nothing, knows UTC only, and keeps rows in their order."""
    # What does not fit into memory goes into a folder that only its owner can read.
    with tempfile.TemporaryDirectory(prefix="anachron-audit-") as spill:
        con = duckdb.connect(config=_CLOSED)
        try:
            con.execute("SET enable_progress_bar = false")
            con.execute(f"SET memory_limit = {literal(memory)}")
            con.execute(f"SET temp_directory = {literal(spill)}")
            con.execute("SET TimeZone = 'UTC'")
            con.execute("SET preserve_insertion_order = true")
            yield con
        finally:
            con.close()


@contextmanager
def reading(file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection with the Parquet file as the view ``data``."""
    with connected() as con:
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
