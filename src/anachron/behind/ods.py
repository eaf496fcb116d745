"""Spreadsheets of LibreOffice and others (.ods), read from their XML.

A sheet is a list of rows of cells; what repeats is written once, with a number.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pyarrow as pa

from anachron.behind.cells import columns_of_cells
from anachron.behind.sheets import AGAIN, DAMAGED, below_header, refuse_sheet, walk
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["read_ods"]

_MOST = 2 << 30
_MOST_CELLS = 1 << 25
"""More cells than any sheet has, repeated ones counted."""
_ERRORS = ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "Err:")
_NUMBERS = ("float", "percentage", "currency")


def read_ods(file: Path, how: Source, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of the sheet that is meant."""
    found = _Content()
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.getinfo("content.xml").file_size > _MOST:
                refuse_sheet(file, "is too large to be unpacked.")
            with archive.open("content.xml") as content:
                walk(content, found.start, found.end)  # type: ignore[arg-type]
    except TableError:
        raise
    except (*DAMAGED, expat.ExpatError):
        raise TableError(Problem("cannot be read.", file.name, remedy=AGAIN)) from None
    sheets = found.sheets
    name = next(iter(sheets)) if how.sheet is None and len(sheets) == 1 else how.sheet
    if name not in sheets:
        refuse_sheet(
            file, f"sheet does not name one of its sheets: {', '.join(map(repr, sheets))}."
        )
    cells = sheets[str(name)]
    return columns_of_cells(below_header(cells, (), file, how.header, wanted), file.name)


class _Content:
    """Hears of the elements of a file."""

    def __init__(self) -> None:
        self.sheets: dict[str, dict[int, dict[int, Any]]] = {}
        """The cells of each sheet by row and column, counted from 1."""
        self._cells: dict[int, dict[int, Any]] = {}
        self._row = self._column = self._repeated = self._seen = 0
        self._here: dict[int, Any] = {}
        self._cell: dict[str, str] = {}
        self._texts: list[str] | None = None
        self._inner = ""
        self._aside = 0

    def start(self, name: str, has: dict[str, str]) -> None:
        """Note where the next values belong."""
        if name == "table":
            self._cells = self.sheets.setdefault(has["name"], {})
            self._row = 0
        elif name == "table-row":
            self._repeated, self._column = int(has.get("number-rows-repeated", "1")), 0
            self._here = {}
        elif name in ("table-cell", "covered-table-cell"):
            self._cell = {**has, "element": name}
            self._texts = []
        elif name == "annotation":
            self._aside += 1
        elif name == "s" and self._texts is not None:
            self._inner += " " * int(has.get("c", "1"))
        elif name in ("tab", "line-break") and self._texts is not None:
            self._inner += "\t" if name == "tab" else "\n"

    def end(self, name: str, text: str) -> None:
        """Take what has ended."""
        if name == "annotation":
            self._aside -= 1
        elif name in ("span", "a"):
            self._inner += text
        elif name == "p" and self._texts is not None:
            if not self._aside:
                self._texts.append(text if not self._inner else text + self._inner)
            self._inner = ""
        elif name in ("table-cell", "covered-table-cell"):
            self._put(int(self._cell.get("number-columns-repeated", "1")))
        elif name == "table-row":
            if self._here:
                self._seen += self._repeated * len(self._here)
                if self._seen > _MOST_CELLS:
                    raise ValueError("more cells than a sheet can have")
                for row in range(self._row + 1, self._row + 1 + self._repeated):
                    self._cells[row] = self._here
            self._row += self._repeated

    def _put(self, many: int) -> None:
        value = self._value()
        if value is not None:
            if many > 1 << 14:
                raise ValueError("more columns than a sheet can have")
            for column in range(self._column + 1, self._column + 1 + many):
                self._here[column] = value
        self._column += many
        self._texts = None

    def _value(self) -> Any:
        has, kind = self._cell, self._cell.get("value-type")
        text = "\n".join(self._texts or ())
        spans = (has.get(f"number-{what}-spanned", "1") for what in ("rows", "columns"))
        if has["element"] != "table-cell" or any(one != "1" for one in spans):
            return ValueError("holds merged cells")
        if text.startswith(_ERRORS) and ("formula" in has or kind != "string"):
            return ValueError("holds an error")
        if kind == "string":
            return has.get("string-value", text) or None
        if kind in _NUMBERS:
            return float(has["value"])
        if kind == "date":
            return datetime.fromisoformat(has["date-value"])
        if kind == "boolean":
            return has["boolean-value"] == "true"
        return None if kind is None else ValueError("holds a time of day or a duration")
