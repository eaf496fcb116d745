"""Walk over a whole Parquet file: rows, and nothing before, between or behind them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.parquet.chunks import walk_chunk
from anachron.auditing.parquet.footer import MAGIC, Chunk, chunks_of, footer_of
from anachron.auditing.parquet.thrift import Beside

__all__ = ["walk"]


def walk(file: Path, names: Sequence[str], rows: int) -> None:
    """Account for every byte of a file, or raise :class:`Beside`, which says where that fails.

    Parameters
    ----------
    file
        The Parquet file.
    names
        The columns it must have, in order.
    rows
        How many rows it must have.
    """
    with pa.memory_map(str(file)) as mapped:
        _walk(memoryview(mapped.read_buffer()).cast("B"), file, names, rows)


def _walk(data: memoryview, file: Path, names: Sequence[str], rows: int) -> None:
    try:
        footer, end = footer_of(data)
        chunks = list(chunks_of(footer, names, rows))
    except (KeyError, IndexError, ValueError, AttributeError):
        raise Beside("the footer lacks something, or has too much of it") from None
    at = len(MAGIC)
    for chunk in chunks:
        if chunk.start != at or chunk.end > end:
            raise Beside(f"{abs(chunk.start - at):,} bytes before {chunk.place}")
        at = chunk.end
    if at != end:
        raise Beside(f"{end - at:,} bytes before the footer")
    with pq.ParquetFile(file) as parquet:
        for chunk in chunks:
            walk_chunk(data, chunk, _values(parquet, chunk))


def _values(parquet: pq.ParquetFile, chunk: Chunk) -> pa.Array:
    found = parquet.read_row_group(chunk.group, columns=[chunk.name]).column(chunk.name)
    values = found.combine_chunks()
    return values if isinstance(values, pa.Array) else pa.concat_arrays(values.chunks)
