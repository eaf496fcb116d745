"""What is not published yet, in counts.

==============  ==========================================================================
position        the snapshot in which a record is published
home            the snapshot in which it happened
place           a position's room for a record of a value, |P_j[s]|
standing        records that have a place, by home
suppressed      records without one, S_i[s]
==============  ==========================================================================

Among records of one value, older ones have earlier places (Theorem 1), so the standing records
by home and the places by position say all: the oldest records are in the first places. A
value none of whose records in the window moves or is suppressed has records of position j in
exactly the places of j; only the others have a *strand*, and a batch of equal records is one
number, however large.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from anachron.arrays import Array

__all__ = ["Batch", "Due", "Pairs", "Strand", "Window", "matched", "taken"]

Pairs = tuple[tuple[int, int], ...]
"""(home or position, number of records), ascending, no number 0."""


@dataclass(frozen=True, eq=False)
class Batch:
    """So many records of each (home, value)."""

    home: Array
    value: Array
    count: Array

    @classmethod
    def of(cls, rows: list[tuple[int, int, int]]) -> Batch:
        """Gather (home, value, count)."""
        home, value, count = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return cls(home, value, count)


@dataclass(frozen=True, eq=False)
class Due:
    """A snapshot that nothing can change any more: it takes ``count`` of (home, value)."""

    position: int
    home: Array
    value: Array
    count: Array
    suppressed: Batch = field(default_factory=lambda: Batch.of([]))
    """Records that can no longer be published once this snapshot is."""
    proved: bool = True
    """Whether the integer program that planned it, if one did, was solved to the end."""
    stopped: bool = False
    """Whether it was not because the clock stopped it, which no budget did."""


class Strand(NamedTuple):
    """A value with moved or suppressed records in the window."""

    standing: Pairs = ()
    """Records by home that are in places up to ``until``."""
    until: int = -1
    """All places after this position hold records of their own position."""
    suppressed: Pairs = ()


@dataclass(frozen=True, eq=False)
class Window:
    """The snapshots that arrived and are not published, as planned so far."""

    next: int = 0
    """The snapshot that arrives next."""
    start: int = 0
    """The first snapshot that is not published."""
    places: tuple[Array, ...] = ()
    """Of each position from ``start``, the records of each value it will take."""
    strands: Mapping[int, Strand] = field(default_factory=dict)
    unproved: int = -1
    """Positions up to this one come from an integer program that was not solved to the end."""
    stopped: int = -1
    """Likewise, from one that the clock stopped: another machine might have solved it."""

    @property
    def values(self) -> int:
        """Number of value codes; all places have as many."""
        return len(self.places[0]) if self.places else 0

    def widened(self, values: int) -> Window:
        """Give the same window with at least so many value codes."""
        more = values - self.values
        if more <= 0 or not self.places:
            return self
        return replace(self, places=tuple(np.pad(row, (0, more)) for row in self.places))

    def columns(self, values: Sequence[int]) -> Iterator[tuple[int, Pairs, Pairs]]:
        """Give each of some values, its standing records and the places they are in."""
        if not self.places or not values:
            return
        block = np.array([row[values] for row in self.places]).T.tolist()
        for value, counts in zip(values, block, strict=True):
            places = tuple((j, n) for j, n in enumerate(counts, start=self.start) if n)
            strand = self.strands.get(value)
            if strand is None:
                yield value, places, places
            else:
                own = tuple(pair for pair in places if pair[0] > strand.until)
                yield value, strand.standing + own, places

    def batches(self) -> Iterator[tuple[int, int, int, int]]:
        """Give (position, home, value, count) of everything that has a place."""
        for value, standing, places in self.columns(range(self.values)):
            for position, home, count in matched(standing, places):
                yield position, home, value, count

    def suppressed(self) -> Batch:
        """Give the records without a place."""
        return Batch.of(
            [(h, value, n) for value, s in sorted(self.strands.items()) for h, n in s.suppressed]
        )

    def to_arrays(self) -> dict[str, Array]:
        """Write the window as arrays of whole numbers."""
        strands = sorted(self.strands.items())
        places = [
            (self.start + j, int(value), int(row[value]))
            for j, row in enumerate(self.places)
            for value in np.flatnonzero(row)
        ]
        standing = [(h, value, n) for value, s in strands for h, n in s.standing]
        written = {
            "clock": np.array([self.next, self.start, self.unproved, self.stopped], np.int64),
            "strands": np.array([(v, s.until) for v, s in strands], np.int64).reshape(-1, 2),
        }
        for name, batch in (
            ("places", Batch.of(places)),
            ("standing", Batch.of(standing)),
            ("suppressed", self.suppressed()),
        ):
            written[name] = np.stack([batch.home, batch.value, batch.count], axis=1)
        return written

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Window:
        """Read what ``to_arrays`` wrote."""
        # Ledgers of before there was a budget do not say what the clock stopped.
        following, start, unproved, *stopped = arrays["clock"].tolist()
        # A strand may have neither a place nor a record left, and still be one until its end.
        codes = [arrays["strands"][:, 0], arrays["places"][:, 1], arrays["suppressed"][:, 1]]
        values = 1 + max(int(code.max(initial=-1)) for code in codes)
        places = np.zeros((following - start, values), dtype=np.int64)
        position, value, count = arrays["places"].T
        places[position - start, value] = count
        strands = {
            v: Strand(_pairs(arrays["standing"], v), until, _pairs(arrays["suppressed"], v))
            for v, until in arrays["strands"].tolist()
        }
        return cls(following, start, tuple(places), strands, unproved, *stopped)


def _pairs(batches: Array, value: int) -> Pairs:
    return tuple((h, n) for h, _, n in batches[batches[:, 1] == value].tolist())


def matched(standing: Pairs, places: Pairs) -> Iterator[tuple[int, int, int]]:
    """Put the oldest records in the first places: give (position, home, count)."""
    records = iter(standing)
    home = left = 0
    for position, room in places:
        while room:
            if not left:
                home, left = next(records)
            count = min(room, left)
            yield position, home, count
            room, left = room - count, left - count


def taken(standing: Pairs, room: int) -> tuple[Pairs, Pairs]:
    """Part the oldest records, as many as there is room for, from the others."""
    for at, (home, count) in enumerate(standing):
        if count >= room:
            first = (*standing[:at], (home, room)) if room else standing[:at]
            rest = standing[at + 1 :]
            return first, ((home, count - room), *rest) if count > room else rest
        room -= count
    return standing, ()
