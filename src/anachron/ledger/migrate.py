"""Bring the catalog of an earlier version up to date, one format after the other.

Ledgers were not always encrypted. On the way to format 4, encrypted files get names of their own,
beside the plain ones, which stay until the catalog has committed: a crash leaves a ledger of
before, or one of now.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from anachron import steps
from anachron.errors import LedgerError
from anachron.ledger import encryption
from anachron.ledger import feed as memories
from anachron.ledger import state as states
from anachron.ledger.encryption import PLAIN
from anachron.ledger.entry import COLUMNS, Row, Told, link, seal
from anachron.ledger.feed import Memory
from anachron.ledger.head import Head, move_to, read_head
from anachron.ledger.notes import Notes
from anachron.ledger.state import state_file
from anachron.release.durable import remove, sync_folder

__all__ = ["migrate", "newest", "version_of"]

_ENCRYPTED = 4
"""The first format in which nothing is in clear that need not be."""
_BEFORE = "number, snapshot, plan, files, place, state, explanation, committed_at"
"""The columns that the chain covered before."""


def newest() -> int:
    """The format that this version writes."""
    return len(_migrations())


def version_of(connection: sqlite3.Connection) -> int:
    """The format of a catalog."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    connection: sqlite3.Connection,
    ledger: Path,
    key: bytes,
    damaged: Callable[[str], LedgerError],
) -> None:
    """Bring a catalog up to date, each format in one transaction."""
    scripts = _migrations()
    while version_of(connection) < len(scripts):
        steps.reached("migrate")
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Asked again: another process may have opened the same old ledger and been faster.
            version = version_of(connection) + 1
            for script in scripts[version - 1 : version]:
                for statement in _statements(script):
                    connection.execute(statement)
                if version == _ENCRYPTED:
                    _encrypt_all(connection, ledger, key, damaged)
                connection.execute(f"PRAGMA user_version = {version}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        steps.reached("migrated")
        if version == _ENCRYPTED:
            # If this is interrupted, recovery removes what belongs to no recorded release.
            _remove_plain(ledger)


def _migrations() -> list[str]:
    folder = resources.files("anachron.ledger") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [file.read_text(encoding="utf-8") for file in files]


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _encrypt_all(
    connection: sqlite3.Connection,
    ledger: Path,
    key: bytes,
    damaged: Callable[[str], LedgerError],
) -> None:
    """Write everything again, encrypted, as part of the transaction that is open."""

    def execute(statement: str, *values: object) -> list[Row]:
        return connection.execute(statement, values).fetchall()

    rows = execute(f"SELECT {_BEFORE}, chain, exposed FROM plain_release ORDER BY number")
    if rows or execute("SELECT 1 FROM ledger"):  # else it is being made
        head = read_head(execute, key, damaged, people="NULL")
        _check_chain(rows, head, damaged)
        after = _Encrypted(ledger, key, head.id)
        spans = Notes(execute, key, damaged).spans({int(row[0] or 0): str(row[-2]) for row in rows})
        for row in rows:
            marks = ", ".join("?" * (len(COLUMNS) + 2))
            execute(f"INSERT INTO release VALUES ({marks})", *after.row(row))
            if (span := spans.get(after.number)) is not None:
                sealed = seal(key, "span", after.number, after.chain, *span)
                execute("UPDATE span SET seal = ? WHERE number = ?", sealed, after.number)
        memory = None if head.memory is None else _encrypted_feed(ledger, head.memory, key)
        move_to(execute, key, replace(head, chain=after.chain, memory=memory))
    execute("DROP TABLE plain_release")


def _remove_plain(ledger: Path) -> None:
    """Remove the files in clear, once the catalog names the encrypted ones."""
    for folder in (state_file(ledger, 1).parent, memories.feed_file(ledger, 1).parent):
        if folder.is_dir():
            for file in sorted(folder.glob(f"*{PLAIN}")):
                remove(file)
            sync_folder(folder)


def _check_chain(rows: list[Row], head: Head, damaged: Callable[[str], LedgerError]) -> None:
    """Damage must not be written again as if it were whole."""
    chain = head.id
    for number, (*content, found, exposed) in enumerate(rows, 1):
        chain = link(chain, tuple(content))
        if (content[0], found) != (number, chain) or exposed not in (None, chain):
            raise damaged(f"release {number} is not as it was recorded")
    if (len(rows), chain) != (head.releases, head.chain):
        raise damaged("its history is cut short")


@dataclass
class _Encrypted:
    """The chain of the releases that are encrypted so far."""

    ledger: Path
    key: bytes
    chain: str
    number: int = 0

    def row(self, plain: Row) -> Row:
        """Encrypt the next release, and give its row."""
        _, snapshot, plan, published, place, state, explanation, at, _, exposed = plain
        self.number += 1
        if state is not None:
            state = self._state(str(state))
        told = Told.of(self.key, self.number, json.loads(str(plan)), json.loads(str(explanation)))
        name = seal(self.key, "snapshot", snapshot)
        row = (self.number, name, told.text, published, place, state, at)
        self.chain = link(self.chain, row)
        return (*row, self.chain, None if exposed is None else self.chain)

    def _state(self, digest: str) -> str:
        after = state_file(self.ledger, self.number)
        plain = encryption.read_plain(after.with_suffix(PLAIN), digest)
        ordered = plain.sort_by(plain.column_names[0])
        return states.write(after, (ordered.schema, ordered.to_batches()), self.key).digest


def _encrypted_feed(ledger: Path, before: Memory, key: bytes) -> Memory:
    plain = memories.feed_file(ledger, before.push).with_suffix(PLAIN)
    return memories.write(ledger, before.push, encryption.read_plain(plain, before.digest), key)
