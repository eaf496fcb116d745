"""The names of a table's columns, before any row is read."""

from __future__ import annotations

import duckdb

from anachron.errors import InternalError
from anachron.source.base import ColumnsNotFound
from anachron.source.read import open_source

__all__ = ["column_names"]


def column_names(table: object, con: duckdb.DuckDBPyConnection) -> list[str]:
    """Name all columns of a table, in order, before any row is read; a name may stand twice.

    The connection is of no use afterwards.
    """
    # Every kind of source looks at its columns before its rows, and says which it has if
    # a wanted one is missing. No column is called NUL.
    try:
        open_source(table, con, ["\0"])
    except ColumnsNotFound as missing:
        return missing.found
    raise InternalError("a table without the wanted column could be opened")
