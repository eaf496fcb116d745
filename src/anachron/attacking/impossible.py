"""Combinations of values that cannot be, as a person writes them down.

A CSV file with some quasi columns and the sensitive column of the table, one combination in each
line: ``male, ovarian cancer``. An empty cell stands for any value, and ``0..11`` in a column of
numbers for all from 0 to 11.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.behind import Attribute
from anachron.errors import InputError, Problem, TableError
from anachron.given import read_text

__all__ = ["read_impossible", "ruled_out_by"]


def read_impossible(path: str | Path) -> pa.Table:
    """Read a file of impossible combinations, all cells as texts."""
    file = Path(path)
    try:
        lines = io.StringIO(read_text(file), newline="")
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError(f"{file} cannot be read as a CSV file of texts in UTF-8.") from None
    if not rows or len(set(rows[0])) != len(rows[0]):
        raise InputError(f"{file} needs a first line with the names of its columns.")
    names = rows[0]
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(names):
            raise TableError(Problem("has more or fewer cells than there are names.", row=number))
    return pa.table({name: [row[i] for row in rows[1:]] for i, name in enumerate(names)})


def ruled_out_by(
    table: pa.Table, quasi: Sequence[Attribute], sensitive: Attribute
) -> list[tuple[Array, int]]:
    """Give for each impossible combination the records that it concerns, and the value's code."""
    columns = {column.name: column for column in (*quasi, sensitive)}
    strange = [name for name in table.column_names if name not in columns]
    if strange or sensitive.name not in table.column_names:
        raise InputError(
            "the table of impossible combinations needs the sensitive column "
            f"{sensitive.name!r} and any of {', '.join(repr(c.name) for c in quasi)}; "
            f"it has {', '.join(map(repr, table.column_names))}."
        )
    texts = sensitive.domain.cast(pa.string()).to_pylist()
    code = {text: number for number, text in enumerate(texts)}
    found = []
    for row in table.to_pylist():
        value = code.get(row[sensitive.name])
        if value is None:
            continue
        concerned = np.ones(len(sensitive.code), dtype=bool)
        for column in quasi:
            wanted = row.get(column.name) or ""
            if wanted:
                concerned &= _holds(column, wanted)[column.code]
        found.append((np.flatnonzero(concerned), value))
    return found


def _holds(column: Attribute, wanted: str) -> Flags:
    """Of each code of a column, whether it is what was written: a value, or a range of numbers."""
    if ".." in wanted and not pa.types.is_string(column.domain.type):
        low, _, high = wanted.partition("..")
        try:
            ends = float(low), float(high)
        except ValueError:
            raise InputError(
                f"a range in column {column.name!r} of the table of impossible combinations "
                "is not of the form 0..11."
            ) from None
        numbers = np.asarray(column.domain.cast(pa.float64(), safe=False), dtype=np.float64)
        return np.append((ends[0] <= numbers) & (numbers <= ends[1]), False)
    same = pc.equal(column.domain.cast(pa.string()), wanted)
    return np.append(np.asarray(same, dtype=bool), False)
