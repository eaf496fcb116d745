"""How much so many bytes may become: a table is refused before a bomb goes off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from anachron.behind.folders import files_of
from anachron.behind.refusing import reading
from anachron.database import cursor_of
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["refuse_bomb", "refuse_endless", "size_of"]

_ROWS, _ROWS_PER_BYTE = 10**7, 16
_VIEW = 10**6
_TEXT, _TEXT_PER_BYTE = 10**9, 200


def size_of(how: Source | None, held: pa.Table | None) -> int | None:
    """The bytes in which a table is stored; None if nobody can tell."""
    if how is None:
        return None if held is None else int(held.nbytes)
    place = Path(how.table).expanduser()
    files = [] if "://" in how.table or "#" in how.table else files_of(place, ("",))
    return sum(file.stat().st_size for file in files) or None


def refuse_endless(
    con: duckdb.DuckDBPyConnection, table: str, wanted: Sequence[str], size: int, name: str
) -> None:
    """Refuse a view that does not end, or gives far more text than its database has bytes."""
    names = ('"{}"'.format(column.replace('"', '""')) for column in wanted)
    letters = " + ".join(f"ifnull(strlen({column}::VARCHAR), 0)" for column in names)
    left, text = max(_VIEW, size), max(_TEXT, size * _TEXT_PER_BYTE)
    with reading(name), cursor_of(con) as cursor:
        for batch in cursor.sql(f"SELECT {letters} AS n FROM {table}").to_arrow_reader(2_048):
            left -= batch.num_rows
            text -= sum(batch.column("n").to_pylist())
            if left < 0 or text < 0:
                refuse_bomb(_ROWS + 1, 0, 0, name)


def refuse_bomb(rows: int, texts: int, size: int | None, name: str) -> None:
    """Refuse more rows, or more bytes of text, than a table of so many bytes has."""
    if size is None:
        return
    if (rows > _ROWS and rows > size * _ROWS_PER_BYTE) or (
        texts > _TEXT and texts > size * _TEXT_PER_BYTE
    ):
        raise TableError(
            Problem(
                "would become far more than a table of its size is.",
                name,
                remedy="Check what wrote it.",
            )
        )
