"""Scan an opened table with DuckDB, in this process, column by column.

Columns are fetched one or few at a time: a scan of a columnar source costs what its columns
cost, and what is not needed any more can be let go before the next one is fetched.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from anachron.errors import PlanError, Problem, TableError
from anachron.schema import Schema
from anachron.source.base import Source, quoted, reading
from anachron.source.read import open_source

__all__ = ["Scan", "open_scan"]

_MEMORY = "ANACHRON_MEMORY"


@dataclass(frozen=True, eq=False)
class Scan:
    """A connection with a table on it. Rows come in the order of the source, every time."""

    con: duckdb.DuckDBPyConnection
    source: Source
    rows: int
    spill: str
    """A private folder for what does not fit into memory."""

    def columns(self, expressions: Mapping[str, str]) -> pa.Table:
        """Fetch the values of SQL expressions, by name."""
        with reading(self.source.name), self.cursor() as cursor:
            table = cursor.sql(self._select(expressions)).to_arrow_table()
        self._same_rows(table.num_rows)
        return table

    def column(self, expression: str) -> pa.ChunkedArray:
        """Fetch the values of one SQL expression."""
        return self.columns({"value": expression}).column(0)

    def schema(self, expressions: Mapping[str, str]) -> pa.Schema:
        """The Arrow schema in which SQL expressions are fetched."""
        with reading(self.source.name), self.cursor() as cursor:
            empty: pa.Table = cursor.sql(self._select(expressions) + " LIMIT 0").to_arrow_table()
        return empty.schema

    def batches(self, expressions: Mapping[str, str], rows: int) -> Iterator[pa.RecordBatch]:
        """Fetch the values of SQL expressions, some rows at a time."""
        seen = 0
        with reading(self.source.name), self.cursor() as cursor:
            for batch in cursor.sql(self._select(expressions)).to_arrow_reader(rows):
                seen += batch.num_rows
                yield batch
        self._same_rows(seen)

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of its own to the same tables: a result may be open on another."""
        cursor = self.con.cursor()
        try:
            # DuckDB would draw its bar on standard output, where results of commands go.
            cursor.execute("SET enable_progress_bar = false")
            if self.source.held is not None:
                cursor.register(self.source.relation, self.source.held)
            yield cursor
        finally:
            cursor.close()

    def close(self) -> None:
        """Close the connection and remove what it spilled."""
        _let_go(self.con, self.spill)

    def _select(self, expressions: Mapping[str, str]) -> str:
        parts = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in expressions.items())
        return f"SELECT {parts} FROM {self.source.relation}"

    def _same_rows(self, found: int) -> None:
        if found != self.rows:
            raise TableError(
                Problem(
                    "changed while it was being read.",
                    self.source.name,
                    remedy="Wait until whatever writes it has finished, or work on a copy.",
                )
            )


def open_scan(table: object, schema: Schema) -> Scan:
    """Open a table of any accepted kind, with the columns of the schema."""
    spill = tempfile.mkdtemp(prefix="anachron-")
    con = None
    try:
        con = _connect(spill)
        as_written = [column for column in (schema.subject, schema.time) if column]
        source = open_source(table, con, schema.columns, as_written)
        with reading(source.name):
            rows = con.sql(f"SELECT count(*) FROM {source.relation}").fetchall()[0][0]
        if rows == 0:
            raise TableError(
                Problem("has no rows.", source.name, remedy="Publish once there are some.")
            )
        scan = Scan(con, source, rows, spill)
    except BaseException:
        _let_go(con, spill)
        raise
    # For those who forget to close it.
    weakref.finalize(scan, _let_go, con, spill)
    return scan


def _let_go(con: duckdb.DuckDBPyConnection | None, spill: str) -> None:
    if con is not None:
        con.close()
    shutil.rmtree(spill, ignore_errors=True)


def _connect(spill: str) -> duckdb.DuckDBPyConnection:
    """An in-memory database that loads nothing, spills into its own folder, and knows UTC only."""
    con = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
    con.execute("SET enable_progress_bar = false")
    # Global, so that it holds for cursors too.
    con.execute("SET GLOBAL TimeZone = 'UTC'")
    con.execute("SET preserve_insertion_order = true")
    con.execute("SET temp_directory = $1", [spill])
    try:
        con.execute("SET memory_limit = $1", [os.environ.get(_MEMORY, "60%")])
    except duckdb.Error:
        con.close()
        raise PlanError(
            f"the environment variable {_MEMORY} is not a size. Write it like '2GB'."
        ) from None
    return con
