"""Give each record a published row that can be its own, where several can.

Who stands behind which of several equal rows is not remembered, and does not matter: any choice
that leaves everyone a row is as good. Choices are made for all records at once, turn by turn: in
each, everybody still without a row asks for the one with the fewest other candidates. The few who
then have none make others move on, one path at a time.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from anachron.arrays import Array
from anachron.auditing.reading.columns import runs

__all__ = ["nth", "settled"]


_TURNS = 12
_PATHS = 2_000
"""So many of those who are left without a row are helped, at most."""
_STEPS = 5_000
"""So many records are asked to move on, at most, for one of them."""


def settled(of: Array, to: Array, room: Array, records: int) -> Array:
    """Give for each record the slot it takes; -1 for those that found none.

    Parameters
    ----------
    of, to
        For each way a record could go, the record and the slot.
    room
        How many records each slot has room for.
    records
        How many records there are.
    """
    slot = np.full(records, -1, dtype=np.int64)
    free = room.copy()
    left_of, left_to = of, to
    for _ in range(_TURNS):
        if not len(left_of):
            break
        who, where = _asked(left_of, left_to, free, records)
        slot[who] = where
        free -= np.bincount(where, minlength=len(free))
        left = (slot[left_of] < 0) & (free[left_to] > 0)
        left_of, left_to = left_of[left], left_to[left]
    homeless = np.setdiff1d(of, np.flatnonzero(slot >= 0))
    if len(homeless):
        moves = _Moves(of, to, slot, free)
        for record in homeless[:_PATHS].tolist():
            moves.help(record)
    return slot


def _asked(of: Array, to: Array, free: Array, records: int) -> tuple[Array, Array]:
    """Let everyone ask for one slot, and give who gets it."""
    asked = np.bincount(to, minlength=len(free))
    order = np.lexsort((to, asked[to] - free[to], of))
    first = order[np.diff(of[order], prepend=-1) != 0]
    who, where = of[first], to[first]
    # Whoever has no other way comes first.
    fewest = np.bincount(of, minlength=records)[who]
    by_slot = np.lexsort((who, fewest, where))
    who, where = who[by_slot], where[by_slot]
    taken = nth(where) < free[where]
    return who[taken], where[taken]


def nth(group: Array) -> Array:
    """How many of the same group stand before each.

    >>> nth(np.array([4, 2, 4, 4])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(group, kind="stable")
    first, size = runs(group[order])
    before = np.empty(len(group), dtype=np.int64)
    before[order] = np.arange(len(group)) - np.repeat(first, size)
    return before


class _Moves:
    """Who could go where, and who is there: to free a slot by making others move on."""

    def __init__(self, of: Array, to: Array, slot: Array, free: Array) -> None:
        order = np.argsort(of, kind="stable")
        self._to = to[order]
        self._begin = np.searchsorted(of[order], np.arange(len(slot) + 1))
        self._slot, self._free = slot, free
        self._by_slot = np.argsort(slot, kind="stable")
        self._first = np.searchsorted(slot[self._by_slot], np.arange(len(free) + 1))
        self._there: dict[int, set[int]] = {}

    def help(self, record: int) -> None:
        """Find the shortest chain of moves that ends in a free slot, and carry it out."""
        came: dict[int, int] = {}
        queue = deque([record])
        asked = 0
        while queue and asked < _STEPS:
            one = queue.popleft()
            asked += 1
            for slot in self._to[self._begin[one] : self._begin[one + 1]].tolist():
                if slot in came:
                    continue
                came[slot] = one
                if self._free[slot] > 0:
                    self._carry_out(record, slot, came)
                    return
                queue.extend(self._in(slot))

    def _carry_out(self, record: int, slot: int, came: dict[int, int]) -> None:
        self._free[slot] -= 1
        while True:
            one = came[slot]
            before = int(self._slot[one])
            self._slot[one] = slot
            self._in(slot).add(one)
            if one == record:
                return
            self._in(before).discard(one)
            slot = before

    def _in(self, slot: int) -> set[int]:
        if slot not in self._there:
            some = self._by_slot[self._first[slot] : self._first[slot + 1]].tolist()
            self._there[slot] = set(some)
        return self._there[slot]
