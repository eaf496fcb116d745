"""Parquet files opened up and sewn together again, with something left inside.

A codec of Thrift's compact protocol of its own: a structure is a list of [field, kind, value].
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

BINARY, LIST, STRUCT = 8, 9, 12
Tree = list[Any]
_ZSTD = pa.Codec("zstd")


def field(tree: Tree, number: int) -> Any:
    """The value of a field."""
    return next(value for one, _, value in tree if one == number)


def put(tree: Tree, number: int, kind: int, value: Any) -> None:
    """Set a field, which need not be there yet."""
    tree[:] = sorted([*(part for part in tree if part[0] != number), [number, kind, value]])


def add(tree: Tree, number: int, more: int) -> None:
    """Add to a number, if it is there."""
    for part in tree:
        if part[0] == number:
            part[2] += more


def decoded(data: bytes, at: int) -> tuple[Tree, int]:
    tree: Tree = []
    last = 0
    while head := data[at]:
        at, kind = at + 1, head & 15
        step = head >> 4
        if not step:
            raw, at = _varint(data, at)
            step = (raw >> 1 ^ -(raw & 1)) - last
        last += step
        value, at = _value(data, at, kind)
        tree.append([last, kind, value])
    return tree, at + 1


def _value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (1, 2):
        return None, at
    if kind == 3:
        return data[at], at + 1
    if kind == BINARY:
        size, at = _varint(data, at)
        return data[at : at + size], at + size
    if kind == STRUCT:
        return decoded(data, at)
    if kind == LIST:
        head, at = data[at], at + 1
        size = head >> 4
        if size == 15:
            size, at = _varint(data, at)
        found = []
        for _ in range(size):
            one, at = _value(data, at, head & 15)
            found.append(one)
        return [head & 15, found], at
    raw, at = _varint(data, at)
    return raw >> 1 ^ -(raw & 1), at


def encoded(tree: Tree) -> bytes:
    found, last = b"", 0
    for number, kind, value in tree:
        step = number - last
        head = bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + _written(number * 2)
        found, last = found + head + _plain(kind, value), number
    return found + b"\0"


def _plain(kind: int, value: Any) -> bytes:
    if kind in (1, 2):
        return b""
    if kind == 3:
        return bytes([value])
    if kind == BINARY:
        return _written(len(value)) + value
    if kind == STRUCT:
        return encoded(value)
    if kind == LIST:
        of, items = value
        size = len(items)
        head = bytes([size << 4 | of]) if size < 15 else bytes([15 << 4 | of]) + _written(size)
        return head + b"".join(_plain(of, item) for item in items)
    return _written(value * 2 if value >= 0 else -value * 2 - 1)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def _written(value: int) -> bytes:
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


class Opened:
    """A Parquet file as a body and a footer."""

    def __init__(self, file: Path) -> None:
        self.file = file
        data = file.read_bytes()
        start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        self.body = data[:start]
        self.footer, _ = decoded(data, start)

    def columns(self) -> list[Tree]:
        """What is said of each column of the first row group."""
        group = field(self.footer, 4)[1][0]
        return [field(chunk, 3) for chunk in field(group, 1)[1]]

    def insert(self, at: int, more: bytes, within: int | None = None) -> None:
        """Put bytes somewhere, and let all offsets behind it know; or the sizes of a column."""
        self.body = self.body[:at] + more + self.body[at:]
        for number, column in enumerate(self.columns()):
            for offset in (9, 11):
                held = [part[2] for part in column if part[0] == offset]
                inside = number == within and offset == 9 and held[0] >= at
                if held and ((held[0] >= at and number != within) or inside):
                    add(column, offset, len(more))
            if number == within:
                add(column, 6, len(more))
                add(column, 7, len(more))
        group = field(self.footer, 4)[1][0]
        if within is not None:
            add(group, 2, len(more))
            add(group, 6, len(more))
        elif field(group, 5) >= at:
            add(group, 5, len(more))

    def page(self, column: int, nth: int) -> tuple[int, Tree, int, bytes]:
        """A page: where it begins, its head, where its body begins, and its body."""
        said = self.columns()[column]
        at = min(part[2] for part in said if part[0] in (9, 11))
        for _ in range(nth):
            head, start = decoded(self.body, at)
            at = start + field(head, 3)
        head, start = decoded(self.body, at)
        return at, head, start, self.body[start : start + field(head, 3)]

    def repage(self, column: int, nth: int, change: Callable[[Tree, bytes], bytes]) -> None:
        """Change a page: its head in place, and its packed body into the one that is returned."""
        at, head, start, body = self.page(column, nth)
        size = field(head, 2)
        packed = change(head, body)
        put(head, 3, 5, len(packed))
        new = encoded(head) + packed
        grown = len(new) - (start - at) - len(body)
        unpacked = len(encoded(head)) - (start - at) + field(head, 2) - size
        self.body = self.body[:at] + new + self.body[start + len(body) :]
        said = self.columns()
        add(said[column], 7, grown)
        add(said[column], 6, unpacked)
        for number, other in enumerate(said):
            for offset in (9, 11):
                held = [part[2] for part in other if part[0] == offset]
                if held and held[0] > at and (number != column or nth == 0):
                    add(other, offset, grown)
        group = field(self.footer, 4)[1][0]
        add(group, 2, unpacked)
        add(group, 6, grown)

    def close(self, behind: bytes = b"") -> None:
        """Write the file anew."""
        footer = encoded(self.footer) + behind
        size = len(footer).to_bytes(4, "little")
        self.file.write_bytes(self.body + footer + size + b"PAR1")


def packed(data: bytes) -> bytes:
    return bytes(_ZSTD.compress(data, asbytes=True))


def unpacked(data: bytes, size: int) -> bytes:
    return bytes(_ZSTD.decompress(data, size, asbytes=True))
