"""The house in memory: a ledger without files, and somebody who looks instead of the writer.

Everything between a table and the writer is the real thing: ``making.conduct`` and all
that it calls. What is written is what is seen; the audit, which never changes what is
written, is left out, and so are files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from anachron.kernels.integer_programs import Program, Solution, solve
from anachron.ledger import Before, Entry, Publication
from anachron.ledger.pseudonyms import Pseudonyms
from anachron.making import conduct, tables
from anachron.methods.reposition import rolling
from anachron.release.describe import DESCRIPTION
from anachron.streamed import Streamed

__all__ = ["Book", "Desk", "Seen", "opened", "watched"]

KEY = b"a key that decides nothing here "
Seen = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Book:
    """A ledger between two publications."""

    entries: tuple[Entry, ...] = ()
    state: pa.Table | None = None
    feed: pa.Table | None = None
    pushes: int = 0

    @property
    def content(self) -> tuple[object, ...]:
        """All that later releases depend on, in a form that can be compared."""
        last = self.entries[-1].snapshot if self.entries else None
        return last, len(self.entries), _content(self.state), _content(self.feed)


def _content(table: pa.Table | None) -> object:
    if table is None:
        return None
    columns = tuple(tuple(map(repr, column)) for column in table.to_pydict().values())
    notes = json.loads((table.schema.metadata or {}).get(b"anachron", b"{}"))
    # By the digests of what was pushed before only a push that is repeated is told.
    notes["pushed"] = [at for at, *_ in notes.get("pushed", ())]
    return (*columns, json.dumps(notes))


class Desk(Publication):
    """A publication of which the book is kept in memory."""

    folds = True

    def __init__(self, book: Book, names: Mapping[str, bytes]) -> None:
        self.book, self._names = book, names
        self._key, self._pseudonyms = KEY, Pseudonyms(KEY)
        self._entries = book.entries
        self.number, self.push = len(book.entries) + 1, book.pushes + 1
        self.previous = book.entries[-1].package if book.entries else None
        self.seen: list[Seen] = []
        self.states: list[pa.Table] = []

    def pseudonyms(self, values: pa.Array) -> pa.Array:
        return pa.array([self._names[name] for name in values.to_pylist()], pa.binary(32))

    def aside(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Streamed:
        return Before.aside(self, schema, batches)

    def state(self) -> Streamed | None:
        return None if self.book.state is None else Streamed.of(self.book.state)

    def feed(self) -> pa.Table | None:
        return self.book.feed

    def overlapping(self, wanted: Streamed) -> dict[int, int]:
        assert not self._entries, "these stories have one release"
        return {}

    def stage(self) -> Path:
        return Path()

    def commit(
        self, *, snapshot: str, plan: dict[str, Any], files: dict[str, str],
        state: Streamed | None, explanation: dict[str, Any], feed: pa.Table | None = None,
    ) -> Path:  # fmt: skip
        told = _Told({"plan": plan, "explanation": explanation})
        name = self.named(snapshot)
        entry = Entry(self.number, name, told, files, _ANYWHERE, None, "", "", True)
        held = None if state is None else state.table()
        self.book = Book((*self._entries, entry), held, feed, self.push)
        if held is not None:
            self.states.append(held)
        return Path(f"{self.number:04d}")

    def keep(self, feed: pa.Table) -> None:
        self.book = replace(self.book, feed=feed, pushes=self.push)


@dataclass(frozen=True)
class _Told:
    """What the ledger would encrypt."""

    content: Mapping[str, Any]


class _Anywhere(type(Path())):
    """A folder in which everything is there."""

    def exists(self, **_: Any) -> bool:
        return True


_ANYWHERE = _Anywhere("anywhere")


class _Release:
    """What is handed to the owner."""

    def __init__(self, path: Path, explanation: Mapping[str, Any] | None = None) -> None:
        self.number = int(Path(path).name) if explanation else 0

    def check_digests(self) -> None:
        pass


def _unread(*_: object) -> AbstractContextManager[None]:
    """The audit stands aside, and no table is read for it."""
    return nullcontext()


class _Holds:
    holds, checks = True, ()


@contextmanager
def watched(seen: list[Seen]) -> Iterator[None]:
    """Publish as ever, but note what is written instead of writing it."""

    def write(folder: Path, resources: Any, description: Any, csv: bool) -> dict[str, str]:
        seen.append(_looked_at(resources, description))
        return {DESCRIPTION: f"package {description['number']}"}

    with ExitStack() as patches:
        for module in (conduct, tables):
            patches.enter_context(patch.object(module, "Release", _Release))
        patches.enter_context(patch.object(conduct, "write", write))
        patches.enter_context(patch.object(ThreadPoolExecutor, "submit", _at_once))
        patches.enter_context(patch.object(rolling, "solve", _solved))
        patches.enter_context(patch.object(conduct, "verify", lambda *_, **__: _Holds))
        patches.enter_context(patch.object(conduct, "_read_again", _unread))
        # What is counted for the owner alone, on files that are not written here.
        patches.enter_context(patch.object(conduct, "opened_by", lambda *_: None))
        yield


def _at_once(self: object, work: Callable[..., Any], *given: Any, **named: Any) -> Future[Any]:
    """So little is to be done that starting a thread would take longest."""
    done: Future[Any] = Future()
    done.set_result(work(*given, **named))
    return done


_SOLUTIONS: dict[object, Solution | None] = {}


def _solved(program: Program, nodes: int, seconds: float) -> Solution | None:
    """The same programs come again and again."""
    given = (np.asarray(part).tobytes() for part in vars(program).values())
    key = (*given, nodes, seconds)
    if key not in _SOLUTIONS:
        _SOLUTIONS[key] = solve(program, nodes, seconds)
    return _SOLUTIONS[key]


def _looked_at(resources: Any, description: Mapping[str, Any]) -> Seen:
    """Every row of every table in its order, and what the description says beside the promise."""
    facts = {k: v for k, v in description.items() if k not in ("previous", "guarantee")}
    tables = tuple(
        (name, *_rows(schema, list(batches))) for name, (schema, batches) in resources.items()
    )
    return (json.dumps(facts, sort_keys=True, default=str), *tables)


def _rows(schema: pa.Schema, batches: list[pa.RecordBatch]) -> tuple[object, ...]:
    columns = pa.Table.from_batches(batches, schema).to_pydict()
    return tuple((name, *column) for name, column in columns.items())


@contextmanager
def opened(desk: list[Desk], names: Mapping[str, bytes]) -> Iterator[None]:
    """Let a feed publish at desks that follow each other; the last one is kept in ``desk``."""

    class Opened:
        @classmethod
        def open(cls, path: Path) -> Opened:
            return cls()

        @contextmanager
        def publishing(self, to: Path, *, spelling: str) -> Iterator[Desk]:
            new = Desk(desk[0].book, names)
            new.states = desk[0].states
            yield new
            desk[0] = new

    with patch.object(conduct, "Ledger", Opened):
        yield
