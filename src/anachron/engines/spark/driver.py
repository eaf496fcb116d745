"""A session of Spark, as far as we use it: what is kept and let go, and failures in words."""

from __future__ import annotations

import pickle
import re
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from anachron.engines.base import Batch
from anachron.engines.spark.columns import Field, Fields, kind_of, packed
from anachron.engines.spark.task import BROKEN, SENT, Errand, sent_of
from anachron.engines.spark.versions import refuse_others, versions
from anachron.errors import AnachronError, InternalError, TableError

__all__ = ["Driver", "Frame", "received"]

Frame = Any
"""A DataFrame of Spark, of the classic kind or of Connect."""

_PROBES = 16
_GREETED: weakref.WeakSet[Any] = weakref.WeakSet()
"""Sessions of which workers were asked for their versions. Each task of theirs asks again."""
_CHUNK = 1 << 16
"""So many rows travel as one."""
_AT_ONCE = 4
"""So many of these at a time."""


class Driver:
    """The session of a DataFrame. It is its owner's: no setting of it is changed."""

    def __init__(self, frame: Frame, name: str) -> None:
        self.session = frame.sparkSession
        self.name = name
        """How messages call the table."""
        self.parts = 1
        """Into how many partitions rows are dealt where they must come together."""
        self._kept: dict[int, Frame] = {}
        self._left: list[int] = []
        """What is kept, and nobody holds any more."""
        if self.session not in _GREETED:
            with self.working():
                probes = self.session.range(0, _PROBES, 1, _PROBES)
                found = probes.mapInArrow(_versions, SENT).collect()
            refuse_others(received(bytes(row[0])) for row in found)
            _GREETED.add(self.session)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Turn failures of Spark into errors that repeat no cell: its own messages may."""
        from pyspark.errors import PySparkException

        try:
            yield
        except Exception as error:
            ours = isinstance(error, PySparkException) or "py4j" in type(error).__module__
            if not (ours or "grpc" in type(error).__module__):
                raise
            if broken := re.search(BROKEN, str(error)):
                raise InternalError(
                    f"a worker failed: {broken[1]}. Nothing was published. Please report this: it "
                    "is a mistake of Anachron."
                ) from None
            raise TableError(
                f"Spark failed while it worked on it ({_condition(error)}).",
                self.name,
                remedy="Its own log says why. A table that Spark cannot compute twice alike, or of "
                "which a file is gone, cannot be published.",
            ) from None

    def run(self, frame: Frame, task: Errand, schema: str) -> Frame:
        """What a task makes of a DataFrame."""

        # A function of its own: all that a worker needs, a key too, is in its closure.
        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return task.run(batches)

        with self.working():
            return frame.mapInArrow(run, schema)

    def keep(self, frame: Frame, owner: object) -> Frame:
        """Keep what was computed as long as somebody holds its owner, and no longer than this."""
        self._tidy()
        with self.working():
            kept = frame.persist()
        self._kept[id(kept)] = kept
        # No more than noted: Python may find in the middle of a call to Spark that an owner is
        # gone, and each of two calls at once would take the other's answer.
        weakref.finalize(owner, self._left.append, id(kept)).atexit = False
        return kept

    def _tidy(self) -> None:
        """Let go of what nobody holds any more."""
        while self._left:
            self._let_go(self._left.pop())

    def _let_go(self, number: int) -> None:
        kept = self._kept.pop(number, None)
        if kept is not None:
            # Of a session that has ended nothing is left to let go of.
            with suppress(AnachronError), self.working():
                kept.unpersist()

    def close(self) -> None:
        """Let go of everything that is kept."""
        for number in list(self._kept):
            self._let_go(number)

    def sent(self, frame: Frame, task: Errand) -> list[bytes]:
        """What a task sends to the driver, in no order."""
        self._tidy()
        with self.working():
            return [bytes(row[0]) for row in self.run(frame, task, SENT).collect()]

    def spread(self, columns: Batch) -> tuple[Frame, Fields]:
        """Give columns of the driver to Spark."""
        return self.given(iter([columns]))

    def given(self, several: Iterator[Batch]) -> tuple[Frame, Fields]:
        """Give batches to Spark, of which not many are on the driver at a time."""
        first = next(several)
        fields = {
            name: Field.at(kind_of(column).plain, place)
            for place, (name, column) in enumerate(first.items())
        }
        frames, rows = [], 0
        for some in _by(_AT_ONCE, _packets(chain([first], several), fields)):
            numbered = list(enumerate(some, rows))
            rows += len(numbered)
            with self.working():
                frames.append(self.session.createDataFrame(numbered, "number long, rows binary"))
        declared = ", ".join(one.declared for one in fields.values())
        with self.working():
            frame = reduce(lambda one, other: one.union(other), frames)
            frame = frame.repartition(min(rows, 2 * self.parts), "number")
            return frame.mapInArrow(_unwrapped, declared), fields


def _by(many: int, packets: Iterator[bytearray]) -> Iterator[list[bytearray]]:
    while some := list(islice(packets, many)):
        yield some


def _packets(several: Iterator[Batch], fields: Fields) -> Iterator[bytearray]:
    for columns in several:
        batch = packed(columns, fields)
        for start in range(0, max(batch.num_rows, 1), _CHUNK):
            yield bytearray(sent_of(batch.slice(start, _CHUNK)))


def received(content: bytes) -> Any:
    """Read what a worker sent: these run whatever the driver says, and are trusted as it is."""
    return pickle.loads(content)  # noqa: S301


def _versions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(versions())])], names=["rows"])


def _unwrapped(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for content in batch.column(1):
            yield from pa.ipc.open_stream(content.as_buffer())


def _condition(error: Exception) -> str:
    """The name that Spark has for a failure: a word of its own list, and nothing of the table."""
    for asked in ("getCondition", "getErrorClass"):
        try:
            found = getattr(error, asked)()
        except Exception:  # noqa: BLE001, S112 - older versions do not have the one or the other
            continue
        if isinstance(found, str) and found:
            return found
    return type(error).__name__
