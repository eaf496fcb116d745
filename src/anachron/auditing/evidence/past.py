"""The states of a release of a register and of those before it, laid against what was published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array
from anachron.auditing.evidence.hosts import Hosts
from anachron.auditing.evidence.lifespans import (
    Candidates,
    Crossing,
    Narrowed,
    Sighting,
    Step,
    candidates_left,
    crossing,
    narrow,
    step_between,
)
from anachron.auditing.evidence.modes import pairs_of
from anachron.auditing.evidence.register import (
    Book,
    OneState,
    RegisterState,
    found_in,
    parts_of,
)
from anachron.guarantees import MInvariance

__all__ = ["EarlierState", "PastStates", "past_states"]


@dataclass(frozen=True, eq=False)
class PastStates:
    """What the states of a history tell together."""

    book: Book
    memory: OneState
    """What is remembered with the release."""
    last: OneState | None
    """The same of the release directly before."""
    parts: int
    """In how many pieces states are looked at."""
    hosts: Hosts
    steps: tuple[Step, ...]
    """From each state to the next, the oldest first."""
    candidates: Candidates
    crossing: Crossing
    listed: Array
    """How often each signature of the book is remembered of somebody."""
    disagreeing: tuple[int, ...]
    """The numbers of earlier releases that are not as remembered."""
    compared: int
    """How many earlier releases were at hand."""
    number: int
    """Of this release."""

    @property
    def first(self) -> bool:
        """Whether this is the first release of its history."""
        return self.number == 1

    @property
    def numbered(self) -> Iterator[tuple[int, Step]]:
        """The steps, each with the number of the release that it led to."""
        return enumerate(self.steps, self.number - len(self.steps) + 1)


@dataclass(frozen=True, eq=False)
class EarlierState:
    """What was remembered with an earlier release, and published."""

    number: int
    memory: OneState
    is_there: bool
    """Whether the release is at hand."""
    hosts: Hosts | None = None
    """None if it is not, or not as it must be."""

    @property
    def disagrees(self) -> bool:
        """Whether the release is not as remembered."""
        return self.is_there and (self.hosts is None or bool(self.hosts.differing))


def past_states(
    memory: OneState,
    hosts: Hosts,
    earlier: Iterable[EarlierState],
    promise: MInvariance,
    number: int,
) -> PastStates:
    """Lay all states together, one after the other: a long history has many."""
    parts = parts_of(memory.people)
    sets: list[Narrowed] = [{} for _ in range(parts)]
    steps: list[Step] = []
    compared, disagreeing = 0, list[int]()
    last: OneState | None = None
    for before in earlier:
        found = _compared(sets, memory, hosts, before, last)
        steps += [] if last is None else [found]
        last = before.memory
        compared += before.is_there
        disagreeing += [before.number] if before.disagrees else []
    book = memory.book
    left, crossed, of_now = [], [], []
    listed = np.zeros(len(book.signatures), dtype=np.int64)
    for some, (now, old) in zip(sets, pairs_of(memory, last, parts), strict=True):
        left.append(candidates_left(_sighted(now, hosts), some, promise.m, book))
        crossed.append(crossing(now, book))
        for numbers in (now.signature, now.earlier):
            listed += np.bincount(numbers, minlength=len(listed))
        if old is not None:
            of_now.append(step_between(old, now, found_in(old.subject, now.subject)))
    return PastStates(
        book=book,
        memory=memory,
        last=last,
        parts=parts,
        hosts=hosts,
        steps=(*steps, *([Step.together(of_now)] if of_now else [])),
        candidates=Candidates.together(left),
        crossing=Crossing.together(crossed),
        listed=listed,
        disagreeing=tuple(disagreeing),
        compared=compared,
        number=number,
    )


def _compared(
    sets: Sequence[Narrowed],
    memory: OneState,
    hosts: Hosts,
    before: EarlierState,
    last: OneState | None,
) -> Step:
    """Narrow the sets of everyone by an earlier release, and look at the step that led to it."""
    found, parts = [], len(sets)
    pieces = zip(memory.pieces(parts), pairs_of(before.memory, last, parts), strict=True)
    for some, (now, (then, old)) in zip(sets, pieces, strict=True):
        place = found_in(then.subject, now.subject)
        narrow(some, _sighted(now, hosts), _sighted(then, before.hosts), place, memory.book)
        if old is not None:
            found.append(step_between(old, then, found_in(old.subject, then.subject)))
    return Step.together(found)


def _sighted(state: RegisterState, hosts: Hosts | None) -> Sighting:
    """Everyone's set of values: as published, or as remembered of those who are not in it."""
    return Sighting(state, state.signature if hosts is None else hosts.published.of_everyone(state))
