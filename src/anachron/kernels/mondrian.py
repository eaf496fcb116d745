"""l-diverse Mondrian: publish one snapshot, and forget about the others. A baseline.

LeFevre, DeWitt, Ramakrishnan: *Mondrian Multidimensional k-Anonymity*, ICDE 2006, with the
test for k people replaced by l-diversity: at most 1/l of a group has the same sensitive value.
Xiao and Tao compare m-invariance with it. Each release alone keeps its promise; together they
give people away.

==========  ==============================================================================
``x``       quasi values, each attribute's domain normalised to [0, 1]
part        tuples that are still together
cut         of a part: at the median of its widest attribute, tuples with equal values on the
            same side. If a side were not l-diverse, the next widest attribute is tried
==========  ==============================================================================

Notes
-----
All parts of a level are cut at the same time. Nothing depends on the order of the input.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["mondrian"]

Array = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def mondrian(x: Floats, values: Array, l: int) -> Array:  # noqa: E741 (the field's letter)
    """Give each tuple the number of its group; every group is l-diverse."""
    part = np.zeros(len(values), dtype=np.int64)
    if not _diverse(part, values, l).all():
        raise ValueError("the snapshot itself is not l-diverse")
    number = np.zeros(len(values), dtype=np.int64)
    rows, done = np.arange(len(values)), 0
    while len(rows):
        right, cut = _cuts(x[rows], part, values[rows], l)
        finished = ~cut[part]
        order = np.cumsum(~cut) - 1
        number[rows[finished]] = done + order[part[finished]]
        done += int((~cut).sum())
        part = (2 * (np.cumsum(cut) - 1)[part] + right)[~finished]
        rows = rows[~finished]
    return number


def _cuts(x: Floats, part: Array, values: Array, l: int) -> tuple[Mask, Mask]:  # noqa: E741
    """Say who goes right, and which parts can be cut at all."""
    parts = int(part.max()) + 1
    by_part = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[by_part], np.arange(parts))
    spread = np.maximum.reduceat(x[by_part], starts) - np.minimum.reduceat(x[by_part], starts)
    widest_first = np.argsort(-spread, axis=1, kind="stable")
    right, cut = np.zeros(len(part), dtype=bool), np.zeros(parts, dtype=bool)
    for choice in range(x.shape[1]):
        attribute = widest_first[:, choice]
        open_parts = ~cut & (spread[np.arange(parts), attribute] > 0)
        here = np.flatnonzero(open_parts[part])
        if not len(here):
            continue
        at = x[here, attribute[part[here]]]
        side = _beyond_median(at, part[here])
        both = (
            _diverse(2 * part[here] + side, values[here], l, 2 * parts).reshape(-1, 2).all(axis=1)
        )
        allowed = open_parts & both
        moved = allowed[part[here]]
        right[here[moved]] = side[moved]
        cut |= allowed
    return right, cut


def _beyond_median(at: Floats, part: Array) -> Mask:
    """Tell which values are beyond their part's median, or equal to it if it is the largest."""
    order = np.lexsort((at, part))
    in_order = part[order]
    first = np.searchsorted(in_order, in_order)
    last = np.searchsorted(in_order, in_order, side="right") - 1
    value = at[order]
    median = value[(first + last) // 2]
    beyond = np.where(median == value[last], value >= median, value > median)
    side = np.empty(len(at), dtype=bool)
    side[order] = beyond
    return side


def _diverse(part: Array, values: Array, l: int, parts: int = 1) -> Mask:  # noqa: E741
    """Tell which parts have at most 1/l of their tuples with the same value."""
    width = int(values.max(initial=0)) + 1
    cells, counts = np.unique(part * width + values, return_counts=True)
    most = np.zeros(parts, dtype=np.int64)
    np.maximum.at(most, cells // width, counts)
    enough: Mask = most * l <= np.bincount(part, minlength=parts)
    return enough
