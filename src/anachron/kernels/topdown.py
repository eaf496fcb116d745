"""Split sets of series top-down into parts of at least a given number.

Xu, Wang, Pei, Wang, Shi, Fu: *Utility-Based Anonymization Using Local Recoding*, KDD 2006, with
the value loss of Shou et al. as the loss. (k,P)-anonymity uses it twice: to split P-subgroups of
2P series and more before groups are formed, and for the k-groups of its Naive algorithm.

==========  ==============================================================================
``x``       series, those of a part next to each other and in the order of ``place``
part        series that are still together: rows ``p`` … ``end[p]`` − 1 of ``x``
seeds       two series far apart: the farthest from the first, the farthest from that, and so
            on, three times there and back
envelope    of a side: the lowest and the highest value at each time
loss        of a side: its number times the root of the summed squared widths of its envelope
side        of a series: where the loss increases less. Between equals the smaller side, then
            that of the first seed
==========  ==============================================================================

A part is cut while it has at least twice ``least`` series.

Notes
-----
Xu et al. cut as long as a part has more than k members, and afterwards repair sides with fewer
than k. Here no such side ever comes about: one with fewer than ``least`` takes what is
missing from the other at once, those nearest to it first. So every part has at least ``least``
and fewer than twice as many series.

Where Xu et al. draw at random (the first seed, and in which order series choose their side),
``place`` decides. The parts depend on the values and on ``place``, never on the order of the
input.

Parts are independent, so several threads work on them. The result is the same for any number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, starmap

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.kernels.compiled import compiled

__all__ = ["split"]


ROUNDS = 3
ALONE = 1 << 15  # with fewer values than this, a second thread does not pay
AT_ONCE = 1 << 21  # so many values are copied at once, and what a part has more


def split(series: Floats, least: int, place: Array, start: Array | None = None) -> Array:
    """Give each series the number of its part.

    Parameters
    ----------
    series
        One row for each, none of them with a missing value.
    least
        Every part gets at least so many, unless it had fewer at the start.
    place
        A different number for each series, which stands for all draws by lot.
    start
        The part of each series at the start, by default the same for all. Series with a
        negative number are left out: their part is −1.

    Returns
    -------
    Numbers from 0 without gaps. Those of one part at the start follow each other, in its order.
    """
    if least < 1:
        raise ValueError("a part has at least one series")
    start = np.zeros(len(series), dtype=np.int64) if start is None else start
    order = np.lexsort((place, start))
    order = order[np.searchsorted(start[order], 0) :]
    number = np.full(len(series), -1, dtype=np.int64)
    some = list(_some(start[order], series.shape[1]))
    # A power of two changes no rounding, and squares of huge values are finite.
    largest = max((float(np.abs(series[order[rows]]).max()) for rows in some), default=0.0)
    exponent, parts = np.frexp(largest)[1], 0
    for rows in some:
        x = np.ldexp(np.asarray(series[order[rows]], dtype=np.float64), -exponent)
        row, head = _cut_all(x, start[order[rows]], least)
        number[order[rows][row]] = parts + np.cumsum(head) - 1
        parts += int(np.count_nonzero(head))
    return number


def _some(start: Array, times: int) -> Iterator[slice]:
    """Rows of a few whole parts at a time: so much is copied at once."""
    heads = np.append(np.flatnonzero(np.diff(start, prepend=-1)), len(start))
    share = heads * times // AT_ONCE
    ends = np.append(np.flatnonzero(np.diff(share)), len(heads) - 1)
    yield from starmap(slice, pairwise(np.unique(np.append(0, heads[ends])).tolist()))


def _cut_all(x: Floats, start: Array, least: int) -> tuple[Array, Flags]:
    """Cut all parts; give the row that each place of ``x`` now has, and where parts begin."""
    n = len(x)
    heads = np.flatnonzero(np.diff(start, prepend=-1))
    end, head = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    end[heads] = np.append(heads[1:], n)
    row, side, spare = np.arange(n), np.zeros(n, dtype=np.bool_), np.empty_like(x)

    def work(first: int, last: int, most: int) -> None:
        _cut_down(x, row, end, head, first, last, least, most, side, spare)

    workers = os.cpu_count() or 1 if x.size > ALONE else 1
    if workers > 1:
        # What is too large for one worker's share is cut first, as much as it takes.
        share = max(2 * least, n // (8 * workers))
        work(0, n, share)
        bounds = np.append(np.flatnonzero(head), n)
        places = np.searchsorted(bounds, np.arange(0, n + share, share).clip(max=n))
        head[:] = False
        _in_threads(work, np.unique(bounds[places]).tolist(), 2 * least, workers)
    else:
        work(0, n, 2 * least)
    return row, head


def _in_threads(
    work: Callable[[int, int, int], None], bounds: list[int], most: int, workers: int
) -> None:
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(work, first, last, most) for first, last in pairwise(bounds)]:
            done.result()


@compiled
def _cut_down(
    x: Floats,
    row: Array,
    end: Array,
    head: Flags,
    first: int,
    last: int,
    least: int,
    most: int,
    side: Flags,
    spare: Floats,
) -> None:
    """Cut the parts among these rows until none has ``most``, and mark where each begins."""
    p = first
    while p < last:
        if end[p] - p >= most:
            _choose_sides(x, p, end[p], side)
            _balance(x, p, end[p], side, least)
            middle = _move(x, row, p, end[p], side, spare)
            end[middle] = end[p]
            end[p] = middle
        else:
            head[p] = True
            p = end[p]


@compiled
def _farthest(x: Floats, first: int, last: int, one: int) -> int:
    """Find the series whose envelope with this one loses most."""
    most, found = -1.0, one
    for i in range(first, last):
        square = 0.0
        for t in range(x.shape[1]):
            width = x[i, t] - x[one, t]
            square += width * width
        if square > most and i != one:
            most, found = square, i
    return found


@compiled
def _choose_sides(x: Floats, first: int, last: int, side: Flags) -> None:
    """Find two seeds, and say which series go with the second."""
    u, v = first, first
    for _ in range(ROUNDS):
        v = _farthest(x, first, last, u)
        back = _farthest(x, first, last, v)
        if back == u:
            break
        u = back
    lower, upper = np.empty((2, x.shape[1])), np.empty((2, x.shape[1]))
    lower[0], lower[1] = x[u], x[v]
    upper[0], upper[1] = x[u], x[v]
    count, loss = np.ones(2), np.zeros(2)
    side[u], side[v] = False, True
    for i in range(first, last):
        if i in (u, v):
            continue
        a, b = 0.0, 0.0
        for t in range(x.shape[1]):
            width = max(upper[0, t], x[i, t]) - min(lower[0, t], x[i, t])
            a += width * width
            width = max(upper[1, t], x[i, t]) - min(lower[1, t], x[i, t])
            b += width * width
        a, b = (count[0] + 1) * np.sqrt(a), (count[1] + 1) * np.sqrt(b)
        gain_a, gain_b = a - loss[0], b - loss[1]
        second = gain_b < gain_a or (gain_b == gain_a and count[1] < count[0])
        chosen = 1 if second else 0
        side[i] = second
        count[chosen] += 1
        loss[chosen] = b if second else a
        for t in range(x.shape[1]):
            lower[chosen, t] = min(lower[chosen, t], x[i, t])
            upper[chosen, t] = max(upper[chosen, t], x[i, t])


@compiled
def _balance(x: Floats, first: int, last: int, side: Flags, least: int) -> None:
    """Let a side with too few take those of the other that are nearest to it."""
    second = 0
    for i in range(first, last):
        second += side[i]
    few = second <= last - first - second
    missing = least - (second if few else last - first - second)
    if missing <= 0:
        return
    lower, upper = np.full(x.shape[1], np.inf), np.full(x.shape[1], -np.inf)
    for i in range(first, last):
        if side[i] == few:
            for t in range(x.shape[1]):
                lower[t] = min(lower[t], x[i, t])
                upper[t] = max(upper[t], x[i, t])
    square = np.full(last - first, np.inf)
    for i in range(first, last):
        if side[i] != few:
            square[i - first] = 0.0
            for t in range(x.shape[1]):
                width = max(upper[t], x[i, t]) - min(lower[t], x[i, t])
                square[i - first] += width * width
    for i in np.argsort(square, kind="mergesort")[:missing]:
        side[first + i] = few


@compiled
def _move(x: Floats, row: Array, first: int, last: int, side: Flags, spare: Floats) -> int:
    """Put the first side before the second, each in the order it had; say where that begins."""
    spare[first:last] = x[first:last]
    old = row[first:last].copy()
    to = first
    for second in (False, True):
        for i in range(first, last):
            if side[i] == second:
                for t in range(x.shape[1]):
                    x[to, t] = spare[i, t]
                row[to] = old[i - first]
                to += 1
        if not second:
            middle = to
    return middle
