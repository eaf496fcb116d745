"""What readers of spreadsheets share: which sheet, where its table begins and where it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

from anachron.errors import Problem, TableError
from anachron.source.base import require_columns

__all__ = ["SAVE_AGAIN", "Fault", "Range", "chosen_sheet", "columns_of_rows"]

SAVE_AGAIN = "Open it with the program that wrote it, and save it again."
_MOST_ROWS = 1 << 20
_MOST_CELLS = 1 << 25
Range = tuple[int, int, int, int]
"""First column, first row, last column and last row, counted from 1."""


class Fault(Enum):
    """Why a cell is no value, and what to do about it."""

    ERROR = ("holds an error, such as #N/A", "Correct the formula, or leave the cell empty.")
    CLOCK = (
        "holds a time of day or a duration without a date",
        "Write date and time into one cell, or durations as numbers.",
    )
    EARLY = ("holds a date before March 1900, which Excel counts wrongly", "Write it as text.")


def chosen_sheet(names: Sequence[str], wanted: str | None, name: str) -> str:
    """The sheet that is meant: the one that was named, or the only one."""
    listed = ", ".join(repr(one) for one in names)
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted in names:
        return str(wanted)
    if not names:
        raise TableError("has no sheet with cells.", name, remedy=SAVE_AGAIN)
    what = "has several sheets" if wanted is None else "has no sheet of that name"
    raise TableError(f"{what}: {listed}.", name, remedy="Name one of them with sheet.")


def columns_of_rows(
    rows: Iterable[Sequence[Any]],
    header: int,
    merged: Sequence[Range],
    formulas: Sequence[Range],
    name: str,
    wanted: Sequence[str],
) -> dict[str, list[Any]]:
    """The wanted columns of rows that begin with the names; empty rows at the end are none."""
    rows = iter(rows)
    names = [_named(value) for value in next(rows, ())]
    if not any(names):
        raise TableError(
            f"row {header} of the sheet names no columns.",
            name,
            remedy="Say with header which row names them.",
        )
    require_columns(names, wanted, name)
    places = [names.index(column) for column in wanted]
    remedy = "Unmerge them, and fill in every cell."
    _refuse_areas(merged, "merged cells", remedy, header, places, names, name)
    remedy = "Open it with a program that calculates, and save it again."
    _refuse_areas(formulas, "a formula without a value", remedy, header, places, names, name)
    columns: dict[str, list[Any]] = {column: [] for column in wanted}
    problems: dict[tuple[str, Fault], Problem] = {}
    empty: int | None = None
    seen = 0
    for row, values in enumerate(rows, start=1):
        seen += len(values)
        if seen > _MOST_CELLS or row + header > _MOST_ROWS:
            raise TableError(
                "has more cells than a sheet can hold, or than can be read.",
                name,
                row=row,
                remedy="Delete what stands far from the table, or save the table as CSV.",
            )
        if all(value is None for value in values):
            empty = empty or row
            continue
        if empty is not None:
            raise TableError(_gap(empty, header, name))
        for column, place in zip(wanted, places, strict=True):
            value = values[place] if place < len(values) else None
            if isinstance(value, Fault):
                told = Problem(f"{value.value[0]}.", name, column, row, value.value[1])
                problems.setdefault((column, value), told)
            columns[column].append(value)
    if problems:
        raise TableError(list(problems.values()))
    return columns


def _gap(row: int, header: int, name: str) -> Problem:
    return Problem(
        f"row {row + header:,} of the sheet is empty, and there are rows below it.",
        name,
        row=row,
        remedy="Delete the empty row, or what stands below the table.",
    )


def _named(value: Any) -> str:
    """The name in a cell; years and other whole numbers are names, too."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    is_name = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if is_name else ""


def _refuse_areas(
    areas: Sequence[Range],
    what: str,
    remedy: str,
    header: int,
    places: Sequence[int],
    names: Sequence[str],
    name: str,
) -> None:
    """Refuse cells that would seem to be empty: of merged ones only the first has a value."""
    for left, top, right, bottom in areas:
        inside = [place for place in places if left <= place + 1 <= right]
        if bottom >= header and inside:
            raise TableError(
                f"has {what} in row {max(top, header):,} of the sheet.",
                name,
                names[inside[0]],
                max(top - header, 0) or None,
                remedy=remedy,
            )
