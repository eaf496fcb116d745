"""What was pushed before: whole snapshots, lots that came late, and records that still wait.

A *lot* is what one push holds of one snapshot. Its digest is how many records it has, and the
sum of their keyed hashes: the order does not matter, and the digest of several lots together is
the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import COUNT, Rows
from anachron.methods.reposition.memory import Pushed

__all__ = ["HOME", "WORD", "known_lots", "lots_of", "same_people", "same_records"]

HOME, WORD = "home", "word"
"""Columns of the rows of a push: the position of their snapshot, and a word of their hash."""

_WORD = 1 << 64


def lots_of(rows: Rows) -> dict[int, str]:
    """The digest of each snapshot's lot, by position: how many rows, and the sum of their words."""
    told = rows.counts((HOME,), {"words": ("sum", WORD)}).collect(HOME, COUNT, "words")
    lots = zip(*(told[name].tolist() for name in (HOME, COUNT, "words")), strict=True)
    return {home: _digest(count, words) for home, count, words in sorted(lots)}


def known_lots(lots: Sequence[Pushed], content: str) -> Sequence[Pushed]:
    """The lots that are the same: one, or the first few together; none if it is new."""
    for lot in lots:
        if lot.content == content:
            return (lot,)
    count, total = 0, 0
    for number, lot in enumerate(lots, 1):
        records, words = lot.content.split(":")
        count, total = count + int(records), (total + int(words, 16)) % _WORD
        if _digest(count, total) == content:
            return lots[:number]
    return ()


def same_records(keys: Words, waiting: pa.Table | None) -> Flags:
    """Which records are waiting already."""
    if waiting is None:
        return np.zeros(len(keys), dtype=bool)
    high, low = (waiting[f"key_{word}"].to_numpy() for word in ("high", "low"))
    return np.isin(keys[:, 0], high) & np.isin(keys[:, 1], low)


def same_people(home: Array, people: pa.Array, waiting: pa.Table | None) -> Flags:
    """Which records are of somebody, by pseudonym, of whom another of the same home waits."""
    found = np.zeros(len(home), dtype=bool)
    if waiting is None:
        return found
    for one in np.unique(home).tolist():
        there = waiting["subject"].filter(pc.equal(waiting["home"], one)).combine_chunks()
        found |= (home == one) & pc.is_in(people, there).to_numpy(zero_copy_only=False)
    return found


def _digest(count: int, total: int) -> str:
    return f"{count}:{total:016x}"
