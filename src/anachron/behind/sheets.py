"""Spreadsheets of Excel, read from their XML, by no library that publishes.

A sheet is a list of cells, each with a place, a kind and a style; texts stand in a list of their
own, and a number is a date if its style says so. Of a formula its last value counts.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

import pyarrow as pa

from anachron.behind.cells import columns_of_cells
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["AGAIN", "DAMAGED", "below_header", "read_sheet", "refuse_sheet", "walk"]

AGAIN = "Open it with the program that wrote it, and save it again."
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, LookupError, ValueError, OverflowError,
    NotImplementedError, RuntimeError, AttributeError,
)  # fmt: skip
"""What comes of an archive, or of a sheet, that is not as it should be."""
_MOST = 2 << 30
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
"""Numbers of the built-in formats of dates and times."""
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.')
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str, str], None]


def walk(content: BinaryIO, start: Start, end: End) -> None:
    """Hear of every element of an XML file: its name and attributes, and at its end its text."""
    texts: list[list[str]] = [[]]
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def opened(name: str, attributes: dict[str, str]) -> None:
        texts.append([])
        start(name.rpartition("}")[2], {k.rpartition("}")[2]: v for k, v in attributes.items()})

    def closed(name: str) -> None:
        end(name.rpartition("}")[2], "".join(texts.pop()))

    def declared(*_: object) -> None:
        raise expat.ExpatError("a document type, which no spreadsheet has")

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    parser.StartDoctypeDeclHandler = declared
    parser.ParseFile(content)


def read_sheet(file: Path, how: Source, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of the sheet that is meant."""
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MOST:
                refuse_sheet(file, "is too large to be unpacked.")
            rows, merged = _Book(archive, file).cells(how.sheet)
    except TableError:
        raise
    except (*DAMAGED, expat.ExpatError):
        raise TableError(Problem("cannot be read.", file.name, remedy=AGAIN)) from None
    return columns_of_cells(below_header(rows, merged, file, how.header, wanted), file.name)


def refuse_sheet(file: Path, what: str, column: str | None = None, row: int | None = None) -> None:
    """Refuse a sheet that is no table."""
    raise TableError(
        Problem(what, file.name, column, row, "Make one table of it, with a value in each cell.")
    )


def below_header(
    cells: dict[int, dict[int, Any]], merged: Sequence[str], file: Path, header: int,
    wanted: Sequence[str],
) -> dict[str, list[Any]]:  # fmt: skip
    """The wanted columns; cells are by row and column, counted from 1."""
    names = {_name(value): place for place, value in cells.get(header, {}).items()}
    twice = len([v for v in map(_name, cells.get(header, {}).values()) if v in wanted])
    if not set(wanted) <= names.keys() or twice > len(wanted):
        refuse_sheet(file, "the header does not name each column of the schema once.")
    for area in merged:
        left, top, right, bottom = corners(area)
        if bottom >= header and any(left <= names[column] <= right for column in wanted):
            refuse_sheet(file, f"has merged cells in row {top:,} of the sheet.")
    last = max((row for row, found in cells.items() if found), default=header)
    columns: dict[str, list[Any]] = {column: [] for column in wanted}
    for row in range(header + 1, last + 1):
        here = cells.get(row)
        if not here:
            refuse_sheet(file, "the row is empty, and rows follow.", row=row - header)
        for column in wanted:
            value = (here or {}).get(names[column])
            if isinstance(value, ValueError):
                refuse_sheet(file, f"{value}.", column, row - header)
            columns[column].append(value)
    return columns


def _name(value: Any) -> str | None:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else None


def corners(area: str) -> tuple[int, int, int, int]:
    """The first column, first row, last column and last row of an area such as A5:B6."""
    first, _, last = area.partition(":")
    (left, top), (right, bottom) = _place(first), _place(last or first)
    return left, top, right, bottom


def _place(text: str) -> tuple[int, int]:
    found = _PLACE.fullmatch(text)
    if not found:
        raise KeyError(text)
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return column, int(found[2])


class _Cells:
    """Hears of the elements of a sheet."""

    def __init__(self, value: Callable[[dict[str, str], dict[str, str]], Any]) -> None:
        self.cells: dict[int, dict[int, Any]] = {}
        """By row and column, counted from 1."""
        self.merged: list[str] = []
        self._value = value
        self._row = self._column = 0
        self._cell: dict[str, str] = {}
        self._inner: dict[str, str] = {}

    def start(self, name: str, has: dict[str, str]) -> None:
        """Note where the next values belong."""
        if name == "row":
            self._row, self._column = int(has.get("r", self._row + 1)), 0
        elif name == "c":
            self._column += 1
            if "r" in has:
                self._column, self._row = _place(has["r"])
            self._cell, self._inner = has, {}
        elif name == "mergeCell":
            self.merged.append(has["ref"])

    def end(self, name: str, text: str) -> None:
        """Take the text of what has ended."""
        if name in ("v", "f"):
            self._inner[name] = text
        elif name == "t":
            self._inner["t"] = self._inner.get("t", "") + text
        elif name == "c":
            value = self._value(self._cell, self._inner)
            if value is not None:
                self.cells.setdefault(self._row, {})[self._column] = value


class _Book:
    """The parts of a workbook that its sheets refer to."""

    def __init__(self, archive: zipfile.ZipFile, file: Path) -> None:
        self._archive, self._file = archive, file
        self._sheets: dict[str, str] = {}
        self._first = datetime(1899, 12, 30)
        self._texts: list[str] = []
        self._formats: list[str] = []
        [book] = self._related("", "officeDocument").values()
        self._base = posixpath.dirname(book)
        ids: dict[str, str] = {}

        def told(name: str, has: dict[str, str]) -> None:
            if name == "sheet":
                ids[has["name"]] = has["id"]
            elif name == "workbookPr" and has.get("date1904", "0") in ("1", "true"):
                self._first = datetime(1904, 1, 1)

        self._walk(book, told, lambda _name, _text: None)
        sheets = self._related(book, "worksheet")
        self._sheets = {name: sheets[one] for name, one in ids.items() if one in sheets}
        for part in self._related(book, "sharedStrings").values():
            self._read_texts(part)
        for part in self._related(book, "styles").values():
            self._read_formats(part)

    def cells(self, wanted: str | None) -> tuple[dict[int, dict[int, Any]], list[str]]:
        """The cells of a sheet by row and column, and the areas that are merged."""
        if wanted is None and len(self._sheets) == 1:
            [wanted] = self._sheets
        if wanted not in self._sheets:
            listed = ", ".join(map(repr, self._sheets))
            refuse_sheet(self._file, f"sheet does not name one of its sheets: {listed}.")
        found = _Cells(self._value)
        self._walk(self._sheets[str(wanted)], found.start, found.end)
        return found.cells, found.merged

    def _value(self, cell: dict[str, str], inner: dict[str, str]) -> Any:
        """The value of a cell, None if it has none, or why it is none."""
        kind, text = cell.get("t", "n"), inner.get("v", "")
        if kind == "inlineStr":
            return _unescaped(inner.get("t", "")) or None
        if text == "":
            unknown = "f" in inner and kind != "str"
            return ValueError("holds a formula that was never calculated") if unknown else None
        if kind == "s":
            return self._texts[int(text)] or None
        if kind == "str":
            return _unescaped(text)
        if kind == "b":
            return text in ("1", "true")
        if kind == "e":
            return ValueError("holds an error")
        if kind == "d":
            return datetime.fromisoformat(text.removesuffix("Z"))
        style = int(cell.get("s", "0"))
        looks = self._formats[style] if style < len(self._formats) else ""
        return self._date(float(text), looks) if looks else float(text)

    def _date(self, days: float, looks: str) -> datetime | ValueError:
        if looks == "duration" or 0 <= days < 1:
            return ValueError("holds a time of day or a duration")
        found = self._first + timedelta(milliseconds=round(days * 86_400_000))
        early = found < datetime(1900, 3, 1)
        return ValueError("holds a date before March 1900") if early else found

    def _read_texts(self, part: str) -> None:
        pieces: list[str] = []
        inside = [0]

        def start(name: str, _: dict[str, str]) -> None:
            if name == "si":
                pieces.clear()
            inside[0] += name == "rPh"

        def end(name: str, text: str) -> None:
            inside[0] -= name == "rPh"
            if name == "t" and not inside[0]:
                pieces.append(text)
            elif name == "si":
                self._texts.append(_unescaped("".join(pieces)))

        self._walk(part, start, end)

    def _read_formats(self, part: str) -> None:
        own: dict[int, str] = {}
        where: list[str] = []

        def start(name: str, has: dict[str, str]) -> None:
            where.append(name)
            if name == "numFmt":
                own[int(has["numFmtId"])] = has["formatCode"]
            elif name == "xf" and where[-2] == "cellXfs":
                number = int(has.get("numFmtId", "0"))
                self._formats.append(_looks(number, own.get(number)))

        def end(_name: str, _text: str) -> None:
            where.pop()

        self._walk(part, start, end)

    def _related(self, part: str, kind: str) -> dict[str, str]:
        """The parts of a kind that a part refers to, by the id of the reference."""
        folder, name = posixpath.split(part)
        found: dict[str, str] = {}

        def told(element: str, has: dict[str, str]) -> None:
            if element == "Relationship" and has["Type"].endswith(f"/{kind}"):
                target = posixpath.join("/" + folder, has["Target"])
                found[has["Id"]] = posixpath.normpath(target).lstrip("/")

        where = posixpath.join(folder, "_rels", f"{name}.rels")
        if where in self._archive.namelist():
            self._walk(where, told, lambda _name, _text: None)
        return found

    def _walk(self, part: str, start: Start, end: End) -> None:
        with self._archive.open(part) as content:
            walk(content, start, end)  # type: ignore[arg-type]


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _looks(number: int, code: str | None) -> str:
    """Whether a format shows a date, a duration, or neither."""
    if code is None:
        return "duration" if number == 46 else "date" if number in _DATES else ""
    bare = _QUOTED.sub("", code.split(";")[0]).lower()
    if re.search(r"\[(h+|m+|s+)\]", bare):
        return "duration"
    return "date" if re.search("[dmyhs]", re.sub(r"\[[^\]]*\]", "", bare)) else ""
