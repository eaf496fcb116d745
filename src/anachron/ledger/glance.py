"""Look at a ledger without touching it: its catalog is read into memory, and nothing is locked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from anachron.errors import LedgerBusy, LedgerError
from anachron.ledger.catalog import Catalog, begin, explained, named, ours
from anachron.ledger.migrate import newest, version_of

__all__ = ["glanced", "unwritten"]

_JOURNAL = slice(18, 20)
"""Where SQLite's header says that changes are written to a file beside; in memory there is none."""


@contextmanager
def glanced(path: Path, key_of: Callable[[str, str], bytes]) -> Iterator[Catalog]:
    """Read a catalog as it is now, and look at it for as long as the block lasts.

    ``key_of`` gives the key, told the id of the ledger and what its key is recognised by.
    """
    with ours(path, _copied) as connection:
        with explained(path):
            version = version_of(connection)
        if version < newest():
            raise LedgerError(
                f"The ledger {path.parent} was made by an earlier version (format {version}), and "
                "it cannot be read and left as it is. Run 'anachron ledger check' on it first: "
                "that brings it up to date."
            )
        yield Catalog(path, connection, key_of(*named(path, connection)))


@contextmanager
def unwritten(path: Path, key: bytes) -> Iterator[Catalog]:
    """Give the catalog that a new ledger would have."""
    with _in_memory() as connection:
        with explained(path):
            begin(connection, path, "unwritten", key)
        yield Catalog(path, connection, key)


@contextmanager
def _copied(path: Path) -> Iterator[sqlite3.Connection]:
    """Read the file of a catalog to which nobody writes meanwhile."""
    before = _moment(path)
    content = bytearray(path.read_bytes())
    if _moment(path) != before:
        raise _busy(path)
    content[_JOURNAL] = b"\x01\x01"
    with _in_memory() as connection:
        with explained(path):
            connection.deserialize(bytes(content))
        yield connection


def _moment(path: Path) -> tuple[int, int]:
    """What changes with the file. What was committed beside it would be missed, so none may be."""
    aside = path.with_name(f"{path.name}-wal")
    if aside.exists() and aside.stat().st_size:
        raise _busy(path)
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _busy(path: Path) -> LedgerBusy:
    return LedgerBusy(
        f"Somebody is at work on the ledger {path.parent}, or was stopped there. Try again when "
        f"they have finished; if nobody is, run 'anachron ledger recover {path.parent}'."
    )


@contextmanager
def _in_memory() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()
