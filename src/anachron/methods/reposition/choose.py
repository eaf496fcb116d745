"""Decide which records are published where: the plan says only how many.

Notes
-----
Records of one home and value are alike to the plan. They are ranked by a keyed hash, and the
snapshots take them in that order: quasi values, names and the order of the input have no say.

A person must not be twice in a published snapshot (the paper assumes one record each). If a
record moves to where its person already is, it changes places with another of the same home and
value. Where there is none, it is left out; the few records that must follow it, so that the
snapshot stays eligible, are left out too. The plan cannot know this: it sees counts. Records change
places within one push only, so a feed with such people may lose a few more of them day by day than
as a whole.

If the choice is ``strict``, nothing that can be seen may depend on the value of anybody who is in
their own snapshot. Then records change no places: whoever cannot move because they are there
already would stay more often than others with the same value, and be known by it. Who came after
their snapshot had arrived is never in it, because it was planned without them. And those in their
own snapshot are l-eligible without all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags
from anachron.methods.reposition.eligible import is_eligible, kept
from anachron.methods.reposition.records import NOWHERE, Records
from anachron.methods.reposition.window import Due

__all__ = ["Chosen", "choose"]


@dataclass(frozen=True, eq=False)
class Chosen:
    """Where each record is published."""

    position: Array
    """``NOWHERE`` for those that wait on, and for those that are lost."""
    conflicts: int
    """Records that were left out because their person was there, or to make up for one."""
    dropped: Array
    """These records, and those that are left out for the sake of those on time."""


def choose(records: Records, dues: Sequence[Due], ell: Fraction, *, strict: bool = False) -> Chosen:
    """Give each record the snapshot that takes it."""
    position = _drawn(records, dues, strict)
    due = np.array([due.position for due in dues], dtype=np.int64)
    at_home = records.free & np.isin(records.home, due)
    position[at_home] = records.home[at_home]
    dropped = _apart(records, position, exchange=not strict)
    if dropped:
        changed = {int(p) for _, p in dropped}
        dropped += _eligible_again(records, position, ell, changed, strict)
    conflicts = len(dropped)
    if strict:
        dropped += _planned_without(records, position)
        changed = {p for _, p in dropped[conflicts:]} | _aided(dues, ell)
        dropped += _eligible_again(records, position, ell, changed, strict)
    rows = np.array(sorted(row for row, _ in dropped), dtype=np.int64)
    return Chosen(position, conflicts, rows)


def _drawn(records: Records, dues: Sequence[Due], strict: bool) -> Array:
    """Let the snapshots take their records by rank."""
    position = np.full(len(records), NOWHERE, dtype=np.int64)
    if not dues or not len(records):
        return position
    width = int(records.value.max()) + 1
    first = int(records.home.min())
    cell = (records.home - first) * width + records.value
    cell[records.free] = -1
    cell += 1
    size = np.bincount(cell)
    takes = [
        np.stack([(due.home - first) * width + due.value + 1, due.count,
                  np.full(len(due.home), due.position)])
        for due in dues
    ]  # fmt: skip
    into, count, where = np.concatenate(takes, axis=1)
    # Most are taken whole by one snapshot: there is no need to draw lots.
    whole = count == size[into]
    of_cell = np.full(len(size), NOWHERE, dtype=np.int64)
    of_cell[into[whole]] = where[whole]
    position[:] = of_cell[cell]
    parted = np.zeros(len(size), dtype=bool)
    parted[into[~whole]] = True
    rows = np.flatnonzero(parted[cell])
    order = rows[np.lexsort((records.rank[rows], records.behind[rows] & strict, cell[rows]))]
    parts = np.lexsort((where[~whole], into[~whole]))
    into, count, where = (part[~whole][parts] for part in (into, count, where))
    # The places of a cell begin where its records do; those that nobody takes are its last.
    begin = np.searchsorted(cell[order], into)
    before = np.cumsum(count) - count
    heads = np.flatnonzero(np.diff(into, prepend=-1))
    in_cell = before - np.repeat(before[heads], np.diff(np.append(heads, len(into))))
    at = np.repeat(begin + in_cell - before, count) + np.arange(int(count.sum()))
    position[order[at]] = np.repeat(where, count)
    return position


def _apart(records: Records, position: Array, exchange: bool) -> list[tuple[int, int]]:
    """Let nobody be twice in a snapshot; give the records that find no other place."""
    there = _crowded(records, position)
    if not there:
        return []
    # How often everybody is where: an exchange may take away one of several.
    present = Counter(
        (int(p), int(who)) for p, who in zip(position, records.person, strict=True) if p != NOWHERE
    )
    dropped: list[tuple[int, int]] = []
    for row in there:
        here, who = int(position[row]), int(records.person[row])
        if present[here, who] < 2:  # it was moved in exchange for another
            continue
        other = _exchange(records, position, present, row) if exchange else None
        present[here, who] -= 1
        if other is None:
            dropped.append((row, here))
            position[row] = NOWHERE
            continue
        there_now, stranger = int(position[other]), int(records.person[other])
        position[row], position[other] = there_now, here
        present[here, stranger] += 1
        if there_now != NOWHERE:
            present[there_now, stranger] -= 1
            present[there_now, who] += 1
    return dropped


def _crowded(records: Records, position: Array) -> list[int]:
    """Records of a person who has another in the same snapshot: all but the youngest."""
    several = np.bincount(records.person, minlength=1) > 1
    if not several.any():
        return []
    rows = np.flatnonzero((position != NOWHERE) & several[records.person])
    order = rows[np.lexsort((-records.home[rows], records.person[rows], position[rows]))]
    same = (position[order[1:]] == position[order[:-1]]) & (
        records.person[order[1:]] == records.person[order[:-1]]
    )
    crowded: list[int] = order[1:][same].tolist()
    return crowded


def _exchange(
    records: Records, position: Array, present: Counter[tuple[int, int]], row: int
) -> int | None:
    """Find a record of the same home and value whose place can be exchanged."""
    here, who = int(position[row]), int(records.person[row])
    alike = np.flatnonzero(
        (records.home == records.home[row]) & (records.value == records.value[row]) & ~records.free
    )
    for other in alike[np.argsort(records.rank[alike])].tolist():
        there, stranger = int(position[other]), int(records.person[other])
        if there == here or present[here, stranger]:
            continue
        if there == NOWHERE or not present[there, who]:
            return int(other)
    return None


def _planned_without(records: Records, position: Array) -> list[tuple[int, int]]:
    """Take those out of their own snapshot who came after it was planned; give them."""
    rows = np.flatnonzero(records.behind & (position == records.home))
    position[rows] = NOWHERE
    return [(row, int(records.home[row])) for row in rows.tolist()]


def _aided(dues: Sequence[Due], ell: Fraction) -> set[int]:
    """The snapshots whose own records are l-eligible only because of those that come late."""
    return {
        due.position
        for due in dues
        if not is_eligible(due.count[due.home == due.position], ell)  # one for each value
    }


def _eligible_again(
    records: Records, position: Array, ell: Fraction, changed: set[int], strict: bool
) -> list[tuple[int, int]]:
    """Leave out the fewest records so that some snapshots are eligible; give them.

    If it is strict: first of a snapshot's own, and then, which costs none of these, of the others.
    """
    dropped = []
    for here in sorted(changed):
        rows = np.flatnonzero((position == here) & ~records.free)
        late = records.home[rows] != here
        for some in (rows[~late], rows) if strict else (rows,):
            still = some[position[some] == here]
            gone = _too_many(records, still, ell, late=(records.home[still] != here) & strict)
            position[gone] = NOWHERE
            dropped += [(row, here) for row in gone.tolist()]
    return dropped


def _too_many(records: Records, rows: Array, ell: Fraction, late: Flags) -> Array:
    """Who of some records must go so that the others are eligible: by lot, the late ones first."""
    counts = np.bincount(records.value[rows], minlength=1)
    allowed = kept(counts, ell)
    order = np.lexsort((records.rank[rows], late, records.value[rows]))
    value = records.value[rows[order]]
    place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[value]
    return rows[order[place >= allowed[value]]]
