"""Are those who are published on time hidden without those who came late?

Who came late had a value that was too frequent, and can be seen. So a careful promise counts only
those who are on time: in each snapshot, and in each group, no value may have more than one in l of
them. Of snapshots that is counted. Of groups it can be told where every latecomer that may be in
one can be in no other, by their quasi values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.boxes import holders, planted_boxes
from anachron.auditing.evidence.compared import quasi_numbers, value_places
from anachron.auditing.evidence.feed import UNKNOWN
from anachron.auditing.evidence.laid import Side
from anachron.auditing.reading.columns import joined
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.spelled import kinds_of

__all__ = ["OnTime", "on_time"]


def _of_snapshots(home: Array, value: Array) -> tuple[Array, Array]:
    """Of each snapshot: how many have its most frequent value, and how many there are."""
    width = int(value.max(initial=0)) + 2
    cell, count = np.unique(home * width + value + 1, return_counts=True)
    snapshots, at = np.unique(cell // width, return_inverse=True)
    most = np.zeros(len(snapshots), dtype=np.int64)
    np.maximum.at(most, at, count)
    return most, np.bincount(at, count, len(snapshots)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class OnTime:
    """How often the most frequent value occurs among those on time, and how many they are."""

    most: Array
    """Of each snapshot."""
    size: Array
    group_most: Array
    """Of each group."""
    group_size: Array
    known: Flags
    """Of each group, whether its latecomers are known."""

    @property
    def together(self) -> tuple[Array, Array]:
        """Snapshots and groups together; a group of nobody on time hides nobody."""
        judged = self.known & (self.group_size > 0)
        return (
            np.concatenate([self.most, self.group_most[judged]]),
            np.concatenate([self.size, self.group_size[judged]]),
        )


def on_time(form: Feed, rows: FeedRows, laid: Side) -> OnTime:
    """Count values among those on time, in each snapshot and each group."""
    records, there = laid.records, laid.at.there
    # Two spellings of a value are one.
    kind = np.append(kinds_of(rows.domain, exact=rows.exact), -1)
    value = kind[value_places(records.value, rows)]
    here = there != UNKNOWN
    own = here & (there == records.home)
    most, size = _of_snapshots(records.home[own], value[own])
    late = np.flatnonzero(here & (there != records.home))
    known, table = _without(rows, kind, value[late], _candidates(form, rows, laid, late))
    return OnTime(most, size, table.max(axis=1, initial=0), table.sum(axis=1), known)


def _without(
    rows: FeedRows, kind: Array, late: Array, candidates: tuple[Array, Array]
) -> tuple[Flags, Array]:
    """Of each group: whether its latecomers are known, and how often each value occurs without.

    ``late`` has the values of latecomers, and ``candidates`` the groups that may hold them.
    """
    who, group = np.unique(np.stack(candidates), axis=1)
    sure = np.bincount(who, minlength=len(late))[who] == 1
    known = np.ones(len(rows.number), dtype=bool)
    known[group[~sure]] = False
    cells = rows.values
    there = cells.place >= 0
    left = np.zeros((len(rows.number), rows.width), dtype=np.int64)
    np.add.at(left, (cells.place[there], kind[cells.value[there]]), cells.count[there])
    np.subtract.at(left.reshape(-1), group[sure] * rows.width + late[who[sure]], 1)
    return known, left


def _candidates(form: Feed, rows: FeedRows, laid: Side, late: Array) -> tuple[Array, Array]:
    """Pairs of a latecomer, as a place among them, and a group that may hold them."""
    if not len(late):
        return joined(())
    there = laid.at.there[late]
    if form.value_file is None:
        tree, points = planted_boxes(form, rows, laid.records, laid.position)
        return joined(holders(tree, there, [p[late] for p in points]))
    mine, theirs, _ = quasi_numbers(rows, laid.records)
    near = np.flatnonzero(np.isin(theirs, mine[late]))
    where = laid.position[rows.row_snapshot[near]]
    groups: dict[tuple[int, int], set[int]] = {}
    places = rows.row_place[near].tolist()
    for at, code, place in zip(where.tolist(), theirs[near].tolist(), places, strict=True):
        groups.setdefault((at, code), set()).add(place)
    looked = zip(there.tolist(), mine[late].tolist(), strict=True)
    pairs = [(i, g) for i, key in enumerate(looked) for g in sorted(groups.get(key, ()))]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
