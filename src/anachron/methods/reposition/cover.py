"""Cover for those who are missing from their own snapshot.

Mostly values that are too frequent in a snapshot are moved out of it or left out. Somebody who
knows when a record happened, and sees that no published group of that snapshot can hold it, learns
that its value is one of the most frequent there. So some group should cover the record, although
it is not in it.

Nothing hides a missing record from those who know all others: its snapshot was not l-eligible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.kernels.diversity import diverse
from anachron.methods.boxes import Boxes
from anachron.methods.reposition.generalize import BoxedGroups

__all__ = ["Covered", "cover", "exposed"]


_AT_ONCE = 1 << 21
"""Pairs of a missing record and a group that are compared at the same time."""


@dataclass(frozen=True, eq=False)
class Covered:
    """BoxedGroups of which some were widened, and who is still without cover."""

    groups: BoxedGroups
    widened: int
    """How many groups are larger than they were."""
    uncovered: Flags
    """The missing records whose snapshot has no group."""


def cover(groups: BoxedGroups, span: Floats, missing: Boxes, home: Array) -> Covered:
    """Widen groups so that each missing record is covered by one of its home snapshot.

    It is the one whose perimeter grows least, the sum of its intervals on axes of length 1, and
    the first of those. All are chosen before any is widened, so that no order matters. Who is in
    which group stays as it is, so every group is as diverse as before.
    """
    first, end = groups.boxes.first.copy(), groups.boxes.end.copy()
    uncovered = ~np.isin(home, groups.snapshot)
    records, which = _different(missing, home)
    for at, nearest in _nearest(groups, span, records, home[which]):
        np.minimum.at(first, nearest, records.first[at])
        np.maximum.at(end, nearest, records.end[at])
    larger = (first < groups.boxes.first) | (end > groups.boxes.end)
    widened = BoxedGroups(groups.snapshot, Boxes(first, end))
    return Covered(widened, int(larger.any(axis=1).sum()), uncovered)


def exposed(
    rows: tuple[Array, Array, Array],
    missing: tuple[Array, Array],
    l: Fraction,  # noqa: E741
    domain: int,
) -> Flags:
    """Tell which missing records have fewer than l possible values if quasi values are published.

    They are those without cover, if their snapshot has fewer than l values that are as frequent as
    its most frequent one.

    Parameters
    ----------
    rows
        Snapshot, sensitive value and quasi values of each published row, as numbers; rows with
        the same quasi values have the same number.
    missing
        Home snapshot and quasi values of each missing record, numbered alike.
    l
        As promised.
    domain
        How many sensitive values there are: all are possible in a snapshot without rows.
    """
    snapshot, value, quasi = rows
    home, point = missing
    possible = np.full(int(max(snapshot.max(initial=-1), home.max(initial=-1))) + 1, domain)
    cells, count = np.unique(np.stack((snapshot, value)), axis=1, return_counts=True)
    most = np.zeros(len(possible), dtype=np.int64)
    np.maximum.at(most, cells[0], count)
    at_most = np.bincount(cells[0, count == most[cells[0]]], minlength=len(possible))
    possible = np.where(most > 0, at_most, possible)
    width = int(max(quasi.max(initial=0), point.max(initial=0))) + 1
    covered = np.isin(home * width + point, snapshot * width + quasi)
    return ~covered & ~diverse(np.ones_like(home), possible[home], l)


def _different(missing: Boxes, home: Array) -> tuple[Boxes, Array]:
    """Give each different record once, and where it stands."""
    keys = np.column_stack((home, missing.first, missing.end))
    which = np.unique(keys, axis=0, return_index=True)[1]
    return missing.take(which), which


def _nearest(
    groups: BoxedGroups, span: Floats, records: Boxes, home: Array
) -> Iterator[tuple[Array, Array]]:
    """Give some records at a time, and the group nearest to each; records are sorted by home."""
    by_snapshot = np.argsort(groups.snapshot, kind="stable")
    in_order = groups.snapshot[by_snapshot]
    for snapshot in np.unique(home).tolist():
        here = by_snapshot[slice(*np.searchsorted(in_order, (snapshot, snapshot + 1)))]
        if not len(here):
            continue
        boxes = groups.boxes.take(here)
        start, stop = np.searchsorted(home, (snapshot, snapshot + 1)).tolist()
        many = max(1, _AT_ONCE // len(here))
        for at in range(start, stop, many):
            some = np.arange(at, min(at + many, stop))
            yield some, here[np.argmin(_growth(boxes, records.take(some), span), axis=1)]


def _growth(boxes: Boxes, records: Boxes, span: Floats) -> Floats:
    """By how much each box must grow to hold each record: a row a record, a column a box."""
    total = np.zeros((len(records.first), len(boxes.first)))
    for axis, length in enumerate(span.tolist()):  # one by one: sums are the same everywhere
        below = boxes.first[:, axis] - records.first[:, axis, None]
        above = records.end[:, axis, None] - boxes.end[:, axis]
        total += (np.maximum(below, 0) + np.maximum(above, 0)) / length
    return total
