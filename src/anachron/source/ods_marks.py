"""What a cell of an .ods sheet is beside its value: merged with others, or an error.

Calamine gives such cells as empty ones, so their marks are read from the XML of the sheet.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.parsers import expat

from anachron.source.sheets import Range

__all__ = ["Marks", "marks_of"]

_CELLS = ("table-cell", "covered-table-cell")
_SHOWN = ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "Err:")
"""What cells of formulas that have no value show."""


class Marks:
    """The cells of one sheet that are not what they seem, by row and column from 1."""

    def __init__(self, sheet: str) -> None:
        self.merged: list[Range] = []
        self.errors: dict[int, set[int]] = {}
        self._sheet, self._here = sheet, False
        self._row = self._column = self._repeated = 1
        self._cell: dict[str, str] = {}
        self._shown = ""

    def start(self, element: str, has: dict[str, str]) -> None:
        """Hear of the beginning of an element."""
        name, told = _bare(element), {_bare(key): value for key, value in has.items()}
        if name == "table":
            self._here, self._row = told.get("name") == self._sheet, 1
        elif name == "table-row":
            self._column, self._repeated = 1, int(told.get("number-rows-repeated", "1"))
        elif name in _CELLS:
            kinds = [value for key, value in has.items() if _bare(key) == "value-type"]
            self._cell = {**told, "element": name, "kinds": " ".join(kinds)}
            self._shown = ""

    def text(self, some: str) -> None:
        """Hear what a cell shows."""
        self._shown += some

    def end(self, element: str) -> None:
        """Note what is odd about a cell, and go on to the next."""
        name = _bare(element)
        if name in _CELLS:
            if self._here:
                self._note()
            self._column += int(self._cell.get("number-columns-repeated", "1"))
        elif name == "table-row":
            self._row += self._repeated

    def _note(self) -> None:
        cell, row, column = self._cell, self._row, self._column
        wide, high = (int(cell.get(f"number-{w}-spanned", "1")) for w in ("columns", "rows"))
        if wide > 1 or high > 1 or cell["element"] == "covered-table-cell":
            self.merged.append((column, row, column + wide - 1, row + high - 1))
        shows = self._shown.strip().startswith(_SHOWN)
        if "error" in cell["kinds"] or (
            shows and ("formula" in cell or "string" not in cell["kinds"])
        ):
            # Of rows that are written once, the first tells of all.
            self.errors.setdefault(row, set()).add(column)


def marks_of(file: Path, sheet: str) -> Marks:
    """Look through a sheet; raises what damaged files raise."""
    marks, parser = Marks(sheet), expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = marks.start, marks.end
    parser.CharacterDataHandler = marks.text
    parser.StartDoctypeDeclHandler = _refuse_declared
    with zipfile.ZipFile(file) as archive, archive.open("content.xml") as content:
        parser.ParseFile(content)
    return marks


def _refuse_declared(*_: object) -> None:
    raise ValueError("a sheet declares nothing of its own")


def _bare(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition(" ")[2]
