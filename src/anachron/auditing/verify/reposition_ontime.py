"""Are those who are published on time hidden without those who came late?

Who came late had a value that was too frequent, and can be seen. So a careful promise counts only
those who are on time: in each snapshot, and in each group, no value may have more than one in l of
them. Of snapshots that is counted. Of groups it can be told where every latecomer that may be in
one can be in no other, by their quasi values.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import such_as, witnesses
from anachron.auditing.verify.reposition_alone import exceeds, largest_share
from anachron.auditing.verify.reposition_boxes import holders
from anachron.auditing.verify.reposition_content import quasi_numbers
from anachron.auditing.verify.reposition_coverage import planted_boxes
from anachron.auditing.verify.reposition_records import Records
from anachron.auditing.verify.reposition_rows import Published
from anachron.auditing.verify.reposition_shape import Feed
from anachron.auditing.verify.reposition_state import UNKNOWN
from anachron.auditing.verify.spelled import kinds_of

__all__ = ["on_time_check"]


def on_time_check(
    shape: Feed, rows: Published, records: Records, value: Array, there: Array, position: Array
) -> Check:
    """Check it, given values as places among the published ones, and where each record is.

    ``position`` is that of each published snapshot.
    """
    # Two spellings of a value are one.
    kind = np.append(kinds_of(rows.domain, exact=rows.exact), -1)
    value = kind[value]
    here = there != UNKNOWN
    own = here & (there == records.home)
    most, size = _of_snapshots(records.home[own], value[own])
    wrong = exceeds(most, size, shape.promise.l)
    late = np.flatnonzero(here & (there != records.home))
    known, without_most, without_size = _without(
        shape, rows, records, value, kind, there, late, position
    )
    alone = exceeds(without_most, without_size, shape.promise.l) & known
    problems = {
        f"more in {int(wrong.sum()):,} of {len(size):,} snapshots": wrong.any(),
        f"one value too often{such_as(rows.number, alone)}": alone.any(),
    }
    found = "; ".join(text for text, there_is in problems.items() if there_is)
    judged = f"; {int((~known).sum()):,} groups cannot be judged" if not known.all() else ""
    return Check(
        "on time",
        not found,
        f"at most one in {shape.promise.l}, in each snapshot and each group",
        found or largest_share(*_largest(most, size, without_most, without_size, known)) + judged,
        "largest share of one value among those on time",
        witnesses(rows.number, alone),
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
    shape: Feed,
    rows: Published,
    records: Records,
    value: Array,
    kind: Array,
    there: Array,
    late: Array,
    position: Array,
) -> tuple[Flags, Array, Array]:
    """Of each group: whether its latecomers are known, and its largest value and size without."""
    who, group = _candidates(shape, rows, records, there, late, position)
    pairs = np.unique(np.stack((who, group)), axis=1)
    alone = np.bincount(pairs[0], minlength=len(late)) == 1
    known = np.ones(len(rows.number), dtype=bool)
    known[pairs[1][~alone[pairs[0]]]] = False
    sure = alone[pairs[0]]
    width = len(rows.domain) + 2
    gone = pairs[1][sure] * width + value[late[pairs[0][sure]]]
    cells = rows.values
    there_is = cells.place >= 0
    left = np.zeros(len(rows.number) * width, dtype=np.int64)
    np.add.at(
        left, cells.place[there_is] * width + kind[cells.value[there_is]], cells.count[there_is]
    )
    np.subtract.at(left, gone, 1)
    table = left.reshape(-1, width)
    return known, table.max(axis=1, initial=0), table.sum(axis=1)


def _candidates(
    shape: Feed, rows: Published, records: Records, there: Array, late: Array, position: Array
) -> tuple[Array, Array]:
    """Pairs of a latecomer, as a place among them, and a group that may hold them."""
    none = np.zeros(0, dtype=np.int64)
    if not len(late):
        return none, none
    if shape.value_file is None:
        tree, points = planted_boxes(shape, rows, records, position)
        found = list(holders(tree, there[late], [p[late] for p in points]))
        return (
            np.concatenate([none, *(some for some, _ in found)]),
            np.concatenate([none, *(group for _, group in found)]),
        )
    mine, theirs, _ = quasi_numbers(rows, records)
    near = np.flatnonzero(np.isin(theirs, mine[late]))
    where = position[rows.row_snapshot[near]]
    groups: dict[tuple[int, int], set[int]] = {}
    places = rows.row_place[near].tolist()
    for at, code, place in zip(where.tolist(), theirs[near].tolist(), places, strict=True):
        groups.setdefault((at, code), set()).add(place)
    looked = zip(there[late].tolist(), mine[late].tolist(), strict=True)
    pairs = [(i, g) for i, key in enumerate(looked) for g in sorted(groups.get(key, ()))]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _largest(
    most: Array, size: Array, of_groups: Array, group_size: Array, known: Flags
) -> tuple[Array, Array]:
    """Snapshots and groups together; a group of nobody on time hides nobody."""
    judged = known & (group_size > 0)
    return (
        np.concatenate([most, of_groups[judged]]),
        np.concatenate([size, group_size[judged]]),
    )
