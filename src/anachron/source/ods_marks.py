"""What a cell of an .ods sheet is beside its value: merged with others, or an error.

Calamine gives such cells as empty ones, so their marks are read from the XML of the sheet.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, iterparse

from anachron.source.sheets import Range

__all__ = ["Marks", "marks_of"]

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_COVERED = f"{_TABLE}covered-table-cell"
_CELLS = (f"{_TABLE}table-cell", _COVERED)
_SHOWN = ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "Err:")
"""What cells of formulas that have no value show."""


@dataclass
class Marks:
    """The cells of a sheet that are not what they seem, by row and column from 1."""

    merged: list[Range] = field(default_factory=list)
    errors: dict[int, set[int]] = field(default_factory=dict)


def marks_of(file: Path, sheet: str) -> Marks:
    """Look through a sheet; raises what damaged files raise."""
    found, row, here = Marks(), 0, False
    with zipfile.ZipFile(file) as archive, archive.open("content.xml") as content:
        for event, element in iterparse(content, events=("start", "end")):
            if event == "start":
                if element.tag == f"{_TABLE}table":
                    here, row = element.get(f"{_TABLE}name") == sheet, 0
                continue
            if element.tag == f"{_TABLE}table-row":
                repeated = _number(element, "number-rows-repeated")
                if here:
                    _note(found, element, row + 1)
                row += repeated
                # What was looked at is let go of.
                element.clear()
    return found


def _note(found: Marks, row: Element, first: int) -> None:
    for column, cell in _cells(row):
        wide, high = _number(cell, "number-columns-spanned"), _number(cell, "number-rows-spanned")
        if wide > 1 or high > 1 or cell.tag == _COVERED:
            found.merged.append((column, first, column + wide - 1, first + high - 1))
        if _is_error(cell):
            # Of rows that are written once, the first tells of all.
            found.errors.setdefault(first, set()).add(column)


def _cells(row: Element) -> Iterator[tuple[int, Element]]:
    """The cells of a row, each with the first column that it stands in."""
    column = 1
    for cell in row:
        if cell.tag in _CELLS:
            yield column, cell
            column += _number(cell, "number-columns-repeated")


def _is_error(cell: Element) -> bool:
    told = {name.rpartition("}")[2]: value for name, value in cell.attrib.items()}
    kinds = [value for name, value in cell.attrib.items() if name.endswith("}value-type")]
    if "error" in kinds:
        return True
    shown = "".join(cell.itertext()).strip()
    return shown.startswith(_SHOWN) and ("formula" in told or "string" not in kinds)


def _number(element: Element, name: str) -> int:
    return int(element.get(f"{_TABLE}{name}", "1"))
