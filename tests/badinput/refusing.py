"""How a table that cannot be published is told: where, why, what to do, and never a cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import anachron as an
from anachron.errors import AnachronError, TableError

CANARY = "Canary4711"
"""Stands in cells, and must never stand in a message."""


@dataclass(frozen=True)
class Case:
    """A table that must be refused; a good one, promise or schema where none is given."""

    why: str
    says: str
    rows: pa.Table | None = None
    promise: Any = None
    schema: an.Schema | None = None
    error: type[AnachronError] = TableError
    column: str | None = None
    row: int | None = None


def check_silent(error: BaseException) -> None:
    """Neither the message nor what a traceback would show beside it repeats a cell."""
    assert CANARY.lower() not in str(error).lower()
    assert "4711" not in str(error)
    if not isinstance(error.__cause__, OSError):  # which names files
        assert error.__cause__ is None
        assert error.__suppress_context__ or error.__context__ is None
