"""How columns travel: what kernels see as numpy or Arrow, as the few types that Spark knows best.

====================================  ====================================================
whole numbers, dates, times           ``bigint``: no zone and no calendar of Spark is asked
64-bit words                          two ``bigint``, of which sums can be told apart
several words, digests                ``binary``, the most significant byte first
lines of a matrix                     as many ``double`` as it has columns
others                                ``boolean``, ``double``, ``string``, ``binary``, ``decimal``
====================================  ====================================================

All of them are equal, and in order, exactly where what they stand for is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Flags
from anachron.engines.base import ABSENT, Column

__all__ = ["Carried", "Field", "Fields", "kind_of", "packed", "unpacked"]

_TOP = np.uint64(1 << 63)
_HALF = np.uint64(32)
_LOW = np.uint64((1 << 32) - 1)
_WORDS = {"boolean": pa.bool_(), "bigint": pa.int64(), "double": pa.float64(),
          "string": pa.string(), "binary": pa.binary()}  # fmt: skip


@dataclass(frozen=True)
class Carried:
    """What a column is to kernels."""

    dtype: str | None = None
    """Of numpy, if it is an array of numpy."""
    width: int | None = None
    """How many columns it has, if it is a matrix."""
    arrow: pa.DataType | None = None
    """Of Arrow, if it is an array of Arrow."""
    coded: bool = False
    """Whether it is given as codes of a dictionary."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of Spark by which it travels."""
        if self.arrow is not None:
            return (_of_arrow(self.arrow),)
        if self.dtype == "float64" and self.width is not None:
            return ("double",) * self.width
        if self.width is not None:
            return ("binary",)
        if self.dtype == "uint64":
            return ("bigint", "bigint")
        return {"bool": ("boolean",), "float64": ("double",)}.get(str(self.dtype), ("bigint",))

    def empty(self) -> Column:
        """No rows of it."""
        if self.dtype is not None:
            shape = (0,) if self.width is None else (0, self.width)
            return np.zeros(shape, dtype=self.dtype)
        none = pa.array([], self.arrow)
        return none.dictionary_encode() if self.coded else none

    @property
    def plain(self) -> Carried:
        """The same without codes."""
        return Carried(self.dtype, self.width, self.arrow)


def kind_of(column: Column) -> Carried:
    """Say what a column is."""
    if isinstance(column, np.ndarray):
        dtype = column.dtype.name
        if column.dtype.kind not in "biuf" or (column.ndim > 1 and dtype not in _MATRICES):
            raise TypeError(f"columns of {column.ndim} dimensions of {dtype} do not travel")
        return Carried(dtype, None if column.ndim == 1 else column.shape[1])
    if pa.types.is_dictionary(column.type):
        return Carried(arrow=column.type.value_type, coded=True)
    return Carried(arrow=column.type)


_MATRICES = ("float64", "uint64", "uint8")


def _of_arrow(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_floating(kind):
        return "double"
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind):
        return "string"
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return "binary"
    if pa.types.is_fixed_size_binary(kind):
        return "binary"
    if pa.types.is_integer(kind) or pa.types.is_temporal(kind):
        return "bigint"
    raise TypeError(f"columns of the type {kind} do not travel")


@dataclass(frozen=True)
class Field:
    """A column, and the names of the columns of Spark in which it travels."""

    kind: Carried
    names: tuple[str, ...]

    @classmethod
    def at(cls, kind: Carried, place: int) -> Field:
        """The field of a column by its place."""
        return cls(kind, tuple(f"c{place}_{part}" for part in range(len(kind.types))))

    @property
    def declared(self) -> str:
        """How Spark is told of it."""
        return ", ".join(f"{n} {t}" for n, t in zip(self.names, self.kind.types, strict=True))

    @property
    def schema(self) -> Iterator[pa.Field]:
        """How Arrow is told of it."""
        for name, kind in zip(self.names, self.kind.types, strict=True):
            yield pa.field(name, _WORDS.get(kind) or self.kind.arrow)


Fields = Mapping[str, Field]
"""Columns by name."""


def packed(columns: Mapping[str, Column], fields: Fields) -> pa.RecordBatch:
    """Make columns ready to travel."""
    arrays = [part for name, one in fields.items() for part in _packed(columns[name], one.kind)]
    return pa.RecordBatch.from_arrays(
        arrays, schema=pa.schema([part for one in fields.values() for part in one.schema])
    )


def _packed(column: Column, kind: Carried) -> Sequence[pa.Array]:
    if kind.arrow is not None:
        return [_told(column, kind.arrow)]
    if kind.width is not None:
        if kind.dtype == "float64":
            return [pa.array(np.ascontiguousarray(line)) for line in column.T]
        words = column.astype(">u8") if kind.dtype == "uint64" else column
        each = words.dtype.itemsize * kind.width
        content = pa.py_buffer(np.ascontiguousarray(words).tobytes())
        return [pa.Array.from_buffers(pa.binary(each), len(column), [None, content]).cast(
            pa.binary())]  # fmt: skip
    if kind.dtype == "uint64":
        halves = (column >> _HALF, column & _LOW)
        return [pa.array(half.astype(np.int64)) for half in halves]
    target = {"boolean": np.bool_, "double": np.float64}.get(kind.types[0], np.int64)
    return [pa.array(column.astype(target, casting="same_kind"))]


def _told(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary.take(column.indices)
    if column.type != kind:
        column = column.cast(kind)
    if pa.types.is_null(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string())
    if pa.types.is_uint64(kind):
        numbers = np.asarray(column.fill_null(0)) ^ _TOP
        return pa.array(numbers.view(np.int64), mask=np.asarray(column.is_null()))
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return column.cast(pa.int32()).cast(pa.int64())
    target = _WORDS.get(_of_arrow(kind), kind)
    return column if column.type == target else column.cast(target)


def unpacked(batch: pa.Table, fields: Fields) -> dict[str, Column]:
    """Read columns that travelled; what a join did not find is ``ABSENT``, false or zero."""
    return {
        name: _unpacked([batch.column(part).combine_chunks() for part in one.names], one.kind)
        for name, one in fields.items()
    }


def _unpacked(parts: Sequence[pa.Array], kind: Carried) -> Column:
    if kind.arrow is not None:
        found = _read(parts[0], kind.arrow)
        return found.dictionary_encode() if kind.coded else found
    if kind.width is not None and kind.dtype != "float64":
        dtype = np.dtype(">u8" if kind.dtype == "uint64" else "u1")
        each = dtype.itemsize * kind.width
        whole = pc.fill_null(parts[0], bytes(each)).cast(pa.binary(each))
        content = whole.buffers()[1]
        cells = np.frombuffer(content, dtype=dtype) if content else np.zeros(0, dtype)
        cells = cells[whole.offset * kind.width : (whole.offset + len(whole)) * kind.width]
        return cells.reshape(-1, kind.width).astype(str(kind.dtype))
    arrays = [_numbers(part, ABSENT if str(kind.dtype).startswith("int") else 0) for part in parts]
    if kind.width is not None:
        return np.stack(arrays, axis=1)
    if kind.dtype == "uint64":
        high, low = (half.astype(np.uint64) for half in arrays)
        return (high << _HALF) + low
    return arrays[0].astype(str(kind.dtype), copy=False)


def _numbers(part: pa.Array, fill: int) -> Column:
    if part.null_count:
        part = part.fill_null(bool(fill) if pa.types.is_boolean(part.type) else fill)
    return part.to_numpy(zero_copy_only=False)


def _read(part: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_uint64(kind):
        null: Flags = np.asarray(part.is_null())
        return pa.array(np.asarray(part.fill_null(0)).view(np.uint64) ^ _TOP, mask=null)
    if pa.types.is_null(kind):
        return pa.nulls(len(part))
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        part = part.cast(pa.int32())
    return part if part.type == kind else part.cast(kind)
