"""Files of SPSS (.sav, .zsav), read byte by byte.

A file is a header, records that describe variables, and cases of slots of eight bytes: a number,
or eight characters of a text. Cases may be packed: a byte for each slot then says what it is.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

__all__ = ["read_spss"]

_EPOCH = datetime(1582, 10, 14)
_DAYS, _MOMENTS = {20, 23, 24, 38, 39}, {22, 41}
_SPACES = b" " * 8
_END, _RAW, _BLANK, _NOTHING = 252, 253, 254, 255


@dataclass
class _Variable:
    """A variable, in its first slot."""

    name: str
    width: int
    """How many bytes its texts have; 0 for numbers."""
    slot: int
    format: int
    missing: tuple[float | bytes, ...] = ()
    ranges: tuple[float, float] | None = None
    labels: dict[bytes, bytes] = field(default_factory=dict)


def read_spss(file: Path, wanted: Sequence[str], *, labels: bool) -> dict[str, list[Any]]:
    """The values of some variables; what is declared missing is None."""
    with file.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
        return _File(content).columns(wanted, labels=labels)


class _File:
    def __init__(self, content: mmap) -> None:
        self._bytes, self._at = content, 176
        if content[:4] not in (b"$FL2", b"$FL3"):
            raise ValueError("not a file of SPSS")
        self._order = "<" if content[64:68] in (b"\2\0\0\0", b"\3\0\0\0") else ">"
        self._packed, _, self._cases = self._unpack("3i", 72)
        (self._bias,) = self._unpack("d", 84)
        self._variables: list[_Variable] = []
        self._slots = 0
        self._encoding, self._names, self._long = "cp1252", dict[str, str](), set[str]()
        self._dictionary()

    def columns(self, wanted: Sequence[str], *, labels: bool) -> dict[str, list[Any]]:
        """Go through all cases."""
        named = {self._names.get(v.name, v.name): v for v in self._variables}
        chosen = [named[name] for name in wanted]
        if any(variable.name in self._long for variable in chosen):
            raise ValueError("texts of more than 255 bytes")
        found: list[list[Any]] = [[] for _ in chosen]
        case: list[bytes] = []
        rows = 0
        for slot in self._data():
            case.append(slot)
            if len(case) == self._slots:
                for variable, values in zip(chosen, found, strict=True):
                    values.append(self._raw(variable, case))
                case, rows = [], rows + 1
        if case or (self._cases >= 0 and rows != self._cases):
            raise ValueError("another number of cases than declared")
        pairs = zip(wanted, chosen, found, strict=True)
        return {name: self._values(variable, raw, labels) for name, variable, raw in pairs}

    def _raw(self, variable: _Variable, case: Sequence[bytes]) -> bytes | None:
        """The bytes of a value; None if it is missing."""
        if variable.width:
            last = variable.slot + -(-variable.width // 8)
            text = b"".join(case[variable.slot : last])[: variable.width]
            gone = text[:8].ljust(8) in variable.missing and not text[8:].strip()
            return None if gone or not text.strip() else text
        [number] = struct.unpack(f"{self._order}d", case[variable.slot])
        low, high = variable.ranges or (1.0, 0.0)
        # The smallest number of all stands for nothing.
        gone = number in variable.missing or low <= number <= high or number <= -1.79e308
        return None if gone or number != number else case[variable.slot]

    def _values(self, variable: _Variable, raw: list[bytes | None], labels: bool) -> list[Any]:
        told = variable.labels
        if labels and told and all(one is None or one.ljust(8)[:8] in told for one in raw):
            return [None if one is None else self._text(told[one.ljust(8)[:8]]) for one in raw]
        if variable.width:
            return [None if one is None else self._text(one) for one in raw]
        numbers = [None if one is None else struct.unpack(f"{self._order}d", one)[0] for one in raw]
        if variable.format in _DAYS | _MOMENTS:
            return [
                None if n is None else _EPOCH + timedelta(milliseconds=round(n * 1000))
                for n in numbers
            ]
        return numbers

    def _text(self, content: bytes) -> str:
        return content.decode(self._encoding).rstrip(" ")

    def _unpack(self, form: str, at: int | None = None) -> tuple[Any, ...]:
        """Numbers at a place, or at the present one, which then lies behind them."""
        form = self._order + form
        size = struct.calcsize(form)
        where = self._at if at is None else at
        if at is None:
            self._at += size
        return struct.unpack(form, self._bytes[where : where + size])

    def _take(self, size: int) -> bytes:
        self._at += size
        if self._at > len(self._bytes):
            raise ValueError("ends too early")
        return self._bytes[self._at - size : self._at]

    def _dictionary(self) -> None:
        by_slot: dict[int, _Variable] = {}
        labels: dict[bytes, bytes] = {}
        while True:
            (kind,) = self._unpack("i")
            if kind == 2:
                variable = self._variable()
                if variable is not None:
                    by_slot[variable.slot] = variable
                    self._variables.append(variable)
            elif kind == 3:
                labels = dict(self._labels())
            elif kind == 4:
                (many,) = self._unpack("i")
                for index in self._unpack(f"{many}i"):
                    by_slot[index - 1].labels = labels
            elif kind == 6:
                (many,) = self._unpack("i")
                self._take(80 * many)
            elif kind == 7:
                self._extension()
            elif kind == 999:
                self._take(4)
                return
            else:
                raise ValueError("an unknown record")

    def _variable(self) -> _Variable | None:
        width, has_label, missing, shown, _ = self._unpack("5i")
        name = self._take(8).decode("latin-1").rstrip()
        slot, self._slots = self._slots, self._slots + 1
        if has_label:
            (size,) = self._unpack("i")
            self._take(-(-size // 4) * 4)
        values = [self._take(8) for _ in range(abs(missing))]
        if width < 0:  # more of the text before
            return None
        if width:
            return _Variable(name, width, slot, 0, tuple(values))
        numbers = [struct.unpack(f"{self._order}d", value)[0] for value in values]
        bounds = (numbers[0], numbers[1]) if missing < 0 else None
        single = tuple(numbers[2:] if missing < 0 else numbers)
        return _Variable(name, 0, slot, shown >> 16 & 255, single, bounds)

    def _labels(self) -> Iterator[tuple[bytes, bytes]]:
        (many,) = self._unpack("i")
        for _ in range(many):
            value, size = self._take(8), self._take(1)[0]
            yield value, self._take(-(-(size + 1) // 8) * 8 - 1)[:size]

    def _extension(self) -> None:
        kind, size, many = self._unpack("3i")
        content = self._take(size * many)
        if kind == 20:
            self._encoding = content.decode("ascii").strip()
        elif kind == 13:
            pairs = (pair.partition("=") for pair in content.decode("utf-8").split("\t"))
            self._names = {short: name for short, _, name in pairs}
        elif kind == 14:
            self._long = {text.split("=")[0] for text in content.decode("latin-1").split("\t")}

    def _data(self) -> Iterator[bytes]:
        """The slots of all cases, unpacked."""
        content = self._unzipped() if self._packed == 2 else self._bytes[self._at :]
        if self._packed == 0:
            yield from (content[i : i + 8] for i in range(0, len(content), 8))
            return
        at = 0
        while at < len(content):
            codes, at = content[at : at + 8], at + 8
            for code in codes:
                if code == _END:
                    return
                if code == _RAW:
                    yield content[at : at + 8]
                    at += 8
                elif code == _BLANK:
                    yield _SPACES
                elif code == _NOTHING:
                    yield struct.pack(f"{self._order}d", -1.7976931348623157e308)
                elif code:
                    yield struct.pack(f"{self._order}d", code - self._bias)

    def _unzipped(self) -> bytes:
        _, trailer, _ = self._unpack("3q")
        _, _, _, many = self._unpack("2q2i", trailer)
        blocks = []
        for i in range(many):
            _, at, size, packed = self._unpack("2q2i", trailer + 24 + 24 * i)
            try:
                unpacker = zlib.decompressobj()
                block = unpacker.decompress(self._bytes[at : at + packed], size)
            except zlib.error:
                raise ValueError("a block that cannot be unpacked") from None
            if len(block) != size:
                raise ValueError("a block of another size than declared")
            blocks.append(block)
        return b"".join(blocks)
