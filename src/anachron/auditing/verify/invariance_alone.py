"""What a release of a register tells by itself: it can refute the promise, not prove it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.files import column_check
from anachron.auditing.verify.findings import such_as, witnesses
from anachron.auditing.verify.invariance_groups import Groups
from anachron.auditing.verify.invariance_shape import COUNTERFEITS, Register
from anachron.auditing.verify.spelled import kinds_of

__all__ = [
    "column_checks",
    "counterfeit_check",
    "number_check",
    "of_counterfeits",
    "order_check",
    "unique_check",
]


def column_checks(shape: Register) -> list[Check]:
    """Check the columns of both tables; what else is checked relies on them."""
    fakes = dict.fromkeys(COUNTERFEITS, pa.int64())
    return [
        column_check(shape.file, shape.columns, shape.types()),
        of_counterfeits(column_check(shape.counterfeit_file, COUNTERFEITS, fakes)),
    ]


def of_counterfeits(check: Check) -> Check:
    """Say that a check is about the table of counterfeits, and not that of the rows."""
    return replace(check, about=f"{check.about} (counterfeits)")


def unique_check(shape: Register, groups: Groups) -> Check:
    """Check that groups are m-unique (Definition 17), and as many rows as stated."""
    m, smallest = shape.promise.m, int(groups.size.min(initial=shape.rows))
    small = groups.size < m
    again = groups.value == len(groups.domain)  # a missing value is none
    again |= _repeated(groups)
    repeating = _any(again, groups)
    rows = len(groups.row_group)
    problems = {
        f"rows too few{such_as(groups.number, small)}": small.any(),
        f"values repeated or missing{such_as(groups.number, repeating)}": repeating.any(),
        f"{rows:,} rows in all": rows != shape.rows,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "m-unique",
        not found,
        f"at least {m:,}, all different, in each group; {shape.rows:,} rows in all",
        found or f"{smallest:,} in the smallest group",
        "sensitive values in each group",
        witnesses(groups.number, small, repeating),
    )


def _repeated(groups: Groups) -> Flags:
    """Which rows have a value that another of their group has, in whatever spelling."""
    kind = kinds_of(groups.domain, exact=groups.exact)[groups.value]
    group = np.repeat(np.arange(len(groups.size)), groups.size)
    order = np.lexsort((kind, group))
    again = np.zeros(len(kind), dtype=bool)
    same = (kind[order[1:]] == kind[order[:-1]]) & (group[order[1:]] == group[order[:-1]])
    again[order[1:]] = same
    return again


def counterfeit_check(shape: Register, groups: Groups) -> Check:
    """Check the table of counterfeits: in order, and a real row left in every group."""
    table = groups.table
    place = groups.places(table.group)
    size = np.where(place >= 0, groups.size[place], 0) if len(groups.size) else 0 * place
    wrong = (place < 0) | (table.count < 1)
    full = ~wrong & (table.count >= size)
    disorder = int((table.group[1:] <= table.group[:-1]).sum())
    total = int(table.count.sum())
    problems = {
        f"{int(wrong.sum()):,} rows of no group or without counterfeits": wrong.any(),
        f"nobody real{such_as(table.group, full)}": full.any(),
        f"{disorder:,} rows out of order": disorder,
        f"{total:,} in all": total != shape.counterfeits,
        "another number of rows": len(table.group) != shape.counterfeit_rows,
    }
    found = "; ".join(text for text, there in problems.items() if there)
    return Check(
        "counterfeits",
        not found,
        f"{shape.counterfeits:,} in all, and at least one real row in each group",
        found or f"{total:,}, in {len(table.group):,} groups",
        "stated counterfeits",
        witnesses(table.group, wrong, full),
    )


def number_check(groups: Groups) -> Check:
    """Check that groups are numbered 1, 2, 3, … in the order of the rows."""
    steps = np.diff(groups.row_group, prepend=0)
    odd = (steps < 0) | (steps > 1)
    odd[:1] = steps[:1] != 1
    wrong = int(odd.sum())
    return Check(
        "groups",
        not wrong,
        "1, 2, 3, … in the order of the rows",
        f"{wrong:,} rows with another number" if wrong else "as promised",
        "group numbers",
    )


def order_check(groups: Groups) -> Check:
    """Check that the order of rows and groups follows from what is published.

    Groups stand by their bounds, then by their values, then by their counterfeits; the rows of
    a group by value.
    """
    group, value = groups.row_group, groups.row_value
    early = group[1:] < group[:-1]
    early |= (group[1:] == group[:-1]) & (value[1:] < value[:-1])
    rows, late = int(early.sum()), _descending(groups)
    found = ""
    if rows or late.any():
        found = f"{rows:,} rows, {int(late.sum()):,} groups out of order"
    return Check(
        "order",
        not found,
        "rows sorted by what is published, and by nothing else",
        found or "as promised",
        "order of the rows",
    )


def _descending(groups: Groups) -> Flags:
    """For each group but the last: whether the next one should stand before it."""
    later = np.zeros(max(len(groups.number) - 1, 0), dtype=bool)
    tied = np.arange(len(later))
    bounds = [side for pair in zip(groups.low, groups.high, strict=True) for side in pair]
    for key in bounds:
        later[tied[key[tied + 1] < key[tied]]] = True
        tied = tied[key[tied + 1] == key[tied]]
    alike = _by_values(groups, tied, later)
    later[alike[groups.counterfeits[alike + 1] < groups.counterfeits[alike]]] = True
    return later


def _by_values(groups: Groups, tied: Array, later: Flags) -> Array:
    """Compare the values of groups with those of the next, and give those that are alike."""
    alike, nth = [tied[:0]], 0
    while len(tied):
        # Where a group has no more values, it stands before one that has.
        here, following = _nth(groups, tied, nth), _nth(groups, tied + 1, nth)
        later[tied[following < here]] = True
        alike.append(tied[(here < 0) & (following < 0)])
        tied = tied[(here == following) & (here >= 0)]
        nth += 1
    return np.concatenate(alike)


def _nth(groups: Groups, place: Array, nth: int) -> Array:
    """The n-th value of these groups; -1 where there are fewer."""
    there = groups.size[place] > nth
    at = np.where(there, groups.start[place] + nth, 0)
    return np.where(there, groups.value[at], -1)


def _any(rows: Flags, groups: Groups) -> Flags:
    """Whether it is so of any row of each group."""
    return (
        np.bincount(
            np.repeat(np.arange(len(groups.size)), groups.size)[rows], minlength=len(groups.size)
        )
        > 0
    )
