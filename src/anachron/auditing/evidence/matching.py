"""Can every record stand behind a row of its own?

Records of a snapshot with the same quasi values and sensitive value are a *class*; rows of a group
with the same value are a *cell*. A class can fill the cells of groups that hold it. Boxes of a
snapshot hardly overlap, so nearly always there is only one way, which is found by taking what is
certain, again and again. What is left is decided exactly, by augmenting paths.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anachron.arrays import Array, Flags

__all__ = ["Ways", "matched"]

_NOBODY = -1


@dataclass(frozen=True, eq=False)
class Ways:
    """Which classes can fill which cells."""

    need: Array
    """The records of each class."""
    room: Array
    """The rows of each cell."""
    of: Array
    """For each way the class."""
    to: Array
    """For each way the cell."""


def matched(ways: Ways) -> tuple[int, Flags]:
    """Give how many records find no row, and which cells have rows for which there is nobody."""
    need, room = ways.need.copy(), ways.room.copy()
    of, to = ways.of, ways.to
    while len(of):
        before = len(of)
        forced = np.bincount(of, minlength=len(need))[of] == 1
        _fill(need, room, of[forced], to[forced])
        of, to = _open(need, room, of, to)
        forced = np.bincount(to, minlength=len(room))[to] == 1
        # Whoever is alone with a cell must fill it, or its rows are nobody's.
        _fill(room, need, to[forced], of[forced])
        of, to = _open(need, room, of, to)
        if len(of) == before:
            break
    _augment(need, room, of, to)
    return int(need.sum()), room > 0


def _fill(need: Array, room: Array, of: Array, to: Array) -> None:
    """Let those with one way go it, as far as there is room."""
    order = np.argsort(to, kind="stable")
    of, to = of[order], to[order]
    wanted = need[of]
    before = np.cumsum(wanted) - wanted
    heads = np.flatnonzero(np.diff(to, prepend=-1))
    start = np.repeat(before[heads], np.diff(heads, append=len(to)))
    taken = np.clip(room[to] - (before - start), 0, wanted)
    need[of] -= taken
    np.subtract.at(room, to, taken)


def _open(need: Array, room: Array, of: Array, to: Array) -> tuple[Array, Array]:
    """The ways that still lead from a need to a room."""
    left = (need[of] > 0) & (room[to] > 0)
    return of[left], to[left]


def _augment(need: Array, room: Array, of: Array, to: Array) -> None:
    """Fill what can be filled, by shortest paths that may send others elsewhere."""
    ways: dict[int, list[int]] = {}
    for here, there in zip(of.tolist(), to.tolist(), strict=True):
        ways.setdefault(here, []).append(there)
    filled: dict[int, dict[int, int]] = {there: {} for there in to.tolist()}
    for one in ways:
        while need[one] > 0:
            path = _path(one, ways, filled, room)
            if not path:
                break
            _send(path, filled, need, room)


def _path(
    one: int, ways: dict[int, list[int]], filled: dict[int, dict[int, int]], room: Array
) -> list[tuple[int, int]]:
    """A path to a cell with room: (class, cell) pairs, each class leaving its next cell."""
    came: dict[int, tuple[int, int]] = {}
    seen, queue = {one}, deque([(one, _NOBODY)])
    while queue:
        here, left = queue.popleft()
        for there in ways[here]:
            if there in came:
                continue
            came[there] = (here, left)
            if room[there] > 0:
                path = [(here, there)]
                while left != _NOBODY:
                    here, before = came[left]
                    path.append((here, left))
                    left = before
                return path[::-1]
            for other, count in filled[there].items():
                if count and other not in seen:
                    seen.add(other)
                    queue.append((other, there))
    return []


def _send(
    path: list[tuple[int, int]], filled: dict[int, dict[int, int]], need: Array, room: Array
) -> None:
    amount = min(int(need[path[0][0]]), int(room[path[-1][1]]))
    # Every class after the first leaves the cell that the class before it takes.
    for (_, cell), (leaving, _) in pairwise(path):
        amount = min(amount, filled[cell][leaving])
    for (_, cell), (leaving, _) in pairwise(path):
        filled[cell][leaving] -= amount
    for taking, cell in path:
        filled[cell][taking] = filled[cell].get(taking, 0) + amount
    need[path[0][0]] -= amount
    room[path[-1][1]] -= amount
