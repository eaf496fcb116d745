"""Databases in memory that are as new, so that one need not be made for every small table.

To start DuckDB takes longer than most of what small tables ask of it. A database that was used is
emptied and kept for the next one, unless something is left in it that cannot be taken out: a file
that is attached, an extension, rows that were put aside on a disk, or an error. It is then closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import duckdb

__all__ = ["borrowed"]

_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_MOST = 4
"""So many are kept."""
_LEFT = """
SELECT 'VIEW', view_name FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT 'TABLE', table_name FROM duckdb_tables() WHERE NOT internal
UNION ALL SELECT 'SEQUENCE', sequence_name FROM duckdb_sequences()
UNION ALL SELECT 'DATABASE', database_name FROM duckdb_databases() WHERE NOT internal
UNION ALL SELECT 'EXTENSION', extension_name FROM duckdb_extensions() WHERE loaded
"""
_DROPPED = ("VIEW", "TABLE", "SEQUENCE")


@dataclass(frozen=True, eq=False)
class _Database:
    """A database in memory, and what is in it from the beginning."""

    root: duckdb.DuckDBPyConnection
    at_first: frozenset[tuple[str, str]]

    def left(self) -> frozenset[tuple[str, str]]:
        return _inside(self.root) - self.at_first

    def is_as_new(self) -> bool:
        """Take out what was put in, and tell whether nothing is left."""
        try:
            for kind, name in self.left():
                if kind in _DROPPED:
                    quoted = name.replace('"', '""')
                    self.root.execute(f'DROP {kind} IF EXISTS "{quoted}" CASCADE')
            # Where rows were put aside, this is refused as long as the database is open.
            self.root.execute("SET temp_directory = ''")
            return not self.left()
        except duckdb.Error:
            return False


_idle: list[_Database] = []


@contextmanager
def borrowed() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database that has nothing in it, and that nobody else has.

    What is set for the connection goes with it. What is set for the whole database stays: whoever
    borrows one sets all of that again.

    >>> with borrowed() as con:
    ...     con.execute("CREATE TABLE numbers AS FROM range(3)").fetchall()
    [(3,)]
    >>> with borrowed() as con:
    ...     con.execute("SHOW TABLES").fetchall()
    []
    """
    database = _taken() or _made()
    try:
        con = database.root.cursor()
        try:
            yield con
        finally:
            con.close()
    except BaseException:
        database.root.close()
        raise
    if len(_idle) < _MOST and database.is_as_new():
        _idle.append(database)
    else:
        database.root.close()


def _taken() -> _Database | None:
    with suppress(IndexError):
        return _idle.pop()
    return None


def _made() -> _Database:
    root = duckdb.connect(config=_CLOSED)
    return _Database(root, _inside(root))


def _inside(root: duckdb.DuckDBPyConnection) -> frozenset[tuple[str, str]]:
    return frozenset(root.execute(_LEFT).fetchall())


def _close_all() -> None:
    while database := _taken():
        database.root.close()


if os.name == "posix":
    # The threads of a database do not live on in a child, which would wait for them at its end.
    os.register_at_fork(before=_close_all)
