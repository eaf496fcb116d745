"""JSON lines, read line by line with Python's own parser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.behind.decoding import opened_text
from anachron.behind.refusing import reading
from anachron.errors import Problem, TableError

__all__ = ["json_columns", "typed_json"]

_KINDS = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
_EXACT = 1 << 53


def json_columns(file: Path, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """The values of some keys, None where a line has none."""
    columns: dict[str, list[Any]] = {column: [] for column in wanted}
    with reading(file.name), opened_text(file) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                # The first value of a key that stands twice is none to rely on.
                found = json.loads(line, object_pairs_hook=list, parse_constant=_refused)
                if not isinstance(found, list) or len(dict(found)) < len(found):
                    raise ValueError
            except (ValueError, TypeError, RecursionError):
                raise TableError(
                    Problem("is not one object with each key once.", file.name, row=number)
                ) from None
            told = dict(found)
            for column, values in columns.items():
                values.append(told.get(column))
    return columns


def typed_json(values: list[Any], column: str, table: str) -> pa.Array:
    """Values of one kind as a column; whole numbers among others are numbers like them."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {int, float} and all(abs(v) <= _EXACT for v in values if type(v) is int):
        kinds, values = {float}, [None if v is None else float(v) for v in values]
    if len(kinds) > 1 or not kinds <= _KINDS.keys():
        raise TableError(Problem("holds values of several kinds, or nested ones.", table, column))
    try:
        return pa.array(values, _KINDS[kinds.pop()] if kinds else pa.string())
    except (OverflowError, pa.ArrowInvalid):
        raise TableError(Problem("has numbers beyond 64 bits.", table, column)) from None


def _refused(_: str) -> None:
    raise ValueError
