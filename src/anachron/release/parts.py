"""Which files the rows of a published table stand in: decided by their number, and nothing else.

However a table was computed, in which batches and on how many machines, its parts are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["GROUP_ROWS", "PART_ROWS", "PartFile", "most_rows", "name_of_part", "parts_of"]

GROUP_ROWS = 1 << 17
"""Rows in a row group, however the rows arrive: it decides the bytes of the file."""
PART_ROWS = 64 * GROUP_ROWS
"""Rows in a part; only the last may have fewer."""
_MOST = 9_999
"""Names of so many parts are in the order of their numbers: some 84 billion rows."""


@dataclass(frozen=True)
class PartFile:
    """A Parquet file with some rows of a table, which follow those of the part before it."""

    file: Path
    rows: int


def parts_of(folder: Path, table: str, rows: int) -> tuple[PartFile, ...]:
    """Divide a table: it is one file, or several if it has more rows than a part.

    >>> [part.file.name for part in parts_of(Path(), "data", 100)]
    ['data.parquet']
    >>> [(part.file.name, part.rows) for part in parts_of(Path(), "data", 10_000_000)]
    [('data-0001.parquet', 8388608), ('data-0002.parquet', 1611392)]
    """
    if rows <= PART_ROWS:
        return (PartFile(folder / f"{table}.parquet", rows),)
    if rows > most_rows():
        raise ValueError("A table of a release has more rows than it may have.")
    return tuple(
        PartFile(folder / name_of_part(table, number), min(PART_ROWS, rows - start))
        for number, start in enumerate(range(0, rows, PART_ROWS), 1)
    )


def most_rows() -> int:
    """How many rows a table may have."""
    return _MOST * PART_ROWS


def name_of_part(table: str, number: int) -> str:
    """Name one of several parts."""
    return f"{table}-{number:04d}.parquet"
