"""The end of a Parquet file: what it says of the columns, and where each of them lies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anachron.parquet.thrift import FILE, Beside, Unfit, read

__all__ = ["BYTES", "FIXED", "MAGIC", "Chunk", "footer_of", "laid_out"]

MAGIC = b"PAR1"
BYTES, FIXED = 6, 7
"""Physical types: texts, and bytes of a fixed number."""
_ZSTD = 6
_OPTIONAL = 1
_DECIMAL = 5
_INTEGER = 10
_PLAIN_TYPES = {1: 0, _DECIMAL: 5, 6: 6}
_CLOCKS = {7: {1: 7, 2: 8}, 8: {1: 9, 2: 10}}
"""Times and timestamps, by their unit: milliseconds, microseconds."""
_UNSIGNED = {8: 11, 16: 12, 32: 13, 64: 14}
_SIGNED = {8: 15, 16: 16, 32: 17, 64: 18}
"""Whole numbers, by their bits."""
_GROUP_ROWS = 1 << 17
"""A row group has so many rows, the last one perhaps fewer."""
_FEW, _PER_CHUNK = 1 << 16, 1 << 15
"""Bytes that a footer may have, and more of them for each column chunk: texts in statistics."""
_WRITER = re.compile(rb"parquet-cpp-arrow version \d{1,3}\.\d{1,3}\.\d{1,3}(-SNAPSHOT)?")
"""How pyarrow names itself: what else would stand here is not what wrote our files."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """A column of a row group."""

    group: int
    column: int
    name: str
    rows: int
    length: int
    """Of values of fixed bytes: how many."""
    said: dict[int, Any]
    """By the fields of the format."""

    @property
    def start(self) -> int:
        """Where its first page is."""
        return int(self.said.get(11, self.said[9]))

    @property
    def end(self) -> int:
        """Where its last page ends."""
        return self.start + int(self.said[7])

    @property
    def place(self) -> str:
        """How a person finds it."""
        return f"row group {self.group + 1}, column {self.column + 1}"


def laid_out(
    data: memoryview, names: Sequence[str], rows: int, *, measured: bool = False
) -> list[Chunk]:
    """Give all column chunks of a file, which follow each other and fill it up to its footer.

    If it is only measured, it may name other columns, or carry notes.
    """
    most = _FEW + _PER_CHUNK * (rows // _GROUP_ROWS + 1) * len(names)
    try:
        footer, end = footer_of(data, most)
        if measured:
            names = [leaf[4].decode() for leaf in footer[2][1:]]
        else:
            _check_words(footer, names)
        chunks = list(_chunks(footer, names, rows))
        _check_gapless(chunks, end)
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        raise Beside("the footer lacks something, or has too much of it") from None
    return chunks


def _check_gapless(chunks: Sequence[Chunk], end: int) -> None:
    at = len(MAGIC)
    for chunk in chunks:
        if chunk.start != at or not at < chunk.end <= end:
            raise Beside(f"{abs(chunk.start - at):,} bytes before {chunk.place}")
        at = chunk.end
    if at != end:
        raise Beside(f"{end - at:,} bytes before the footer")


def footer_of(data: memoryview, most: int | None = None) -> tuple[dict[int, Any], int]:
    """Read the footer, which fills the end of the file to the last byte; and where it begins."""
    size = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - size
    if len(data) < 12 or bytes(data[:4]) != MAGIC or bytes(data[-4:]) != MAGIC or start < 4:
        raise Unfit("cannot be read")
    if most is not None and size > most:
        raise Beside("a footer that is larger than its columns need")
    found, end = read(data[: len(data) - 8], start, FILE)
    if end != len(data) - 8:
        raise Beside(f"{len(data) - 8 - end:,} bytes behind the footer")
    return found, start


def _check_words(footer: dict[int, Any], names: Sequence[str]) -> None:
    """Check all that the footer says of the file and its columns."""
    if footer.get(5):
        raise Beside(f"{len(footer[5]):,} notes in the footer")
    if footer[1] not in (1, 2) or not _WRITER.fullmatch(footer.get(6, b"")):
        raise Beside("the footer names another writer or version")
    _check_schema(footer[2], names)
    if len(footer.get(7, names)) != len(names) or any(o != {1: {}} for o in footer.get(7, ())):
        raise Beside("the footer orders values otherwise")


def _chunks(footer: dict[int, Any], names: Sequence[str], rows: int) -> Iterator[Chunk]:
    """Check where the rows are, and give the column chunks in the order of the file."""
    groups = footer[4]
    there = sum(group[3] for group in groups)
    if footer[3] != there or there != rows:
        raise Unfit(f"has {footer[3]:,}, not {rows:,}")
    if any(group[3] > _GROUP_ROWS for group in groups):
        raise Beside(f"row groups of more than {_GROUP_ROWS:,} rows")
    for number, group in enumerate(groups):
        if group[3] != groups[0][3] and not (0 < group[3] < groups[0][3] and group is groups[-1]):
            raise Beside(f"row group {number + 1} has another size than those before")
        yield from _group(number, group, names, footer[2][1:])


def _group(
    number: int, group: dict[int, Any], names: Sequence[str], leaves: Sequence[dict[int, Any]]
) -> Iterator[Chunk]:
    found = []
    for column, (said, name, leaf) in enumerate(zip(group[1], names, leaves, strict=True)):
        chunk = Chunk(number, column, name, group[3], leaf.get(2, 0), said[3])
        if said.get(2, 0) or said[3][3] != [name.encode()] or said[3][1] != leaf[1]:
            raise Beside(f"{chunk.place} is said to be elsewhere, or another column")
        if said[3][4] != _ZSTD or said[3][5] != group[3]:
            raise Beside(f"{chunk.place} has another number of values, or another codec")
        found.append(chunk)
    sizes = [sum(chunk.said[field] for chunk in found) for field in (6, 7)]
    if [group[2], group.get(6, sizes[1])] != sizes or group.get(7, number) != number:
        raise Beside(f"row group {number + 1} states another size or number")
    if found and group.get(5, found[0].start) != found[0].start:
        raise Beside(f"row group {number + 1} is said to be elsewhere")
    yield from found


def _check_schema(elements: Sequence[dict[int, Any]], names: Sequence[str]) -> None:
    root, leaves = elements[0], elements[1:]
    if {3: 0, **root} != {3: 0, 4: b"schema", 5: len(names)} or len(leaves) != len(names):
        raise Beside("the footer names other columns")
    for leaf, name in zip(leaves, names, strict=True):
        if leaf[4] != name.encode() or leaf.get(3) != _OPTIONAL or 5 in leaf:
            raise Beside("the footer names other columns")
        scale, precision = leaf.get(10, {}).get(_DECIMAL, {1: None, 2: None}).values()
        if (leaf.get(7), leaf.get(8)) != (scale, precision) or len(leaf.get(10, "1")) != 1:
            raise Beside("the footer says of a column what cannot be")
        if (2 in leaf) != (leaf[1] == FIXED) or leaf.get(6) not in (None, _converted(leaf)):
            raise Beside("the footer says of a column what cannot be")


def _converted(leaf: dict[int, Any]) -> int | None:
    """The older name of a logical type."""
    [(kind, said)] = leaf.get(10, {0: {}}).items()
    if kind == _INTEGER:
        return (_SIGNED if said[2] else _UNSIGNED).get(said[1])
    if kind in _CLOCKS:
        [unit] = said[2]
        return _CLOCKS[kind].get(unit)
    return _PLAIN_TYPES.get(kind)
