"""Merge parts of series until no sensitive value crowds any of them.

==============  ==========================================================================
``l``           a number is crowded if more than 1/l of a part's members lie around it
``e``           around: at most this far away; 0 for equal values only
cell            parts that may be merged with each other
loss            of a union: its members times the root of the summed squared widths
==============  ==========================================================================

A crowded part is merged with the part of its cell whose union with it loses least, again and
again, until it is not crowded. Between equals the smaller part is taken, then the first.

Notes
-----
Any number may be crowded, not only a member's value: then the union of two parts without a crowd
has none either, and parts that look alike to a reader may be taken for one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anachron.kernels.compiled import compiled

__all__ = ["merge_crowded"]

Array = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def merge_crowded(
    low: Floats,
    high: Floats,
    part: Array,
    cell: Array,
    values: Floats,
    l: int,  # noqa: E741
    e: float,
) -> tuple[Array, bool]:
    """Give the part that each part went into, and whether all are free of crowds now.

    ``low`` and ``high`` are the envelopes of the parts, ``cell`` is of parts, ``part`` and
    ``values`` are of series.
    """
    parts = len(low)
    by_cell = np.argsort(cell, kind="stable")
    start = np.searchsorted(cell[by_cell], np.arange(int(cell.max(initial=-1)) + 2))
    follower, head = _chains(part, values, parts)
    into = np.arange(parts)
    done = _merge(
        low.copy(), high.copy(), np.bincount(part, minlength=parts), cell, by_cell, start,
        follower, head, values, l, e, into,
    )  # fmt: skip
    while (into[into] != into).any():
        into = into[into]
    return into, bool(done)


def _chains(part: Array, values: Floats, parts: int) -> tuple[Array, Array]:
    """Link the members of each part in the order of their values: followers, and the first."""
    order = np.lexsort((values, part))
    follower = np.full(len(part), -1, dtype=np.int64)
    within = part[order[1:]] == part[order[:-1]]
    follower[order[:-1][within]] = order[1:][within]
    return follower, order[np.searchsorted(part[order], np.arange(parts))]


@compiled
def _crowded(
    head: int,
    size: int,
    follower: Array,
    values: Floats,
    l: int,  # noqa: E741
    e: float,
) -> bool:
    """Tell whether more than 1/l of the members lie around some number, a member's or not."""
    # Two members walk along the chain: the ends of those around the number between them.
    first, last, around = head, head, 0
    for _ in range(size):
        around += 1
        while values[last] - values[first] > 2 * e:
            first = follower[first]
            around -= 1
        if around * l > size:
            return True
        last = follower[last]
    return False


@compiled
def _joined(p: int, q: int, follower: Array, values: Floats) -> int:
    """Merge two chains into one and give its first member."""
    if values[q] < values[p]:
        p, q = q, p
    head = p
    while q >= 0:
        while follower[p] >= 0 and values[follower[p]] <= values[q]:
            p = follower[p]
        rest = follower[p]
        follower[p] = q
        p, q = q, rest
    return head


@compiled
def _partner(p: int, low: Floats, high: Floats, size: Array, candidates: Array, into: Array) -> int:
    """Find the part whose union with this one loses least; −1 if there is no other."""
    best, least, smallest = -1, np.inf, 0
    for q in candidates:
        if q == p or into[q] != q:
            continue
        people = float(size[p] + size[q])
        square = 0.0
        for t in range(low.shape[1]):
            width = max(high[p, t], high[q, t]) - min(low[p, t], low[q, t])
            square += width * width
            if square * people * people > least:
                break
        loss = square * people * people
        if best < 0 or loss < least or (loss == least and size[q] < smallest):
            best, least, smallest = q, loss, size[q]
    return best


@compiled
def _merge(
    low: Floats,
    high: Floats,
    size: Array,
    cell: Array,
    by_cell: Array,
    start: Array,
    follower: Array,
    head: Array,
    values: Floats,
    l: int,  # noqa: E741
    e: float,
    into: Array,
) -> bool:
    for p in range(len(size)):
        if into[p] != p:
            continue
        while _crowded(head[p], size[p], follower, values, l, e):
            q = _partner(p, low, high, size, by_cell[start[cell[p]] : start[cell[p] + 1]], into)
            if q < 0:
                return False
            into[q] = p
            head[p] = _joined(head[p], head[q], follower, values)
            size[p] += size[q]
            for t in range(low.shape[1]):
                low[p, t] = min(low[p, t], low[q, t])
                high[p, t] = max(high[p, t], high[q, t])
    return True
