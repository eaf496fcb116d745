"""Canaries: what must never leave a table, and how to look for it in any file.

A canary is looked for in every form in which it could sit in a file by accident: as text in two
encodings, as base64 and as hexadecimal digits, as the eight bytes of a number. Parquet files are
looked at as they are, and column by column without compression and dictionaries; databases as
they are and as text.
"""

from __future__ import annotations

import base64
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

KEY = 8
"""Patterns are found by their first bytes, and have so many at least."""
DIGITS = 11
"""Of a number written down: so many characters of it are not there by chance."""

Canary = str | float | datetime


def forms(canary: Canary) -> Iterator[bytes]:
    """All that a canary looks like."""
    if isinstance(canary, float):
        yield struct.pack("<d", canary)
        yield from _written(repr(canary)[:DIGITS])
    elif isinstance(canary, datetime):
        instant = int(canary.replace(tzinfo=UTC).timestamp()) * 1_000_000 + canary.microsecond
        yield struct.pack("<q", instant)
        yield str(instant).encode()
        yield from _written(canary.strftime("%H:%M:%S.%f"))
    else:
        yield from _written(canary)


def _written(text: str) -> Iterator[bytes]:
    plain = text.encode()
    yield plain
    yield text.encode("utf-16-le")
    yield plain.hex().encode()
    yield plain.hex().upper().encode()
    for before in range(3):
        # What stands before decides how the rest falls into groups of three.
        coded = base64.b64encode(bytes(before) + plain)
        yield coded[4 if before else 0 : len(coded) // 4 * 4 - 4]


class Search:
    """Finds canaries in bytes, all of them at once."""

    def __init__(self, canaries: Iterable[Canary]) -> None:
        self._patterns: dict[int, list[tuple[bytes, Canary]]] = {}
        for canary in canaries:
            for form in forms(canary):
                assert len(form) >= KEY, "too short to be looked for"
                key = int.from_bytes(form[:KEY], "little")
                self._patterns.setdefault(key, []).append((form, canary))
        # Most words are ruled out by their bits, without being looked up.
        self._seen = np.zeros(1 << 20, dtype=bool)
        self._seen[_mixed(np.array(list(self._patterns), dtype=np.uint64))] = True

    def inside(self, content: bytes) -> set[Canary]:
        """The canaries that some bytes hold."""
        found: set[Canary] = set()
        for start in range(min(KEY, len(content) - KEY + 1)):
            words = np.frombuffer(content, "<u8", (len(content) - start) // KEY, start)
            maybe = np.flatnonzero(self._seen[_mixed(words)])
            for at, word in zip(maybe.tolist(), words[maybe].tolist(), strict=True):
                place = start + KEY * at
                for form, canary in self._patterns.get(word, ()):
                    if content.startswith(form, place):
                        found.add(canary)
        return found

    def below(self, folder: Path) -> dict[str, set[Canary]]:
        """The files of a folder that hold canaries."""
        found: dict[str, set[Canary]] = {}
        for file in sorted(folder.rglob("*")):
            for content in looks(file) if file.is_file() else ():
                held = self.inside(content)
                if held:
                    found.setdefault(str(file.relative_to(folder)), set()).update(held)
            if self.inside(file.name.encode()):
                found.setdefault("names of files", set())
        return found


def _mixed(words: np.ndarray) -> np.ndarray:
    """Twenty bits that depend on all of a word."""
    return (words * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(44)


def looks(file: Path) -> Iterator[bytes]:
    """The content of a file, in all the ways it can be read."""
    content = file.read_bytes()
    yield content
    if content[:4] == b"PAR1":
        yield from _columns(pq.read_table(pa.BufferReader(content)))
    if content[:6] == b"SQLite":
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as con:
            yield "\n".join(con.iterdump()).encode()


def _columns(table: pa.Table) -> Iterator[bytes]:
    chunks = (chunk for column in table.columns for chunk in column.chunks)
    buffers = (buffer for chunk in chunks for buffer in chunk.buffers() if buffer is not None)
    yield b"\0".join([*map(bytes, buffers), str(table.schema.metadata).encode()])
