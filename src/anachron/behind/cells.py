"""Columns of a sheet as Arrow arrays: one kind each, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anachron.errors import Problem, TableError

__all__ = ["columns_of_cells"]

_EXACT = 1 << 53
_DAY = 86_400_000_000
_KINDS = {str: pa.string(), bool: pa.bool_(), float: pa.float64(), datetime: pa.timestamp("us")}


def columns_of_cells(columns: dict[str, list[Any]], table: str) -> pa.Table:
    """Give each column its type: texts, truth values, whole or other numbers, days or stamps."""
    return pa.table({name: _typed(values, table, name) for name, values in columns.items()})


def _typed(values: Sequence[Any], table: str, column: str) -> pa.Array:
    kinds = {type(value) for value in values} - {type(None)}
    if len(kinds) > 1:
        raise TableError(Problem("holds cells of different kinds.", table, column))
    found = pa.array(values, _KINDS[kinds.pop()] if kinds else pa.string())
    if pa.types.is_floating(found.type):
        whole = pc.and_(pc.equal(pc.trunc(found), found), pc.less_equal(pc.abs(found), _EXACT))
        return found.cast(pa.int64()) if pc.all(whole).as_py() else found
    if pa.types.is_timestamp(found.type):
        micros = found.cast(pa.int64())
        days = pc.multiply(pc.divide(micros, _DAY), _DAY)
        return found.cast(pa.date32()) if pc.all(pc.equal(days, micros)).as_py() else found
    return found
