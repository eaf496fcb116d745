"""The one way to open DuckDB: quiet, closed, in UTC, and with a private folder to spill into.

What it cannot do because the machine lacks something leaves as an error that says what.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import duckdb

from anachron import instances, memory, scratch
from anachron.errors import PlanError, Problem
from anachron.stopping import interruptible

__all__ = ["bound", "connected", "cursor_of", "lacking"]

_MEMORY = memory.ENVIRONMENT
_SPILLED = "duckdb_temp"


@contextmanager
def connected(
    most: str | None = None, threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory that loads nothing, knows UTC only, and keeps rows in order.

    Parameters
    ----------
    most
        How much memory it may take at the most; also no more than is left of what
        ``ANACHRON_MEMORY`` says, or of what there is.
    threads
        How many it may take; all there are if not said.
    """
    with scratch.room() as room, _explained(), instances.borrowed() as con:
        _hush(con)
        # Global, so that it holds for cursors too, and all of it, whoever had the database before.
        con.execute("SET GLOBAL TimeZone = 'UTC'")
        con.execute("SET GLOBAL preserve_insertion_order = true")
        con.execute(
            "RESET GLOBAL threads" if threads is None else f"SET GLOBAL threads = {threads}"
        )
        # Without a folder, what does not fit into memory is refused.
        con.execute("SET temp_directory = $1", [str(room.path or "")])
        if scratch.how() == "encrypted":
            _encrypt(con)
        _limit(con, most or _said() or "60%")
        bound(con)
        with interruptible(partial(_interrupt, con)):
            yield con


@contextmanager
def cursor_of(con: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of its own to the same tables: a result may be open on another."""
    cursor = con.cursor()
    try:
        _hush(cursor)
        with interruptible(partial(_interrupt, cursor)), _explained():
            yield cursor
    finally:
        cursor.close()


def _interrupt(con: duckdb.DuckDBPyConnection) -> None:
    """Stop what it works on. Another thread asks for it, when it may have been closed just now."""
    with suppress(duckdb.ConnectionException):
        con.interrupt()


def lacking(error: Exception) -> Problem | None:
    """What the machine lacks, if that is why DuckDB failed: memory, or a disk to put rows aside."""
    said = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        if "failed to offload" in said:
            return Problem(
                "the disk is full where rows are put aside that do not fit into memory.",
                remedy=f"Free some space there, set {scratch.PLACE} to a folder on a larger disk, "
                f"or {_MEMORY} higher.",
            )
        with scratch.room() as room:
            aside = f", and rows cannot be put aside: {room.why}" if room.why else "."
        return Problem(
            f"needs more memory than it may take{aside}",
            remedy=f"Set {_MEMORY} higher, for instance to '8GB', or free some"
            + (f"; or set {scratch.PLACE} to a folder on a local disk." if room.why else "."),
        )
    if isinstance(error, duckdb.IOException) and _SPILLED in said:
        reasons = map(os.strerror, sorted(errno.errorcode))
        reason = next((text for text in reasons if text in said), "the disk does not work")
        return Problem(
            f"rows that do not fit into memory could not be put aside: {reason}.",
            remedy=f"Check the disk, or set {scratch.PLACE} to a folder on another one.",
        )
    return None


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        if (problem := lacking(error)) is None:
            raise
        raise PlanError(problem) from None


def _encrypt(con: duckdb.DuckDBPyConnection) -> None:
    """Let DuckDB encrypt what it puts aside, with a key that it makes and keeps in memory."""
    try:
        # Its own random numbers are not good enough for it; those of OpenSSL are in there.
        con.execute("LOAD httpfs")
        con.execute("SET temp_file_encryption = true")
    except duckdb.Error:
        raise PlanError(
            f"{scratch.HOW} is encrypted, and DuckDB cannot encrypt here: that needs its "
            "extension httpfs, which is not installed.",
            remedy=f"Install it (INSTALL httpfs, in DuckDB {duckdb.__version__}), set "
            f"{scratch.HOW} to never, or {scratch.PLACE} to a folder on an encrypted disk.",
        ) from None


def _hush(con: duckdb.DuckDBPyConnection) -> None:
    """DuckDB would draw its bar on standard output, where results of commands go."""
    # In a notebook without widgets the bar is off, and even to turn it off is an error.
    if con.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        con.execute("SET enable_progress_bar = false")


def bound(con: duckdb.DuckDBPyConnection) -> None:
    """Let it take no more memory than is left beside the rows that are held."""
    [[now]] = con.execute("SELECT current_setting('memory_limit')").fetchall()
    left, used = memory.for_a_database(), memory.bytes_of(now)
    if left is not None and (used is None or left < used):
        con.execute("SET memory_limit = $1", [f"{left}B"])


def _said() -> str | None:
    return os.environ.get(_MEMORY) or None


def _limit(con: duckdb.DuckDBPyConnection, most: str) -> None:
    try:
        con.execute("SET memory_limit = $1", [most])
    except duckdb.Error:
        raise PlanError(
            f"the environment variable {_MEMORY} is not a size. Write it like '2GB'."
        ) from None
