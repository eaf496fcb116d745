"""Find what must not be on the disk: names and notes of people, in any form they may have there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

NAMES = b"WHOCANARY"
"""Part of every subject, and of a column without a role: nobody but the table may hold it."""
NOTES = b"ILLCANARY"
"""Part of every sensitive value: the table and what is published of it may hold it."""
ZSTD = bytes.fromhex("28b52ffd")
_MOST = 1 << 24
_NO_DISK = ("proc", "sys")
_TESTS = Path(__file__).parents[1]


def forms(word: bytes) -> tuple[bytes, ...]:
    """A word as text, as DuckDB's sort keys (every byte and one), and in two bytes a letter."""
    return word, bytes(byte + 1 for byte in word), word.decode().encode("utf-16-le")


def found_in(roots: Iterable[Path], words: Iterable[bytes], but: Iterable[Path] = ()) -> list[str]:
    """Files below some folders that hold a word in any form, and are in none of the others."""
    spared, wanted = tuple(but), tuple(words)
    return [
        str(file)
        for root in roots
        for file in sorted(root.rglob("*"))
        if not any(file.is_relative_to(place) for place in spared)
        and file.is_file()
        and holds(file, wanted)
    ]


def holds(file: Path, words: Iterable[bytes]) -> bool:
    """Whether a file holds a word in any form."""
    wanted = [form for word in words for form in forms(word)]
    return any(form in part for part in _parts(file) for form in wanted)


def written_since(moment: float) -> list[Path]:
    """Every file of the machine that was written after a moment, programs and tests excepted."""
    found = []
    for folder, inside, files in os.walk("/"):
        inside[:] = [name for name in inside if (folder + "/" + name).lstrip("/") not in _NO_DISK]
        for name in files:
            file = Path(folder, name)
            with suppress(OSError):
                about = file.lstat()
                if stat.S_ISREG(about.st_mode) and about.st_ctime >= moment:
                    found.append(file)
    return [file for file in found if not file.is_relative_to(_TESTS) and file.suffix != ".pyc"]


def _parts(file: Path) -> Iterator[bytes]:
    """The bytes of a file, what is packed in it, and the texts of a Parquet table."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return
    yield content
    at = content.find(ZSTD)
    while at >= 0:
        yield _unpacked(content[at:])
        at = content.find(ZSTD, at + 1)
    if content[:4] == b"PAR1":
        with suppress(pa.ArrowInvalid):  # one that is torn has no rows that anybody could read
            for column in pq.read_table(file).columns:
                yield "\n".join(map(str, column.to_pylist())).encode()


def _unpacked(frame: bytes) -> bytes:
    try:
        with pa.CompressedInputStream(pa.BufferReader(frame), "zstd") as stream:
            return bytes(stream.read(_MOST))
    except OSError:
        return b""
