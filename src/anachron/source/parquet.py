"""Parquet: one file, a folder of files, or a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import Problem, TableError
from anachron.source.base import Source, exactly, literal, reading, require_columns, view_of

__all__ = ["open_parquet"]


def open_parquet(
    files: Sequence[Path], name: str, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]
) -> Source:
    """Open Parquet files as one table, scanned in place, in the order given."""
    schemas = []
    for file in files:
        with reading(file.name):
            schemas.append(pq.read_schema(file))
    # DuckDB renames the second of two equal names, so they are looked for here.
    twice = [column for column in wanted if schemas[0].names.count(column) > 1]
    if twice:
        require_columns(schemas[0].names, wanted, name)
    _agree(files, schemas, wanted)
    listed = ", ".join(literal(exactly(file)) for file in files)
    return view_of(con, name, f"read_parquet([{listed}])", wanted, copy=False)


def _agree(files: Sequence[Path], schemas: Sequence[pa.Schema], wanted: Sequence[str]) -> None:
    """Refuse files whose columns with a role have different types."""
    first = {field.name: field.type for field in schemas[0]}
    problems = []
    for file, schema in zip(files[1:], schemas[1:], strict=True):
        here = {field.name: field.type for field in schema}
        for column in wanted:
            if column in first and here.get(column) != first[column]:
                problems.append(
                    Problem(
                        f"is missing here, or has another type than in {files[0].name}.",
                        file.name,
                        column,
                        remedy="Write all files of one table with the same columns.",
                    )
                )
    if problems:
        raise TableError(problems)
