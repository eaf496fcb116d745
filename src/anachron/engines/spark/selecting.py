"""DuckDB in a worker: SQL over the columns of a batch, as the local engine reads its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa

from anachron.database import connected
from anachron.engines.base import Batch

__all__ = ["Selected", "one_database", "selected"]

_OPEN: ContextVar[ExitStack | None] = ContextVar("open", default=None)
_ASKED: ContextVar[duckdb.DuckDBPyConnection | None] = ContextVar("asked", default=None)


@contextmanager
def one_database() -> Iterator[None]:
    """Let all that is selected meanwhile ask one database: to open it takes longer than to ask."""
    with ExitStack() as stack:
        before = _OPEN.get(), _ASKED.get()
        _OPEN.set(stack)
        _ASKED.set(None)
        try:
            yield
        finally:
            _OPEN.set(before[0])
            _ASKED.set(before[1])


def _database() -> duckdb.DuckDBPyConnection:
    """The one that is asked here, opened when it is asked first."""
    stack, con = _OPEN.get(), _ASKED.get()
    if stack is None:
        raise RuntimeError("there is no database to ask")
    if con is None:
        # Spark runs a worker for each processor.
        con = stack.enter_context(connected(threads=1))
        _ASKED.set(con)
    return con


def selected(
    columns: Mapping[str, pa.Array], expressions: Mapping[str, str], values: Sequence[object] = ()
) -> pa.Table:
    """The values of SQL expressions over some columns; ``$1``, … are values that no text holds."""
    parts = ", ".join(f'{sql} AS "{name}"' for name, sql in expressions.items())
    if _OPEN.get() is None:
        with one_database():
            return selected(columns, expressions, values)
    con = _database()
    con.register("batch", pa.table(dict(columns)))
    try:
        found = con.sql(f"SELECT {parts} FROM batch", params=list(values))
        return found.to_arrow_table().combine_chunks()
    finally:
        con.unregister("batch")


@dataclass(frozen=True, eq=False)
class Selected:
    """A kernel that gives SQL expressions over columns, which are known to SQL by other names."""

    names: Mapping[str, str]
    """How SQL calls the columns that it needs."""
    expressions: Mapping[str, str]
    values: tuple[object, ...] = field(default=(), repr=False)

    def __call__(self, batch: Batch) -> Batch:
        """Ask DuckDB."""
        columns = {name: batch[of] for name, of in self.names.items()}
        table = selected(columns, self.expressions, self.values)
        return {name: _array(table.column(name)) for name in self.expressions}


def _array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks) if (
        column.num_chunks) else pa.array([], column.type)  # fmt: skip
