"""Bring the catalog of an earlier version up to date, one format after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

from anachron import steps
from anachron.errors import LedgerError
from anachron.ledger.encrypt_all import encrypt_all, remove_plain

__all__ = ["migrate", "newest", "version_of"]

_ENCRYPTED = 4
"""The first format in which nothing is in clear that need not be."""


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
                    encrypt_all(connection, ledger, key, damaged)
                connection.execute(f"PRAGMA user_version = {version}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        steps.reached("migrated")
        if version == _ENCRYPTED:
            # If this is interrupted, recovery removes what belongs to no recorded release.
            remove_plain(ledger)


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
