"""Spreadsheets of LibreOffice and others (.ods), read with calamine.

It tells nothing of merged cells and errors, which would seem to be empty: they are looked for in
the XML itself (:mod:`anachron.source.ods_marks`).
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pyarrow as pa

from anachron.errors import Problem, TableError
from anachron.plan.source import Source as From
from anachron.source.base import extra
from anachron.source.cells import table_of
from anachron.source.ods_marks import marks_of
from anachron.source.sheets import SAVE_AGAIN, Fault, chosen_sheet, columns_of_rows
from anachron.source.unpacking import check_archive

__all__ = ["read_ods"]

_MOST_CELLS = 1 << 25


def read_ods(file: Path, name: str, how: From, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of a sheet."""
    with extra("excel", "spreadsheets", name):
        import python_calamine as calamine
    check_archive(file, name)
    _check_repeated(file, name)
    try:
        book = calamine.CalamineWorkbook.from_path(str(file))
        sheet = book.get_sheet_by_name(chosen_sheet(book.sheet_names, how.sheet, name))
        rows = sheet.to_python(skip_empty_area=False)[how.header - 1 :]
        marks = marks_of(file, sheet.name)
    except (calamine.CalamineError, ValueError, OSError, KeyError, expat.ExpatError):
        raise TableError(Problem("cannot be read.", name, remedy=SAVE_AGAIN)) from None
    cells = (
        _values(row, marks.errors.get(number, ()))
        for number, row in enumerate(rows, start=how.header)
    )
    return table_of(columns_of_rows(cells, how.header, marks.merged, (), name, wanted), name)


def _values(row: Sequence[Any], errors: Collection[int]) -> list[Any]:
    """The values of a row, with what is an error and seems to be empty."""
    wide = max([len(row), *errors])
    values = [_value(value) for value in row] + [None] * (wide - len(row))
    return [Fault.ERROR if at in errors else value for at, value in enumerate(values, start=1)]


def _check_repeated(file: Path, name: str) -> None:
    """Refuse a sheet that repeats its cells too often: calamine writes them all out."""
    cells = rows = filled = 0

    def start(element: str, has: dict[str, str]) -> None:
        nonlocal cells, rows, filled
        many = {key.rpartition(":")[2]: value for key, value in has.items()}
        if element.endswith(":table-row"):
            rows, filled = int(many.get("number-rows-repeated", "1")), 0
        elif element.endswith("table-cell") and "value-type" in many:
            filled += int(many.get("number-columns-repeated", "1"))
            if cells + max(rows, 1) * filled > _MOST_CELLS:
                raise ValueError

    def end(element: str) -> None:
        nonlocal cells
        if element.endswith(":table-row"):
            cells += rows * filled

    def declared(*_: object) -> None:
        raise ValueError

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = declared
    try:
        with zipfile.ZipFile(file) as archive, archive.open("content.xml") as content:
            parser.ParseFile(content)
    except (expat.ExpatError, LookupError, ValueError):
        raise TableError("cannot be read: it is damaged, or has more cells than can be read.", name,
                         remedy=SAVE_AGAIN) from None  # fmt: skip


def _value(value: Any) -> Any:
    if value == "":
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return Fault.CLOCK if isinstance(value, time | timedelta) else value
