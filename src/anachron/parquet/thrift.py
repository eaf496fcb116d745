"""A strict reader of Thrift's compact protocol: known fields, in order, in their shortest form.

The protocol lets fields be unknown and numbers be padded; both could carry something. Here neither
is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["FILE", "PAGE", "Beside", "Unfit", "read"]

BOOL, _FALSE, I8, I16, I32, I64, BINARY, _LIST, _STRUCT = 1, 2, 3, 4, 5, 6, 8, 9, 12
Struct = Mapping[int, Any]
"""What a structure holds, or what it may hold, by the number of the field."""


class List:
    """A list whose items are all of one form."""

    def __init__(self, of: Form) -> None:
        self.of = of


Form = int | List | Struct


class Beside(Exception):
    """A file holds something beside its rows, or is not built as expected."""


class Unfit(Beside):
    """A file is none, has other rows than stated, or would unpack to more than is allowed."""


def read(data: memoryview, start: int, form: Struct) -> tuple[dict[int, Any], int]:
    """Read a structure of a known form; give it, and where it ends."""
    try:
        reader = _Reader(data, start)
        return reader.struct(form), reader.at
    except (IndexError, RecursionError):
        raise Beside("a structure that ends before it is complete") from None


class _Reader:
    def __init__(self, data: memoryview, at: int) -> None:
        self.data = data
        self.at = at

    def struct(self, form: Struct) -> dict[int, Any]:
        found: dict[int, Any] = {}
        last = 0
        while head := self._byte():
            kind, field = head & 15, last + (head >> 4)
            if field == last:
                field = _signed(self._varint())
                if 0 < field - last <= 15:
                    raise Beside("a number that is not written in its shortest form")
            if field <= last or field not in form:
                raise Beside("a field that is not known")
            found[field] = self._value(form[field], kind)
            last = field
        return found

    def _value(self, form: Form, kind: int) -> Any:
        if form == BOOL and kind in (BOOL, _FALSE):
            return kind == BOOL
        if kind != _kind(form):
            raise Beside("a field of another kind than expected")
        return self._plain(form)

    def _plain(self, form: Form) -> Any:
        if isinstance(form, List):
            return self._list(form.of)
        if not isinstance(form, int):
            return self.struct(form)
        if form == I8:
            return self._byte()
        if form == BINARY:
            size = self._varint()
            self.at += size
            if self.at > len(self.data):
                raise IndexError
            return bytes(self.data[self.at - size : self.at])
        return _signed(self._varint())

    def _list(self, of: Form) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
            if size < 15:
                raise Beside("a number that is not written in its shortest form")
        if kind != _kind(of) or size > len(self.data) - self.at:
            raise Beside("a list of another kind than expected")
        return [self._plain(of) for _ in range(size)]

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if shift > 70 or (shift > 7 and not byte):
            raise Beside("a number that is not written in its shortest form")
        return value


def _kind(form: Form) -> int:
    if isinstance(form, List):
        return _LIST
    return form if isinstance(form, int) else _STRUCT


def _signed(zigzag: int) -> int:
    return (zigzag >> 1) ^ -(zigzag & 1)


# The structures of a Parquet file that a release may hold, field by field, by the numbers of the
# format's definition (parquet.thrift). What is not listed is refused: notes, encryption, page
# indexes, Bloom filters, other files, sort orders, names of fields by number.

_NOTHING: Struct = {}
_UNIT: Struct = {1: _NOTHING, 2: _NOTHING, 3: _NOTHING}
_CLOCK: Struct = {1: BOOL, 2: _UNIT}
_LOGICAL: Struct = {
    1: _NOTHING,  # text
    5: {1: I32, 2: I32},  # decimal: scale, precision
    6: _NOTHING,  # date
    7: _CLOCK,  # time
    8: _CLOCK,  # timestamp
    10: {1: I8, 2: BOOL},  # integer: bits, signed
    11: _NOTHING,  # always null
    14: _NOTHING,  # UUID
    15: _NOTHING,  # half-precision number
}
_ELEMENT: Struct = {
    1: I32,  # physical type
    2: I32,  # length of fixed bytes
    3: I32,  # repetition
    4: BINARY,  # name
    5: I32,  # children
    6: I32,  # converted type
    7: I32,  # scale
    8: I32,  # precision
    10: _LOGICAL,
}
_STATISTICS: Struct = {
    1: BINARY,  # largest, in the old field
    2: BINARY,  # least, in the old field
    3: I64,  # nulls
    5: BINARY,  # largest
    6: BINARY,  # least
    7: BOOL,  # largest is exact
    8: BOOL,  # least is exact
}
_COLUMN: Struct = {
    1: I32,  # physical type
    2: List(I32),  # encodings
    3: List(BINARY),  # name
    4: I32,  # codec
    5: I64,  # values
    6: I64,  # uncompressed size
    7: I64,  # compressed size
    9: I64,  # where the first data page is
    11: I64,  # where the dictionary is
    12: _STATISTICS,
    13: List({1: I32, 2: I32, 3: I32}),  # pages by kind and encoding
    16: {1: I64, 2: List(I64), 3: List(I64)},  # bytes of texts; levels
}
_GROUP: Struct = {
    1: List({2: I64, 3: _COLUMN}),
    2: I64,  # uncompressed size
    3: I64,  # rows
    5: I64,  # where it is
    6: I64,  # compressed size
    7: I16,  # which one it is
}
FILE: Struct = {
    1: I32,  # version
    2: List(_ELEMENT),
    3: I64,  # rows
    4: List(_GROUP),
    5: List({1: BINARY, 2: BINARY}),  # notes: known here, to be refused by their name
    6: BINARY,  # by whom
    7: List({1: _NOTHING}),  # how values are ordered
}
"""The footer."""
PAGE: Struct = {
    1: I32,  # kind
    2: I32,  # uncompressed size
    3: I32,  # compressed size
    5: {1: I32, 2: I32, 3: I32, 4: I32, 5: _STATISTICS},
    7: {1: I32, 2: I32, 3: BOOL},
}
"""The head of a page of data or of a dictionary."""
