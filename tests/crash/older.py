"""Make a ledger of the small publisher one of an earlier version, which kept things in clear.

Ledgers that an earlier version really made are in ``tests/ledger/old.tar.xz``.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.ledger import Ledger
from anachron.ledger.entry import seal


def make_older(root: Path, version: int) -> None:
    """Turn root/ledger into one of format 1, 2 or 3."""
    ledger = Ledger.open(root / "ledger")
    plain = [
        _written(ledger.path / "state", e.number, ledger.state(e).table()) for e in ledger.entries()
    ]
    feed = ledger.feed()
    catalog = sqlite3.connect(ledger.path / "catalog.sqlite")
    with catalog:
        chain, rows, spans = ledger.id, [], dict(_spans(catalog))
        for entry, state in zip(ledger.entries(), plain, strict=True):
            row = [entry.number, f"snapshot {entry.plan['n']}", _json(entry.plan),
                   _json(entry.files), "../releases", state, _json(entry.explanation),
                   entry.committed_at]  # fmt: skip
            chain = hashlib.sha256(f"{chain}\n{_json(row)}".encode()).hexdigest()
            rows.append((*row, chain, chain))
            if entry.number in spans:
                note = seal(ledger.key, "span", entry.number, chain, *spans[entry.number])
                catalog.execute("UPDATE span SET seal = ? WHERE number = ?", (note, entry.number))
        catalog.execute("DROP TABLE release")
        catalog.execute(_first_table())
        catalog.executemany(f"INSERT INTO release VALUES ({', '.join('?' * 10)})", rows)
        facts: list[Any] = [ledger.id, seal(ledger.key, "key check"), len(rows), chain]
        if feed is not None:
            push = catalog.execute("SELECT push FROM feed").fetchone()[0]
            memory = [push, _written(ledger.path / "feed", push, feed)]
            catalog.execute("UPDATE feed SET digest = ?", memory[1:])
            facts += memory
        catalog.execute("UPDATE ledger SET head = ?, seal = ?", (chain, seal(ledger.key, *facts)))
        catalog.execute("ALTER TABLE ledger DROP COLUMN people")
        for table, since in (("feed", 2), ("span", 3), ("copies", 3)):
            if version < since:
                catalog.execute(f"DROP TABLE {table}")
        catalog.execute(f"PRAGMA user_version = {version}")
    catalog.close()
    for file in ledger.path.glob("*/*.encrypted"):
        file.unlink()


def _written(folder: Path, number: int, table: pa.Table) -> str:
    file = folder / f"{number:04d}.parquet"
    pq.write_table(table, file)
    file.chmod(0o600)
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _spans(catalog: sqlite3.Connection) -> list[tuple[int, tuple[int, int]]]:
    return [(n, (first, until)) for n, first, until, _ in catalog.execute("SELECT * FROM span")]


def _first_table() -> str:
    script = (resources.files("anachron.ledger") / "migrations" / "0001.sql").read_text()
    begin = script.index("CREATE TABLE release")
    return script[begin : script.index(";", begin)]


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
