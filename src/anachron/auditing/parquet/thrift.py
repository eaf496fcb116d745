"""A strict reader of Thrift's compact protocol: known fields, in order, in their shortest form.

The protocol lets fields be unknown and numbers be padded; both could carry something. Here neither
is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["BINARY", "BOOL", "I8", "I16", "I32", "I64", "Beside", "Form", "List", "Struct", "read"]

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
