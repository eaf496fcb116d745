"""Tables of SQLite and of PostgreSQL, read once more."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from anachron.behind.refusing import reading
from anachron.errors import Problem, TableError

__all__ = ["read_postgresql", "read_sqlite"]


def read_sqlite(file: Path, table: str, name: str, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of a table or a view in a file."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            chosen = ", ".join(map(_quoted, wanted))
            most = max(1_000_000, file.stat().st_size)
            # A view may go on for ever: it is given so many turns.
            turns = iter(range(most // 10_000))
            db.set_progress_handler(lambda: next(turns, None) is None, 1_000_000)
            asked = db.execute(f"SELECT {chosen} FROM {_quoted(table)}")
            rows = asked.fetchmany(most + 1)
            if len(rows) > most:
                raise sqlite3.Error
    except (sqlite3.Error, UnicodeDecodeError):
        raise TableError(
            Problem("cannot be read from the database.", name, remedy="Check the address.")
        ) from None
    columns = zip(*rows, strict=True) if rows else [[] for _ in wanted]
    with reading(name):
        return pa.table([_of_one_type(list(column)) for column in columns], names=list(wanted))


def _of_one_type(values: list[object]) -> pa.Array:
    if any(isinstance(value, float) for value in values):
        return pa.array(values, pa.float64(), from_pandas=False)
    found = pa.array(values, from_pandas=False)
    return found.cast(pa.string()) if pa.types.is_null(found.type) else found


def read_postgresql(address: str, table: str, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of a table on a server."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise TableError(
            Problem(
                "tables of PostgreSQL need a driver that is not installed.",
                remedy="Install it: pip install 'anachron[postgresql]'",
            )
        ) from None
    chosen, inside = ", ".join(map(_quoted, wanted)), ".".join(map(_quoted, table.split(".")))
    try:
        with dbapi.connect(address) as server, server.cursor() as cursor, reading(table):
            cursor.execute(f"SELECT {chosen} FROM {inside}")
            found: pa.Table = cursor.fetch_arrow_table()
    except dbapi.Error:
        raise TableError(
            Problem(
                "cannot be read from the PostgreSQL server.", table, remedy="Check the address."
            )
        ) from None
    for place, column in enumerate(found.schema):
        if (column.metadata or {}).get(b"ADBC:postgresql:typname") == b"numeric":
            numbers = found.column(place)
            try:
                numbers = numbers.cast(pa.int64())
            except pa.ArrowInvalid:
                numbers = numbers.cast(pa.float64())
            found = found.set_column(place, column.name, numbers)
    return found


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
