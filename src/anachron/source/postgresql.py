"""Tables on PostgreSQL servers, read in bulk with ADBC."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from anachron.errors import TableError
from anachron.source.base import extra, quoted, reading, require_columns

__all__ = ["read_postgresql"]


def read_postgresql(uri: str, table: str, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of a table or view in one transaction."""
    with extra("postgresql", "tables of PostgreSQL"):
        from adbc_driver_postgresql import dbapi
    where = ".".join(quoted(part) for part in table.split("."))
    try:
        with dbapi.connect(uri) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {where} LIMIT 0")
            require_columns(cursor.fetch_arrow_table().column_names, wanted, table)
            chosen = ", ".join(quoted(column) for column in wanted)
            cursor.execute(f"SELECT {chosen} FROM {where}")
            with reading(table):
                return _numbers(cursor.fetch_arrow_table())
    except dbapi.Error:
        raise TableError(
            "cannot be read from the PostgreSQL server.",
            table,
            remedy="Check the address, that the server answers, and that the account may "
            "read the table (#TABLE or #SCHEMA.TABLE).",
        ) from None


def _numbers(table: pa.Table) -> pa.Table:
    """Numbers of the type ``numeric`` arrive as text: read them as numbers."""
    for place, field in enumerate(table.schema):
        kind = (field.metadata or {}).get(b"ADBC:postgresql:typname")
        if kind == b"numeric":
            table = table.set_column(place, field.name, _number(table.column(place)))
    return table


def _number(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return texts.cast(pa.float64())
