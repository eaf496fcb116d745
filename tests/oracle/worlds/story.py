"""A story: some people, when they are there, what may be true of them, and what is promised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from math import prod
from typing import NamedTuple

import anachron as an

__all__ = ["Person", "Record", "Slot", "Story", "World"]

World = tuple[str, ...]
"""The value of each slot."""


@dataclass(frozen=True)
class Person:
    """Somebody, as far as the adversary knows them."""

    name: str
    quasi: tuple[int | str, ...]
    present: tuple[int, ...] = (0,)
    """The snapshots they are in."""
    fresh: tuple[int, ...] = ()
    """The snapshots in which their value may be another than before."""
    may: tuple[str, ...] | None = None
    """Which values they may have at first; any of the story, if nothing is said."""
    later: tuple[str, ...] | None = None
    """Which they may have where it may be another."""
    arrives: Mapping[int, int] = field(default_factory=dict)
    """Of a feed: with which push their record of a snapshot comes, if it comes late."""


class Slot(NamedTuple):
    """A value that somebody has from a snapshot on."""

    person: int
    start: int
    may: tuple[str, ...]


class Record(NamedTuple):
    """A row: somebody in a snapshot."""

    person: int
    at: int
    push: int
    slot: int


@dataclass(frozen=True)
class Story:
    """Everything the adversary knows before anything is published."""

    name: str
    promise: an.MInvariance | an.Reposition | an.KPAnonymity | an.TimeGranularity
    people: tuple[Person, ...]
    values: tuple[str, ...]
    columns: tuple[str, ...] = ("age",)
    times: tuple[str, ...] = ()
    """Of series, the names of the times: their quasi values are the series."""
    dealt: tuple[str, ...] = ()
    """If it is known which values there are at first, and only not who has which: these. Without
    ``values``, later ones are dealt too."""
    by_wave: bool = False
    """Whether that is known of the people who come together, one wave after the other."""
    named: bool = False
    """Of a register: whether its releases have names, so that there is one whatever is in it."""
    even: bool = True
    """Whether a chance is promised; else, of a register, only that m values remain possible while
    nothing is refused."""

    refusals_tell: bool = False
    """Of a register: whether it depends on unknown values of new people that nothing is published,
    because too many share one. That tells something of them, as is said; so nothing is promised
    after it."""

    finest: bool = False
    """Of a feed with intervals: whether cells are as small as can be, whatever is left out then.
    So few people would not be parted otherwise."""

    @cached_property
    def snapshots(self) -> int:
        return 1 + max(at for person in self.people for at in person.present)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(
            Slot(i, start, (person.may if first else person.later) or self.values)
            for i, person in enumerate(self.people)
            for first, start in _starts(person)
        )

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All rows, by snapshot and person."""
        last = {}
        for number, slot in enumerate(self.slots):
            for at in self.people[slot.person].present:
                if at >= slot.start:
                    last[at, slot.person] = number
        return tuple(
            Record(who, at, self.people[who].arrives.get(at, at), slot)
            for (at, who), slot in sorted(last.items())
        )

    @cached_property
    def bound(self) -> Fraction:
        """What is promised: the largest chance of guessing somebody's value."""
        promise = self.promise
        if isinstance(promise, an.Reposition):
            then = promise.then
            return Fraction(1, then.m) if isinstance(then, an.MInvariance) else 1 / promise.l
        if isinstance(promise, an.MInvariance):
            return Fraction(1, promise.m)
        if isinstance(promise, an.KPAnonymity):
            return Fraction(1, promise.l or promise.P)
        return promise.max_share or Fraction(1, promise.k)

    @cached_property
    def on_time(self) -> bool:
        """Whether it is promised to those only whose record is published in its own snapshot."""
        return isinstance(self.promise, an.Reposition)

    def worlds(self) -> Iterator[World]:
        """All that may be true; how likely each is, ``likely`` says."""
        firsts = [
            not self.values or slot.start == self.people[slot.person].present[0]
            for slot in self.slots
        ]
        begin = product(*(s.may for s, first in zip(self.slots, firsts, strict=True) if first))
        if self.dealt:
            starts = [s.start for s, first in zip(self.slots, firsts, strict=True) if first]
            begin = list(self._dealt(starts))
        later = [s.may for s, first in zip(self.slots, firsts, strict=True) if not first]
        for had, has in product(begin, list(product(*later))):
            then, now = iter(had), iter(has)
            world = tuple(next(then) if first else next(now) for first in firsts)
            if self._possible(world):
                yield world

    def _dealt(self, starts: Sequence[int]) -> Iterator[World]:
        """All ways to deal the known values to those who have one from these snapshots on."""
        if not self.by_wave:
            yield from sorted(set(permutations(self.dealt, len(starts))))
            return
        left, waves = list(self.dealt), []
        for start in sorted(set(starts)):
            size = starts.count(start)
            waves.append(sorted(set(permutations(left[:size]))))
            left = left[size:]
        for chosen in product(*waves):
            hands = {
                start: iter(hand) for start, hand in zip(sorted(set(starts)), chosen, strict=True)
            }
            yield tuple(next(hands[start]) for start in starts)

    def likely(self, world: World) -> Fraction:
        """How likely a world is, up to a factor: a value becomes any that it can as easily."""
        ways = (
            sum(self._becomes(world[i - 1], value) for value in self.slots[i].may)
            for i in self._later
        )
        return Fraction(1, prod(ways)) if self._changes else Fraction(1)

    def _possible(self, world: World) -> bool:
        return all(self._becomes(world[i - 1], world[i]) for i in self._later)

    def _becomes(self, before: str, after: str) -> bool:
        return not self._changes or after == before or after in self._changes.get(before, ())

    @cached_property
    def _later(self) -> list[int]:
        """The slots that somebody has after another one."""
        return [
            i for i, slot in enumerate(self.slots) if i and self.slots[i - 1].person == slot.person
        ]

    @cached_property
    def _changes(self) -> dict[str, Sequence[str]]:
        return dict(getattr(self.promise, "changes", ()))


def _starts(person: Person) -> Iterator[tuple[bool, int]]:
    yield True, person.present[0]
    yield from ((False, at) for at in person.fresh)
