"""Play a story: run the publisher in a world, and tell what may be seen and how likely it is."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np

import anachron as an
from anachron.errors import AnachronError, InternalError
from anachron.making.conduct import courses, make
from anachron.making.course import Work
from tests.oracle.worlds.desk import Book, Desk, Seen, watched
from tests.oracle.worlds.lots import Lots, answering, every_run
from tests.oracle.worlds.story import Story, World
from tests.oracle.worlds.tables import Held

__all__ = [
    "REFUSED",
    "Ending",
    "Names",
    "Player",
    "Register",
    "matters",
    "names_of",
    "quiet",
    "refusing",
]

REFUSED = ("refused",)
"""What is seen when nothing is published."""
AGAIN = ("nothing new",)
"""What is seen when the table is that of the last release, which is given again."""
SHOWN, HIDDEN = "shown", "hidden"
"""What became of a record, which nobody is told: published in its own snapshot, or not."""

Names = dict[str, bytes]


@dataclass(frozen=True)
class Ending:
    """How a story ended: what everybody saw, and what became of the record of each row."""

    seen: tuple[Seen, ...]
    fates: tuple[str, ...]


class Player:
    """Plays a story in any of its worlds; one for each kind of promise."""

    def __init__(self, story: Story) -> None:
        self.story = story

    def all_endings(self, world: World) -> Iterator[tuple[Ending, Fraction]]:
        """All endings of a world, each with its probability."""
        raise NotImplementedError

    def ending(self, world: World, rng: random.Random, full: bool = False) -> Ending:
        """An ending of a world, lots as they fall; ``full``: in every order there is."""
        raise NotImplementedError


def quiet(what: str, done: float) -> None:
    """Tell nobody."""


def names_of(story: Story) -> Iterator[tuple[Names, Fraction]]:
    """Pseudonyms that people may have.

    For m-invariance they are lots too, among people whose quasi values are the same: all orders.
    """
    drawn = isinstance(getattr(story.promise, "then", story.promise), an.MInvariance)
    alike: dict[Hashable, list[str]] = defaultdict(list)
    for person in story.people:
        alike[person.quasi if drawn else person.name].append(person.name)
    orders = [list(permutations(group)) for group in alike.values()]
    chance = Fraction(1, prod(map(len, orders)))
    for chosen in product(*orders):
        given = {}
        for group, order in zip(alike.values(), chosen, strict=True):
            marks = sorted(hashlib.sha256(name.encode()).digest() for name in group)
            given |= dict(zip(order, marks, strict=True))
        yield given, chance


def refusing(run: Callable[[], object]) -> bool:
    """Tell whether a run refuses; a mistake of ours is none."""
    try:
        run()
    except InternalError:
        raise
    except AnachronError:
        return True
    return False


@dataclass(frozen=True)
class _Step:
    seen: Seen
    shown: frozenset[int]
    book: Book


class Register(Player):
    """Registers that are released again and again, and tables of series that are released once."""

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self._names = list(names_of(story))
        self._played: dict[object, list[tuple[_Step, Fraction]]] = {}

    def all_endings(self, world: World) -> Iterator[tuple[Ending, Fraction]]:
        for number, (names, chance) in enumerate(self._names):
            yield from self._continued(world, number, names, 0, Book(), (), (), chance)

    def _continued(
        self, world: World, number: int, names: Names, at: int, book: Book,
        seen: tuple[Seen, ...], fates: tuple[str, ...], chance: Fraction,
    ) -> Iterator[tuple[Ending, Fraction]]:  # fmt: skip
        if at == self.story.snapshots:
            yield Ending(seen, fates), chance
            return
        now = {r.person: world[r.slot] for r in self.story.records if r.at == at}
        key = (number, at, book.content, tuple(now.items()))
        if key not in self._played:
            merged: dict[object, tuple[_Step, Fraction]] = {}
            for step, share in every_run(lambda lots: self._step(at, now, names, book, lots)):
                same = (step.seen, step.shown, step.book.content)
                merged[same] = step, merged.get(same, (step, Fraction(0)))[1] + share
            self._played[key] = list(merged.values())
        for step, share in self._played[key]:
            yield from self._continued(
                world, number, names, at + 1, step.book, (*seen, step.seen),
                (*fates, *(SHOWN if p in step.shown else HIDDEN for p in now)), chance * share,
            )  # fmt: skip

    def ending(self, world: World, rng: random.Random, full: bool = False) -> Ending:
        names, _ = self._names[rng.randrange(len(self._names))]
        book, seen, fates = Book(), [], []
        for at in range(self.story.snapshots):
            now = {r.person: world[r.slot] for r in self.story.records if r.at == at}
            step = self._step(at, now, names, book, Lots(rng=rng), full)
            book = step.book
            seen.append(step.seen)
            fates += [SHOWN if p in step.shown else HIDDEN for p in now]
        return Ending(tuple(seen), tuple(fates))

    def _step(
        self, at: int, now: dict[int, str], names: Names, book: Book, lots: Lots,
        full: bool = False,
    ) -> _Step:  # fmt: skip
        desk, looked = Desk(book, names), []
        person = {names[self.story.people[p].name]: p for p in now}
        known = set() if book.state is None else set(book.state["subject"].to_pylist())
        new = [now[p] for mark, p in person.items() if mark not in known]

        def answer(purpose: str, subjects: np.ndarray, rows: Sequence[bytes] | None) -> list[int]:
            who = [person.get(mark.tobytes(), -1) for mark in subjects]
            if purpose.startswith("halves") and not full:
                return lots.aside(len(who))
            if full:
                return lots.order([0] * len(who))
            if purpose == "settle" and rows is None and self._draws:
                return lots.order(range(len(who)))  # everybody by themselves
            if purpose == "assign" and getattr(self.story.promise, "values", ()):
                return lots.order(self._values_of(rows, new))
            return lots.order(matters(purpose, who, now, len(new)))

        idle = (lambda _purpose, _n: False) if full else self._idle
        with answering(answer, lots, idle), watched(looked):
            work = Work(
                self.schema, self.story.promise, False, quiet,
                as_of=f"release {at}" if self.story.named else None,
            )  # fmt: skip
            [course] = courses(work, self._table(now), end=True)
            refused = refusing(lambda: make(course, work, desk))
        seen = REFUSED if refused else looked[0] if desk.book is not book else AGAIN
        return _Step(seen, self._shown(desk, person, refused), desk.book)

    @property
    def _draws(self) -> bool:
        return getattr(self.story.promise, "mode", "paper") != "paper"

    def _idle(self, purpose: str, n: int) -> bool:
        """Whether a new set has all values that are free, and can be: fewer than 2 m.

        With ``changes`` they are all drawn; without, the others beside the person's own.
        """
        promise = self.story.promise
        if not isinstance(promise, an.MInvariance):
            return False
        return n + (purpose == "changed" and not promise.changes) < 2 * promise.m

    def _values_of(self, rows: Sequence[bytes] | None, new: Sequence[str]) -> list[Hashable]:
        """Of declared values, which are numbered in their order, those that new people have."""
        code = {value: number for number, value in enumerate(sorted(self.story.promise.values))}
        used = {code[value] for value in new} if len(new) > 1 else set()
        numbers = [int.from_bytes(row, "big") for row in rows or ()]
        return [0 if number in used else (number,) for number in numbers]

    def _shown(self, desk: Desk, person: dict[bytes, int], refused: bool) -> frozenset[int]:
        state = desk.book.state
        if refused or state is None:
            return frozenset()
        there = state["group"].is_valid().to_pylist()
        marks = state["subject"].to_pylist()
        return frozenset(
            person[m] for m, here in zip(marks, there, strict=True) if here and m in person
        )

    @property
    def schema(self) -> an.Schema:
        if self.story.times:
            return an.Schema(subject="who", series=self.story.times, sensitive="ill")
        return an.Schema(subject="who", quasi=self.story.columns, sensitive="ill")

    def _table(self, now: dict[int, str]) -> Held:
        people = [self.story.people[p] for p in now]
        names = self.story.times or self.story.columns
        columns = dict(zip(names, zip(*(p.quasi for p in people), strict=True), strict=True))
        return Held(self.schema, [p.name for p in people], {**columns, "ill": list(now.values())})


def matters(
    purpose: str, who: Sequence[int], now: Mapping[int, str], new: int
) -> Sequence[Hashable]:
    """Among whom the order of a draw matters: who has the same, in the same class."""
    if purpose == "assign":  # of values, among new people
        return [0] * len(who) if new > 1 else range(len(who))
    if purpose == "choose":  # whom of those with one value
        return [now[p] for p in who]
    if purpose == "series":  # decides ties, and no two series are the same
        return range(len(who))
    return [0] * len(who)
