"""Cells of spreadsheets and other values without a declared type: columns of one type each.

A column holds texts, truth values, numbers or dates, and not two of them. Its numbers are whole if
all of them are, and its dates are days if none has a time of day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.errors import Problem, TableError

__all__ = ["table_of"]

EXACT = 2**53
"""Up to here floating-point numbers tell all whole ones apart."""
_WORDS = {str: "text", bool: "truth values", float: "numbers", datetime: "dates"}


def table_of(columns: Mapping[str, Sequence[Any]], name: str) -> pa.Table:
    """Columns of Python values, None where one is missing, as Arrow columns of one type each."""
    arrays: list[pa.Array] = []
    problems: list[Problem] = []
    for column, values in columns.items():
        try:
            arrays.append(_array(values, name, column))
        except TableError as error:
            problems += error.problems
    if problems:
        raise TableError(problems)
    return pa.table(arrays, names=list(columns))


def _array(values: Sequence[Any], name: str, column: str) -> pa.Array:
    kind = _kind(values, name, column)
    if kind is float:
        return _numbers(values)
    if kind is datetime:
        stamps = pa.array(values, pa.timestamp("us"))
        is_day = all(v is None or not isinstance(v, datetime) or v.time() == time() for v in values)
        return stamps.cast(pa.date32()) if is_day else stamps
    return pa.array(values, pa.bool_() if kind is bool else pa.string())


def _kind(values: Sequence[Any], name: str, column: str) -> type:
    """The one kind of all values."""
    first: type | None = None
    for row, value in enumerate(values, start=1):
        if value is None:
            continue
        of = type(value)
        kind = float if of is int else datetime if of is date else of
        if first is None:
            first = kind
        elif kind is not first:
            told = " and ".join(sorted(_WORDS[one] for one in (first, kind)))
            raise TableError(
                Problem(
                    f"mixes {told}.",
                    name,
                    column,
                    row,
                    remedy="Write all cells of the column in one way; a number that is a name or "
                    "code can be stored as text in all of them.",
                )
            )
    return first or str


def _numbers(values: Sequence[Any]) -> pa.Array:
    missing = np.array([value is None for value in values])
    floats = np.array([0.0 if value is None else float(value) for value in values])
    whole = bool(((floats == np.floor(floats)) & (np.abs(floats) <= EXACT)).all())
    return pa.array(floats.astype(np.int64) if whole else floats, mask=missing)
