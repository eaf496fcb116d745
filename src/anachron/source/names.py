"""The names of a table's columns, before any row is read."""

from __future__ import annotations

from anachron.database import connected
from anachron.errors import InternalError
from anachron.source.base import ColumnsNotFound
from anachron.source.read import open_source

__all__ = ["column_names"]


def column_names(table: str) -> list[str]:
    """Name all columns of a file or database table, in order; a name may stand twice."""
    # Every kind of source looks at its columns before its rows, and says which it has if
    # a wanted one is missing. No column is called NUL.
    with connected() as con:
        try:
            open_source(table, con, ["\0"])
        except ColumnsNotFound as missing:
            return missing.found
    raise InternalError("a table without the wanted column could be opened")
