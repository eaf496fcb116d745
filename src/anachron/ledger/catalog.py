"""The SQLite file of a ledger: every reader checks all that it reads."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from anachron import steps
from anachron.errors import LedgerBusy, LedgerError
from anachron.ledger.entry import (
    COLUMNS,
    Copies,
    Entry,
    from_place,
    from_row,
    place_of,
    seal,
    to_row,
)
from anachron.ledger.feed import Memory
from anachron.ledger.head import Head, key_check, move_to, read_head
from anachron.ledger.locks import why_not
from anachron.ledger.migrate import migrate, newest, version_of
from anachron.ledger.notes import Notes, Span
from anachron.stores import Place

__all__ = ["Catalog", "begin", "create", "explained", "named", "opened", "ours", "which"]

_APPLICATION = 0x416E6163  # "Anac": tells our files from other people's SQLite files
_PATIENCE = 0.25
"""Seconds to wait for a reader or a recovery to finish; a publisher takes longer."""
Connect = Callable[[Path], AbstractContextManager[sqlite3.Connection]]
_DAMAGED = "The catalog {} is damaged ({}). Restore the whole ledger from a backup."


class Catalog:
    """An open catalog. Get one from :func:`opened`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, key: bytes) -> None:
        self._path = path
        self._ledger = path.parent
        self._connection = connection
        self._key = key
        self._damaged = _damaged(path)
        self._notes = Notes(self._execute, key, self._damaged)

    @property
    def key(self) -> bytes:
        """The key that it is read with."""
        return self._key

    def head(self) -> Head:
        """Check key and seal, and say where the ledger stands."""
        return self._head()

    def identify(self) -> str:
        """Check key and seal, and return the id of the ledger."""
        return self._head().id

    def feed(self) -> Memory | None:
        """Give what is recorded of the newest push of a feed, if there was one."""
        return self._head().memory

    def folds(self) -> bool | None:
        """Whether people are known by their folded names; None if nobody is known yet."""
        head = self._head()
        return None if head.is_new else head.folded

    def fold(self) -> None:
        """Know people by their folded names from now on; nobody is known yet."""
        move_to(self._execute, self._key, replace(self._head(), folded=True))

    def entries(self) -> list[Entry]:
        """Read all releases, oldest first; refuse if any was altered, added or lost."""
        columns = ", ".join((*COLUMNS, "chain", "exposed"))
        # Head and rows at one moment: a publisher may commit in between.
        with self._one_moment():
            head = self._head()
            rows = self._execute(f"SELECT {columns} FROM release ORDER BY number")
            copies = self._notes.copies()
        entries: list[Entry] = []
        chain = head.id
        for row in rows:
            entry = from_row(row, chain, self._ledger, self._key)
            if entry is None or entry.number != len(entries) + 1:
                raise self._damaged(f"release {len(entries) + 1} is not as it was recorded")
            entries.append(entry)
            chain = entry.chain
        if (len(entries), chain) != (head.releases, head.chain):
            raise self._damaged("its history is cut short")
        if not copies.keys() <= {entry.number for entry in entries}:
            raise self._damaged("it notes files that no release has")
        return [e.with_copies(copies[e.number]) if e.number in copies else e for e in entries]

    def spans(self) -> dict[int, Span]:
        """From when to when releases show anybody, of those of which it is noted."""
        with self._one_moment():
            return self._notes.spans({entry.number: entry.chain for entry in self.entries()})

    def note_span(self, entry: Entry, span: Span) -> None:
        """Note from when to when a release shows anybody."""
        self._notes.note_span(entry, span)

    def note_copies(self, entry: Entry, copies: Copies) -> None:
        """Note the files that a release has from now on."""
        self._notes.note_copies(entry.number, copies)

    def places(self) -> list[Place]:
        """The folders that releases were staged in, as far as recovery must look there."""
        return sorted(set(self._places().values()), key=str)

    def remember_place(self, to: Place) -> None:
        """Remember that releases are staged in this folder, so that recovery looks there."""
        path = place_of(to, self._ledger)
        self._execute("INSERT INTO place VALUES (?, ?)", path, seal(self._key, "place", path))

    def forget_place(self, to: Place) -> None:
        """Forget a folder in which nothing was published, and nothing is left."""
        for path, place in self._places().items():
            if place == to:
                self._execute("DELETE FROM place WHERE path = ?", path)

    def _places(self) -> dict[str, Place]:
        """Folders by what is written of them, links not followed: as releases say where they are.

        What is written may be another text by now, if the ledger was moved.
        """
        found = {}
        for path, sealed in self._execute("SELECT path, seal FROM place"):
            if not isinstance(path, str) or sealed != seal(self._key, "place", path):
                raise self._damaged("it names a folder that was not recorded")
            found[path] = from_place(path, self._ledger)
        return found

    def insert(self, entry: Entry) -> None:
        """Add a sealed entry and move the head to it."""
        head = self._head()
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        columns = ", ".join((*COLUMNS, "chain"))
        self._execute(
            f"INSERT INTO release ({columns}) VALUES ({marks})",
            *to_row(entry, self._ledger),
            entry.chain,
        )
        move_to(self._execute, self._key, replace(head, releases=entry.number, chain=entry.chain))

    def remember(self, memory: Memory) -> None:
        """Record a push of a feed in the place of the one before."""
        head = self._head()
        move_to(self._execute, self._key, replace(head, memory=memory))

    def mark_exposed(self, entry: Entry) -> None:
        """Record that the folder of a release has its final name."""
        self._execute("UPDATE release SET exposed = chain WHERE number = ?", entry.number)
        self._notes.mark_copied(entry.number)

    def begin(self) -> None:
        """Become the only writer, or raise LedgerBusy."""
        self._execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make everything since :meth:`begin` durable."""
        steps.reached("commit")
        self._execute("COMMIT")
        steps.reached("committed")

    def roll_back(self) -> None:
        """Forget everything since :meth:`begin`, if anything is open."""
        if self._connection.in_transaction:
            self._execute("ROLLBACK")

    def problems(self) -> list[str]:
        """Give what SQLite itself finds wrong with the file."""
        rows = [str(row[0]) for row in self._execute("PRAGMA integrity_check")]
        return [f"{self._path}: {text}" for text in rows if text != "ok"]

    def _head(self) -> Head:
        return read_head(self._execute, self._key, self._damaged)

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        if self._connection.in_transaction:
            yield
            return
        self._execute("BEGIN")
        try:
            yield
        finally:
            self.roll_back()

    def _execute(self, statement: str, *values: object) -> list[tuple[int | str | None, ...]]:
        with explained(self._path):
            return self._connection.execute(statement, values).fetchall()


@contextmanager
def opened(path: Path, key: bytes) -> Iterator[Catalog]:
    """Open the catalog of a ledger, for as long as the block lasts."""
    with ours(path) as connection:
        with explained(path):
            migrate(connection, path.parent, key, _damaged(path))
        yield Catalog(path, connection, key)


def which(path: Path) -> tuple[str, str]:
    """Say which ledger it is, and what its key is recognised by; neither is checked yet."""
    with ours(path) as connection:
        return named(path, connection)


def named(path: Path, connection: sqlite3.Connection) -> tuple[str, str]:
    """Say it of a catalog that is open."""
    with explained(path):
        rows = connection.execute("SELECT id, key_check FROM ledger").fetchall()
    match rows:
        case [(str() as id_, str() as check)]:
            return id_, check
    raise _damaged(path)("it does not say which ledger it is")


def create(path: Path, id_: str, key: bytes) -> None:
    """Make the catalog of a new ledger in an existing empty file."""
    with _connected(path) as connection, explained(path):
        connection.execute("PRAGMA journal_mode = WAL")
        begin(connection, path, id_, key)


def begin(connection: sqlite3.Connection, path: Path, id_: str, key: bytes) -> None:
    """Fill an empty catalog: nothing is published yet."""
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    migrate(connection, path.parent, key, _damaged(path))
    facts = (id_, key_check(key), 0, id_)
    steps.reached("commit")
    row = (*facts, seal(key, *facts), None)
    connection.execute("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?)", row)
    steps.reached("committed")


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    with explained(path):
        connection = sqlite3.connect(
            _address(path), uri=True, timeout=_PATIENCE, isolation_level=None
        )
    try:
        with explained(path):
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            # What is replaced is not left in free room of the file.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA cell_size_check = ON")
        yield connection
    finally:
        connection.close()


@contextmanager
def ours(path: Path, connect: Connect = _connected) -> Iterator[sqlite3.Connection]:
    """Connect to a catalog that this version can read."""
    with connect(path) as connection:
        with explained(path):
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = version_of(connection)
            page = connection.execute("PRAGMA page_size").fetchone()[0]
        if application != _APPLICATION:
            raise LedgerError(f"{path} was not made by Anachron, or it is damaged.")
        if path.stat().st_size % page:  # the last page may be of a table without rows
            raise LedgerError(_DAMAGED.format(path, "it is cut short"))
        if version > newest():
            raise LedgerError(
                f"{path} was made by a newer version of Anachron (format {version}, this "
                f"version knows {newest()}). Use that version."
            )
        yield connection


def _address(path: Path) -> str:
    """The catalog for SQLite: to read and write, or as it is on a medium that can only be read."""
    if os.name != "posix" or not os.statvfs(path).f_flag & os.ST_RDONLY:
        return f"{path.as_uri()}?mode=rw"
    # SQLite would make a file beside it to share with writers. Here there can be none.
    log = path.with_name(f"{path.name}-wal")
    unfinished = log.exists() and log.stat().st_size > 0
    return f"{path.as_uri()}?mode=ro{'' if unfinished else '&immutable=1'}"


def _damaged(path: Path) -> Callable[[str], LedgerError]:
    return lambda reason: LedgerError(_DAMAGED.format(path, reason))


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into an error for people."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "locking" in str(error):
            if why := why_not(path.parent):
                raise LedgerError(
                    f"The ledger {path.parent} cannot be locked where it lies ({why}), so that two "
                    "publishers could meet in it. Move it to a local disk, or let the network "
                    "drive lock files."
                ) from None
            raise LedgerBusy(
                f"Another publisher is at work on the ledger {path.parent}. "
                "Try again when it has finished."
            ) from None
        if "readonly" in str(error):
            raise LedgerError(
                f"The ledger {path.parent} can only be read where it lies: nothing can be recorded "
                "or brought up to date there. Move it to a place that can be written."
            ) from None
        raise LedgerError(
            f"The catalog {path} cannot be read or written ({error}). Check the disk's space "
            "and health; if it is damaged, restore the whole ledger from a backup."
        ) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # A damaged schema can make SQLite complain in words that are not text.
        raise LedgerError(_DAMAGED.format(path, error)) from error
