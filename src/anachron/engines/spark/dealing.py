"""Deal rows out by lots without sorting them: find the lots at which parts end.

Lots are uniform numbers. So it is counted how many rows of a cell begin with which bits; that tells
in which bin a part ends, and only the lots of that bin are fetched. There are about as many bins of
a cell as rows in each, so that neither their counts nor the lots are many. Where a row goes is then
a comparison of its lot with a few others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import ABSENT, COUNT, Batch, Kernel

if TYPE_CHECKING:
    from anachron.engines.spark.rows import SparkRows

__all__ = ["dealer"]

_BIN, _IN, _HIGH, _LOW = "dealt bin", "dealt in", "dealt high", "dealt low"
_BITS = 16
"""Bits by which there are bins, at most."""


def dealer(rows: SparkRows, cell: str, lot: str, parts: Batch, name: str) -> Kernel:
    """Give the kernel that tells where each row goes."""
    told = rows.counts((cell,)).collect(cell, COUNT)
    size = dict(zip(told[cell].tolist(), told[COUNT].tolist(), strict=True))
    order = np.argsort(parts["cell"], kind="stable")
    of, count, to = (parts[part][order] for part in ("cell", "count", "to"))
    ends = _ends(of, count)
    sizes = np.array([size.get(one, 0) for one in of.tolist()], dtype=np.int64)
    if (ends > sizes).any():
        raise ValueError("a part has more rows than there are")
    # Where a part ends with its cell, no lot is needed to tell.
    last = np.full((len(of), 2), 2**64 - 1, dtype=np.uint64)
    inside = (ends > 0) & (ends < sizes)
    bits = min(int(sizes[inside].max(initial=1)).bit_length() // 2 + 1, _BITS)
    last[inside] = _lots_at(rows, (cell, lot), bits, of[inside], ends[inside] - 1)
    filled = count > 0
    return partial(_dealt, (cell, lot, name), of[filled], last[filled], to[filled])


def _ends(of: Array, count: Array) -> Array:
    """How many rows of its cell go to a part and to those before it."""
    total = np.cumsum(count)
    first = np.searchsorted(of, of)
    return total - (total - count)[first] if len(of) else total


def _lots_at(rows: SparkRows, names: tuple[str, str], bits: int, of: Array, rank: Array) -> Words:
    """The lot of a rank, from 0, in each of some cells."""
    if not len(of):
        return np.zeros((0, 2), dtype=np.uint64)
    cell, lot = names
    here = rows.map(partial(_binned, cell, lot, bits, np.unique(of))).where(_IN)
    told = here.counts((cell, _BIN)).collect(cell, _BIN, COUNT)
    by = np.lexsort((told[_BIN], told[cell]))
    cells, bins, total = told[cell][by], told[_BIN][by], np.cumsum(told[COUNT][by])
    before = total - told[COUNT][by]
    begin = before[np.searchsorted(cells, of)]
    at = np.searchsorted(total, begin + rank, side="right")
    found = _fetched(here, cell, lot, cells[at], bins[at])
    by = np.lexsort((found[_LOW], found[_HIGH], found[_BIN], found[cell]))
    key = found[cell][by] * (1 << _BITS) + found[_BIN][by]
    first = np.searchsorted(key, cells[at] * (1 << _BITS) + bins[at])
    drawn = by[first + begin + rank - before[at]]
    return np.stack([found[_HIGH][drawn], found[_LOW][drawn]], axis=1).astype(np.uint64)


def _fetched(rows: SparkRows, cell: str, lot: str, cells: Array, bins: Array) -> Batch:
    wanted = {(int(c), int(b)) for c, b in zip(cells, bins, strict=True)}
    some = rows.map(partial(_among, cell, lot, frozenset(wanted))).where(_IN)
    return some.collect(cell, _BIN, _HIGH, _LOW)


def _binned(cell: str, lot: str, bits: int, cells: Array, batch: Batch) -> Batch:
    high, _ = _halves(batch[lot])
    shift = np.uint64(64 - bits)
    return {_BIN: (high >> shift).astype(np.int64), _IN: np.isin(batch[cell], cells)}


def _among(cell: str, lot: str, wanted: frozenset[tuple[int, int]], batch: Batch) -> Batch:
    high, low = _halves(batch[lot])
    key = batch[cell] * (1 << 16) + batch[_BIN]
    keys: Sequence[int] = [c * (1 << 16) + b for c, b in wanted]
    return {_IN: np.isin(key, keys), _HIGH: high, _LOW: low}


def _halves(lot: Words) -> tuple[Words, Words]:
    """Two words of each lot, of which it may have one only."""
    if lot.ndim > 1:
        return lot[:, 0], lot[:, 1]
    return lot.astype(np.uint64), np.zeros(len(lot), dtype=np.uint64)


def _dealt(names: tuple[str, str, str], of: Array, last: Words, to: Array, batch: Batch) -> Batch:
    """Where rows go: to the first part of their cell of which the last lot is not below theirs."""
    cell, lot, name = names
    cells, (high, low) = batch[cell], _halves(batch[lot])
    goes = np.full(len(cells), ABSENT, dtype=np.int64)
    # The parts of a cell follow each other: from its first one on to the one that takes a row.
    at = np.asarray(np.searchsorted(of, cells, side="left"))
    end = np.asarray(np.searchsorted(of, cells, side="right"))
    open_ = np.flatnonzero(at < end)
    while len(open_):
        top, rest = last[at[open_]].T
        within: Flags = (high[open_] < top) | ((high[open_] == top) & (low[open_] <= rest))
        goes[open_[within]] = to[at[open_[within]]]
        open_ = open_[~within]
        at[open_] += 1
        open_ = open_[at[open_] < end[open_]]
    return {name: goes}
