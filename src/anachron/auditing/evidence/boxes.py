"""Which published boxes hold which records, and is there a row for each?

Boxes of a snapshot are sorted into a tree of boxes around them, all snapshots side by side, and
records are let down it together: one step at a time for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.compared import value_places
from anachron.auditing.evidence.feed import UNKNOWN
from anachron.auditing.evidence.matching import Ways, matched
from anachron.auditing.evidence.records import RecordColumn, Records
from anachron.auditing.reading.columns import combined, joined, places, runs, spread
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed, Interval
from anachron.auditing.reading.intervals import GroupedRows, code_ranges
from anachron.behind.columns import Coded

__all__ = [
    "Boxes",
    "Coverage",
    "Tree",
    "axes_of",
    "coverage_of",
    "holders",
    "planted",
    "planted_boxes",
]

_LEAF = 8
"""Boxes that are compared one by one."""
_AT_ONCE = 1 << 19
"""Records that are let down the tree together."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes in snapshots: for each axis the first and the last number that they hold."""

    snapshot: Array
    first: Sequence[Array]
    last: Sequence[Array]


@dataclass(frozen=True, eq=False)
class _Level:
    """Some nodes of the tree, with the hulls of their boxes."""

    begin: Array
    """The place of each node's first box in the order of the tree."""
    first: Sequence[Array]
    last: Sequence[Array]
    child: Array
    """The first child of each node, in the next level."""
    children: Array
    """One or two."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Boxes, sorted so that those of a node stand together."""

    snapshots: Array
    """Those that have boxes, ascending: one node each in the first level."""
    levels: Sequence[_Level]
    order: Array
    """The boxes in the order of the tree."""
    boxes: Boxes
    """In that order."""


def planted(boxes: Boxes) -> Tree:
    """Sort boxes into a tree."""
    order = np.argsort(boxes.snapshot, kind="stable")
    begin, size = runs(boxes.snapshot[order])
    snapshots, levels = boxes.snapshot[order[begin]], []
    middle = [a + b for a, b in zip(boxes.first, boxes.last, strict=True)]
    while len(begin):
        parted = size > _LEAF
        children = np.where(parted, 2, 1)
        child = np.cumsum(children) - children
        hulls = _hulls(boxes, order, begin)
        levels.append(_Level(begin, hulls.first, hulls.last, child, children))
        if not parted.any():
            break
        order = _sorted(middle, order, begin, size)
        half = np.where(parted, size // 2, size)
        heads = np.stack([begin, begin + half], axis=1)
        begin = heads[np.stack([parted | True, parted], axis=1)]
        size = np.diff(begin, append=len(order))
    ordered = Boxes(
        boxes.snapshot[order], [a[order] for a in boxes.first], [b[order] for b in boxes.last]
    )
    return Tree(snapshots, levels, order, ordered)


def holders(tree: Tree, snapshot: Array, point: Sequence[Array]) -> Iterator[tuple[Array, Array]]:
    """Give pairs of a record and a box of its snapshot that holds it, some records at a time.

    Records come in order, and all pairs of a record together.
    """
    for begin in range(0, len(snapshot), _AT_ONCE):
        some = np.arange(begin, min(begin + _AT_ONCE, len(snapshot)))
        node = places(tree.snapshots, snapshot[some])
        some, node = some[node >= 0], node[node >= 0]
        for level, following in zip(tree.levels, tree.levels[1:], strict=False):
            at, node = spread(level.child[node], level.children[node])
            some = some[at]
            inside = _inside(following.first, following.last, node, point, some)
            some, node = some[inside], node[inside]
        if not tree.levels:
            continue
        leaves = tree.levels[-1]
        size = np.diff(leaves.begin, append=len(tree.order))
        at, box = spread(leaves.begin[node], size[node])
        some = some[at]
        inside = _inside(tree.boxes.first, tree.boxes.last, box, point, some)
        some, box = some[inside], tree.order[box[inside]]
        by_record = np.argsort(some, kind="stable")
        yield some[by_record], box[by_record]


def _hulls(boxes: Boxes, order: Array, begin: Array) -> Boxes:
    first = [np.minimum.reduceat(side[order], begin) for side in boxes.first]
    last = [np.maximum.reduceat(side[order], begin) for side in boxes.last]
    return Boxes(boxes.snapshot[order[begin]], first, last)


def _sorted(middle: Sequence[Array], order: Array, begin: Array, size: Array) -> Array:
    """Sort the boxes of each node along the axis on which they lie farthest apart."""
    widest = np.full(len(begin), -1.0)
    key = np.zeros(len(order), dtype=np.int64)
    for axis in middle:
        here = axis[order]
        span = np.maximum.reduceat(here, begin) - np.minimum.reduceat(here, begin)
        length = span / max(int(axis.max()) - int(axis.min()), 1)
        better = length > widest
        widest = np.where(better, length, widest)
        key = np.where(np.repeat(better, size), here, key)
    node = np.repeat(np.arange(len(begin)), size)
    return order[np.lexsort((key, node))]


def _inside(
    first: Sequence[Array], last: Sequence[Array], at: Array, point: Sequence[Array], some: Array
) -> Array:
    inside = np.ones(len(at), dtype=bool)
    for low, high, numbers in zip(first, last, point, strict=True):
        here = numbers[some]
        inside &= (low[at] <= here) & (here <= high[at])
    return inside


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
    form: Feed,
    rows: FeedRows,
    records: Records,
    where: tuple[Array, Flags, Array],
) -> Coverage:
    """Find the boxes of records.

    ``where`` has the position in which each record is published, whether it is missing from its
    own snapshot, and the position of each published snapshot.
    """
    there, missing, position = where
    value = value_places(records.value, rows)
    tree, points = planted_boxes(form, rows, records, position)
    here = np.flatnonzero(there != UNKNOWN)
    outside, empty = _placed(rows, tree, [p[here] for p in points], there[here], value[here])
    lost = np.flatnonzero(missing)
    held = np.zeros(len(lost), dtype=bool)
    for some, _ in holders(tree, records.home[lost], [p[lost] for p in points]):
        held[some] = True
    return Coverage(outside, empty, int((~held).sum()))


def planted_boxes(
    form: Feed, rows: FeedRows, records: Records, position: Array
) -> tuple[Tree, list[Array]]:
    """Give the published boxes as a tree, and the records as points among them."""
    points, first, last = axes_of(form.intervals, records.quasi, rows)
    return planted(Boxes(position[rows.snapshot], first, last)), points


def axes_of(
    intervals: Sequence[Interval], columns: Sequence[Coded | RecordColumn], groups: GroupedRows
) -> tuple[list[Array], list[Array], list[Array]]:
    """For each interval the rank of each record, and the first and last rank in each group.

    A record with a value that no group can hold has rank -1.
    """
    points, firsts, lasts = [], [], []
    parts = zip(intervals, columns, groups.low, groups.high, strict=True)
    for interval, column, low, high in parts:
        rank, first, last = code_ranges(interval, column.values, low, high)
        points.append(np.append(rank, -1)[column.codes])
        firsts.append(np.maximum(first, 0).astype(np.int64))
        lasts.append(np.asarray(last, dtype=np.int64))
    return points, firsts, lasts


def _placed(
    rows: FeedRows, tree: Tree, points: Sequence[Array], there: Array, value: Array
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
    ways = []
    for some, group in holders(tree, there[one], [p[one] for p in points]):
        at = places(cell, group * width + value[one[some]])
        fits = (at >= 0) & (value[one[some]] >= 0)
        ways.append((some[fits], at[fits]))
    outside, open_ = matched(Ways(need, rows.values.count, *joined(ways)))
    empty = np.zeros(len(rows.number), dtype=bool)
    empty[rows.values.place[open_]] = True
    return outside, empty
