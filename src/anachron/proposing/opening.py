"""Open a table whose columns have no roles yet, without those that cannot be read."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import duckdb

from anachron.database import connected
from anachron.errors import TableError
from anachron.plan.source import Source as From
from anachron.plan.source import source_of
from anachron.source.base import Source, quoted
from anachron.source.names import column_names
from anachron.source.read import open_source

__all__ = ["opened", "place"]

_MOST = 4_000
"""Each column is looked at by itself, for some thousandths of a second."""


def place(table: Any) -> str | From | None:
    """Where a table lies, for a plan; None for what is in memory."""
    source = source_of(table)
    return source if source is None or source.options else source.table


def opened(
    table: Any, con: duckdb.DuckDBPyConnection, as_written: Collection[str] = ()
) -> tuple[Source, tuple[str, ...]]:
    """Open the table, and name the columns that had to be left out."""
    with connected() as other:
        names = list(dict.fromkeys(column_names(table, other)))
    if len(names) > _MOST:
        raise TableError(
            f"has {len(names):,} columns; up to {_MOST:,} are looked at.",
            None if (where := source_of(table)) is None else Path(where.table).name,
            remedy="Give a copy with the columns that may matter, or write the plan yourself: "
            "publishing reads no other columns than those that it names.",
        )
    try:
        return open_source(table, con, names, as_written), ()
    except TableError as error:
        bad = {problem.column for problem in error.problems}
        good = [name for name in names if name not in bad]
        if None in bad or not good or len(good) == len(names):
            raise
    # The first attempt may have left tables behind.
    behind = con.execute("SELECT table_name, table_type FROM information_schema.tables").fetchall()
    for left, kind in behind:
        con.execute(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} IF EXISTS {quoted(left)}")
    return open_source(table, con, good, as_written), tuple(name for name in names if name in bad)
