"""Scan an opened table with DuckDB, in this process, column by column.

Columns are fetched one or few at a time: a scan of a columnar source costs what its columns
cost, and what is not needed any more can be let go before the next one is fetched.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa

from anachron import scratch
from anachron.database import bound, connected, cursor_of
from anachron.errors import Problem, TableError
from anachron.memory import fits, held, rows_at_once
from anachron.schema import EACH_ROW, Schema, ambiguous
from anachron.source.base import Source, quoted, reading
from anachron.source.names import column_names
from anachron.source.read import open_source

__all__ = ["Scan", "open_scan"]


@dataclass(frozen=True, eq=False)
class Scan:
    """A connection with a table on it. Rows come in the order of the source, every time."""

    con: duckdb.DuckDBPyConnection
    source: Source
    rows: int
    held: ExitStack = field(repr=False)
    """The connection, and the private folder for what does not fit into memory."""
    at_once: int = 0
    """So many rows may be held."""

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
        with cursor_of(self.con) as cursor:
            if self.source.held is not None:
                cursor.register(self.source.relation, self.source.held)
            yield cursor

    def close(self) -> None:
        """Close the connection and remove what it spilled."""
        self.held.close()

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


def open_scan(table: object, schema: Schema, each: int, *, is_aside: bool = False) -> Scan:
    """Open a table of any accepted kind, with the columns of the schema.

    ``each`` is how many bytes a row of it will take. A table that does not fit is refused, unless
    rows may lie aside: then only those count that are held at a time.
    """
    with ExitStack() as opening:
        con = opening.enter_context(connected())
        names = column_names(table, opening.enter_context(connected())) if schema.each_row else ()
        as_written = [column for column in (*schema.subject_columns, schema.time) if column]
        source = open_source(table, con, schema.columns, as_written)
        if EACH_ROW in names:
            raise TableError(ambiguous(source.name))
        with reading(source.name):
            rows = con.sql(f"SELECT count(*) FROM {source.relation}").fetchall()[0][0]
        if rows == 0:
            raise TableError(
                Problem("has no rows.", source.name, remedy="Publish once there are some.")
            )
        lies_aside = is_aside and rows > 1 and scratch.how() == "plain" and not fits(rows, each)
        at_once = min(rows - 1, rows_at_once(each)) if lies_aside else rows
        opening.enter_context(held(at_once, each, source.name))
        bound(con)
        scan = Scan(con, source, rows, opening.pop_all(), at_once)
    # For those who forget to close it.
    weakref.finalize(scan, scan.held.close)
    return scan
