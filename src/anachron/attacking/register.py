"""What the releases of a register showed of everyone, one release after the other.

The ledger says who stood in which group of which release; where a release is at hand, the values
of a group are those that it published, and else those that the ledger remembers. The attacks on
registers all start from here: they try at once, for everyone, what an adversary could try who
knows in which group a person stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.register import (
    Book,
    RegisterState,
    found_in,
    register_state,
    signatures_of,
)
from anachron.auditing.history import History
from anachron.release.read import Release

__all__ = ["Registered", "Seen", "registered"]


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


def registered(release: Release, past: History) -> Registered | None:
    """Gather the history of a register up to a release; None if it cannot be read."""
    book = Book()
    # The last state first: it knows all values, by the numbers that the method gave them.
    state = register_state(past.state, book)
    states = [register_state(table, book) for table in past.before]
    if state is None or any(one is None for one in states):
        return None
    at_hand = {release.number: release for release in (*past.releases, release)}
    first = release.number - len(states)
    of_mark = _values_of_marks(past, book)
    return Registered(
        state.subject,
        book,
        tuple(_all_seen([*states, state], at_hand, first, of_mark, state, book)),
    )


def _all_seen(
    states: list[RegisterState | None],
    at_hand: dict[int, Release],
    first: int,
    of_mark: Array,
    last: RegisterState,
    book: Book,
) -> Iterator[Seen]:
    before: RegisterState | None = None
    for number, state in enumerate(states, first):
        assert state is not None  # noqa: S101 (looked at before)
        present = state.present
        subject = state.subject.take(pa.array(present))
        met, stood = (np.zeros(len(present), dtype=bool) for _ in range(2))
        if before is not None:
            met = found_in(subject, before.subject) >= 0
            standing = state.standing[present]
            stood = (standing >= 0) & np.isin(standing, before.standing)
        yield Seen(
            found_in(subject, last.subject),
            np.append(of_mark, -1)[state.mark[present]],
            signatures_of(at_hand.get(number), state, book),
            state.group[present] - 1,
            ~met,
            ~stood,
        )
        before = state


def _values_of_marks(past: History, book: Book) -> Array:
    """The number of the value behind each mark; -1 for one that is behind none."""
    marks = book.marks_of(past.marks(pa.array(list(book.texts), pa.string())))
    of_mark = np.full(len(book.marks), -1, dtype=np.int64)
    of_mark[marks] = np.arange(len(marks))
    return of_mark
