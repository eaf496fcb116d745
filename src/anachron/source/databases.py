"""Tables in databases: DuckDB files, SQLite files and PostgreSQL servers.

The address of a table ends in ``#TABLE``, or ``#SCHEMA.TABLE``. It holds no password, but hosts and
names of users, so it is never repeated in a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow.compute as pc

from anachron.database import cursor_of
from anachron.errors import TableError
from anachron.source.arrow import open_arrow
from anachron.source.base import (
    Source,
    check_opens,
    literal,
    quoted,
    reading,
    require_columns,
    view_of,
)
from anachron.source.bounds import MOST_TEXT, TEXT_PER_BYTE
from anachron.source.sqlite import read_sqlite

__all__ = ["SCHEMES", "open_database"]

SCHEMES = {
    "duckdb": "duckdb:FILE#TABLE",
    "sqlite": "sqlite:FILE#TABLE",
    "postgresql": "postgresql://HOST/DATABASE#TABLE",
    "postgres": "postgres://HOST/DATABASE#TABLE",
}
"""The databases that can be read, and how their tables are addressed."""
_MOST_ROWS = 1_000_000
_FEW_ROWS = 2048


def open_database(address: str, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]) -> Source:
    """Open a table of a database, read only."""
    scheme, _, rest = address.partition(":")
    place, _, table = rest.rpartition("#")
    if not place or not table:
        raise TableError(
            f"the address of a {scheme} table is not complete.",
            remedy=f"Write it as {SCHEMES[scheme]}.",
        )
    if scheme == "duckdb":
        return _open_duckdb(_file(place), table, con, wanted)
    if scheme == "sqlite":
        file = _file(place)
        name = f"{file.name}#{table}"
        return open_arrow(read_sqlite(file, table, name, wanted), name, con, wanted, one_pass=True)
    # Its driver is an extra, so its reader is imported when it is asked for.
    from anachron.source.postgresql import read_postgresql

    rows = read_postgresql(address.rpartition("#")[0], table, wanted)
    # The server may have other rows by the next transaction.
    return open_arrow(rows, table, con, wanted, one_pass=True, is_gone=True)


def _file(place: str) -> Path:
    file = Path(place).expanduser()
    if not file.is_file():
        raise TableError("is not there, or is not a file.", file.name, remedy="Check the path.")
    check_opens(file)
    return file


def _open_duckdb(
    file: Path, table: str, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]
) -> Source:
    """A table is scanned in place; a view may order its rows anew each time, so it is copied."""
    name = f"{file.name}#{table}"
    try:
        con.execute(f"ATTACH {literal(str(file))} AS attached (READ_ONLY)")
    except duckdb.Error:
        raise TableError(
            "cannot be opened: it is not a DuckDB database, or another process has it open.",
            file.name,
            remedy="Close other programs that use it, or give a copy.",
        ) from None
    schema, _, bare = table.rpartition(".")
    schema = schema or "main"
    found = con.execute(
        "SELECT table_type FROM information_schema.tables WHERE table_catalog = 'attached' "
        "AND table_schema = $1 AND table_name = $2",
        [schema, bare],
    ).fetchall()
    if not found:
        raise TableError(
            "there is no such table in the database.",
            name,
            remedy="Check its name, capitals included; write #SCHEMA.TABLE if it has a schema.",
        )
    inside = f"attached.{quoted(schema)}.{quoted(bare)}"
    if found[0][0] == "BASE TABLE":
        return view_of(con, name, inside, wanted, copy=False)
    most = max(_MOST_ROWS, file.stat().st_size)
    limited = f"(FROM {inside} LIMIT {most + 1})"
    _check_view(con, name, limited, wanted, most, file.stat().st_size)
    return view_of(con, name, limited, wanted, copy=True)


def _check_view(
    con: duckdb.DuckDBPyConnection,
    name: str,
    scan: str,
    wanted: Sequence[str],
    most: int,
    size: int,
) -> None:
    """Refuse a view that gives far more than its file holds, as soon as it does."""
    rows, texts = 0, 0
    with reading(name), cursor_of(con) as cursor:
        require_columns(cursor.sql(f"FROM {scan} LIMIT 0").columns, wanted, name)
        lengths = " + ".join(f"coalesce(strlen({quoted(c)}::VARCHAR), 0)" for c in wanted)
        for part in cursor.sql(f"SELECT {lengths} FROM {scan}").to_arrow_reader(_FEW_ROWS):
            rows += part.num_rows
            texts += pc.sum(part.column(0)).as_py()
            if rows > most or texts > max(MOST_TEXT, TEXT_PER_BYTE * size):
                raise TableError(
                    f"gives more than {most:,} rows, or far more text than its file has bytes.",
                    name,
                    remedy="Store what the view gives in a table, and give that.",
                )
