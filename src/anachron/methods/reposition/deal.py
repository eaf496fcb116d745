"""Deal the rows of snapshots into groups that stay l-diverse without those who came late.

Whoever is published later than they happened had a value that was too frequent, and everybody can
see who they are. So their values may be known, and a group must hide its other rows without them.
Groups are formed of those who are on time. Those who came late are then dealt to groups which can
take another row of their value; groups that can do so only together are joined.

Notes
-----
A group of n rows, c of them with value v, can take r more of v if l·(c + r) ≤ n + r, which is
n − l·c ≥ (l − 1)·r: its *slack* is n − l·c. Rows of other values only add to it. Joined groups have
their slacks together, and the slack of a whole snapshot that is l-eligible, with all r, suffices:
so there is always a way.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Words
from anachron.kernels.anatomy import bucketize
from anachron.kernels.sorting import numbered

__all__ = ["deal", "lots_of_groups"]


def deal(
    snapshot: Array,
    value: Array,
    lot: Words,
    late: Flags,
    l: Fraction,  # noqa: E741
    largest: int = 0,
) -> Array:
    """Give each row the number of its group, from 0, through all snapshots in order.

    Parameters
    ----------
    snapshot, value, lot
        Of each row, as :func:`bucketize` takes them.
    late
        Who came late. A snapshot of nobody else is dealt as if they had not.
    l
        Every snapshot must be l-eligible, with those who came late and without them.
    largest
        As :func:`bucketize` takes it, of rows that are dealt first.
    """
    on_time = np.bincount(snapshot, ~late) > 0
    first = ~late | ~on_time[snapshot]
    group = np.full(len(snapshot), -1, dtype=np.int64)
    group[first] = bucketize(numbered(snapshot[first])[1], value[first], lot[first], l, largest)
    rest = np.flatnonzero(~first)
    for here in np.unique(snapshot[rest]).tolist():
        rows = np.flatnonzero(snapshot == here)
        group[rows] = _by_lot(_joined(group[rows], value[rows], lot[rows], l), lot[rows])
    return numbered(group)[1]


def _by_lot(group: Array, lot: Words) -> Array:
    """Number the groups of a snapshot by lot, or the first ones would be those with late rows."""
    numbers, place = np.unique(group, return_inverse=True)
    drawn = lots_of_groups(place, lot)
    return numbers[np.argsort(np.argsort(drawn, kind="stable"))][place]


def lots_of_groups(group: Array, lot: Words) -> Words:
    """Draw a number for each group from those of its rows, which tells nothing of them.

    It is their sum, scrambled as by SplitMix64: without that, a group would have a small number
    rather often if it were formed of rows with small ones.
    """
    drawn = np.zeros(int(group.max()) + 1, dtype=np.uint64)
    np.add.at(drawn, group, lot)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        drawn = (drawn ^ (drawn >> np.uint64(shift))) * np.uint64(factor)
    return drawn ^ (drawn >> np.uint64(31))


def _joined(group: Array, value: Array, lot: Words, l: Fraction) -> Array:  # noqa: E741
    """Deal the rows of a snapshot that have no group yet, value by value."""
    least = int(group[group >= 0].min())
    group = np.where(group >= 0, group - least, -1)
    step = l.numerator - l.denominator  # all slacks times the denominator of l
    for one in np.unique(value[group < 0]).tolist():
        rows = np.flatnonzero((group < 0) & (value == one))
        rows = rows[np.argsort(lot[rows])]
        size = np.bincount(group[group >= 0])
        count = np.bincount(group[(group >= 0) & (value == one)], minlength=len(size))
        slack = np.where(size > 0, size * l.denominator - count * l.numerator, -1)
        takes = _shared(slack // step, len(rows))
        into = np.repeat(np.arange(len(size)), takes)
        group[rows[: len(into)]] = into
        over = len(rows) - len(into)
        if over:
            slack = np.where(size > 0, slack - takes * step, -1)
            most = np.argsort(-slack, kind="stable")
            enough = int(np.searchsorted(np.cumsum(slack[most]), over * step)) + 1
            together = most[:enough]
            group[np.isin(group, together)] = together.min()
            group[rows[len(into) :]] = together.min()
    return group + least


def _shared(room: Array, wanted: int) -> Array:
    """Share out so many among those with room, as evenly as may be, the first ones first."""
    room = np.maximum(room, 0)
    if int(room.sum()) <= wanted:
        return room
    low, high = 0, int(room.max())
    while low < high:  # the least level at which there is room for all
        middle = (low + high) // 2
        low, high = (
            (low, middle) if np.minimum(room, middle).sum() >= wanted else (middle + 1, high)
        )
    takes = np.minimum(room, low)
    above = np.flatnonzero(takes == low)
    takes[above[len(above) - (int(takes.sum()) - wanted) :]] -= 1
    return takes
