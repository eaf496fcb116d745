"""Where a feed is played: through the public API, on the command line, or all but the disk.

``Opened`` opens the feed anew for every push, ``Commanded`` is a new process each time. In
``Remembered`` the engine, the ledger's catalog, the folders and the audit of every release stand
aside: what is left is all that decides what becomes of a record, and much faster. The memory of
the feed is still written to a file of the ledger and read back for every step.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron.engines.base import KEY, ROW, SUBJECT, TIME, quasi, sensitive
from anachron.engines.local.rows import LocalRows
from anachron.ledger import feed as memories
from anachron.making import conduct
from anachron.making.course import Work
from anachron.streamed import Streamed
from tests.oracle.feed_cases import Row
from tests.oracle.feed_judge import FIRST, Shown, home_of

_KEY = bytes(32)

ACCOUNT = ("pushed", "published", "waiting", "left_out", "dropped", "refused")
"""What the account of a feed counts, in the order of the ledger."""
SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="value")


class Stage(Protocol):
    """What is done with a feed, and what can be seen of it."""

    def push(self, rows: Sequence[Row]) -> list[int]: ...
    def flush(self) -> list[int]: ...
    def shown(self) -> list[Shown]: ...
    def mark(self) -> object:
        """All that a repeat must not change."""

    def told(self) -> dict[str, int]:
        """What the account in the ledger says, in total, by the names of ``ACCOUNT``."""

    def audit(self, rows: Sequence[Row]) -> None:
        """Have all releases judged with all that was pushed, if there is an audit here."""


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.table(
        {
            "who": pa.array([row.who for row in rows], pa.int64()),
            "day": pa.array([str(FIRST + timedelta(days=row.day)) for row in rows]),
            "age": pa.array([row.age for row in rows], pa.int64()),
            "value": pa.array([row.value for row in rows]),
        }
    )


def _there(state: pa.Table, names: dict[bytes, int]) -> list[tuple[int, int, int]]:
    rows = zip(*(state[c].to_pylist() for c in ("subject", "group", "home")), strict=True)
    return [(names[who], group, home_of(home)) for who, group, home in rows if group is not None]


class Opened:
    """Through the API; nothing is kept between two pushes but the ledger."""

    def __init__(self, folder: Path, promise: an.Reposition) -> None:
        self.folder = folder
        self.plan = an.Plan(
            "feed.parquet", SCHEMA, promise, ledger=folder / "ledger", releases=folder / "releases"
        )

    def push(self, rows: Sequence[Row]) -> list[int]:
        return [release.number for release in an.open(self.plan).push(table_of(rows))]

    def flush(self) -> list[int]:
        return [release.number for release in an.open(self.plan).flush()]

    def shown(self) -> list[Shown]:
        ledger = an.Ledger.open(self.plan.ledger)
        everyone = pa.array(range(1_000), pa.int64())
        names = dict(zip(ledger.pseudonyms(everyone).to_pylist(), range(1_000), strict=True))
        found = []
        for entry in ledger.entries():
            release = an.Release(entry.path)
            made = {r["name"] for r in release.description["resources"]}
            tables = {name: release.table(name).to_pylist() for name in sorted(made)}
            label = release.description["anachron"].get("snapshot", {}).get("label", "")
            found.append(
                _shown(
                    entry.number,
                    tables,
                    label,
                    ledger.state(entry).table() if label else None,
                    names,
                )
            )
        return found

    def mark(self) -> object:
        ledger = an.Ledger.open(self.plan.ledger)
        assert ledger.check() == []
        kept = [*self.folder.glob("releases/*/*"), *self.folder.glob("ledger/feed/*")]
        return {str(file): file.read_bytes() for file in kept}

    def told(self) -> dict[str, int]:
        standing = an.open(self.plan).standing
        if standing is None:
            return dict.fromkeys(ACCOUNT, 0)
        entries = an.Ledger.open(self.plan.ledger).entries()
        said = sum(entry.explanation["published"] for entry in entries)
        assert said == standing.account.total.published
        return asdict(standing.account.total)

    def audit(self, rows: Sequence[Row]) -> None:
        ledger = an.Ledger.open(self.plan.ledger)
        for entry in ledger.entries():
            verdict = an.audit(entry.path, table=table_of(rows), ledger=self.plan.ledger)
            assert verdict.holds, str(verdict)


class Commanded(Opened):
    """On the command line: every push is a process of its own."""

    def push(self, rows: Sequence[Row]) -> list[int]:
        pq.write_table(table_of(rows), self.folder / "rows.parquet")
        return self._run(str(self.folder / "rows.parquet"))

    def flush(self) -> list[int]:
        return self._run("--end")

    def _run(self, *arguments: str) -> list[int]:
        file = self.folder / "plan.toml"
        if not file.exists():
            self.plan.write(file)
        command = [sys.executable, "-m", "anachron", "push", str(file), *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode in (1, 2) and "mistake" not in done.stderr:
            raise an.AnachronError(done.stderr)
        assert done.returncode == 0, done.stderr
        return [one["number"] for one in json.loads(done.stdout)["due"]]


def _shown(
    number: int,
    tables: dict[str, list[dict[str, Any]]],
    label: str,
    state: pa.Table | None,
    names: dict[bytes, int],
) -> Shown:
    return Shown(
        number,
        tables["data"],
        tables.get("sensitive", ()),
        {row["group"]: row["counterfeits"] for row in tables.get("counterfeits", ())},
        label,
        () if state is None else _there(state, names),
    )


def _hashed(*words: object) -> bytes:
    return hashlib.sha256(repr(words).encode()).digest()


class RowsAsTable:
    """What a method asks of an engine, for a handful of rows."""

    schema = SCHEMA
    notes: tuple[str, ...] = ()
    loaded = None
    recorded_by = "day"

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self.rows, self.subjects = len(rows), len({row.who for row in rows})
        epoch = np.datetime64(str(FIRST), "us").astype(np.int64)
        self.instants = np.array([epoch + row.day * 86_400_000_000 for row in rows], np.int64)
        self.first, self.last = int(self.instants.min()), int(self.instants.max())
        self._ages, self._codes = np.unique([row.age for row in rows], return_inverse=True)

    def held(self, secret: bytes | None = None) -> LocalRows:
        [age], [value] = self.schema.quasi, self.schema.sensitive
        columns = {
            ROW: np.arange(self.rows),
            SUBJECT: self.people(),
            TIME: self.instants,
            quasi(age): self._codes.astype(np.int32),
            sensitive(value): self.column(value),
        }
        return LocalRows.of(columns if secret is None else {**columns, KEY: self.row_keys(secret)})

    def people(self) -> pa.Array:
        return pa.array([row.who for row in self._rows], pa.int64()).dictionary_encode()

    def column(self, name: str) -> pa.Array:
        return pa.array([getattr(row, name) for row in self._rows])

    def values(self, _: str) -> pa.Array:
        return pa.array(self._ages)

    def row_keys(self, secret: bytes) -> Any:
        keys = b"".join(_hashed(secret, row)[:16] for row in self._rows)
        return np.frombuffer(keys, ">u8").reshape(-1, 2).astype(np.uint64)


@dataclass
class _Entry:
    number: int
    plan: dict[str, Any]
    explanation: dict[str, Any]
    state: pa.Table
    shown: Shown

    @property
    def path(self) -> _Entry:
        return self


@dataclass
class _Published:
    path: _Entry
    explanation: dict[str, Any]

    @property
    def number(self) -> int:
        return self.path.number


@dataclass
class Remembered:
    """Everything but engine, catalog, folders and audit."""

    folder: Path
    promise: an.Reposition
    entries: list[_Entry] = field(default_factory=list)
    names: dict[bytes, int] = field(default_factory=dict)
    memory: memories.Memory | None = None
    steps: int = 0

    def push(self, rows: Sequence[Row]) -> list[int]:
        self.names.update({_hashed("who", row.who): row.who for row in rows})
        return self._run(RowsAsTable(rows), end=False)

    def flush(self) -> list[int]:
        return self._run(None, end=True)

    def _run(self, table: RowsAsTable | None, end: bool) -> list[int]:
        work = Work(SCHEMA, self.promise, csv=False, tell=lambda *_: None)  # type: ignore[arg-type]
        with (
            mock.patch.object(conduct, "Ledger", _Opening(self)),
            mock.patch.object(conduct, "written", self._write),
            mock.patch.object(conduct, "_verify", return_value=None),
            mock.patch.object(conduct, "Release", _Published),
        ):
            pushed = conduct.courses(work, table, end=end)
            releases = conduct.run(work, pushed, Path(), Path())
        return [release.number for release in releases]

    def _write(self, _: object, due: Any, _folder: Path, publication: _Publication) -> Any:
        outcome = due.outcome
        tables = {
            name: pa.Table.from_batches(list(batches), schema).to_pylist()
            for name, (schema, batches) in outcome.resources.items()
        }
        label = outcome.facts.to_dict().get("snapshot", {}).get("label", "")
        state = outcome.state.table() if label else None
        publication.staged = _shown(publication.number, tables, label, state, self.names)
        return {}

    def shown(self) -> list[Shown]:
        return [entry.shown for entry in self.entries]

    def mark(self) -> object:
        return len(self.entries), self.memory and self.memory.digest

    def told(self) -> dict[str, int]:
        if self.memory is None:
            return dict.fromkeys(ACCOUNT, 0)
        kept = memories.read(self.folder, self.memory, _KEY)
        lines = json.loads(kept.schema.metadata[b"anachron"])["account"]["lines"]
        told = {name: sum(line[at] for line in lines) for at, name in enumerate(ACCOUNT, start=1)}
        said = sum(entry.explanation["published"] for entry in self.entries)
        assert told["published"] == said
        assert told["waiting"] <= len(kept)
        return told

    def audit(self, rows: Sequence[Row]) -> None:
        """The audit stands aside."""


@dataclass
class _Opening:
    stage: Remembered

    def open(self, _: Path) -> _Opening:
        return self

    @contextmanager
    def publishing(self, _: Path, *, spelling: str) -> Iterator[_Publication]:
        yield _Publication(self.stage)


class _Publication:
    """What a step asks of the ledger."""

    folds = True

    def __init__(self, stage: Remembered) -> None:
        self._stage, self.staged = stage, Shown(0, ())
        self.entries = stage.entries
        self.number = len(stage.entries) + 1
        self.previous = str(len(stage.entries))
        self.before = stage.entries[-1] if stage.entries else None

    def feed(self) -> pa.Table | None:
        memory = self._stage.memory
        return None if memory is None else memories.read(self._stage.folder, memory, _KEY)

    def state(self) -> Streamed | None:
        return None if self.before is None else self.before.state

    def pseudonyms(self, values: pa.Array) -> pa.Array:
        return pa.array([_hashed("who", who) for who in values.to_pylist()], pa.binary(32))

    def marks(self, values: pa.Array) -> pa.Array:
        return pa.array([_hashed("value", text) for text in values.to_pylist()], pa.binary(32))

    def secret(self, purpose: str) -> bytes:
        return _hashed("secret", purpose)

    def stage(self) -> Path:
        return Path()

    def keep(self, feed: pa.Table) -> None:
        self._stage.steps += 1
        self._stage.memory = memories.write(self._stage.folder, 1, feed, _KEY)

    def commit(
        self, *, plan: dict[str, Any], explanation: dict[str, Any], state: Streamed,
        feed: pa.Table, **_: object,
    ) -> _Entry:  # fmt: skip
        entry = _Entry(self.number, plan, explanation, state, self.staged)
        self._stage.entries.append(entry)
        self.keep(feed)
        return entry
