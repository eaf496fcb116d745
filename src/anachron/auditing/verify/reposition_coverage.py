"""Is every record inside a published box, behind a row of its own with its value?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.content import combined
from anachron.auditing.verify.findings import such_as, witnesses
from anachron.auditing.verify.invariance_groups import places
from anachron.auditing.verify.invariance_intervals import code_ranges
from anachron.auditing.verify.reposition_boxes import Boxes, Tree, holders, planted
from anachron.auditing.verify.reposition_matching import Ways, matched
from anachron.auditing.verify.reposition_records import Records
from anachron.auditing.verify.reposition_rows import Published, runs
from anachron.auditing.verify.reposition_shape import Feed
from anachron.auditing.verify.reposition_state import UNKNOWN

__all__ = ["Coverage", "coverage_check", "coverage_of", "planted_boxes"]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Records and boxes, laid against each other."""

    outside: int
    """Records that no row with their value can stand for, if all others have theirs."""
    empty: Flags
    """Of each group: whether a row of it stands for nobody."""
    uncovered: int
    """Records that are missing from their snapshot and that no group of it holds."""


def coverage_of(
    shape: Feed,
    rows: Published,
    records: Records,
    value: Array,
    where: tuple[Array, Flags, Array],
) -> Coverage:
    """Find the boxes of records, given their values as places among the published ones.

    ``where`` has the position in which each record is published, whether it is missing from its
    own snapshot, and the position of each published snapshot.
    """
    there, missing, position = where
    tree, points = planted_boxes(shape, rows, records, position)
    here = np.flatnonzero(there != UNKNOWN)
    outside, empty = _placed(rows, tree, [p[here] for p in points], there[here], value[here])
    lost = np.flatnonzero(missing)
    held = np.zeros(len(lost), dtype=bool)
    for some, _ in holders(tree, records.home[lost], [p[lost] for p in points]):
        held[some] = True
    return Coverage(outside, empty, int((~held).sum()))


def planted_boxes(
    shape: Feed, rows: Published, records: Records, position: Array
) -> tuple[Tree, list[Array]]:
    """Give the published boxes as a tree, and the records as points among them."""
    points, firsts, lasts = [], [], []
    for axis, interval in enumerate(shape.intervals):
        column = records.quasi[axis]
        ranges = code_ranges(interval, column.values, rows.low[axis], rows.high[axis])
        rank, first, last = ranges
        points.append(np.append(rank, -1)[column.codes])
        firsts.append(np.asarray(first, dtype=np.int64))
        lasts.append(np.asarray(last, dtype=np.int64))
    return planted(Boxes(position[rows.snapshot], firsts, lasts)), points


def _placed(
    rows: Published, tree: Tree, points: Sequence[Array], there: Array, value: Array
) -> tuple[int, Flags]:
    """Give how many records find no row, and the groups with rows that nobody is behind."""
    # Code -1, of what no box can hold, becomes 0.
    sizes = [int(p.max(initial=0)) + 2 for p in points]
    parts = [(there, int(there.max(initial=0)) + 1)]
    parts += [(p + 1, size) for p, size in zip(points, sizes, strict=True)]
    parts.append((value + 1, len(rows.domain) + 2))
    key, _ = combined(parts)
    order = np.argsort(key)
    first, need = runs(key[order])
    one = order[first]
    width = len(rows.domain) + 1
    cell = rows.values.place * width + rows.values.value
    ways_of, ways_to = [], []
    for some, group in holders(tree, there[one], [p[one] for p in points]):
        at = places(cell, group * width + value[one[some]])
        fits = (at >= 0) & (value[one[some]] >= 0)
        ways_of.append(some[fits])
        ways_to.append(at[fits])
    none = np.zeros(0, dtype=np.int64)
    ways = Ways(
        need, rows.values.count, np.concatenate([none, *ways_of]), np.concatenate([none, *ways_to])
    )
    outside, open_ = matched(ways)
    empty = np.zeros(len(rows.number), dtype=bool)
    empty[rows.values.place[open_]] = True
    return outside, empty


def coverage_check(rows: Published, found: Coverage) -> Check:
    """Check that everyone is in a box, and no row stands for nobody."""
    problems = {
        f"{found.outside:,} records in no box with a row for them": found.outside,
        f"rows of nobody{such_as(rows.number, found.empty)}": found.empty.any(),
    }
    text = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "coverage",
        not text,
        "every record in the intervals of a group, behind a row of its own with its value",
        text or "as promised",
        "records in their groups",
        witnesses(rows.number, found.empty),
    )
