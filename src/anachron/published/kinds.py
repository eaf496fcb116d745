"""The types of published columns, in the words of data packages."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["KINDS", "kind_of"]

_TYPES = (
    ("boolean", pa.types.is_boolean),
    ("integer", pa.types.is_integer),
    ("number", pa.types.is_floating),
    ("number", pa.types.is_decimal),
    ("string", pa.types.is_string),
    ("datetime", pa.types.is_timestamp),
    ("date", pa.types.is_date),
    ("time", pa.types.is_time),
)
_OTHER = "any"
KINDS = frozenset(name for name, _ in _TYPES) | {_OTHER}
"""The types that a column can have."""


def kind_of(storage: pa.DataType) -> str:
    """Name the type of a published column."""
    return next((name for name, matches in _TYPES if matches(storage)), _OTHER)
