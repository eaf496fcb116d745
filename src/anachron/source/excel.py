"""Spreadsheets of Excel, read with openpyxl: the values that formulas had when it was saved."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.errors import Problem, TableError
from anachron.plan import Source
from anachron.source.base import extra
from anachron.source.cells import table_of
from anachron.source.sheets import SAVE_AGAIN, Fault, Range, chosen_sheet, columns_of_rows
from anachron.source.unpacking import check_archive

__all__ = ["read_excel"]

_FAILURES = (KeyError, ValueError, TypeError, AttributeError, IndexError, SyntaxError, OSError)
"""What openpyxl raises on files that are not as they should be."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LONGEST = 20_000
"""Longer than any formula."""
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z0-9:]+)"')
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\s([^>]*)>\s*<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_REF = re.compile(rb'r="([A-Z]+[0-9]+)"')
_BEFORE = datetime(1900, 3, 1)


def read_excel(file: Path, name: str, how: Source, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns of a sheet."""
    with extra("excel", "spreadsheets", name):
        import openpyxl
    check_archive(file, name)
    with _reading(name), file.open("rb") as stream:
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        with closing(book):
            names = [sheet.title for sheet in book.worksheets]
            sheet = book[chosen_sheet(names, how.sheet, name)]
            # The extent that a file states may be wrong, and is not needed.
            sheet.reset_dimensions()
            merged, formulas = _unread(book, sheet)
            with closing(sheet.iter_rows(min_row=how.header)) as found:
                rows = ([_value(cell) for cell in row] for row in found)
                columns = columns_of_rows(rows, how.header, merged, formulas, name, wanted)
    return table_of(columns, name)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn what openpyxl raises, and all that it warns of, into one refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except TableError:
        raise
    except _FAILURES:
        raise TableError(Problem("cannot be read.", name, remedy=SAVE_AGAIN)) from None


def _value(cell: Any) -> Any:
    """A cell as text, truth value, number or date; a mark for what is none of them."""
    value = cell.value
    if value is None or value == "":
        return None
    if cell.data_type == "e":
        return Fault.ERROR
    if isinstance(value, time | timedelta):
        return Fault.CLOCK
    if isinstance(value, datetime):
        return Fault.EARLY if value < _BEFORE else value
    if isinstance(value, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    return value


def _unread(book: Any, sheet: Any) -> tuple[list[Range], list[Range]]:
    """What openpyxl does not tell as it reads: merged cells, and formulas without a value."""
    from openpyxl.utils.cell import range_boundaries

    merged: dict[bytes, None] = {}
    formulas: dict[bytes, None] = {}
    with book._archive.open(sheet._worksheet_path) as content:
        rest = b""
        while block := content.read(1 << 20):
            rest = rest[-_LONGEST:] + block
            merged |= dict.fromkeys(_MERGED.findall(rest))
            for attributes in _FORMULA.findall(rest):
                if b't="str"' not in attributes and (place := _REF.search(attributes)):
                    formulas[place[1]] = None
    return tuple([range_boundaries(ref.decode()) for ref in some] for some in (merged, formulas))  # type: ignore[return-value]
