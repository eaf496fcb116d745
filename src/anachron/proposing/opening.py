"""Open a table whose columns have no roles yet, without those that cannot be read."""

from __future__ import annotations

from typing import Any

import duckdb

from anachron.database import connected
from anachron.errors import InternalError, TableError
from anachron.plan.source import Source as From
from anachron.plan.source import source_of
from anachron.source.base import ColumnsNotFound, Source, quoted
from anachron.source.read import open_source

__all__ = ["opened", "place"]


def place(table: Any) -> str | From | None:
    """Where a table lies, for a plan; None for what is in memory."""
    source = source_of(table)
    return source if source is None or source.options else source.table


def opened(table: Any, con: duckdb.DuckDBPyConnection) -> tuple[Source, tuple[str, ...]]:
    """Open the table, and name the columns that had to be left out."""
    names = list(dict.fromkeys(_column_names(table)))
    try:
        return open_source(table, con, names), ()
    except TableError as error:
        bad = {problem.column for problem in error.problems}
        good = [name for name in names if name not in bad]
        if None in bad or not good or len(good) == len(names):
            raise
    # The first attempt may have left tables behind.
    for (left,) in con.execute("SELECT table_name FROM information_schema.tables").fetchall():
        con.execute(f"DROP TABLE IF EXISTS {quoted(left)}")
    return open_source(table, con, good), tuple(name for name in names if name in bad)


def _column_names(table: Any) -> list[str]:
    """Name all columns of a table, in order, before any row is read; a name may stand twice."""
    # Every kind of source looks at its columns before its rows, and says which it has if
    # a wanted one is missing. No column is called NUL.
    with connected() as con:
        try:
            open_source(table, con, ["\0"])
        except ColumnsNotFound as missing:
            return missing.found
    raise InternalError("a table without the wanted column could be opened")
