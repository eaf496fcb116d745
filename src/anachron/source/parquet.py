"""Parquet: one file, a folder of files, or a pattern."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import Problem, TableError
from anachron.source.base import Source, exactly, literal, quoted, reading, require_columns, view_of
from anachron.source.bounds import check_rows, check_texts
from anachron.source.folders import Piece

__all__ = ["open_parquet"]


def open_parquet(
    parts: Sequence[Piece],
    name: str,
    con: duckdb.DuckDBPyConnection,
    wanted: Sequence[str],
    copy: bool = False,
) -> Source:
    """Open Parquet files as one table, scanned in place, in the order given."""
    schemas = []
    rows = size = 0
    for part in parts:
        with reading(part.file.name):
            footer = pq.read_metadata(part.file)
            schemas.append(footer.schema.to_arrow_schema())
        rows, size = rows + footer.num_rows, size + part.file.stat().st_size
    check_rows(rows, size, name)
    keys = parts[0].keys
    inside = [column for column in wanted if column not in keys]
    # DuckDB renames the second of two equal names, so they are looked for here.
    names = [*schemas[0].names, *keys]
    if any(names.count(column) > 1 for column in wanted):
        require_columns(names, wanted, name)
    files = [part.file for part in parts]
    _agree(files, schemas, inside)
    listed = ", ".join(literal(exactly(file)) for file in files)
    told = [column for column in wanted if column in keys]
    if not told:
        opened = view_of(con, name, f"read_parquet([{listed}])", wanted, copy)
        return check_texts(con, opened, rows, size)
    by_folder = "hive_partitioning = true, hive_types_autocast = false"
    scan = f"read_parquet([{listed}], {by_folder})"
    values = {column: {part.keys[column] for part in parts} for column in told}
    whole = {column for column, some in values.items() if _all_whole(some)}
    chosen = ", ".join(
        f"CAST({quoted(column)} AS BIGINT) AS {quoted(column)}"
        if column in whole
        else quoted(column)
        for column in wanted
    )
    opened = view_of(con, name, f"(SELECT {chosen} FROM {scan})", wanted, copy)
    return check_texts(con, opened, rows, size)


def _all_whole(values: set[str | None]) -> bool:
    """Whether what folders say are whole numbers, written as such."""
    told = [value for value in values if value is not None]
    return bool(told) and all(re.fullmatch("0|-?[1-9][0-9]{0,17}", value) for value in told)


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
