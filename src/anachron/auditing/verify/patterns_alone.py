"""What a release of series tells by itself: it can refute the promise, not prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from anachron.arrays import Flags, Numbers
from anachron.auditing.verdict import Check
from anachron.auditing.verify.files import column_check
from anachron.auditing.verify.findings import such_as, witnesses
from anachron.auditing.verify.invariance_intervals import multiples
from anachron.auditing.verify.patterns_rows import Published, named, shown
from anachron.auditing.verify.patterns_shape import Shapes

__all__ = [
    "column_checks",
    "envelope_check",
    "figures_of",
    "group_check",
    "number_check",
    "of_envelopes",
    "offer_check",
    "order_check",
    "smallest_group",
    "subgroup_check",
    "word_check",
]


def column_checks(shape: Shapes) -> list[Check]:
    """Check the columns of both tables; what else is checked relies on them."""
    return [
        column_check(shape.file, shape.columns, shape.types()),
        of_envelopes(
            column_check(shape.envelope_file, shape.envelope_columns, shape.envelope_types())
        ),
    ]


def of_envelopes(check: Check) -> Check:
    """Say that a check is about the table of envelopes, and not that of the rows."""
    return replace(check, about=f"{check.about} (envelopes)")


def group_check(shape: Shapes, rows: Published) -> Check:
    """Check that every envelope is that of k rows (Definition 5), and that no row is missing."""
    k, total = shape.promise.k, len(rows.group)
    number, size = np.unique(rows.group, return_counts=True)
    small = size < k
    problems = {
        f"fewer rows{such_as(number, small)}": small.any(),
        f"{total:,} rows in all": total != shape.rows,
        "no rows": not total,
    }
    return Check(
        "k",
        not any(problems.values()),
        f"at least {k:,} in each; {shape.rows:,} rows in all",
        _found(problems) or f"{int(size.min()):,} in the smallest",
        "rows that share an envelope",
        witnesses(number, small),
    )


def subgroup_check(shape: Shapes, rows: Published) -> Check:
    """Check that every pattern is that of P rows of its group (Definition 5)."""
    few = shape.promise.P
    small = rows.size < few
    found = f"fewer rows{named(rows, small)}" if small.any() else ""
    return Check(
        "P",
        not found,
        f"at least {few:,}",
        found or f"{int(rows.size.min(initial=shape.rows)):,} in the smallest case",
        "rows of a group that share level and pattern",
        shown(rows, small),
    )


def word_check(shape: Shapes, rows: Published) -> Check:
    """Check that patterns have a letter of their level for each time."""
    top = shape.promise.max_level
    highest = int(rows.level.max(initial=0))
    problems = {
        f"not so{named(rows, rows.misspelled)}": rows.misspelled.any(),
        f"the highest level is {highest:,}": highest != shape.highest_level,
    }
    return Check(
        "words",
        not any(problems.values()),
        f"levels from 1 to {top}, {shape.highest_level} at the most, and a letter of the level "
        "for each time",
        _found(problems) or "as promised",
        "published levels and patterns",
        shown(rows, rows.misspelled),
    )


def envelope_check(shape: Shapes, rows: Published) -> Check:
    """Check that envelopes are intervals with both bounds on the declared grid."""
    wrong: Flags = np.asarray(~(rows.low <= rows.high).all(axis=1))
    for side in (rows.low, rows.high):
        on_grid = multiples(shape.precision, side.ravel()).reshape(side.shape)
        wrong |= ~on_grid.all(axis=1)
    return Check(
        "envelopes",
        not wrong.any(),
        "both bounds multiples of the declared precision, the lower one first",
        f"not so{such_as(rows.number, wrong)}" if wrong.any() else "as promised",
        "published envelopes",
        witnesses(rows.number, wrong),
    )


def offer_check(shape: Shapes) -> Check:
    """Check that precision and times are those of the guarantee."""
    promise = shape.promise
    wrong = []
    if promise.precision is not None and shape.precision != Fraction(promise.precision):
        wrong.append("precision")
    if promise.precision is None and shape.precision != 1:
        wrong.append("precision")
    for key, wanted, there in (
        ("values", promise.values, shape.values),
        ("patterns", promise.patterns, shape.patterns),
    ):
        if set(there) != (shape.times if wanted is None else set(wanted)):
            wrong.append(key)
    return Check(
        "offer",
        not wrong,
        "the precision and the times of the guarantee",
        f"others: {', '.join(wrong)}" if wrong else "as promised",
        "what was published of the series",
    )


def number_check(rows: Published) -> Check:
    """Check that envelopes are numbered 1, 2, 3, … and that each is one of a group with rows."""
    number = np.unique(rows.group)
    wanted = np.arange(1, len(number) + 1)
    gaps = int((number != wanted).sum())
    alike = len(rows.number) == len(number) and bool((rows.number == wanted).all())
    problems = {
        f"{gaps:,} groups with another number": gaps,
        "others than those of the rows, or in another order": not alike,
    }
    return Check(
        "groups",
        not any(problems.values()),
        "1, 2, 3, …, with one envelope for each",
        _found(problems) or "as promised",
        "group numbers",
    )


def order_check(rows: Published) -> Check:
    """Check that the order of rows and groups follows from what is published.

    Groups stand by their bounds, from the first time to the last; rows by group, level, pattern
    and sensitive values.
    """
    early = _descending([rows.group, rows.level, rows.word, rows.value.code])
    sides = [side[:, time] for time in range(rows.low.shape[1]) for side in (rows.low, rows.high)]
    late = _descending(sides)
    found = ""
    if early.any() or late.any():
        found = f"{int(early.sum()):,} rows, {int(late.sum()):,} groups out of order"
    return Check(
        "order",
        not found,
        "rows sorted by what is published, and by nothing else",
        found or "as promised",
        "order of the rows",
    )


def _descending(keys: Sequence[Numbers]) -> Flags:
    """For each place but the last: whether the next one should stand before it."""
    later = np.zeros(max(len(keys[0]) - 1, 0), dtype=bool)
    tied = np.arange(len(later))
    for key in keys:
        later[tied[key[tied + 1] < key[tied]]] = True
        tied = tied[key[tied + 1] == key[tied]]
    return later


def smallest_group(rows: Published) -> int:
    """How many rows the smallest group has."""
    return int(np.unique(rows.group, return_counts=True)[1].min(initial=len(rows.group)))


def figures_of(shape: Shapes, rows: Published) -> dict[str, int | str]:
    """Measure what is published."""
    size = np.unique(rows.group, return_counts=True)[1]
    there = max(len(rows.group), 1)
    return {
        "rows": len(rows.group),
        "groups": len(size),
        "subgroups": len(rows.size),
        "smallest_group": int(size.min(initial=len(rows.group))),
        "smallest_subgroup": int(rows.size.min(initial=len(rows.group))),
        "mean_level": f"{float(rows.level.sum()) / there:.2f}",
        "suppressed": shape.suppressed,
    }


def _found(problems: Mapping[str, object]) -> str:
    return "; ".join(text for text, wrong in problems.items() if wrong)
