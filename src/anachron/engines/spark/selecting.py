"""DuckDB in a worker: SQL over the columns of a batch, as the local engine reads its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from anachron.database import connected
from anachron.engines.base import Batch

__all__ = ["Selected", "selected"]


def selected(
    columns: Mapping[str, pa.Array], expressions: Mapping[str, str], values: Sequence[object] = ()
) -> pa.Table:
    """The values of SQL expressions over some columns; ``$1``, … are values that no text holds."""
    parts = ", ".join(f'{sql} AS "{name}"' for name, sql in expressions.items())
    # Spark runs a worker for each processor.
    with connected(threads=1) as con:
        con.register("batch", pa.table(dict(columns)))
        found = con.sql(f"SELECT {parts} FROM batch", params=list(values))
        return found.to_arrow_table().combine_chunks()


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
