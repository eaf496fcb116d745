"""Sensitive values as the ledger and the reader know them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import time

import pyarrow as pa

from anachron.errors import Problem, TableError

__all__ = ["check_alike", "kind_from_text", "kind_to_text", "typed"]


def check_alike(marks: pa.Array, column: str) -> None:
    """Refuse values that only a machine can tell apart: they would make few look like many."""
    alike = len(marks) - len(marks.unique())
    if alike:
        raise TableError(
            Problem(
                f"holds values that differ only in blanks around them or in their Unicode form, "
                f"here or in an earlier release ({alike:,} of them).",
                column=column,
                remedy="Write each value in one way.",
            )
        )


def typed(texts: Sequence[str], kind: pa.DataType) -> pa.Array:
    """Give values as they are published, from the texts by which the ledger knows them."""
    if pa.types.is_time(kind):  # which Arrow writes as text but does not read
        return pa.array([time.fromisoformat(text) for text in texts], kind)
    return pa.array(texts, pa.string()).cast(kind)


def kind_to_text(kind: pa.DataType) -> str:
    """Write a type down, whatever its parameters."""
    content = pa.schema([pa.field("value", kind)]).serialize().to_pybytes()
    return base64.b64encode(content).decode()


def kind_from_text(text: str) -> pa.DataType:
    """Read back what :func:`kind_to_text` wrote."""
    return pa.ipc.read_schema(pa.BufferReader(base64.b64decode(text))).field(0).type
