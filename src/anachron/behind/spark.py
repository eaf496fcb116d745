"""DataFrames of Spark, as those read them who judge: gathered on this machine, below a size.

The engine that publishes is not asked: rows come by another way, in the types that Spark has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from anachron.errors import Problem, TableError

__all__ = ["MOST", "gathered", "is_frame_of_spark", "refuse_too_many"]

MOST = 50_000_000
"""So many rows are gathered at the most, unless ``ANACHRON_AUDIT_ROWS`` says otherwise."""
_NAME = "the table"
_ENVIRONMENT = "ANACHRON_AUDIT_ROWS"


def is_frame_of_spark(table: object) -> bool:
    """Whether a table is a DataFrame of Spark."""
    of = type(table)
    return of.__name__ == "DataFrame" and of.__module__.split(".")[:2] == ["pyspark", "sql"]


def refuse_too_many(rows: int) -> None:
    """Refuse a table that cannot be audited: nothing is published that nobody judged."""
    said = os.environ.get(_ENVIRONMENT, "")
    most = int(said) if said.isdecimal() else MOST
    if rows > most:
        raise TableError(
            Problem(
                f"has {rows:,} rows. The audit gathers them on the driver, and takes {most:,} at "
                "the most.",
                _NAME,
                remedy="Publish it in parts, such as one year after the other; or set "
                f"{_ENVIRONMENT} higher where the driver has about 200 bytes of memory for a row.",
            )
        )


def gathered(frame: Any, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of a DataFrame as a table of Arrow."""
    names = list(frame.columns)
    for column in wanted:
        if names.count(column) != 1:
            raise TableError(Problem("is not in the table once.", _NAME, column))
    by_place = frame.toDF(*(f"a{place}" for place in range(len(names))))
    places = [f"a{names.index(column)}" for column in wanted]
    chosen = by_place.select(*places)
    chosen = chosen.select(
        *(chosen[f.name].cast("string").alias(f.name) if f.dataType.typeName() == "void" else
          chosen[f.name] for f in chosen.schema.fields)
    )  # fmt: skip
    refuse_too_many(chosen.count())
    tables = []
    for row in chosen.mapInArrow(_sent, "content binary").collect():
        tables.append(pa.ipc.open_stream(bytes(row[0])).read_all())
    if not tables:
        raise TableError(Problem("has no rows.", _NAME, remedy="Give the whole table."))
    table = pa.concat_tables([_in_utc(one) for one in tables]).combine_chunks()
    return table.rename_columns(list(wanted))


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
