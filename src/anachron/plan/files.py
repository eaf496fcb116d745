"""The ladders and orders that a plan gives its quasi columns, those in files included."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import Any

from anachron.errors import PlanError
from anachron.given import read_text
from anachron.ladders import Ladder
from anachron.plan.check import Faults, tables
from anachron.plan.sections import LADDER

__all__ = ["read_ladders", "read_orders"]


def read_ladders(given: Any, place: str, folder: Path, found: Faults) -> dict[str, Ladder]:
    """Read ladders, one table for each column; files are relative to the folder of the plan."""
    sections, _ = tables(LADDER, given, place, found)
    made = {
        column: found.attempt(f"{place}.{column}", partial(_ladder, entry, folder), LADDER.keys)
        for column, entry in sections.items()
    }
    return {column: ladder for column, ladder in made.items() if ladder is not None}


def _ladder(entry: dict[str, Any], folder: Path) -> Ladder:
    if entry and not entry.keys() & {"bins", "prefix", "hierarchy"}:
        raise PlanError("give bins, prefix or hierarchy too, or leave the table empty.")
    if isinstance(entry.get("hierarchy"), str):
        entry = {**entry, "hierarchy": _rows(folder / entry["hierarchy"], "hierarchy")}
    return Ladder.from_dict(entry)


def read_orders(given: Any, place: str, folder: Path, found: Faults) -> dict[str, list[str]]:
    """Read the orders of columns: each a list, or a file with a value in each line."""
    read = {
        column: found.attempt(f"{place}.{column}", partial(_order, order, folder))
        for column, order in given.items()
    }
    return {column: order for column, order in read.items() if order is not None}


def _order(given: str | list[str], folder: Path) -> list[str]:
    if isinstance(given, list):
        return given
    return [row[0] for row in _rows(folder / given, "order")]


def _rows(path: Path, what: str) -> list[list[str]]:
    """The rows of a hierarchy, which has no header."""
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PlanError(f"{what} cannot be read: {why}.", file=str(path)) from None
    first = text.partition("\n")[0]
    # Hierarchies of other tools are often separated by semicolons.
    mark = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    try:
        rows = list(csv.reader(text.splitlines(), delimiter=mark, strict=True))
    except csv.Error:
        raise PlanError(f"{what} is not a CSV file.", file=str(path)) from None
    rows = [row for row in rows if row]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise PlanError(
                f"{what} has rows of {len(rows[0])} and of {len(row)} cells.",
                file=str(path),
                row=number,
                remedy="Give every value the same number of parents.",
            )
    return rows
