"""Do the order of rows and the numbers of groups tell nothing but what is published?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from anachron.arrays import Flags, Numbers
from anachron.auditing.verdict import Check
from anachron.auditing.verify.reposition_rows import Published

__all__ = ["number_check", "order_check"]


def number_check(rows: Published) -> Check:
    """Check that groups are numbered 1, 2, 3, … in the order of the rows."""
    steps = np.diff(rows.row_group, prepend=0)
    odd = (steps < 0) | (steps > 1)
    odd[:1] = steps[:1] != 1
    wrong = int(odd.sum())
    return Check(
        "groups",
        not wrong,
        "1, 2, 3, … in the order of the rows, snapshot by snapshot",
        f"{wrong:,} rows with another number" if wrong else "as promised",
        "group numbers",
    )


def order_check(rows: Published) -> Check:
    """Check that the order of rows and groups follows from what is published.

    Rows stand by snapshot, then by group, then by quasi values or by sensitive value; groups with
    intervals by these, so that no two groups of a snapshot have the same.
    """
    keys: list[Numbers] = [rows.row_snapshot, rows.row_group]
    keys += [column.rank for column in rows.quasi]
    if rows.row_value is not None:
        keys.append(rows.row_value)
    late = int(_descends(keys, len(rows.row_group), alike=False).sum())
    groups = 0
    if rows.low:
        bounds = [side for pair in zip(rows.low, rows.high, strict=True) for side in pair]
        groups = int(_descends([rows.snapshot, *bounds], len(rows.number), alike=True).sum())
    found = f"{late:,} rows, {groups:,} groups out of order" if late or groups else ""
    return Check(
        "order",
        not found,
        "rows sorted by what is published, and by nothing else",
        found or "as promised",
        "order of the rows",
    )


def _descends(keys: Iterable[Numbers], size: int, *, alike: bool) -> Flags:
    """For each but the last: whether the next should stand before it, or is ``alike`` by all."""
    later = np.zeros(max(size - 1, 0), dtype=bool)
    tied = np.ones(len(later), dtype=bool)
    for key in keys:
        later |= tied & (key[1:] < key[:-1])
        tied &= key[1:] == key[:-1]
    return later | tied if alike else later
