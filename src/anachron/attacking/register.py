"""What the releases of a register showed of everyone, one release after the other.

The ledger says who stood in which group of which release; where a release is at hand, the values
of a group are those that it published, and else those that the ledger remembers. The attacks on
registers all start from here: they try at once, for everyone, what an adversary could try who
knows in which group a person stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.hosts import signatures_of
from anachron.auditing.evidence.register import (
    Book,
    RegisterState,
    found_in,
    register_state,
)
from anachron.auditing.history import History
from anachron.auditing.reading.columns import places
from anachron.release.read import Release

__all__ = ["Registered", "Seen", "Slots", "registered"]


@dataclass(frozen=True, eq=False)
class Seen:
    """What one release showed: one place for everyone who is in it."""

    person: Array
    """As a place among everyone who was ever published."""
    value: Array
    """The sensitive value, as a number of the book; -1 if it is none of those remembered."""
    signature: Array
    """The set of values of the person's group, as a number of the book."""
    group: Array
    """Counted from 0, within the release."""
    new: Flags
    """Whether the person was never published before."""
    formed: Flags
    """Whether the person's group did not stand before; always, where groups do not stay."""

    def take(self, rows: Array) -> Seen:
        """Some of the people."""
        return Seen(*(getattr(self, one.name)[rows] for one in fields(self)))


@dataclass(frozen=True, eq=False)
class Slots:
    """Signatures and their values side by side: one slot for each value of each signature."""

    start: Array
    """Where the slots of each signature begin, and after the last one where they end."""
    value: Array

    @classmethod
    def of(cls, signatures: Sequence[frozenset[int]]) -> Slots:
        """Lay signatures side by side, each in ascending order."""
        start = np.cumsum([0, *(len(one) for one in signatures)])
        value = [value for one in signatures for value in sorted(one)]
        return cls(start, np.array(value, dtype=np.int64))

    @cached_property
    def owner(self) -> Array:
        """The signature of each slot."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def find(self, signature: Array, value: Array) -> Array:
        """The slot of each pair of a signature and a value of it; -1 where there is none."""
        width = int(max(self.value.max(initial=0), value.max(initial=0))) + 2
        return places(self.owner * width + self.value, signature * width + value)


@dataclass(frozen=True, eq=False)
class Registered:
    """A history of releases of a register."""

    subject: pa.Array
    """The pseudonym of everyone who was ever published, ascending."""
    book: Book
    """What signatures and values stand for. The numbers of values are those of the method."""
    seen: tuple[Seen, ...]
    """Oldest release first."""

    @property
    def values(self) -> int:
        """How many sensitive values there are."""
        return len(self.book.texts)

    @cached_property
    def slots(self) -> Slots:
        """The values of all signatures."""
        return Slots.of(self.book.signatures)


def registered(release: Release, past: History) -> Registered | None:
    """Gather the history of a register up to a release; None if it cannot be read."""
    book = Book()
    # The last state first: it knows all values, by the numbers that the method gave them.
    last = register_state(past.state, book)
    earlier = [register_state(table, book) for table in past.before]
    states = [state for state in (*earlier, last) if state is not None]
    if last is None or len(states) <= len(earlier):
        return None
    at_hand = {one.number: one for one in (*past.releases, release)}
    value = np.append(_values_of_marks(past, book), -1)
    seen: list[Seen] = []
    before: RegisterState | None = None
    for number, state in enumerate(states, release.number - len(earlier)):
        signature = signatures_of(at_hand.get(number), state, book)
        seen.append(_seen(state, before, last, value, signature))
        before = state
    return Registered(last.subject, book, tuple(seen))


def _seen(
    state: RegisterState,
    before: RegisterState | None,
    last: RegisterState,
    value: Array,
    signature: Array,
) -> Seen:
    """What a release showed, by the states with it, before it and in the end."""
    present = state.present
    subject = state.subject.take(pa.array(present))
    met, stood = (np.zeros(len(present), dtype=bool) for _ in range(2))
    if before is not None:
        met = found_in(subject, before.subject) >= 0
        standing = state.standing[present]
        stood = (standing >= 0) & np.isin(standing, before.standing)
    return Seen(
        found_in(subject, last.subject),
        value[state.mark[present]],
        signature,
        state.group[present] - 1,
        ~met,
        ~stood,
    )


def _values_of_marks(past: History, book: Book) -> Array:
    """The number of the value behind each mark; -1 for one that is behind none."""
    marks = book.marks_of(past.marks(pa.array(list(book.texts), pa.string())))
    of_mark = np.full(len(book.marks), -1, dtype=np.int64)
    of_mark[marks] = np.arange(len(marks))
    return of_mark
