"""Frames in memory: pandas, polars, pyarrow, DuckDB relations and whatever narwhals reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import narwhals as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from anachron.errors import Problem, TableError
from anachron.source.arrow import open_arrow
from anachron.source.base import Source, reading, require_columns
from anachron.source.cursors import first_of_another_type, is_cursor, read_cursor

__all__ = ["open_frame"]

NAME = "the table"


def open_frame(table: object, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]) -> Source:
    """Open any frame as an Arrow table of the wanted columns."""
    if isinstance(table, pa.Table):
        return open_arrow(table, NAME, con, wanted)
    if isinstance(table, pa.RecordBatch):
        return open_arrow(pa.Table.from_batches([table]), NAME, con, wanted)
    if isinstance(table, pa.RecordBatchReader):
        return _open_stream(table, con, wanted)
    if is_cursor(table):
        rows = read_cursor(table, wanted)
        return open_arrow(rows, NAME, con, wanted, one_pass=True, is_gone=True)
    try:
        frame = nw.from_native(table)  # type: ignore[call-overload]
    except TypeError:
        if hasattr(table, "__arrow_c_stream__"):
            return _open_stream(pa.RecordBatchReader.from_stream(table), con, wanted)
        raise TableError(_unknown(table)) from None
    except DuplicateError:
        raise TableError(_repeated()) from None
    return _open_narwhals(frame, con, wanted)


def _open_stream(
    reader: pa.RecordBatchReader, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]
) -> Source:
    require_columns(reader.schema.names, wanted, NAME)
    with reading(NAME):
        batches = [batch.select(list(wanted)) for batch in reader]
        fields = [reader.schema.field(column) for column in wanted]
        table = pa.Table.from_batches(batches, pa.schema(fields))
    return open_arrow(table, NAME, con, wanted, one_pass=True, is_gone=True)


def _open_narwhals(frame: Any, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]) -> Source:
    lazy = isinstance(frame, nw.LazyFrame)
    try:
        names = frame.collect_schema().names()
    except DuplicateError:
        raise TableError(_repeated()) from None
    require_columns(names, wanted, NAME)
    chosen = frame.select(*wanted)
    _one_type_each(chosen)
    with reading(NAME):
        # A lazy frame need not give its rows in the same order twice: it is run once.
        eager = chosen.collect(backend="pyarrow") if lazy else chosen
        table = eager.to_arrow()
    plain = table.replace_schema_metadata(None)
    return open_arrow(plain, NAME, con, wanted, one_pass=lazy, is_gone=lazy)


def _one_type_each(frame: Any) -> None:
    """Refuse columns of Python objects of several types, which Arrow would force into one.

    It would drop the time of day, or the offset, without a word.
    """
    problems = []
    for column, kind in frame.collect_schema().items():
        if kind == nw.Object:
            row = first_of_another_type(frame[column].to_list())
            if row is not None:
                problems.append(
                    Problem(
                        "holds values of different types.",
                        NAME,
                        column,
                        row,
                        remedy="Convert the column to one type.",
                    )
                )
    if problems:
        raise TableError(problems)


def _unknown(table: object) -> Problem:
    return Problem(
        f"a table cannot be read from an object of type {type(table).__name__}.",
        remedy=(
            "Give a path, a pandas or polars frame, a pyarrow table or reader, "
            "a DuckDB relation, or a cursor of a database that has executed a query."
        ),
    )


def _repeated() -> Problem:
    return Problem(
        "has two columns of the same name.",
        NAME,
        remedy="Rename or drop one of them.",
    )
