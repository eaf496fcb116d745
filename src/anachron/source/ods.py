"""Spreadsheets of LibreOffice and others (.ods), read with calamine.

It tells nothing of merged cells and errors, which would seem to be empty: the audit, which looks at
the XML itself, refuses them before anything is published.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.errors import Problem, TableError
from anachron.plan.source import Source as From
from anachron.source.base import extra
from anachron.source.cells import table_of
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
    except (calamine.CalamineError, ValueError, OSError):
        raise TableError(Problem("cannot be read.", name, remedy=SAVE_AGAIN)) from None
    cells = ([_value(value) for value in row] for row in rows)
    return table_of(columns_of_rows(cells, how.header, (), (), name, wanted), name)


def _value(value: Any) -> Any:
    if value == "":
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return Fault.CLOCK if isinstance(value, time | timedelta) else value
