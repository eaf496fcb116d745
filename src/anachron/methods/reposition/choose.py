"""Decide which records are published where: the plan says only how many.

Notes
-----
Records of one home and value are alike to the plan. They are ranked by a keyed hash, and the
snapshots take them in that order: quasi values, names and the order of the input have no say.

A person must not be twice in a published snapshot (the paper assumes one record each); who is put
where they are already goes elsewhere, or is left out (:mod:`anachron.methods.reposition.apart`).
Then the few records that must follow, so that the snapshot stays eligible, are left out too. The
plan cannot know this: it sees counts.

If the choice is ``strict``, nothing that can be seen may depend on the value of anybody who is in
their own snapshot. Then records change no places: whoever cannot move because they are there
already would stay more often than others with the same value, and be known by it. Who came after
their snapshot had arrived is never in it, because it was planned without them. And those in their
own snapshot are l-eligible without all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from anachron.arrays import Array, Flags
from anachron.engines.base import ABSENT, COUNT, KEY, Batch, Rows
from anachron.methods.reposition.apart import apart
from anachron.methods.reposition.eligible import is_eligible, kept
from anachron.methods.reposition.records import (
    BEHIND,
    FREE,
    HOME,
    NOWHERE,
    OUT,
    POSITION,
    VALUE,
    Records,
)
from anachron.methods.reposition.window import Due

__all__ = ["Chosen", "Placings", "choose"]

_CELL, _STAYS = "cell", "stays"


@dataclass(frozen=True, eq=False)
class Placings:
    """How many records of each home and value are published where, or left out."""

    home: Array
    value: Array
    position: Array
    """``NOWHERE`` for those that wait on, and for those that are lost."""
    out: Flags
    """Whether they were left out, though they had been chosen."""
    count: Array

    @cached_property
    def here(self) -> Flags:
        """Which of them are published."""
        found: Flags = self.position != NOWHERE
        return found


@dataclass(frozen=True, eq=False)
class Chosen:
    """Where each record is published."""

    rows: Rows
    """The records, with ``POSITION`` and ``OUT``: because their person was there, to make up for
    one, or for the sake of those on time."""
    conflicts: int
    """Records that were left out because their person was there, or to make up for one."""

    @cached_property
    def placings(self) -> Placings:
        """All of them, counted."""
        names = (HOME, VALUE, POSITION, OUT)
        told = self.rows.counts(names).collect(*names, COUNT)
        return Placings(*(told[name] for name in (*names, COUNT)))

    @property
    def dropped(self) -> int:
        """How many were left out, though they had been chosen."""
        return int(self.placings.count[self.placings.out].sum())


def choose(records: Records, dues: Sequence[Due], ell: Fraction, *, strict: bool = False) -> Chosen:
    """Give each record the snapshot that takes it."""
    due = np.array([due.position for due in dues], dtype=np.int64)
    rows = _drawn(records, dues, strict).map(partial(_at_home, due))
    changed: set[int] = set()
    if records.recurs and len(due):
        rows, changed = apart(rows, exchange=not strict)
    rows = _eligible_again(rows, ell, changed, strict)
    conflicts = _left_out(rows) if changed else 0
    if strict:
        behind = _planned_without(records)
        if behind:
            rows = rows.map(_without_late)
        rows = _eligible_again(rows, ell, behind | _aided(dues, ell), strict)
    return Chosen(rows, conflicts)


def _drawn(records: Records, dues: Sequence[Due], strict: bool) -> Rows:
    """Let the snapshots take their records by rank; if it is strict, first those on time."""
    census = records.census
    if not dues or not len(census.home):
        return records.rows.map(_nowhere)
    width, first = int(census.value.max()) + 1, int(census.home.min())
    parts = np.concatenate(
        [
            np.stack([due.home, due.value, due.count, np.full(len(due.home), due.position)])
            for due in dues
        ],
        axis=1,
    )
    home, value, count, to = parts[:, parts[2] > 0]
    into = (home - first) * width + value
    into, count, to = (part[np.lexsort((to, into))] for part in (into, count, to))
    if strict:
        into, count, to = _on_time_first(into, count, to, _own(records, first, width))
    some = count > 0
    rows = records.rows.map(partial(_cell, first, width, strict))
    return rows.dealt(
        _CELL, KEY, {"cell": into[some], "count": count[some], "to": to[some]}, POSITION
    )


def _cell(first: int, width: int, strict: bool, batch: Batch) -> Batch:
    """The home and value of each record as one number; if it is strict, and whether it is late."""
    cell = (batch[HOME] - first) * width + batch[VALUE]
    if strict:
        cell = 2 * cell + batch[BEHIND]
    return {_CELL: np.where(batch[FREE], ABSENT, cell)}


def _own(records: Records, first: int, width: int) -> Array:
    """How many records of each home and value came in time."""
    census = records.census
    own = ~census.free & ~census.behind
    cell = ((census.home - first) * width + census.value)[own]
    size = (int(census.home.max()) - first + 1) * width
    return np.bincount(cell, census.count[own], size).astype(np.int64)


def _on_time_first(into: Array, count: Array, to: Array, own: Array) -> tuple[Array, Array, Array]:
    """Part what is taken of each cell: as long as there are any, of those that came in time."""
    total = np.cumsum(count)
    before = total - count
    before -= before[np.searchsorted(into, into)]
    of_own = np.clip(own[into] - before, 0, count)
    late = count - of_own
    return (
        np.concatenate([2 * into, 2 * into + 1]),
        np.concatenate([of_own, late]),
        np.concatenate([to, to]),
    )


def _nowhere(batch: Batch) -> Batch:
    return {POSITION: np.full(len(batch[HOME]), NOWHERE, dtype=np.int64)}


def _at_home(due: Array, batch: Batch) -> Batch:
    """Those that need no plan are in their own snapshot."""
    at_home = batch[FREE] & np.isin(batch[HOME], due)
    none = np.zeros(len(at_home), dtype=bool)
    return {POSITION: np.where(at_home, batch[HOME], batch[POSITION]), OUT: none}


def _left_out(rows: Rows) -> int:
    told = rows.counts((OUT,)).collect(OUT, COUNT)
    return int(told[COUNT][told[OUT]].sum())


def _planned_without(records: Records) -> set[int]:
    """The snapshots of which records came after they were planned."""
    return set(records.census.home[records.census.behind].tolist())


def _without_late(batch: Batch) -> Batch:
    """Take those out of their own snapshot who came after it was planned."""
    late = batch[BEHIND] & (batch[POSITION] == batch[HOME])
    return {POSITION: np.where(late, NOWHERE, batch[POSITION]), OUT: batch[OUT] | late}


def _aided(dues: Sequence[Due], ell: Fraction) -> set[int]:
    """The snapshots whose own records are l-eligible only because of those that come late."""
    return {
        due.position
        for due in dues
        if not is_eligible(due.count[due.home == due.position], ell)  # one for each value
    }


def _eligible_again(rows: Rows, ell: Fraction, changed: Iterable[int], strict: bool) -> Rows:
    """Leave out the fewest records, by lot, so that some snapshots are eligible.

    If it is strict: first of a snapshot's own, and then, which costs none of these, of the others.
    """
    some = np.array(sorted(changed), dtype=np.int64)
    if not len(some):
        return rows
    names = (HOME, VALUE, POSITION)
    told = rows.map(_planned).where(_STAYS).counts(names).collect(*names, COUNT)
    if not len(told[HOME]):
        return rows
    width = int(told[VALUE].max()) + 1
    parts: list[tuple[int, int]] = []
    is_less = False
    for number, here in enumerate(some.tolist()):
        at = told[POSITION] == here
        late = told[HOME][at] != here
        own, others = (
            np.bincount(told[VALUE][at][which], told[COUNT][at][which], width).astype(np.int64)
            for which in (~late | (not strict), late & strict)
        )
        stays = kept(own, ell) if strict else own
        allowed = kept(stays + others, ell)
        first = np.minimum(stays, allowed)
        then = np.minimum(others, allowed - first)
        is_less |= bool((first < own).any() or (then < others).any())
        cells = 2 * (number * width + np.arange(width))
        parts += zip(cells.tolist(), first.tolist(), strict=True)
        parts += zip((cells + 1).tolist(), then.tolist(), strict=True)
    if not is_less:
        return rows
    into, count = np.array([part for part in sorted(parts) if part[1]], np.int64).reshape(-1, 2).T
    rows = rows.map(partial(_crowd, some, width, strict))
    rows = rows.dealt(_CELL, KEY, {"cell": into, "count": count, "to": count * 0}, _STAYS)
    return rows.map(_without_left)


def _planned(batch: Batch) -> Batch:
    return {_STAYS: (batch[POSITION] != NOWHERE) & ~batch[FREE]}


def _crowd(some: Array, width: int, strict: bool, batch: Batch) -> Batch:
    """The snapshot and value of each record as one number; if strict, and whether it is late."""
    position = batch[POSITION]
    number = np.minimum(np.searchsorted(some, position), len(some) - 1)
    cell = 2 * (number * width + batch[VALUE])
    if strict:
        cell += position != batch[HOME]
    here = (some[number] == position) & ~batch[FREE]
    return {_CELL: np.where(here, cell, ABSENT)}


def _without_left(batch: Batch) -> Batch:
    gone = (batch[_CELL] != ABSENT) & (batch[_STAYS] == ABSENT)
    return {POSITION: np.where(gone, NOWHERE, batch[POSITION]), OUT: batch[OUT] | gone}
