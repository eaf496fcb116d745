"""The one way to open DuckDB: quiet, closed, in UTC, and with a private folder to spill into."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from anachron import instances, scratch
from anachron.errors import PlanError
from anachron.stopping import interruptible

__all__ = ["connected", "cursor_of"]

_MEMORY = "ANACHRON_MEMORY"


@contextmanager
def connected(memory: str | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory that loads nothing, knows UTC only, and keeps rows in order.

    Parameters
    ----------
    memory
        How much memory it may take; if not given, what ``ANACHRON_MEMORY`` says, or most of it.
    """
    with scratch.folder() as spill, instances.borrowed() as con:
        _hush(con)
        # Global, so that it holds for cursors too.
        con.execute("SET GLOBAL TimeZone = 'UTC'")
        con.execute("SET GLOBAL preserve_insertion_order = true")
        con.execute("SET temp_directory = $1", [str(spill)])
        _limit(con, memory or os.environ.get(_MEMORY, "60%"))
        with interruptible(con.interrupt):
            yield con


@contextmanager
def cursor_of(con: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of its own to the same tables: a result may be open on another."""
    cursor = con.cursor()
    try:
        _hush(cursor)
        with interruptible(cursor.interrupt):
            yield cursor
    finally:
        cursor.close()


def _hush(con: duckdb.DuckDBPyConnection) -> None:
    """DuckDB would draw its bar on standard output, where results of commands go."""
    # In a notebook without widgets the bar is off, and even to turn it off is an error.
    if con.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        con.execute("SET enable_progress_bar = false")


def _limit(con: duckdb.DuckDBPyConnection, memory: str) -> None:
    try:
        con.execute("SET memory_limit = $1", [memory])
    except duckdb.Error:
        raise PlanError(
            f"the environment variable {_MEMORY} is not a size. Write it like '2GB'."
        ) from None
