"""DataFrames of Spark, as those read them who judge: fetched in batches, and put aside if large.

The engine that publishes is not asked: rows come by another way, in the types that Spark has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron import memory, scratch
from anachron.errors import Problem, TableError

__all__ = ["AT_ONCE", "gathered", "is_frame_of_spark", "refuse_unheld"]

AT_ONCE = 1 << 17
"""So many rows of a DataFrame are held at a time, however much memory the driver has."""
_EACH = 260
"""The memory that a row takes with all that is made of it."""
_NAME = "the table"


def is_frame_of_spark(table: object) -> bool:
    """Whether a table is a DataFrame of Spark."""
    of = type(table)
    return of.__name__ == "DataFrame" and of.__module__.split(".")[:2] == ["pyspark", "sql"]


def refuse_unheld(rows: int) -> None:
    """Refuse more rows than can be held."""
    with memory.held(rows, _EACH, _NAME):
        pass


def gathered(frame: Any, wanted: Sequence[str], room: scratch.Room) -> pa.Table | Path:
    """The wanted columns of a DataFrame: a table of Arrow if it is small, else a Parquet file.

    It is held where nothing may be put aside, if it fits into memory.
    """
    with _working():
        chosen = _chosen(frame, wanted)
        lies_aside = room.path is not None and scratch.how() == "plain"
        if not lies_aside:
            refuse_unheld(chosen.count())
            return _held(list(_tables(chosen, wanted)))
        coming, few, rows = _tables(chosen, wanted), [], 0
        for table in coming:
            few.append(table)
            rows += table.num_rows
            if rows > AT_ONCE:
                return _put_aside(chain(few, coming), room.path / "rows.parquet")  # type: ignore[operator]
        return _held(few)


def _chosen(frame: Any, wanted: Sequence[str]) -> Any:
    names = list(frame.columns)
    for column in wanted:
        if names.count(column) != 1:
            raise TableError(Problem("is not in the table once.", _NAME, column))
    by_place = frame.toDF(*(f"a{place}" for place in range(len(names))))
    chosen = by_place.select(*(f"a{names.index(column)}" for column in wanted))
    return chosen.select(
        *(chosen[f.name].cast("string").alias(f.name) if f.dataType.typeName() == "void" else
          chosen[f.name] for f in chosen.schema.fields)
    )  # fmt: skip


def _tables(chosen: Any, wanted: Sequence[str]) -> Iterator[pa.Table]:
    """One partition after the other comes to the driver, and of that one batch after the other."""
    for row in chosen.mapInArrow(_sent, "content binary").toLocalIterator():
        table = pa.ipc.open_stream(bytes(row[0])).read_all()
        if table.num_rows:
            table.validate(full=True)
            yield _in_utc(table).rename_columns(list(wanted))


def _held(tables: list[pa.Table]) -> pa.Table:
    if not tables:
        raise TableError(Problem("has no rows.", _NAME, remedy="Give the whole table."))
    return pa.concat_tables(tables).combine_chunks()


def _put_aside(tables: Iterator[pa.Table], file: Path) -> Path:
    """Write tables as one file, in groups of rows that can be read one by one."""
    waiting: list[pa.Table] = []
    with scratch.working(), file.open("xb") as out:
        first = next(tables)
        with pq.ParquetWriter(out, first.schema, compression="lz4") as writer:
            for table in chain([first], tables):
                waiting.append(table)
                if sum(one.num_rows for one in waiting) >= AT_ONCE // 2:
                    writer.write_table(pa.concat_tables(waiting), AT_ONCE // 2)
                    waiting = []
            if waiting:
                writer.write_table(pa.concat_tables(waiting), AT_ONCE // 2)
    return file


@contextmanager
def _working() -> Iterator[None]:
    """Turn what Spark says, which may quote cells, into an error that does not."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
            raise
        raise TableError(
            Problem(
                f"Spark failed while the audit read it ({type(error).__name__}).",
                _NAME,
                remedy="Its own log says why. A table that Spark cannot compute twice alike, or of "
                "which a file is gone, cannot be judged.",
            )
        ) from None


def _sent(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: what comes, written as a stream of Arrow."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        content = pa.array([sink.getvalue().to_pybytes()], pa.binary())
        yield pa.RecordBatch.from_arrays([content], names=["content"])


def _in_utc(table: pa.Table) -> pa.Table:
    """Moments are the same in every zone, and texts and bytes of one length of offsets."""
    kinds = []
    for field in table.schema:
        kind = field.type
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            kind = pa.timestamp("us", "UTC")
        elif pa.types.is_large_string(kind):
            kind = pa.string()
        elif pa.types.is_large_binary(kind):
            kind = pa.binary()
        kinds.append(pa.field(field.name, kind))
    return table.cast(pa.schema(kinds))
