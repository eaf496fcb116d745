"""What the owner of a register can show to an audit beside the rows: its past."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, overload

import numpy as np
import pyarrow as pa

from anachron.arrays import Words
from anachron.auditing.reading.columns import notes_of
from anachron.errors import ReleaseError
from anachron.ledger import Entry
from anachron.release.fetching import OutOfReach
from anachron.release.read import Release
from anachron.streamed import Streamed

__all__ = [
    "Books",
    "FeedPast",
    "History",
    "Past",
    "Remembering",
    "TablePast",
    "books_of",
    "remembered",
    "still_there",
]

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Books:
    """What a ledger holds of a feed as it stands now: enough to count all its records again."""

    memory: pa.Table
    """What is remembered between two pushes: what waits, the plan for it, and the account."""
    releases: Sequence[Release | None]
    """All releases, oldest first; None for one that is lost or damaged."""
    states: Sequence[Streamed]
    """What is remembered with each of them."""
    secret: bytes
    """With which rows are hashed."""
    pseudonyms: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of each subject."""

    @property
    def waiting(self) -> pa.Table:
        """The records that wait: the rows of the memory that are not of barred people."""
        if "barred" not in self.memory.column_names:
            return self.memory
        return self.memory.filter(self.memory["barred"].is_null())

    @property
    def dropped(self) -> Words | None:
        """The hashes of all that came late and was dropped; None if not all of it was listed."""
        said = notes_of(self.memory)
        if "dropped" not in said or said.get("account", {"begins": 0})["begins"] is not None:
            return None
        words = np.frombuffer(bytes.fromhex(said["dropped"]), ">u8").reshape(-1, 2)
        return np.unique(words.astype(np.uint64), axis=0)


@dataclass(frozen=True, eq=False)
class History:
    """The past of a release of a register, as the ledger remembers it."""

    state: Streamed
    """What is remembered with this release: one row for everyone who was ever published."""
    before: Sequence[Streamed]
    """The same of the releases directly before it, oldest first; as many as are at hand."""
    releases: tuple[Release, ...]
    """Earlier releases that are still there, oldest first."""
    pseudonyms: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of each subject."""
    marks: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of the text of each sensitive value."""
    books: Books | None = None
    """Of a feed that is published m-invariantly: its books."""
    feed: pa.Table | None = None
    """Likewise what it remembers, as the books have it, or before the release that is judged."""


@dataclass(frozen=True, eq=False)
class FeedPast:
    """What the ledger remembers of a release of a feed."""

    state: Streamed
    """The records that are not published in their own snapshot."""
    waiting: pa.Table | None
    """The records that were waiting before the release, if not all rows are at hand."""
    secret: bytes
    """With which rows are hashed."""
    pseudonyms: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of each subject."""
    before: Sequence[Streamed] = ()
    """The states of the releases directly before it, oldest first; as many as are at hand."""
    books: Books | None = None
    """The books of the feed, if the ledger is at hand."""
    late: str | None = None
    """What is done with late records by now, if it is known: the release may be older."""


@dataclass(frozen=True, eq=False)
class TablePast:
    """What the ledger remembers of a release of one table: of events, or of series."""

    state: Streamed
    """Everyone who is in the release: from when to when, or in which group."""
    pseudonyms: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of each subject."""


Past = History | FeedPast | TablePast | None
"""What a ledger remembers of a release, if it is at hand."""


class Remembering(Protocol):
    """What remembers: a ledger, or one that is imagined."""

    @property
    def pseudonyms(self) -> Callable[[pa.Array], pa.Array]:
        """Gives the keyed digest of each subject."""

    @property
    def marks(self) -> Callable[[pa.Array], pa.Array]:
        """Gives the keyed digest of each sensitive value."""

    def entries(self) -> Sequence[Entry]:
        """All releases, oldest first."""

    def state(self, entry: Entry, /) -> Streamed:
        """What is remembered with a release."""

    def feed(self) -> pa.Table | None:
        """What a feed remembers."""

    def secret(self, purpose: str, /) -> bytes:
        """A key for one purpose."""


def remembered(ledger: Remembering, entries: Sequence[Entry], *, books: bool = True) -> Past:
    """Gather all that a ledger remembers up to a release, the last of ``entries``.

    None if the release is one of a single table: then nothing is remembered that would help. Of a
    feed the books are opened, too, unless they are of no use.
    """
    promise = entries[-1].plan["guarantee"] if entries else {"method": None}
    if promise["method"] == "reposition" and isinstance(promise["then"], str):
        return FeedPast(
            state=ledger.state(entries[-1]),
            waiting=None,
            secret=ledger.secret("feed"),
            pseudonyms=ledger.pseudonyms,
            before=_Opened(tuple(entries[:-1]), ledger.state),
            books=books_of(ledger) if books else None,
            late=ledger.entries()[-1].plan["guarantee"].get("late"),
        )
    if promise["method"] == "patterns":
        return TablePast(ledger.state(entries[-1]), ledger.pseudonyms)
    if promise["method"] not in ("invariance", "reposition"):
        return None
    of_feed = promise["method"] == "reposition"
    return History(
        state=ledger.state(entries[-1]),
        before=_Opened(tuple(entries[:-1]), ledger.state),
        releases=still_there(entries[:-1]),
        pseudonyms=ledger.pseudonyms,
        marks=ledger.marks,
        books=books_of(ledger) if books and of_feed else None,
        feed=ledger.feed() if of_feed else None,
    )


def books_of(ledger: Remembering) -> Books | None:
    """Open the books of the feed of a ledger; None if it has none."""
    memory, entries = ledger.feed(), tuple(ledger.entries())
    if memory is None:
        return None
    states = _Opened(entries, ledger.state)
    return Books(
        memory, _Opened(entries, _release), states, ledger.secret("feed"), ledger.pseudonyms
    )


def still_there(entries: Iterable[Entry]) -> tuple[Release, ...]:
    """Open the releases of some entries; those that are lost or damaged are left out."""
    return tuple(found for entry in entries if (found := _release(entry)) is not None)


def _release(entry: Entry) -> Release | None:
    try:
        return Release(entry.path)
    except OutOfReach:
        raise
    except ReleaseError:  # the ledger's own check tells
        return None


@dataclass(frozen=True, eq=False)
class _Opened(Sequence[_T]):
    """What is opened when it is looked at: a long history need not fit into memory."""

    entries: tuple[Entry, ...]
    open: Callable[[Entry], _T]

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, at: int) -> _T: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[_T]: ...

    def __getitem__(self, at: int | slice) -> _T | Sequence[_T]:
        if isinstance(at, slice):
            return _Opened(self.entries[at], self.open)
        return self.open(self.entries[at])
