"""Tables in SQLite files.

A column of SQLite may hold values of different types from row to row. Here it may not, except
that whole and decimal numbers go together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.errors import TableError
from anachron.source.base import quoted, require_columns

__all__ = ["read_sqlite"]

_BATCH = 50_000
_EXACT = 2**53
_MOST_ROWS = 1_000_000
_STEPS = 100_000
_MOST_STEPS = 100_000_000
"""More steps of SQLite's machine than any table of so many bytes takes."""
_ARROW = {int: pa.int64(), float: pa.float64(), str: pa.string(), bytes: pa.binary()}
_WORDS = {int: "whole numbers", float: "decimal numbers", str: "text", bytes: "binary values"}


def read_sqlite(file: Path, table: str, name: str, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of a table or view."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            found = [row[1] for row in db.execute(f"PRAGMA table_info({quoted(table)})")]
            if not found:
                raise TableError(
                    "there is no such table in the database.", name, remedy="Check it."
                )
            require_columns(found, wanted, name)
            return _read(db, table, name, wanted)
    except UnicodeDecodeError:
        raise TableError(
            "holds text that is not UTF-8.",
            name,
            remedy="Store it as UTF-8, or leave the column without a role.",
        ) from None
    except sqlite3.Error:
        raise TableError(
            "cannot be read: it is not a SQLite database, is damaged, locked, or does not end.",
            name,
            remedy="Check it with PRAGMA integrity_check, or give a copy.",
        ) from None


def _read(db: sqlite3.Connection, table: str, name: str, wanted: Sequence[str]) -> pa.Table:
    db.text_factory = _decode
    size = _size(db)
    steps = iter(range(_MOST_STEPS // _STEPS + size // 100))
    # A view may go on for ever, with rows or without.
    db.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
    chosen = ", ".join(quoted(column) for column in wanted)
    types: list[type | None] = [None] * len(wanted)
    parts: list[list[pa.Array]] = [[] for _ in wanted]
    rows = 0
    for batch in _batches(db.execute(f"SELECT {chosen} FROM {quoted(table)}")):
        for place, values in enumerate(zip(*batch, strict=True)):
            types[place] = _one_type(values, types[place], name, wanted[place], rows)
            parts[place].append(_array(values, types[place]))
        rows += len(batch)
        if rows > max(_MOST_ROWS, size):
            raise TableError(
                f"gives more than {max(_MOST_ROWS, size):,} rows, more than its file has bytes.",
                name,
                remedy="Store what the view gives in a table, and give that.",
            )
    columns = [
        pa.chunked_array([part.cast(_ARROW[kind or str]) for part in arrays], _ARROW[kind or str])
        for arrays, kind in zip(parts, types, strict=True)
    ]
    return pa.table(columns, names=list(wanted))


def _size(db: sqlite3.Connection) -> int:
    """The bytes of the database."""
    pages, page = (
        db.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size")
    )
    return int(pages * page)


def _decode(text: bytes) -> str:
    # The module's own error repeats the text.
    return text.decode()


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while batch := cursor.fetchmany(_BATCH):
        yield batch


def _one_type(
    values: Sequence[Any], so_far: type | None, name: str, column: str, rows: int
) -> type | None:
    """The type of a column after some more of its values; numbers of both types are decimal."""
    kinds = {type(value) for value in values} - {type(None)}
    if so_far is not None:
        kinds.add(so_far)
    if len(kinds) <= 1:
        return next(iter(kinds), None)
    if kinds == {int, float} and all(abs(v) <= _EXACT for v in values if type(v) is int):
        return float
    first = so_far or next(type(value) for value in values if value is not None)
    others = (i for i, value in enumerate(values) if type(value) not in (first, type(None)))
    raise TableError(
        f"mixes {' and '.join(sorted(_WORDS[kind] for kind in kinds))}.",
        name,
        column,
        rows + next(others, 0) + 1,
        remedy="Convert the column to one type, for instance with CAST in a view.",
    )


def _array(values: Sequence[Any], kind: type | None) -> pa.Array:
    if kind is None:
        return pa.nulls(len(values), pa.string())
    if kind is float:
        values = [None if value is None else float(value) for value in values]
    return pa.array(values, _ARROW[kind])
