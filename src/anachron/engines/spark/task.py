"""A task: what a worker does to the rows of a partition, and what it gives back.

Rows are held in a worker as the local engine holds them, so that its verbs are those of that
engine.
"""

from __future__ import annotations

import gc
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zipimport import zipimporter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.base import Batch, Kernel, Summary
from anachron.engines.local.rows import LocalRows
from anachron.engines.spark.columns import Fields, packed, unpacked
from anachron.engines.spark.selecting import one_database
from anachron.engines.spark.steps import Step
from anachron.engines.spark.versions import Versions

__all__ = [
    "BATCH",
    "BROKEN",
    "ROWS",
    "SENT",
    "Counted",
    "End",
    "Errand",
    "Kept",
    "Replaced",
    "Reported",
    "Run",
    "Sent",
    "Sized",
    "in_order",
    "sent_of",
]  # fmt: skip

BATCH = 1 << 17
"""So many rows are handed to a kernel at a time, unless rows must be together."""
BROKEN = r"anachron: (\w+ at [\w<>]*, line \d+|this worker has other versions than the driver)"
"""How a worker says what broke, and where: not a word of it is from a row."""
ROWS = b"rows"
"""What a batch says of how many it has."""
SENT = "rows binary"
"""How Spark is told of what goes to the driver: each batch is one value."""
_OF_SPARK = re.compile(r".*\.jar|(pyspark|py4j-.*)\.zip")
"""What Spark itself puts on the path of workers; archives of others may be written anew."""
End = Callable[[LocalRows], Iterator[pa.RecordBatch]]
"""What becomes of a batch in the end."""


@dataclass(frozen=True, eq=False)
class Errand:
    """What a worker does to the rows of a partition."""

    versions: Versions
    fields: Fields
    steps: tuple[Step, ...]
    end: End
    whole: bool = False
    """Whether all rows of the partition are one batch."""
    together: tuple[str, ...] = ()
    """Columns by which a partition is sorted: rows that agree in them are in one batch."""

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through a partition. What breaks is told without a word of what rows hold."""
        failed = None
        _spare_archives()
        _freeze(len(sys.modules))
        try:
            self.versions.check()
            with one_database():
                most = None if self.whole else BATCH
                for table in _gathered(batches, most, self.together):
                    rows = LocalRows.of(unpacked(table, self.fields))
                    del table
                    for step in self.steps:
                        rows = step(rows)
                    yield from self.end(rows)
        except Exception as error:  # noqa: BLE001 - texts of libraries quote cells, and are logged
            failed = f"{type(error).__name__} at {_place(error)}"
        _spare_archives()
        if failed is not None:
            raise RuntimeError(f"anachron: {failed}")


def _spare_archives() -> None:
    """Spare a worker the reading of Spark's own archives before every task.

    Spark lets Python forget what it knows of modules before every task. Of each folder of an
    archive Python then reads the directory of thousands of files anew, which takes many times as
    long as a small task. A finder that is let go of is made again when it is asked for, of the
    directory that is known. In jars there is no Python.
    """
    sys.path[:] = [one for one in sys.path if not one.endswith(".jar")]
    for place, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and _OF_SPARK.fullmatch(Path(finder.archive).name):
            del sys.path_importer_cache[place]


@lru_cache(maxsize=1)
def _freeze(modules: int) -> None:
    """Spare a worker the search for garbage in modules, once for each number of them.

    Spark lets Python collect garbage after every task, which takes longer than a small task itself.
    So there is none when the next one begins, and nothing is kept that would be let go.
    """
    del modules
    gc.freeze()


def _place(error: BaseException) -> str:
    """Where it broke: the innermost line of our own."""
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "anachron" in code.co_filename:
            place = f"{code.co_name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _gathered(
    batches: Iterator[pa.RecordBatch], most: int | None, together: Sequence[str]
) -> Iterator[pa.Table]:
    """Batches of whatever size as such of about ``most`` rows; all as one without.

    Rows that follow each other and agree in some columns are not torn apart.
    """
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        end = None if most is None or rows < most else _border(held, batch, together)
        if end is not None:
            held.append(batch.slice(0, end))
            yield _taken(held)
            batch = batch.slice(end)
            rows = batch.num_rows
        if batch.num_rows:
            held.append(batch)
    if held:
        yield _taken(held)


def _border(
    held: Sequence[pa.RecordBatch], batch: pa.RecordBatch, together: Sequence[str]
) -> int | None:
    """Where a batch can be cut, as far behind as possible; None if nowhere."""
    if not together:
        return len(batch)
    before = [one.slice(one.num_rows - 1) for one in held[-1:]]
    keys = pa.Table.from_batches([*before, batch]).select(together)
    differs = np.zeros(max(len(keys) - 1, 0), dtype=bool)
    for key in keys.columns:
        differs |= np.asarray(pc.not_equal(key[1:], key[:-1]).fill_null(fill_value=False))
    found = np.flatnonzero(differs)
    return int(found[-1]) + 1 - len(before) if len(found) else None


def _taken(held: list[pa.RecordBatch]) -> pa.Table:
    """Batches as one table, which alone holds them from now on."""
    table = pa.Table.from_batches(held)
    held.clear()
    return table


@dataclass(frozen=True, eq=False)
class Kept:
    """Give columns back to Spark."""

    fields: Fields

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Pack a batch."""
        yield packed(rows.collect(*self.fields), self.fields)


@dataclass(frozen=True, eq=False)
class Counted:
    """Add up what a batch has of each combination of keys; Spark adds up the rest."""

    keys: Sequence[str]
    summary: Summary
    fields: Fields

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Count a batch."""
        if len(rows):
            yield packed(rows.counts(self.keys, self.summary).collect(*self.fields), self.fields)


@dataclass(frozen=True, eq=False)
class Replaced:
    """Put what a kernel makes of a batch in its place."""

    kernel: Kernel
    fields: Fields

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Let the kernel see all rows at once."""
        yield packed(rows.by("", self.kernel).collect(*self.fields), self.fields)


@dataclass(frozen=True, eq=False)
class Sent:
    """Send columns to the driver, each batch as one value, with how many rows it has."""

    fields: Fields
    most: int | None = None
    """Of batches with more rows only so much is said."""

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Write a batch as a stream of Arrow."""
        batch = packed(rows.collect(*self.fields), self.fields)
        size = {ROWS: str(batch.num_rows).encode()}
        if self.most is not None and batch.num_rows > self.most:
            batch = batch.slice(0, 0)
        yield _one(sent_of(batch.replace_schema_metadata(size)))


@dataclass(frozen=True, eq=False)
class Run:
    """Send columns to the driver, each batch sorted, however it came."""

    fields: Fields

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Sort a batch by all columns in their order."""
        batch = pa.Table.from_batches([packed(rows.collect(*self.fields), self.fields)])
        for one in in_order(batch).combine_chunks().to_batches():
            yield _one(sent_of(one))


@dataclass(frozen=True)
class Sized:
    """Send how many rows there are."""

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Count a batch."""
        yield _one(str(len(rows)).encode())


@dataclass(frozen=True, eq=False)
class Reported:
    """Send what a function says of a batch to the driver."""

    of: Callable[[Batch], object]
    columns: frozenset[str]

    def __call__(self, rows: LocalRows) -> Iterator[pa.RecordBatch]:
        """Say something of a batch."""
        if len(rows):
            yield _one(pickle.dumps(self.of(rows.collect(*self.columns))))


def _one(content: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([content], pa.binary())], names=["rows"])


def sent_of(batch: pa.RecordBatch) -> bytes:
    """Write a batch as a stream of Arrow."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def in_order(table: pa.Table) -> pa.Table:
    """Sort by all columns, missing values last."""
    keys = [(name, "ascending", "at_end") for name in table.column_names]
    return table.take(pc.sort_indices(table, sort_keys=keys))
