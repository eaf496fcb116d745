"""What a kernel reads in the batches of a table that nobody holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from anachron.engines.base import Batch, Column, Kernel
from anachron.streamed import Streamed

__all__ = ["held", "read_in"]


def read_in(table: Streamed, read: Kernel) -> Iterator[Batch]:
    """Let a kernel read each batch, and none of no rows unless there is no other."""
    there = False
    for batch in table.batches():
        if batch.num_rows:
            there = True
            yield read(_columns(batch))
    if not there:
        yield read(_columns(pa.RecordBatch.from_pylist([], table.schema)))


def held(table: Streamed, read: Kernel) -> Batch:
    """Hold all that a kernel reads, as one batch."""
    parts = [dict(part) for part in read_in(table, read)]
    return {name: _joined([part.pop(name) for part in parts]) for name in list(parts[0])}


def _columns(batch: pa.RecordBatch) -> Batch:
    return dict(zip(batch.schema.names, batch.columns, strict=True))


def _joined(parts: list[Column]) -> Column:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if isinstance(parts[0], np.ndarray) else pa.concat_arrays(parts)
