"""Tables that nobody holds: their rows come in batches, as often as somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

__all__ = ["Streamed"]


@dataclass(frozen=True, eq=False)
class Streamed:
    """A table that is larger than memory, perhaps: the same rows in the same order each time."""

    schema: pa.Schema
    rows: int
    batches: Callable[[], Iterator[pa.RecordBatch]]
    """Gives them from the first on."""

    @classmethod
    def of(cls, table: pa.Table) -> Streamed:
        """See a table that is held as one that is not.

        Examples
        --------
        >>> import pyarrow as pa
        >>> some = Streamed.of(pa.table({"a": [1, 2]}))
        >>> some.rows, [batch.num_rows for batch in some.batches()]
        (2, [2])
        """
        return cls(table.schema, table.num_rows, lambda: iter(table.to_batches()))
