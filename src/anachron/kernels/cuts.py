"""Cut buckets in two by their best schemes, all at the same time, down to groups.

==============  ==========================================================================
``lists[i]``    an (s, M) array of tuples in the order of attribute i; −1 is a counterfeit
column          one place in all s lists: M of them. Each has a real tuple
part            columns side by side that are still one bucket; ``starts`` has their first
``code[a, t]``  quasi value of tuple t, as its place among the values of attribute a
``scale[a]``    the normalised value that each code of attribute a stands for
``low``         smallest code of attribute a in a column, or in all up to it
``cut``         columns of a part's first half
==============  ==========================================================================

Notes
-----
A prefix minimum within parts is one running minimum over all columns: codes are shifted down
by more than their range from each part to the next, so that it starts anew at every part.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Codes, Flags, Floats

__all__ = ["Parts", "cut_down"]


_AT_ONCE = 1 << 17
"""Tuples that are cut at the same time: as many as stay in a processor's cache."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts side by side, with all that is needed to cut them."""

    lists: list[Codes]
    starts: Array
    group: Array
    """The number of the group that each column will be."""
    code: Codes
    tuples: Array
    """The tuples that the lists number from 0."""

    @property
    def heights(self) -> Array:
        """The number of columns of each part."""
        return np.diff(self.starts, append=len(self.group))


def cut_down(parts: Parts, scale: Floats, group: Array) -> None:
    """Fill in the group of each tuple.

    Parts do not know of each other, so they are cut on as many processors as there are.
    """
    waiting, ready = [parts], []
    while waiting:
        parts = waiting.pop()
        if parts.lists[0].size > _AT_ONCE and len(parts.starts) > 1:
            waiting.extend(_halves(parts))
        else:
            ready.append(parts)
    with ThreadPoolExecutor(min(len(ready), os.cpu_count() or 1)) as threads:
        list(threads.map(lambda some: _cut_these(some, scale, group), ready))


def _cut_these(parts: Parts, scale: Floats, group: Array) -> None:
    while len(parts.starts):
        parts = _without(parts, parts.heights == 1, group)
        if not len(parts.starts):
            return
        by, cut, equal = _best_cuts(parts, scale)
        # Equal tuples need no further cuts: each would be by attribute 0 and leave its order.
        parts = _without(parts, equal, group)
        if len(parts.starts):
            parts = _cut(parts, by[~equal], cut[~equal])


def _without(parts: Parts, done: Flags, group: Array) -> Parts:
    """Drop parts that are done, when each column of theirs has become a group."""
    if not done.any():
        return parts
    heights = parts.heights
    columns = np.repeat(done, heights)
    ready = parts.lists[0][:, columns]
    real = ready >= 0
    to = np.broadcast_to(parts.group[columns], ready.shape)
    group[parts.tuples[ready[real]]] = to[real]
    left = heights[~done]
    return Parts(
        [order[:, ~columns] for order in parts.lists],
        np.cumsum(left) - left,
        parts.group[~columns],
        parts.code,
        parts.tuples,
    )


def _halves(parts: Parts) -> list[Parts]:
    """Divide the parts into two sets, at the one nearest to the middle, and number anew."""
    at = np.clip(np.searchsorted(parts.starts, len(parts.group) // 2), 1, len(parts.starts) - 1)
    middle = int(parts.starts[at])
    number = np.empty(len(parts.tuples) + 1, dtype=np.int32)
    number[-1] = -1
    halves = []
    for columns, starts in (
        (slice(middle), parts.starts[:at]),
        (slice(middle, None), parts.starts[at:] - middle),
    ):
        lists = [order[:, columns] for order in parts.lists]
        tuples = np.sort(lists[0][lists[0] >= 0])
        number[tuples] = np.arange(len(tuples))
        halves.append(
            Parts(
                [number.take(order, mode="wrap") for order in lists],
                starts,
                parts.group[columns],
                parts.code[:, tuples],
                parts.tuples[tuples],
            )
        )
    return halves


def _cut(parts: Parts, by: Array, cut: Array) -> Parts:
    """Cut every part by its scheme."""
    heights = parts.heights
    middle = parts.starts + cut
    in_front = np.arange(len(parts.group)) < np.repeat(middle, heights)
    return Parts(
        _partitioned(parts.lists, in_front, np.repeat(by, heights), len(parts.tuples)),
        np.sort(np.concatenate([parts.starts, middle])),
        parts.group,
        parts.code,
        parts.tuples,
    )


def _best_cuts(parts: Parts, scale: Floats) -> tuple[Array, Array, Flags]:
    """Find the best scheme of each part, attribute and cut; and whether its tuples are equal."""
    starts, heights = parts.starts, parts.heights
    part = np.repeat(np.arange(len(heights)), heights)
    cuts = np.arange(len(part)) - starts[part]
    rest = heights[part] - cuts
    off = np.abs(cuts - rest)  # how far a cut before this column is from the middle
    best, best_off = np.full(len(heights), np.inf), np.zeros(len(heights), dtype=np.int64)
    by, cut = np.zeros_like(starts), np.zeros_like(starts)
    for i, order in enumerate(parts.lists):
        before, after = _lengths(order, parts.code, scale, part)
        cost = cuts * np.roll(before, 1) + rest * after
        cost[starts] = np.inf  # before the first column of a part is no cut
        least = np.minimum.reduceat(cost, starts)
        near = np.where(cost == least[part], off, 2 * len(part))
        nearest = np.minimum.reduceat(near, starts)
        first = np.minimum.reduceat(np.where(near == nearest[part], cuts, len(part)), starts)
        better = (least < best) | ((least == best) & (nearest < best_off))
        best[better], best_off[better] = least[better], nearest[better]
        by[better], cut[better] = i, first[better]
    return by, cut, after[starts] == 0.0


def _lengths(order: Codes, code: Codes, scale: Floats, part: Array) -> tuple[Floats, Floats]:
    """Sum up the sides of the boxes around each part's columns up to, and from, each column."""
    before, after = np.zeros(len(part)), np.zeros(len(part))
    at = order.astype(np.intp)  # once for all attributes
    fake = order < 0 if (order < 0).any() else None
    for attribute, values in zip(code, scale, strict=True):
        codes = attribute.take(at, mode="wrap")
        shift = part * (len(values) + 1)
        low, high = codes.min(axis=0), codes.max(axis=0)
        if fake is not None:
            low = np.where(fake, len(values), codes).min(axis=0)
            high = np.where(fake, 0, codes).max(axis=0)
        smallest = np.minimum.accumulate(low - shift) + shift
        largest = np.maximum.accumulate(high + shift) - shift
        before += values[largest] - values[smallest]
        smallest = np.minimum.accumulate((low + shift)[::-1])[::-1] - shift
        largest = np.maximum.accumulate((high - shift)[::-1])[::-1] + shift
        after += values[largest] - values[smallest]
    return before, after


def _partitioned(lists: list[Codes], in_front: Flags, by: Array, tuples: int) -> list[Codes]:
    """Bring the first half of every list to its front, and keep the order within both halves.

    ``in_front`` tells whether a column is in a first half, ``by`` which attribute cuts it.
    """
    goes_first = np.zeros(tuples + 1, dtype=bool)  # the last is for counterfeits
    for i, order in enumerate(lists):
        goes_first[order[:, (by == i) & in_front]] = True
    parted = []
    for order in lists:
        first = goes_first.take(order, mode="wrap")
        fake = order < 0
        if fake.any():
            first = np.where(fake, in_front, first)  # they are in front already
        # Each list has as many to move to the front of a part as there are columns for them.
        moved = np.empty_like(order)
        moved[:, in_front] = order[first].reshape(len(order), -1)
        moved[:, ~in_front] = order[~first].reshape(len(order), -1)
        parted.append(moved)
    return parted
