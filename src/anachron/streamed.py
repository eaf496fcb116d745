"""Tables that nobody holds: their rows come in batches, as often as somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["ROWS", "Digests", "Streamed", "digests", "hull", "met"]

ROWS = 1 << 17
"""So many rows are worked on at once, at most."""

Digests = npt.NDArray[np.bytes_]
"""Digests of one width, which can be compared."""


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
        return cls(table.schema, table.num_rows, lambda: iter(table.to_batches(ROWS)))

    def span(self) -> tuple[int, int] | None:
        """From when to when it shows anybody; None if it does not say, or shows nobody."""
        found: tuple[int, int] | None = None
        if {"first", "until"} <= set(self.schema.names):
            for batch in self.batches():
                found = hull(batch, found)
        return found

    def table(self) -> pa.Table:
        """Hold it, because it is known to be small.

        >>> Streamed.of(pa.table({"a": [1, 2]})).table().to_pydict()
        {'a': [1, 2]}
        """
        return pa.Table.from_batches(self.batches(), self.schema).combine_chunks()


def hull(batch: pa.RecordBatch, so_far: tuple[int, int] | None) -> tuple[int, int] | None:
    """From the first ``first`` to the last ``until`` of rows, and of those before them.

    None if no row was seen yet, or they do not say when they are.
    """
    if not batch.num_rows or not {"first", "until"} <= set(batch.schema.names):
        return so_far
    first, until = int(pc.min(batch["first"]).as_py()), int(pc.max(batch["until"]).as_py())
    return (first, until) if so_far is None else (min(so_far[0], first), max(so_far[1], until))


def digests(column: pa.Array | pa.ChunkedArray) -> Digests:
    """See a column of digests as texts that can be compared."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    width = column.type.byte_width
    if not len(column):
        return np.empty(0, dtype=f"S{width}")
    content = np.frombuffer(column.buffers()[1], dtype=f"S{width}")
    return content[column.offset : column.offset + len(column)]


def met(some: Streamed, held: Streamed) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Lay rows beside those of another table that have the same digest.

    Both tables ascend by digests, their first columns, and neither is held. Each row of ``some`` is
    laid beside the first of its digest in ``held``; rows that find none are left out.

    Examples
    --------
    >>> def people(*names):
    ...     return Streamed.of(pa.table({"who": pa.array(names, pa.binary(1))}))
    >>> [(a["who"].to_pylist(), b["who"].to_pylist()) for a, b in
    ...  met(people(b"a", b"c"), people(b"b", b"c"))]
    [([b'c'], [b'c'])]
    """
    waiting = (batch for batch in some.batches() if batch.num_rows)
    mine = next(waiting, None)
    for theirs in held.batches():
        known = digests(theirs.column(0))
        while mine is not None and len(known):
            wanted = digests(mine.column(0))
            end = int(np.searchsorted(wanted, known[-1], side="right"))
            if end:
                at = np.searchsorted(known, wanted[:end])
                same = np.flatnonzero(known[at] == wanted[:end])
                yield mine.take(pa.array(same)), theirs.take(pa.array(at[same]))
            if end < len(wanted):
                mine = mine.slice(end)
                break
            mine = next(waiting, None)
