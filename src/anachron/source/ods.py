"""Spreadsheets of LibreOffice and others (.ods), read with calamine.

It tells nothing of merged cells and errors, which would seem to be empty: they are looked for in
the XML itself (:mod:`anachron.source.ods_marks`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import pyarrow as pa

from anachron.errors import Problem, TableError
from anachron.plan.source import Source as From
from anachron.source.base import extra
from anachron.source.cells import table_of
from anachron.source.ods_marks import marks_of
from anachron.source.sheets import SAVE_AGAIN, Fault, chosen_sheet, columns_of_rows
from anachron.source.unpacking import check_archive

__all__ = ["read_ods"]


def read_ods(file: Path, name: str, how: From, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of a sheet."""
    with extra("excel", "spreadsheets", name):
        import python_calamine as calamine
    check_archive(file, name)
    try:
        book = calamine.CalamineWorkbook.from_path(str(file))
        sheet = book.get_sheet_by_name(chosen_sheet(book.sheet_names, how.sheet, name))
        rows = sheet.to_python(skip_empty_area=False)[how.header - 1 :]
        marks = marks_of(file, sheet.name)
    except (calamine.CalamineError, ValueError, OSError, KeyError, ExpatError):
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


def _value(value: Any) -> Any:
    if value == "":
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return Fault.CLOCK if isinstance(value, time | timedelta) else value
