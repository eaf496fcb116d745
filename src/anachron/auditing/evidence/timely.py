"""Who is on time, in each snapshot and each group of a feed?

Who came late had a value that was too frequent, and can be seen. So a careful promise counts only
those who are on time: in each snapshot, and in each group, no value may have more than one in l of
them. Of snapshots that is counted. Of groups it can be told where every latecomer that may be in
one can be in no other, by their quasi values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, distinct
from anachron.auditing.evidence.boxes import holders, planted_boxes
from anachron.auditing.evidence.compared import quasi_numbers, value_places
from anachron.auditing.evidence.feed import UNKNOWN
from anachron.auditing.evidence.records import Records
from anachron.auditing.reading.columns import exceeds, joined, largest_share, spread
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.spelled import kinds_of

__all__ = ["OnTime", "all_on_time", "on_time"]


@dataclass(frozen=True, eq=False)
class OnTime:
    """How frequent the most frequent value is among those on time."""

    largest: Fraction | None
    """Its largest share in a snapshot or a group; a group of nobody on time hides nobody."""
    snapshots: int
    wrong: int
    """In how many of them it is too frequent."""
    alone: Array
    """The groups in which it is."""
    unknown: int
    """Groups of which the latecomers are not known."""


def all_on_time(several: Sequence[OnTime]) -> OnTime:
    """Add up pieces of a release."""
    return OnTime(
        max((one.largest for one in several if one.largest is not None), default=None),
        sum(one.snapshots for one in several),
        sum(one.wrong for one in several),
        np.concatenate([one.alone for one in several]),
        sum(one.unknown for one in several),
    )


def on_time(form: Feed, rows: FeedRows, records: Records, there: Array, position: Array) -> OnTime:
    """Count values among those on time, in each snapshot and each group.

    Records are published ``there``; ``position`` is that of each published snapshot.
    """
    # Two spellings of a value are one.
    kind = np.append(kinds_of(rows.domain, exact=rows.exact), -1)
    value = kind[value_places(records.value, rows)]
    here = there != UNKNOWN
    own = here & (there == records.home)
    most, size = _of_snapshots(records.home[own], value[own])
    late = np.flatnonzero(here & (there != records.home))
    candidates = _candidates(form, rows, records, late, there, position)
    known, table = _without(rows, kind, value[late], candidates)
    group_most, group_size = table.max(axis=1, initial=0), table.sum(axis=1)
    judged, limit = known & (group_size > 0), 1 / form.promise.l
    parts = np.concatenate([most, group_most[judged]]), np.concatenate([size, group_size[judged]])
    return OnTime(
        largest_share(*parts) if len(parts[0]) else None,
        len(size),
        int(exceeds(most, size, limit).sum()),
        rows.number[exceeds(group_most, group_size, limit) & known],
        int((~known).sum()),
    )


def _of_snapshots(home: Array, value: Array) -> tuple[Array, Array]:
    """Of each snapshot: how many have its most frequent value, and how many there are."""
    width = int(value.max(initial=0)) + 2
    cell, count = np.unique(home * width + value + 1, return_counts=True)
    snapshots, at = np.unique(cell // width, return_inverse=True)
    most = np.zeros(len(snapshots), dtype=np.int64)
    np.maximum.at(most, at, count)
    return most, np.bincount(at, count, len(snapshots)).astype(np.int64)


def _without(
    rows: FeedRows, kind: Array, late: Array, candidates: tuple[Array, Array]
) -> tuple[Flags, Array]:
    """Of each group: whether its latecomers are known, and how often each value occurs without.

    ``late`` has the values of latecomers, and ``candidates`` the groups that may hold them.
    """
    each, group = candidates
    who, group = np.divmod(distinct(each * len(rows.number) + group), len(rows.number))
    sure = np.bincount(who, minlength=len(late))[who] == 1
    known = np.ones(len(rows.number), dtype=bool)
    known[group[~sure]] = False
    cells = rows.values
    there = cells.place >= 0
    left = np.zeros((len(rows.number), rows.width), dtype=np.int64)
    np.add.at(left, (cells.place[there], kind[cells.value[there]]), cells.count[there])
    np.subtract.at(left.reshape(-1), group[sure] * rows.width + late[who[sure]], 1)
    return known, left


def _candidates(
    form: Feed, rows: FeedRows, records: Records, late: Array, there: Array, position: Array
) -> tuple[Array, Array]:
    """Pairs of a latecomer, as a place among them, and a group that may hold them."""
    if not len(late):
        return joined(())
    there = there[late]
    if form.value_files is None:
        tree, points = planted_boxes(form, rows, records, position)
        return joined(holders(tree, there, [p[late] for p in points]))
    mine, theirs, _ = quasi_numbers(rows.quasi, records.quasi)
    near = np.flatnonzero(np.isin(theirs, mine[late]))
    where = np.concatenate([there, position[rows.row_snapshot[near]]])
    _, code = np.unique(np.concatenate([mine[late], theirs[near]]), return_inverse=True)
    # Snapshot and quasi values as one number, so small that a group can stand beside it.
    _, key = np.unique(where * len(code) + code, return_inverse=True)
    pairs = distinct(key[len(late) :] * len(rows.number) + rows.row_place[near])
    held, group = np.divmod(pairs, len(rows.number))
    first, behind = (np.searchsorted(held, key[: len(late)], side=s) for s in ("left", "right"))
    who, at = spread(first, behind - first)
    return who, group[at]
