"""Sort millions of rows by whole numbers: packed into words together with their places.

Sorting words is several times as fast as sorting places by what they point to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Words

__all__ = ["by_lots", "in_parts", "numbered", "order", "side_by_side"]


_FEWEST_BITS = 16
"""Bits of a lot that must have room in a word for packing to be worth it."""


def order(key: Array) -> Array:
    """Give the places of numbers from 0 in ascending order; equal ones stay as they are."""
    places = np.arange(len(key), dtype=np.int64)
    bits = len(key).bit_length()
    if int(key.max(initial=0)).bit_length() + bits > 63:
        return np.argsort(key, kind="stable")
    packed = key << bits
    packed |= places
    packed.sort()
    packed &= (1 << bits) - 1
    return packed


def by_lots(cell: Array, lot: npt.NDArray[np.integer]) -> Array:
    """Order rows by cell, a number from 0, and those of a cell by their lots, which all differ."""
    drawn = lot.astype(np.uint64)
    bits, high = len(cell).bit_length(), int(cell.max(initial=0)).bit_length() + 1
    if bits + high + _FEWEST_BITS > 64:
        return np.lexsort((drawn, cell))
    packed = cell.astype(np.uint64) << np.uint64(64 - high)
    packed |= drawn >> np.uint64(high + bits) << np.uint64(bits)
    packed |= np.arange(len(cell), dtype=np.uint64)
    packed.sort()
    found = (packed & np.uint64((1 << bits) - 1)).astype(np.int64)
    packed >>= np.uint64(bits)
    same = packed[1:] == packed[:-1]
    if same.any():
        # Lots that agree in all bits that had room: put these few in order by the rest.
        doubtful = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
        rows = found[doubtful]
        found[doubtful] = rows[np.lexsort((drawn[rows], packed[doubtful]))]
    return found


def in_parts(cell: Array, lot: Words, of: Array, count: Array, to: Array, left: int) -> Array:
    """Share out the rows of cells: the smallest lots of a cell go to its first part, and so on.

    Parameters
    ----------
    cell
        Of each row; below 0 for rows of none.
    lot
        One word or several, the most significant first.
    of, count, to
        Parts in order: of which cell, how many rows, and where they go.
    left
        Where rows go of which there is no part.
    """
    size = np.bincount(cell + 1, minlength=int(of.max(initial=-1)) + 2)
    if (np.bincount(of + 1, count, len(size)) > size).any():
        raise ValueError("a part has more rows than there are")
    # Most cells go to one part: there is no need to draw lots.
    whole = count == size[of + 1]
    of_cell = np.full(len(size), left, dtype=np.int64)
    of_cell[of[whole] + 1] = to[whole]
    goes = of_cell[cell + 1]
    shared = np.zeros(len(size), dtype=bool)
    shared[of[~whole] + 1] = True
    shared[of[whole & (count > 0)] + 1] = False
    rows = np.flatnonzero(shared[cell + 1])
    drawn = rows[_drawn(cell[rows], lot[rows])]
    of, count, to = (part[shared[of + 1]] for part in (of, count, to))
    by_cell = np.argsort(of, kind="stable")
    of, count, to = of[by_cell], count[by_cell], to[by_cell]
    # The places of a cell begin where its rows do; those that no part takes are its last.
    begin, before = np.searchsorted(cell[drawn], of), np.cumsum(count) - count
    within = before - before[np.searchsorted(of, of)]
    at = np.repeat(begin + within - before, count) + np.arange(int(count.sum()))
    goes[drawn[at]] = np.repeat(to, count)
    return goes


def _drawn(cell: Array, lot: Words) -> Array:
    """Order rows by cell, and those of a cell by their lots."""
    if lot.ndim == 1:
        return by_lots(cell, lot)
    found = by_lots(cell, lot[:, 0])
    first = lot[found, 0]
    if ((first[1:] == first[:-1]) & (cell[found][1:] == cell[found][:-1])).any():
        return np.lexsort((*lot.T[::-1], cell))
    return found


def numbered(key: Array) -> tuple[Array, Array]:
    """Give the different numbers in ascending order, and the place of each row's among them."""
    least = int(key.min(initial=0))
    span = int(key.max(initial=0)) - least + 1
    if span > 4 * len(key) + 1024:
        return np.unique(key, return_inverse=True)
    there = np.zeros(span, dtype=bool)
    there[key - least] = True
    different = np.flatnonzero(there)
    place = np.cumsum(there) - 1
    return different + least, place[key - least]


def side_by_side(columns: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Give a number for each row that sorts like its columns, one after the other.

    Columns hold numbers from 0 to below their size.

    >>> side_by_side([np.array([1, 0, 1]), np.array([0, 2, 1])], [2, 3])
    array([3, 2, 4])
    """
    key, size = columns[0], max(sizes[0], 1)
    for column, wide in zip(columns[1:], sizes[1:], strict=True):
        if size * wide > 2**62:
            key = np.unique(key, return_inverse=True)[1]
            size = int(key.max(initial=-1)) + 1
        key, size = key * wide + column, size * max(wide, 1)
    return key
