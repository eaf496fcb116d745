"""The values to which a promise gives a cost of their own: are they values of the column?

A feed learns its values as they come, so a name that has not come yet may come tomorrow. What is
refused is a name that never can, and in a table that is whole one that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from anachron.errors import PlanError, Problem
from anachron.guarantees import Reposition
from anachron.methods.values import UNREADABLE, by_value, typed
from anachron.schema import EXACT
from anachron.spelling import SPELT, folded, trimmed

__all__ = ["check_betas", "not_come"]


def not_come(promise: Reposition, values: Sequence[str]) -> list[str]:
    """The values that beta names and that are not among those that came."""
    return sorted(set(promise.betas) - set(values))


def check_betas(
    promise: Reposition,
    column: tuple[str, pa.DataType],
    values: Sequence[str],
    spelling: str,
    *,
    whole: bool,
) -> None:
    """Refuse a cost for what is no value of the column; ``whole``: no more values will come."""
    name, kind = column
    strange = not_come(promise, values)
    if not strange:
        return
    one = trimmed if spelling == EXACT else folded
    if {one(text) for text in strange} & {one(text) for text in values}:
        raise PlanError(
            Problem(
                f"beta names a value that differs from one of the column {name!r} only in {SPELT}.",
                remedy="Write it as the table does.",
            )
        )
    never = strange if whole else [text for text in strange if not _is_written_so(text, kind)]
    if never:
        reason = "do not occur in" if whole else "cannot be values of"
        raise PlanError(
            Problem(
                f"beta names values that {reason} the column {name!r}: "
                f"{', '.join(map(repr, never))}.",
                remedy="Write them as the table does, or leave them out.",
            )
        )


def _is_written_so(text: str, kind: pa.DataType) -> bool:
    """Whether a value of the type is written as this text."""
    try:
        return bool(by_value(typed([text], kind))[0].as_py() == text)
    except UNREADABLE:
        return False
