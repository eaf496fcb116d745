"""Sensitive values as the ledger and the reader know them."""

from __future__ import annotations

import pyarrow as pa

from anachron.errors import Problem, TableError

__all__ = ["check_alike"]


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
