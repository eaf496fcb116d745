"""Bytes of text files, unpacked and as UTF-8, by tables and arithmetic of our own.

What Windows writes differs from Latin-1 in a few places, which are listed here; UTF-16 is put
together unit by unit.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from anachron.errors import Problem, TableError

__all__ = ["opened_text"]

_WINDOWS = (
    "\u20ac\0\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\0\u017d\0"
    "\0\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\0\u017e\u0178"
)
"""What the bytes 80 to 9F mean in cp1252; five mean nothing."""
_LATIN_9 = dict(zip(b"\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe", "€ŠšŽžŒœŸ", strict=True))
_MOST = 1 << 30
"""So many bytes, or 200 times its size, a packed file may become."""
_TABLES: dict[str, dict[int, str]] = {
    "cp1252": {0x80 + place: sign for place, sign in enumerate(_WINDOWS)},
    "latin-1": {},
    "iso-8859-15": _LATIN_9,
}


def opened_text(file: Path, encoding: str = "utf-8") -> BinaryIO:
    """The bytes of a text file, unpacked, and as UTF-8."""
    if encoding == "utf-8":
        return _unpacked(file)
    with _unpacked(file) as stream:
        content = stream.read()
    told = _units(content, file) if encoding == "utf-16" else _signs(content, encoding, file)
    return io.BytesIO(told.encode())


def _unpacked(file: Path) -> BinaryIO:
    lowered = file.name.lower()
    if lowered.endswith(".gz"):
        return _bounded(gzip.open(file), file)  # type: ignore[arg-type]
    if lowered.endswith(".zst"):
        return _bounded(pa.input_stream(str(file), compression="zstd"), file)
    return file.open("rb")


class _Bounded(io.RawIOBase):
    """What is unpacked of a file, up to as much as a table may become."""

    def __init__(self, packed: BinaryIO, file: Path) -> None:
        self._packed, self._name = packed, file.name
        self._left = max(_MOST, 200 * file.stat().st_size)

    def readable(self) -> bool:
        """It can be read, and nothing else."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Unpack some more."""
        block = self._packed.read(len(buffer))
        self._left -= len(block)
        if self._left < 0:
            raise TableError(
                Problem("unpacks to far more than its size.", self._name, remedy="Unpack it first.")
            )
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close the file, too."""
        self._packed.close()
        super().close()


def _bounded(packed: BinaryIO, file: Path) -> BinaryIO:
    return io.BufferedReader(_Bounded(packed, file), 1 << 20)


def _signs(content: bytes, encoding: str, file: Path) -> str:
    """Text of one byte for each sign."""
    table = _TABLES[encoding]
    for byte in (byte for byte, sign in table.items() if sign == "\0"):
        if byte in content:
            _refuse(file, encoding, content[: content.index(byte)].count(b"\n"))
    return content.decode("latin-1").translate(table)


def _units(content: bytes, file: Path) -> str:
    """Text of units of two bytes, of which two make a sign beyond the first 65,536."""
    first = ">u2" if content.startswith(b"\xfe\xff") else "<u2"
    if len(content) % 2:
        _refuse(file, "utf-16", content.count(b"\n"))
    unit = np.frombuffer(content, first).astype(np.uint32)
    unit = unit[1:] if len(unit) and unit[0] == 0xFEFF else unit
    high, low = unit & 0xFC00 == 0xD800, unit & 0xFC00 == 0xDC00
    follows = np.concatenate([[False], high[:-1]]) if len(unit) else high
    if (low != follows).any() or (len(unit) and high[-1]):
        wrong = int(np.append(np.flatnonzero(low != follows), len(unit) - 1)[0])
        _refuse(file, "utf-16", int((unit[:wrong] == 10).sum()))
    pairs = np.flatnonzero(high)
    unit[pairs] = 0x10000 + ((unit[pairs] & 0x3FF) << 10) + (unit[pairs + 1] & 0x3FF)
    return str(unit[~low].astype("<u4").tobytes(), "utf-32-le")


def _refuse(file: Path, encoding: str, row: int) -> None:
    what = f"holds bytes that are not {encoding}."
    raise TableError(Problem(what, file.name, row=row or None, remedy="Check encoding."))
