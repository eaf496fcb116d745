"""Cut snapshots into cells by quasi values alone, and leave out what is too much in a cell.

A cut that depends on sensitive values tells of them: two women and four men in one group, because
the two women alone would have had the same value. So cells are cut by quasi values, and all of a
snapshot have at least a size that follows from how often each value occurs in it. Where a value is
too frequent in a cell all the same, records are left out by lot, the fewest.

Notes
-----
Two people who are published on time in the same cell could have each other's values: cells would be
the same, and lots treat both alike. So what is published tells as much of one as of the other, and
each has a value with a chance that is its share of those who are on time in the cell: at most 1/l.
Those who came late are counted as known. They are left out where they are too many, which never
costs anybody who is on time: what is l-eligible without them still is with as many as fit.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.kernels.diversity import cell_size
from anachron.kernels.mondrian import sized
from anachron.methods.boxes import Boxes
from anachron.methods.reposition.eligible import kept
from anachron.methods.reposition.records import NOWHERE, Gathered

__all__ = ["cut"]

LOST = Fraction(1, 200)
"""The share of a cell that may be expected to be left out."""


def cut(
    records: Gathered,
    points: Boxes,
    span: Floats,
    l: Fraction,  # noqa: E741
) -> tuple[Array, Array]:
    """Give which of the chosen records are left out, and the cell of each record; -1 for none."""
    rows = np.flatnonzero(records.position != NOWHERE)
    home = records.home[rows] == records.position[rows]
    snapshot = np.unique(records.position[rows], return_inverse=True)[1]
    value = records.value[rows]
    cell = sized(points.first[rows] / span, home, _least(snapshot, value, home, l), snapshot)
    gone = np.zeros(len(rows), dtype=bool)
    for first in (True, False):
        # Those on time by themselves; and then with the late ones, of whom as many go as must.
        some = np.flatnonzero(home if first else ~gone)
        order = np.lexsort((records.rank[rows[some]], ~home[some], value[some], cell[some]))
        gone[some[order][_too_many(cell[some[order]], value[some[order]], l)]] = True
    of_record = np.full(len(records), -1, dtype=np.int64)
    of_record[rows[~gone]] = np.unique(cell[~gone], return_inverse=True)[1]
    return rows[gone], of_record


def _least(snapshot: Array, value: Array, home: Flags, l: Fraction) -> Array:  # noqa: E741
    """The size of the cells of each snapshot; all of it, if it cannot be cut."""
    shape = (int(snapshot.max(initial=-1)) + 1, int(value.max(initial=0)) + 1)
    counts = np.bincount(snapshot[home] * shape[1] + value[home], minlength=shape[0] * shape[1])
    counts = counts.reshape(shape)
    found = np.array([cell_size(row, l, LOST) for row in counts], dtype=np.int64)
    return np.where(found > 0, found, counts.sum(axis=1) + 1)


def _too_many(cell: Array, value: Array, l: Fraction) -> Flags:  # noqa: E741
    """Which rows, sorted by cell and value, are beyond what an l-eligible cell keeps of a value."""
    width = int(value.max(initial=0)) + 1
    key = cell * width + value
    head = np.flatnonzero(np.diff(key, prepend=-1))
    count = np.diff(head, append=len(key))
    of = cell[head]
    size, most = np.bincount(of, count), np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, of, count)
    allowed = count.copy()
    for crowded in np.flatnonzero(most * l.numerator > size * l.denominator).tolist():
        here = slice(*np.searchsorted(of, (crowded, crowded + 1)))
        allowed[here] = kept(count[here], l)
    place = np.arange(len(key)) - np.repeat(head, count)
    beyond: Flags = place >= np.repeat(allowed, count)
    return beyond
