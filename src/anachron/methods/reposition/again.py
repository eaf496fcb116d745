"""What was pushed before: whole snapshots, lots that came late, and records that still wait.

A *lot* is what one push holds of one snapshot. Its digest is how many records it has, and the
sum of their keyed hashes: the order does not matter, and the digest of several lots together is
the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import COUNT, Rows
from anachron.methods.reposition.memory import Pushed
from anachron.methods.reposition.records import HOME, VALUE

__all__ = ["WORD", "Sums", "known_lots", "lots_of", "same_people", "same_records"]

WORD = "word"
"""A column of the rows of a push: a word of their hash."""

_WORD = 1 << 64


@dataclass(frozen=True, eq=False)
class Sums:
    """How many rows of a push there are of each home and value."""

    home: Array
    value: Array
    count: Array
    words: Words
    """The sum of their words."""

    @classmethod
    def of(cls, rows: Rows) -> Sums:
        """Count rows that have a word each."""
        told = rows.counts((HOME, VALUE), {"words": ("sum", WORD)})
        found = told.collect(HOME, VALUE, COUNT, "words")
        return cls(*(found[name] for name in (HOME, VALUE, COUNT, "words")))

    def within(self, homes: Sequence[int]) -> Sums:
        """Those of some snapshots."""
        here = np.isin(self.home, homes)
        return Sums(self.home[here], self.value[here], self.count[here], self.words[here])


def lots_of(rows: Sums) -> dict[int, str]:
    """The digest of each snapshot's lot, by position: how many rows, and the sum of their words."""
    homes, place = np.unique(rows.home, return_inverse=True)
    count, words = np.zeros(len(homes), dtype=np.int64), np.zeros(len(homes), dtype=np.uint64)
    np.add.at(count, place, rows.count)
    np.add.at(words, place, rows.words)
    lots = zip(homes.tolist(), count.tolist(), words.tolist(), strict=True)
    return {home: _digest(count, words) for home, count, words in lots}


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
