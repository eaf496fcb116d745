"""Play a feed: push after push, and the end, in one world."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.making.conduct import courses, run
from anachron.making.course import Work
from anachron.methods.reposition import cells, deal
from tests.oracle.worlds.desk import Book, Desk, Seen, opened, watched
from tests.oracle.worlds.lots import Lots, answering, every_run
from tests.oracle.worlds.play import (
    HIDDEN,
    REFUSED,
    SHOWN,
    Ending,
    Names,
    Player,
    matters,
    names_of,
    quiet,
    refusing,
)
from tests.oracle.worlds.story import Record, Story, World
from tests.oracle.worlds.tables import Held

__all__ = ["Feed"]

_DAY = 86_400_000_000
_MONDAY = 19_849 * _DAY
"""6 May 2024: the first snapshot, in microseconds since 1970."""
_NOWHERE = Path()
_OUT = "out"
"""Notes a snapshot that was published."""


class Feed(Player):
    """Feeds that are pushed snapshot by snapshot, and then end."""

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self._names = list(names_of(story))
        self._played: dict[object, list[tuple[_Push, Fraction]]] = {}
        self._plans: dict[object, frozenset[Hashable]] = {}
        self.schema = an.Schema(subject="who", time="day", quasi=story.columns, sensitive="ill")
        promise = story.promise
        assert isinstance(promise, an.Reposition)
        self._composed = isinstance(promise.then, an.MInvariance)
        self._returns = len({r.person for r in story.records}) < len(story.records)
        pushes = {r.push for r in story.records}
        self._pushes: list[int | None] = [*sorted(pushes), None]

    def all_endings(self, world: World) -> Iterator[tuple[Ending, Fraction]]:
        for names, chance in self._names:
            for keys, share in self._keys(world, names):
                yield from self._continued(
                    _Told(world, names, keys), 0, Book(), (), frozenset(), chance * share
                )

    def _keys(self, world: World, names: Names) -> Iterator[tuple[_Keys, Fraction]]:
        """All draws that can make a difference.

        Who of one home and value moves is drawn only where some do and others do not; who is
        dealt into which group of anatomy, among those of one value in one published snapshot.
        How its groups are numbered, where some came late, is drawn when it is asked for.
        """
        records = self.story.records
        value = [world[r.slot] for r in records]
        homes = [(r.at, v) for r, v in zip(records, value, strict=True)]
        moves: Sequence[Hashable] = homes
        if self._returns and self.story.promise.window > 1:
            # Records of one person may meet in a snapshot, and change places; else ranks are
            # compared only among those of one home and value.
            moves = value
        elif not self._composed and not self._returns:
            parted = self._parted(world, names, homes)
            moves = [h if h in parted else i for i, h in enumerate(homes)]
        for first, chance in every_run(lambda lots: _shuffled(lots, moves)):
            if self.story.promise.then != "anatomy":
                yield _Keys(records, first), chance
                continue
            where = self._places(_Told(world, names, _Keys(records, first)))
            published = enumerate(zip(where, value, strict=True))
            deals = [i if there is None else (there, v) for i, (there, v) in published]
            for second, share in every_run(lambda lots: _shuffled(lots, deals)):  # noqa: B023
                yield _Keys(records, first, second), chance * share

    def _parted(self, world: World, names: Names, homes: Sequence[Hashable]) -> frozenset[Hashable]:
        """The homes and values of which some move and others do not.

        By anatomy a feed is planned on counts of what arrives when: whoever it is that has a value,
        it is the same ones. Intervals leave people out by their quasi values, too.
        """
        arrived = Counter(zip(homes, (r.push for r in self.story.records), strict=True))
        same = frozenset(arrived.items()) if self.story.promise.then == "anatomy" else world
        if same not in self._plans:
            where = self._places(_Told(world, names, _Keys(self.story.records)))
            found = list(zip(homes, where, strict=True))
            self._plans[same] = frozenset(
                home for home, there in found for other, place in found
                if other == home and place != there
            )  # fmt: skip
        return self._plans[same]

    def _places(self, told: _Told) -> list[object]:
        """The snapshot in which each record is published, which hangs on the first word alone.

        None for those that are left out, with or without their whole snapshot.
        """
        book, noted = Book(), set[object]()
        for number in range(len(self._pushes)):
            push = self._pushed(told, number, book)[0][0]
            noted |= push.noted
            book = push.book
            if push.refused:
                break
        elsewhere = {mark: there for mark, there in noted if mark != _OUT}
        homes = [_home(r) if (_OUT, _home(r)) in noted else None for r in self.story.records]
        marks = map(told.mark, self.story.records)
        return [elsewhere.get(mark, home) for mark, home in zip(marks, homes, strict=True)]

    def _continued(
        self, told: _Told, number: int, book: Book, seen: tuple[Seen, ...],
        noted: frozenset[object], chance: Fraction,
    ) -> Iterator[tuple[Ending, Fraction]]:  # fmt: skip
        if number == len(self._pushes):
            yield self._ended(told, seen, noted), chance
            return
        for push, share in self._pushed(told, number, book):
            all_seen, all_noted = (*seen, push.seen), noted | push.noted
            if push.refused:
                yield self._ended(told, all_seen, all_noted), chance * share
                continue
            yield from self._continued(
                told, number + 1, push.book, all_seen, all_noted, chance * share
            )

    def _pushed(self, told: _Told, number: int, book: Book) -> list[tuple[_Push, Fraction]]:
        """All that a push may come to; the same push on the same book is made only once."""
        rows = tuple(
            (told.world[r.slot], told.keys.of(r))
            for r in self.story.records
            if r.push == self._pushes[number]
        )
        key = (tuple(told.names.items()), number, rows, book.content)
        if key not in self._played:
            merged: dict[object, tuple[_Push, Fraction]] = {}
            for push, share in every_run(lambda lots: self._push(told, number, book, lots)):
                same = (push.seen, push.noted, push.refused, push.book.content)
                merged[same] = push, merged.get(same, (push, Fraction(0)))[1] + share
            self._played[key] = list(merged.values())
        return self._played[key]

    def ending(self, world: World, rng: random.Random, full: bool = False) -> Ending:
        names, _ = self._names[rng.randrange(len(self._names))]
        lots, records = Lots(rng=rng), self.story.records
        value = [0 if full else world[r.slot] for r in records]
        told = _Told(world, names, _Keys(records, lots.order(value), lots.order(value)))
        book, seen, noted = Book(), (), frozenset[object]()
        for number in range(len(self._pushes)):
            push = self._push(told, number, book, lots, full)
            book, seen, noted = push.book, (*seen, push.seen), noted | push.noted
            if push.refused:
                break
        return self._ended(told, seen, noted)

    def _push(self, told: _Told, number: int, book: Book, lots: Lots, full: bool = False) -> _Push:
        desk, looked = [Desk(book, told.names)], []
        person = {told.names[p.name]: i for i, p in enumerate(self.story.people)}
        now = {r.person: told.world[r.slot] for r in self.story.records}

        def answer(purpose: str, subjects: np.ndarray, rows: Sequence[bytes] | None) -> list[int]:
            who = [person.get(mark.tobytes(), -1) for mark in subjects]
            return lots.order([0] * len(who) if full else matters(purpose, who, now, 2))

        def numbers(group: np.ndarray, _lot: np.ndarray) -> np.ndarray:
            return np.array(lots.order([0] * (int(group.max()) + 1)))

        at = self._pushes[number]
        table = None if at is None else self._table(told, at)
        work = Work(self.schema, self.story.promise, False, quiet)
        lost = Fraction(1) if self.story.finest else cells.LOST
        with (
            answering(answer, lots),
            watched(looked),
            opened(desk, told.names),
            patch.object(cells, "LOST", lost),
            patch.object(deal, "lots_of_groups", numbers),
        ):
            refused = refusing(
                lambda: run(work, courses(work, table, end=at is None), _NOWHERE, _NOWHERE)
            )
        noted = {mark for state in desk[0].states for mark in _noted(state)}
        seen = (*looked, REFUSED) if refused else tuple(looked)
        return _Push(seen, frozenset(noted), refused, desk[0].book)

    def _table(self, told: _Told, push: int) -> Held:
        rows = [r for r in self.story.records if r.push == push]
        people = [self.story.people[r.person] for r in rows]
        quasi = zip(*(p.quasi for p in people), strict=True)
        columns = dict(zip(self.story.columns, quasi, strict=True))
        return Held(
            self.schema,
            [p.name for p in people],
            {**columns, "ill": [told.world[r.slot] for r in rows]},
            [_MONDAY + r.at * _DAY for r in rows],
            np.array([told.keys.of(r) for r in rows], dtype=np.uint64),
        )

    def _ended(self, told: _Told, seen: tuple[Seen, ...], noted: frozenset[object]) -> Ending:
        """Whose record is in its own snapshot, as the ledger has it."""
        fates = []
        for r in self.story.records:
            if self._composed:
                mark = (told.names[self.story.people[r.person].name], _MONDAY + r.at * _DAY)
                fates.append(SHOWN if mark in noted else HIDDEN)
            else:
                elsewhere = {mark for mark, _ in noted}
                out = (_OUT, _MONDAY + r.at * _DAY) in noted
                fates.append(SHOWN if out and told.mark(r) not in elsewhere else HIDDEN)
        return Ending(seen, tuple(fates))


@dataclass(frozen=True)
class _Told:
    """What is true and drawn beforehand."""

    world: World
    names: Names
    keys: _Keys

    def mark(self, record: Record) -> bytes:
        """A record as the ledger knows it."""
        return np.array(self.keys.of(record), dtype=">u8").tobytes()


@dataclass(frozen=True)
class _Push:
    """What a push came to."""

    seen: Seen
    noted: frozenset[object]
    refused: bool
    book: Book


def _noted(state: pa.Table) -> Iterator[object]:
    """Who is elsewhere, and where; of an m-invariant release, who is in it, and since when."""
    if "record" in state.column_names:
        yield from zip(state["record"].to_pylist(), state["snapshot"].to_pylist(), strict=True)
        bounds = json.loads(state.schema.metadata[b"anachron"])["snapshots"]
        yield from ((_OUT, start) for start, _ in bounds)
        return
    columns = (state[name].to_pylist() for name in ("subject", "home", "group"))
    yield from ((who, home) for who, home, group in zip(*columns, strict=True) if group is not None)


def _shuffled(lots: Lots, classes: Sequence[Hashable]) -> list[int]:
    """Draw a place for each; those of one class share the places that they have anyway.

    So one of the draws changes nothing, and what was played before need not be played again.
    """
    rank = lots.order(classes)
    members: dict[Hashable, list[int]] = {}
    for member, of in enumerate(classes):
        members.setdefault(of, []).append(member)
    place = [0] * len(classes)
    for here in members.values():
        for member, at in zip(sorted(here, key=rank.__getitem__), here, strict=True):
            place[member] = at
    return place


def _home(record: Record) -> int:
    return _MONDAY + record.at * _DAY


class _Keys:
    """The two keyed hashes of each record, by which lots are drawn: who moves, who is grouped."""

    def __init__(
        self, records: Sequence[Record], first: Sequence[int] = (), second: Sequence[int] = ()
    ) -> None:
        usual = range(len(records))
        keys = zip(first or usual, second or usual, strict=True)
        self._keys = dict(zip(records, keys, strict=True))

    def of(self, record: Record) -> tuple[int, int]:
        return self._keys[record]
