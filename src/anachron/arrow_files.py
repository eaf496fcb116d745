"""How much an Arrow file becomes, read from what it declares, before anything of it is unpacked.

Its heads are flatbuffers, of which only the few fields are looked at that say how long buffers are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

__all__ = ["Declared", "declared"]

_FILE = b"ARROW1"
_DICTIONARY, _ROWS = 2, 3
_BUFFER, _BLOCK = 16, 24
"""Bytes that tell of a buffer, and of a message in the footer."""


class Declared(NamedTuple):
    """The rows of a file, and the bytes that they and their dictionaries take once unpacked."""

    rows: int
    bytes: int


def declared(content: memoryview) -> Declared:
    """Add up what an Arrow file, in either of its two layouts, says of itself.

    Raises
    ------
    pyarrow.ArrowInvalid
        If it is cut off, or is no such file.

    Example
    -------
    >>> import pyarrow as pa
    >>> table, out = pa.table({"a": pa.array([1, 2, 3], pa.int64())}), pa.BufferOutputStream()
    >>> with pa.ipc.new_file(out, table.schema) as writer:
    ...     writer.write_table(table)
    >>> declared(memoryview(out.getvalue()))
    Declared(rows=3, bytes=24)
    """
    places = _blocks(content) if content[:6] == _FILE else _messages(content)
    rows, size, buffers = 0, 0, 0
    try:
        for place in places:
            batch = _batch(content, place)
            if batch is None:
                continue
            lengths = _lengths(content, batch)
            rows, size = rows + batch.rows, size + sum(lengths)
            # Bytes of its own tell of each, unless a footer names some of them again and again.
            buffers += len(lengths)
            if buffers * _BUFFER > len(content):
                raise IndexError(buffers)
    except (struct.error, IndexError):
        raise pa.ArrowInvalid("what an Arrow file declares cannot be read") from None
    return Declared(rows, size)


class _Batch(NamedTuple):
    """Rows, or a dictionary, which has none: where it is described, and where its bytes begin."""

    rows: int
    about: int
    body: int


def _batch(content: memoryview, place: int) -> _Batch | None:
    """What the message at a place brings, if it is rows or a dictionary."""
    start, length = _head(content, place)
    message = _followed(content, start)
    kind, header = _field(content, message, 1), _field(content, message, 2)
    if kind is None or header is None or content[kind] not in (_DICTIONARY, _ROWS):
        return None
    about = _followed(content, header)
    many = _field(content, about, 0)
    if content[kind] == _ROWS:
        rows = 0 if many is None else _number("<q", content, many)
        return _Batch(max(rows, 0), about, start + length)
    data = _field(content, about, 1)
    return None if data is None else _Batch(0, _followed(content, data), start + length)


def _lengths(content: memoryview, batch: _Batch) -> list[int]:
    """How long each buffer is: packed ones begin with the length that they had."""
    listed = _field(content, batch.about, 2)
    if listed is None:
        return []
    is_packed = _field(content, batch.about, 3) is not None
    found = []
    for place in _listed(content, listed, _BUFFER):
        offset, length = struct.unpack_from("<qq", content, place)
        before = _number("<q", content, batch.body + offset) if is_packed and length >= 8 else -1
        found.append(max(length if before < 0 else before, 0))
    return found


def _messages(content: memoryview) -> Iterator[int]:
    """Where the messages of a stream begin, one after the other."""
    place = 0
    while place + 8 <= len(content):
        start, length = _head(content, place)
        if length <= 0:
            return
        yield place
        body = _field(content, _followed(content, start), 3)
        place = start + length + (0 if body is None else max(_number("<q", content, body), 0))


def _blocks(content: memoryview) -> Iterator[int]:
    """Where the messages of a file begin, by its footer; it may name one of them twice."""
    footer = len(content) - 10 - _number("<i", content, len(content) - 10)
    root = _followed(content, footer)
    for field in (_DICTIONARY, _ROWS):
        listed = _field(content, root, field)
        for place in [] if listed is None else _listed(content, listed, _BLOCK):
            yield _number("<q", content, place)


def _head(content: memoryview, place: int) -> tuple[int, int]:
    """Where the head of a message begins, and how long it is."""
    first = _number("<i", content, place)
    return (place + 8, _number("<i", content, place + 4)) if first == -1 else (place + 4, first)


def _listed(content: memoryview, field: int, each: int) -> Iterator[int]:
    """Where the things begin that a field lists."""
    first = _followed(content, field)
    return iter(range(first + 4, first + 4 + each * _number("<I", content, first), each))


def _field(content: memoryview, table: int, number: int) -> int | None:
    """Where a field of a table lies, if the table has it."""
    about = table - _number("<i", content, table)
    if 6 + 2 * number > _number("<H", content, about):
        return None
    offset = _number("<H", content, about + 4 + 2 * number)
    return table + offset if offset else None


def _followed(content: memoryview, place: int) -> int:
    return place + _number("<I", content, place)


def _number(form: str, content: memoryview, place: int) -> int:
    if place < 0:
        raise IndexError(place)
    return int(struct.unpack_from(form, content, place)[0])
