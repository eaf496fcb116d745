"""What a column chunk says of its values, against the values that a reader gets."""

from __future__ import annotations

import io
import math
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.parquet.footer import footer_of
from anachron.parquet.thrift import PAGE, Beside, read

__all__ = ["check_sizes", "check_statistics", "different", "plain"]

_AS_IN_MEMORY = (32, 64)
"""Numbers and times of so many bits are written as they stand in memory."""


def plain(values: pa.Array) -> bytes:
    """Give values, none of them null, as the format writes them one after the other."""
    kind = values.type
    if pa.types.is_primitive(kind) and kind.bit_width in _AS_IN_MEMORY and kind != pa.date64():
        width = kind.bit_width // 8
        start = values.offset * width
        return memoryview(values.buffers()[1])[start : start + len(values) * width].tobytes()
    file = io.BytesIO()
    schema = pa.schema([pa.field("v", values.type, nullable=False)])
    table = pa.Table.from_arrays([values], schema=schema)
    with pq.ParquetWriter(
        file, schema, version="2.6", data_page_version="1.0", compression="none",
        use_dictionary=False, write_statistics=False, store_schema=False,
    ) as writer:  # fmt: skip
        writer.write_table(table, row_group_size=max(len(values), 1))
    data = memoryview(file.getvalue())
    footer, _ = footer_of(data)
    return b"".join(_bodies(data, footer[4][0][1][0][3])) if footer[4] else b""


def _bodies(data: memoryview, said: dict[int, Any]) -> list[memoryview]:
    at, end, found = said[9], said[9] + said[7], []
    while at < end:
        head, start = read(data, at, PAGE)
        at = start + head[3]
        found.append(data[start:at])
    return found


def different(values: pa.Array) -> pa.Array:
    """Give each value once, in the order in which they first occur."""
    return values.drop_null().unique()


def check_statistics(said: dict[int, Any] | None, values: pa.Array, place: str) -> None:
    """Demand that least and largest value are those of the rows, and the nulls as many."""
    if said is None:
        return
    if said.get(3, values.null_count) != values.null_count:
        raise Beside(f"{place}: another number of nulls than its rows have")
    least, largest = _ends(values)
    for field, ends in ((1, largest), (2, least), (5, largest), (6, least)):
        if field in said and said[field] not in ends:
            raise Beside(f"{place}: a least or largest value that no row has")
    if not (said.get(7, True) and said.get(8, True)):
        raise Beside(f"{place}: a least or largest value that is not one of its rows'")


def _ends(values: pa.Array) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The least and the largest value as statistics write them; both ways if it is a zero."""
    kind = values.type
    if pa.types.is_fixed_size_binary(kind):
        values = values.cast(pa.binary())
    found = pc.min_max(values)
    ends = found["min"], found["max"]
    if not ends[0].is_valid:
        return (), ()
    if pa.types.is_string(kind) or pa.types.is_binary(values.type):
        least, largest = (end.as_buffer().to_pybytes() for end in ends)
        return (least,), (largest,)
    if pa.types.is_boolean(kind):
        return (bytes([ends[0].as_py()]),), (bytes([ends[1].as_py()]),)
    if pa.types.is_floating(kind):
        # A zero has a sign, which the least and the largest value do not keep.
        return _zeros(ends[0]), _zeros(ends[1])
    least, largest = (plain(pa.repeat(end, 1)) for end in ends)
    return (least,), (largest,)


def _zeros(end: pa.Scalar) -> tuple[bytes, ...]:
    number = end.as_py()
    if math.isnan(number):
        return ()
    ways = (0.0, -0.0) if number == 0 else (number,)
    return tuple(plain(pa.array([way], end.type)) for way in ways)


def check_sizes(said: dict[int, Any] | None, values: pa.Array, place: str) -> None:
    """Demand that the stated bytes of texts, and numbers of nulls and values, are the true ones."""
    if said is None:
        return
    there = len(values) - values.null_count
    if said.get(3, [values.null_count, there]) not in ([values.null_count, there], []):
        raise Beside(f"{place}: other numbers of values than its rows have")
    size = pc.sum(pc.binary_length(values)).as_py() or 0 if 1 in said else 0
    if said.get(1, size) != size or said.get(2):
        raise Beside(f"{place}: another size of its values than they have")
