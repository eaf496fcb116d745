"""Mondrian: cut each snapshot into groups, without regard to the others.

LeFevre, DeWitt, Ramakrishnan: *Mondrian Multidimensional k-Anonymity*, ICDE 2006, with the
test for k people replaced by l-diversity: at most 1/l of a group has the same sensitive value.
Xiao and Tao compare m-invariance with it: if people appear again and again, each release alone
keeps its promise, and together they give people away.

==========  ==============================================================================
``x``       quasi values, each attribute's domain normalised to [0, 1]
part        tuples that are still together; at the start, those of a snapshot
cut         of a part: at the median of its widest attribute, tuples with equal values on the
            same side. If a side is not good, the next widest attribute is tried
good        l-diverse (``mondrian``); or of some size at least (``sized``), which does not look at
            sensitive values at all
==========  ==============================================================================

Notes
-----
A cut that was not made because a side was not diverse tells of its values: by what ``mondrian``
gives, more may be learned than 1/l (the minimality attack of Wong, Fu, Wang and Pei, VLDB 2007).

All parts of a level, of all snapshots, are cut at the same time; the groups of a snapshot are
those that it has alone. Nothing depends on the order of the input.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.kernels.diversity import diverse

__all__ = ["mondrian", "sized"]

Good = Callable[[Array, Array, int], Flags]
"""Which parts are good, given the part of some rows, these rows, and how many parts there are."""


def mondrian(
    x: Floats,
    values: Array,
    l: int | Fraction,  # noqa: E741 (the field's letter)
    snapshot: Array | None = None,
) -> Array:
    """Give each tuple the number of its group; every group is l-diverse and of one snapshot.

    Without ``snapshot``, which is a number for each tuple, there is one. Groups are numbered
    from 0, in no order that means anything.
    """
    part = np.zeros(len(values), dtype=np.int64)
    if snapshot is not None:
        part = np.unique(snapshot, return_inverse=True)[1]
    if not _diverse(part, values, l, int(part.max(initial=0)) + 1).all():
        raise ValueError("the snapshot itself is not l-diverse")
    return _cut_up(x, part, lambda own, rows, parts: _diverse(own, values[rows], l, parts))


def sized(x: Floats, counts: Flags, least: Array, snapshot: Array) -> Array:
    """Give each tuple the number of its group, of one snapshot.

    No group is cut into one with fewer than ``least`` tuples, which is given for each snapshot,
    of those that count. Groups are numbered from 0, in no order that means anything.
    """
    needed = least[snapshot]

    def good(own: Array, rows: Array, parts: int) -> Flags:
        need = np.zeros(parts, dtype=np.int64)
        need[own] = needed[rows]
        there: Flags = np.bincount(own, counts[rows], parts) >= need
        return there

    return _cut_up(x, np.unique(snapshot, return_inverse=True)[1], good)


def _cut_up(x: Floats, part: Array, good: Good) -> Array:
    """Cut parts until none can be cut any more."""
    number = np.zeros(len(part), dtype=np.int64)
    code = _coded(x)
    rows, done = np.arange(len(part)), 0
    while len(rows):
        right, cut = _cuts(x[rows], code[rows], part, rows, good)
        finished = ~cut[part]
        order = np.cumsum(~cut) - 1
        number[rows[finished]] = done + order[part[finished]]
        done += int((~cut).sum())
        part = (2 * (np.cumsum(cut) - 1)[part] + right)[~finished]
        rows = rows[~finished]
    return number


def _coded(x: Floats) -> Array:
    """Number the different values of each attribute in ascending order."""
    code = np.empty(x.shape, dtype=np.int64)
    for i in range(x.shape[1]):
        code[:, i] = np.unique(x[:, i], return_inverse=True)[1]
    return code


def _cuts(
    x: Floats,
    code: Array,
    part: Array,
    rows: Array,
    good: Good,
) -> tuple[Flags, Flags]:
    """Say who goes right, and which parts can be cut at all."""
    parts = int(part.max()) + 1
    by_part = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[by_part], np.arange(parts))
    in_order = x[by_part]
    spread = np.maximum.reduceat(in_order, starts) - np.minimum.reduceat(in_order, starts)
    widest_first = np.argsort(-spread, axis=1, kind="stable")
    right, cut = np.zeros(len(part), dtype=bool), np.zeros(parts, dtype=bool)
    for choice in range(x.shape[1]):
        attribute = widest_first[:, choice]
        open_parts = ~cut & (spread[np.arange(parts), attribute] > 0)
        here = np.flatnonzero(open_parts[part])
        if not len(here):
            continue
        own = part[here]
        side = _beyond_median(code[here, attribute[own]], own, parts)
        both = good(2 * own + side, rows[here], 2 * parts).reshape(-1, 2).all(axis=1)
        allowed = open_parts & both
        moved = allowed[own]
        right[here[moved]] = side[moved]
        cut |= allowed
    return right, cut


def _beyond_median(at: Array, part: Array, parts: int) -> Flags:
    """Tell which values are beyond their part's median, or equal to it if it is the largest."""
    bits = int(at.max()).bit_length()
    in_order = np.sort(part << bits | at) & ((1 << bits) - 1)
    count = np.bincount(part, minlength=parts)
    last = np.maximum(np.cumsum(count) - 1, 0)  # parts with nobody here are never asked for
    median = in_order[np.maximum(last - count // 2, 0)]
    least = median + (median != in_order[last])
    beyond: Flags = at >= least[part]
    return beyond


def _diverse(part: Array, values: Array, l: int | Fraction, parts: int) -> Flags:  # noqa: E741
    """Tell which parts have at most 1/l of their tuples with the same value."""
    width = int(values.max(initial=0)) + 1
    cells, counts = np.unique(part * width + values, return_counts=True)
    most = np.zeros(parts, dtype=np.int64)
    np.maximum.at(most, cells // width, counts)
    return diverse(most, np.bincount(part, minlength=parts), l)
