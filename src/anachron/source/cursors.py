"""What a database answered: any cursor of Python's DB-API, or of ADBC, after a query.

An answer can be fetched once. So it is copied, and the audit reads the copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from anachron.errors import Problem, TableError
from anachron.source.base import require_columns

__all__ = ["first_of_another_type", "is_cursor", "read_cursor"]

_BATCH = 50_000
_NAME = "the table"


def is_cursor(table: object) -> bool:
    """Whether a table is the answer to a query."""
    return hasattr(table, "description") and hasattr(table, "fetchmany")


def read_cursor(cursor: Any, wanted: Sequence[str]) -> pa.Table:
    """Fetch all rows that are left, and keep the wanted columns."""
    if not cursor.description:
        raise TableError(
            "the cursor holds no rows.", remedy="Execute a SELECT with it first, and fetch none."
        )
    names = [column[0] for column in cursor.description]
    require_columns(names, wanted, _NAME)
    try:
        if hasattr(cursor, "fetch_arrow_table"):
            return cursor.fetch_arrow_table().select(list(wanted))
        rows: list[Sequence[Any]] = []
        while batch := cursor.fetchmany(_BATCH):
            rows += batch
    except Exception:  # noqa: BLE001 - every driver has errors of its own, which may quote cells
        raise TableError(
            "the rows of the cursor cannot be fetched.",
            remedy="Check that the connection is open, and execute the query again.",
        ) from None
    places = [names.index(column) for column in wanted]
    columns = {
        column: [row[place] for row in rows] for column, place in zip(wanted, places, strict=True)
    }
    return _typed(columns)


def _typed(columns: dict[str, list[Any]]) -> pa.Table:
    problems = []
    arrays = []
    for column, values in columns.items():
        row = first_of_another_type(values)
        try:
            if row is not None:
                raise TypeError
            arrays.append(pa.array(values) if any(v is not None for v in values) else
                          pa.nulls(len(values), pa.string()))  # fmt: skip
        except (TypeError, ValueError, OverflowError, pa.ArrowException):
            what = "holds values of different types, or of one that cannot be read."
            problems.append(
                Problem(what, _NAME, column, row, remedy="Convert the column in the query.")
            )
    if problems:
        raise TableError(problems)
    return pa.table(arrays, names=list(columns))


def first_of_another_type(values: Sequence[Any]) -> int | None:
    """The first row whose value has another type than those before it."""
    first: object = None
    for row, value in enumerate(values, start=1):
        # Missing values of every kind differ from themselves, are None, or cannot be compared.
        if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
            continue
        kind = (type(value), getattr(value, "tzinfo", None) is None)
        if first is None:
            first = kind
        elif kind != first:
            return row
    return None
