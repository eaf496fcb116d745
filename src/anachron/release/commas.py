"""A release as CSV (RFC 4180): UTF-8, fixed line ends, fixed formats, no spreadsheet formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.errors import TableError

__all__ = ["RULES", "CommaWriter", "first_odd_byte"]

RULES = (
    "A missing value is an empty cell; an empty text is a quoted empty cell. "
    "A text that starts with = + - @, a tab or a line end has an apostrophe before it, "
    "so that no spreadsheet takes it for a formula."
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_TO_QUOTE = frozenset('",\r\n')
_SLICE = 1 << 16


class Sink(Protocol):
    """Whatever takes bytes."""

    def write(self, data: bytes, /) -> int:
        """Take some bytes, and say how many."""


class CommaWriter:
    """Writes tables of one schema as the rows of one CSV file."""

    def __init__(self, file: Sink, schema: pa.Schema) -> None:
        self._file = file
        self._names = schema.names
        self._formats = [_format(field.type) for field in schema]
        file.write((",".join(_text(name) for name in schema.names) + "\n").encode())

    def write(self, table: pa.Table) -> None:
        """Write all rows of a table."""
        for start in range(0, table.num_rows, _SLICE):
            part = table.slice(start, _SLICE)
            columns = zip(self._names, part.columns, self._formats, strict=True)
            cells = [_cells(*column) for column in columns]
            lines = pc.binary_join_element_wise(*cells, ",")
            self._file.write(("\n".join(lines.to_pylist()) + "\n").encode())


def first_odd_byte(parquet: Sequence[Path], file: Path) -> int | None:
    """Say from which byte on, roughly, a CSV is not what the rows are written as; None if it is."""
    with file.open("rb") as there:
        same = _Same(there)
        writer = CommaWriter(same, pq.read_schema(parquet[0]))
        try:
            for part in parquet:
                with pq.ParquetFile(part) as rows:
                    for group in range(rows.num_row_groups):
                        writer.write(rows.read_row_group(group))
        except TableError:  # no CSV has such rows
            return same.at if same.differs is None else same.differs
        if same.differs is None and there.read(1):
            same.differs = same.at
    return same.differs


class _Same:
    """Takes bytes, and compares them with those of a file."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.at = 0
        self.differs: int | None = None
        """The block in which it was noticed begins there."""

    def write(self, data: bytes) -> int:
        if self.differs is None and self.file.read(len(data)) != data:
            self.differs = self.at
        self.at += len(data)
        return len(data)


def _cells(name: str, column: pa.ChunkedArray, write: Callable[[Any], str]) -> pa.Array:
    # Published values repeat, so each is put into words only once.
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    try:
        values = encoded.dictionary.to_pylist()
    except (OverflowError, ValueError) as error:
        raise TableError(
            "a time before the year 1 or after 9999 has no agreed form in CSV.",
            column=name,
            remedy="Correct the times, or publish without CSV files.",
        ) from error
    words = pa.array([write(value) for value in values], pa.string())
    return pc.fill_null(words.take(encoded.indices), "")


def _format(kind: pa.DataType) -> Callable[[Any], str]:
    if pa.types.is_string(kind):
        return _text
    if pa.types.is_boolean(kind):
        return lambda value: "true" if value else "false"
    if pa.types.is_floating(kind):
        return _number
    if pa.types.is_decimal(kind):
        return _decimal
    if pa.types.is_timestamp(kind):
        return _instant
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return bytes.hex
    return lambda value: _quoted(str(value))


def _text(value: str) -> str:
    if not value:
        return '""'
    return _quoted(f"'{value}" if value.startswith(_FORMULA) else value)


def _quoted(value: str) -> str:
    if _TO_QUOTE.isdisjoint(value):
        return value
    return '"' + value.replace('"', '""') + '"'


def _number(value: float) -> str:
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return "NaN" if math.isnan(value) else repr(value)


def _decimal(value: Decimal) -> str:
    return format(value, "f")


def _instant(value: datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
