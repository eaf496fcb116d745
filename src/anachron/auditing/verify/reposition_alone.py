"""What a release of a feed tells by itself: it can refute the promise, not prove it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.files import column_check
from anachron.auditing.verify.findings import fraction, such_as, witnesses
from anachron.auditing.verify.granules import wrong_granules
from anachron.auditing.verify.reposition_rows import Published, tally
from anachron.auditing.verify.reposition_shape import COUNT, Feed
from anachron.auditing.verify.spelled import kinds_of

__all__ = [
    "column_checks",
    "count_check",
    "diversity_check",
    "eligibility_check",
    "exceeds",
    "figures_of",
    "largest_share",
    "of_values",
    "snapshot_check",
    "torn_check",
]


def column_checks(shape: Feed) -> list[Check]:
    """Check the columns of the tables; what else is checked relies on them."""
    checks = [column_check(shape.file, shape.columns, shape.types())]
    if shape.value_file is not None:
        numbers = {"group": pa.int64(), COUNT: pa.int64()}
        checks.append(of_values(column_check(shape.value_file, shape.value_columns, numbers)))
    return checks


def of_values(check: Check) -> Check:
    """Say that a check is about the table of sensitive values, and not that of the rows."""
    return replace(check, about=f"{check.about} (sensitive values)")


def diversity_check(shape: Feed, rows: Published) -> Check:
    """Check that no value has more than one in l of the rows of a group."""
    most, size, _ = _groups(rows)
    wrong = exceeds(most, size, shape.promise.l)
    missing = int((rows.values.value == len(rows.domain)).sum())
    total = len(rows.row_group)
    problems = {
        f"one value too often{such_as(rows.number, wrong)}": wrong.any(),
        f"{missing:,} missing values": missing,
        f"{total:,} rows in all": total != shape.rows or total == 0,
    }
    found = "; ".join(text for text, there in problems.items() if there)
    return Check(
        "l-diverse",
        not found,
        f"at most one in {shape.promise.l} in each group; {shape.rows:,} rows in all",
        found or largest_share(most, size),
        "largest share of one value in a group",
        witnesses(rows.number, wrong),
    )


def eligibility_check(shape: Feed, rows: Published) -> Check:
    """Check that no value has more than one in l of the rows of a snapshot."""
    most, size = _in_snapshots(rows)
    wrong = exceeds(most, size, shape.promise.l)
    return Check(
        "l-eligible",
        not wrong.any(),
        f"at most one in {shape.promise.l} in each snapshot",
        f"more in {int(wrong.sum()):,} of {len(size):,} snapshots"
        if wrong.any()
        else largest_share(most, size),
        "largest share of one value in a snapshot",
        witnesses(rows.number, wrong[rows.snapshot]),
    )


def count_check(shape: Feed, rows: Published) -> Check:
    """Check that the table of values has as many for each group as the group has rows."""
    cells = rows.values
    place = cells.place
    strange = (place < 0) | (cells.count < 1)
    counted = np.bincount(place[~strange], cells.count[~strange], len(rows.number))
    wrong = counted.astype(np.int64) != rows.size
    key = cells.group * (len(rows.domain) + 1) + cells.value
    late = int((key[1:] <= key[:-1]).sum())
    problems = {
        f"{int(strange.sum()):,} counts of no group, or of nothing": strange.any(),
        f"not as many as rows{such_as(rows.number, wrong)}": wrong.any(),
        f"{late:,} out of order or repeated": late,
        "another number of counts": len(cells.group) != shape.value_rows,
    }
    found = "; ".join(text for text, there in problems.items() if there)
    return Check(
        "counts",
        not found,
        "for each group as many values as rows, sorted by group and value",
        found or f"{len(cells.group):,} counts",
        "counts of sensitive values",
        witnesses(rows.number, wrong),
    )


def snapshot_check(shape: Feed, rows: Published) -> Check:
    """Check that every published time is a snapshot, and is called what it is."""
    there = rows.snapshots
    wrong = wrong_granules(shape.promise.snapshot, shape.zone, there.start, there.end, there.label)
    overlapping = int((there.start[1:] < there.end[:-1]).sum())
    problems = {
        f"{int(wrong.sum()):,} that are none, or called otherwise": wrong.any(),
        f"{overlapping:,} that overlap": overlapping,
    }
    found = "; ".join(text for text, bad in problems.items() if bad)
    return Check(
        "snapshots",
        not found,
        f"a {shape.promise.snapshot.name} each, with label, start and end that agree",
        found or f"{len(there.label):,} snapshots",
        "published snapshots",
    )


def torn_check(rows: Published) -> Check:
    """Check that each group lies in one snapshot."""
    torn = rows.torn
    return Check(
        "one snapshot",
        not torn.any(),
        "every group within one snapshot",
        f"not so{such_as(rows.number, torn)}" if torn.any() else "as promised",
        "snapshots of a group",
        witnesses(rows.number, torn),
    )


def figures_of(rows: Published) -> dict[str, int | str]:
    """Counts and shares that the release alone tells."""
    most, size, values = _groups(rows)
    return {
        "rows": len(rows.row_group),
        "snapshots": len(rows.snapshots.start),
        "groups": len(rows.number),
        "rows_in_smallest_group": int(rows.size.min(initial=len(rows.row_group))),
        "values_in_smallest_group": int(values.min(initial=len(rows.domain))),
        "largest_share_of_a_value": largest_share(most, size),
        "largest_posterior": largest_share(most, size),
    }


def _groups(rows: Published) -> tuple[Array, Array, Array]:
    """Of each group: how often its most frequent value occurs, its rows, and its values."""
    cells, kind = rows.values, kinds_of(rows.domain, exact=rows.exact)
    known = cells.place >= 0
    key = cells.place[known] * rows.width + kind[cells.value[known]]
    cell, count = tally(key, cells.count[known], len(rows.number) * rows.width)
    most = np.zeros(len(rows.number), dtype=np.int64)
    np.maximum.at(most, cell // rows.width, count)
    return most, rows.size, np.bincount(cell // rows.width, minlength=len(rows.number))


def _in_snapshots(rows: Published) -> tuple[Array, Array]:
    """Of each snapshot: how often its most frequent value occurs, and its rows."""
    most = np.zeros(len(rows.snapshots.start), dtype=np.int64)
    key, count, size = rows.by_snapshot(np.arange(len(most)))
    kind = kinds_of(rows.domain, exact=rows.exact)[key % rows.width]
    cell, count = tally(key // rows.width * rows.width + kind, count, size)
    np.maximum.at(most, cell // rows.width, count)
    return most, np.bincount(rows.row_snapshot, minlength=len(most))


def exceeds(most: Array, size: Array, l: Fraction) -> Flags:  # noqa: E741
    """Whether most / size > 1 / l, exactly: fractions such as 7/3 are no binary ones."""
    over, under = l.numerator, l.denominator
    if max(int(most.max(initial=0)) * over, int(size.max(initial=0)) * under) < 2**63:
        return np.asarray(most * over > size * under, dtype=bool)
    pairs = zip(most.tolist(), size.tolist(), strict=True)
    return np.array([n * over > of * under for n, of in pairs], dtype=bool)


def largest_share(most: Array, size: Array) -> str:
    """The largest of the shares most / size, in words."""
    if not len(size):
        return "0"
    width = int(size.max()) + 1
    pairs = np.unique(most * width + size).tolist()
    share = max(Fraction(pair // width, max(pair % width, 1)) for pair in pairs)
    return fraction(share)
