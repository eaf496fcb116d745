"""Let nobody be twice in a published snapshot.

If a record moves to where its person already is, it changes places with another of the same home
and value. Where there is none, it is left out. Records change places within one push only, so a
feed with such people may lose a few more of them day by day than as a whole.

Few people are put where they are already. Gathered are they, those of the same home and value, with
whom they could change places, and the other records of all of these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import KEY, SUBJECT, Batch, Column, Rows
from anachron.methods.reposition.records import FREE, HOME, NOWHERE, OUT, POSITION, VALUE

__all__ = ["apart"]

_CROWDED, _ASKED = "crowded", "asked"


def apart(rows: Rows, *, exchange: bool) -> tuple[Rows, set[int]]:
    """Give the rows with other positions, and the snapshots from which a record is left out."""
    flagged = rows.map(_crowded, together=SUBJECT)
    told = flagged.where(_CROWDED).counts((HOME, VALUE)).collect(HOME, VALUE)
    if not len(told[HOME]):
        return rows, set()
    some = flagged.map(partial(_asked, told[HOME], told[VALUE]), together=SUBJECT).where(_ASKED)
    crowd = _Crowd(some.collect(HOME, VALUE, KEY, SUBJECT, FREE, POSITION, _CROWDED))
    dropped = crowd.part(exchange=exchange)
    return rows.map(crowd.moves()), {here for _, here in dropped}


def _crowded(batch: Batch) -> Batch:
    """Records of a person who has another in the same snapshot: all but the youngest."""
    position, home, who = batch[POSITION], batch[HOME], _codes(batch[SUBJECT])
    several = np.bincount(who, minlength=1) > 1
    found = np.zeros(len(who), dtype=bool)
    rows = np.flatnonzero((position != NOWHERE) & several[who]) if several.any() else found[:0]
    if len(rows):
        order = rows[np.lexsort((-home[rows], who[rows], position[rows]))]
        first, second = order[:-1], order[1:]
        found[second[(position[first] == position[second]) & (who[first] == who[second])]] = True
    return {_CROWDED: found}


def _asked(home: Array, value: Array, batch: Batch) -> Batch:
    """Records of people who have one in some cells."""
    width = int(value.max()) + 1
    cells = np.unique(home * width + value)
    within = (batch[VALUE] < width) & np.isin(batch[HOME] * width + batch[VALUE], cells)
    who = _codes(batch[SUBJECT])
    asked = np.bincount(who, within, minlength=1) > 0
    return {_ASKED: asked[who]}


def _codes(people: Column) -> Array:
    coded = people.dictionary_encode()
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


@dataclass(eq=False)
class _Crowd:
    """People who are put where they are already, and all who may have to do with it."""

    columns: Batch
    position: Array = field(init=False)
    person: Array = field(init=False)
    present: Counter[tuple[int, int]] = field(init=False)
    """How often everybody is where: an exchange may take away one of several."""
    alike: dict[tuple[int, int], list[int]] = field(init=False)
    """The records of each home and value, by rank."""
    out: Flags = field(init=False)

    def __post_init__(self) -> None:
        self.position = self.columns[POSITION].copy()
        self.person = _codes(self.columns[SUBJECT])
        self.out = np.zeros(len(self.position), dtype=bool)
        there = self.position != NOWHERE
        pairs = zip(self.position[there].tolist(), self.person[there].tolist(), strict=True)
        self.present = Counter(pairs)
        self.alike = defaultdict(list)
        planned = np.flatnonzero(~self.columns[FREE])
        by_rank = planned[np.argsort(self.columns[KEY][planned, 0])]
        home, value = (self.columns[name][by_rank].tolist() for name in (HOME, VALUE))
        for row, *cell in zip(by_rank.tolist(), home, value, strict=True):
            self.alike[tuple(cell)].append(row)

    def part(self, *, exchange: bool) -> list[tuple[int, int]]:
        """Put the crowded elsewhere; give the records that find no other place."""
        dropped: list[tuple[int, int]] = []
        for row in self._in_turn():
            here, who = int(self.position[row]), int(self.person[row])
            if self.present[here, who] < 2:  # it was moved in exchange for another
                continue
            other = self._exchange(row) if exchange else None
            self.present[here, who] -= 1
            if other is None:
                dropped.append((row, here))
                self.position[row], self.out[row] = NOWHERE, True
                continue
            there_now, stranger = int(self.position[other]), int(self.person[other])
            self.position[row], self.position[other] = there_now, here
            # What was left out before may take a place now, and this one is left out instead.
            self.out[row], self.out[other] = bool(self.out[other]), False
            self.present[here, stranger] += 1
            if there_now != NOWHERE:
                self.present[there_now, stranger] -= 1
                self.present[there_now, who] += 1
        return dropped

    def moves(self) -> partial[Batch]:
        """A kernel that gives records their new positions."""
        moved = np.flatnonzero(self.out | (self.position != self.columns[POSITION]))
        keys = _texts(self.columns[KEY][moved])
        order = np.argsort(keys)
        moved = moved[order]
        return partial(_moved, keys[order], self.position[moved], self.out[moved])

    def _in_turn(self) -> list[int]:
        """The crowded, snapshot by snapshot, and those of a person together, by lot."""
        rows = np.flatnonzero(self.columns[_CROWDED])
        who, drawn = self.person[rows], self.columns[KEY][rows, 0]
        lot = np.full(int(self.person.max()) + 1, np.iinfo(np.uint64).max)
        np.minimum.at(lot, who, drawn)
        by = np.lexsort((-self.columns[HOME][rows], who, lot[who], self.position[rows]))
        order: list[int] = rows[by].tolist()
        return order

    def _exchange(self, row: int) -> int | None:
        """Find a record of the same home and value whose place can be exchanged."""
        here, who = int(self.position[row]), int(self.person[row])
        cell = int(self.columns[HOME][row]), int(self.columns[VALUE][row])
        for other in self.alike[cell]:
            there, stranger = int(self.position[other]), int(self.person[other])
            if there == here or self.present[here, stranger]:
                continue
            if there == NOWHERE or not self.present[there, who]:
                return other
        return None


def _moved(keys: npt.NDArray[np.bytes_], to: Array, out: Flags, batch: Batch) -> Batch:
    mine = _texts(batch[KEY])
    at = np.minimum(np.searchsorted(keys, mine), len(keys) - 1)
    here = keys[at] == mine
    return {POSITION: np.where(here, to[at], batch[POSITION]), OUT: batch[OUT] | (here & out[at])}


def _texts(key: Words) -> npt.NDArray[np.bytes_]:
    """See the two words of each record as one value that can be compared."""
    return np.ascontiguousarray(key.astype(">u8")).view("S16").reshape(-1)
