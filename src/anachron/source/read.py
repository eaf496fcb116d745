"""The one door for tables of every kind."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

import duckdb

from anachron.errors import TableError
from anachron.plan.places import password_problems
from anachron.source.base import Source
from anachron.source.databases import SCHEMES, open_database
from anachron.source.files import open_path
from anachron.source.frames import open_frame

__all__ = ["Source", "open_source"]


def open_source(
    table: object,
    con: duckdb.DuckDBPyConnection,
    columns: Sequence[str],
    as_written: Collection[str] = (),
) -> Source:
    """Open a table, with the given columns only and its rows in the order of the source.

    Parameters
    ----------
    table
        A path (CSV, TSV, Parquet, Arrow IPC; a folder or pattern of Parquet files), the address
        of a database table (``duckdb:FILE#TABLE``, ``sqlite:FILE#TABLE``,
        ``postgresql://…#TABLE``), or a frame.
    con
        The connection on which the table is made known.
    columns
        The columns to read. A missing one is an error that names all missing ones.
    as_written
        Columns that a text file must not turn into numbers: ``007`` stays ``007``.
    """
    if not isinstance(table, str | os.PathLike):
        return open_frame(table, con, columns)
    text = os.fspath(table)
    if problems := list(password_problems(text)):
        raise TableError(problems)
    scheme, colon, _ = text.partition(":")
    if colon and scheme in SCHEMES:
        return open_database(text, con, columns)
    if "://" in text:
        raise TableError(
            "the table's address is of a kind that cannot be read.",
            remedy=f"Give a local file, or one of: {', '.join(SCHEMES.values())}.",
        )
    if "\0" in text:
        raise TableError("the path holds a NUL character.", remedy="Check the path.")
    return open_path(Path(text), con, columns, as_written)
