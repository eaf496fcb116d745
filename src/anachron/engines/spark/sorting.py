"""Rows in order: Spark sorts, workers write batches, and the driver takes one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.spark.columns import Fields, unpacked
from anachron.engines.spark.driver import Driver, Frame
from anachron.engines.spark.task import BATCH, SENT, Errand, Sent
from anachron.engines.spark.versions import versions
from anachron.errors import InternalError

__all__ = ["ordered"]


def ordered(
    driver: Driver, frame: Frame, fields: Fields
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Sort by all columns in their order, missing values last."""
    from pyspark.sql import functions

    empty = {name: pa.array(one.kind.plain.empty()) for name, one in fields.items()}
    schema = pa.schema([(name, column.type) for name, column in empty.items()])
    by = [functions.col(part).asc_nulls_last() for one in fields.values() for part in one.names]
    with driver.working():
        in_parts = frame.repartitionByRange(driver.parts, *by).sortWithinPartitions(*by)
    in_parts = in_parts.select(*(part for one in fields.values() for part in one.names))
    sent = driver.run(in_parts, Errand(versions(), fields, (), Sent(fields)), SENT)
    return schema, _even(_checked(_received(driver, sent, fields, schema)), schema)


def _received(driver: Driver, sent: Frame, fields: Fields, schema: pa.Schema) -> Iterator[pa.Table]:
    with driver.working():
        for row in sent.toLocalIterator():
            columns = unpacked(pa.ipc.open_stream(bytes(row[0])).read_all(), fields)
            yield pa.table({name: columns[name] for name in fields}, schema=schema)


def _checked(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Not every server keeps what is sorted in order on its way: then nothing is written."""
    last = None
    for table in tables:
        if last is not None:
            both = pa.concat_tables([last, table.slice(0, 1)])
            keys = [(name, "ascending", "at_end") for name in both.column_names]
            first, second = (both.slice(place, 1).to_pylist() for place in range(2))
            order = pc.sort_indices(both, sort_keys=keys).to_pylist()
            if repr(first) != repr(second) and order != [0, 1]:
                raise InternalError("Spark handed rows over in another order than it sorted them.")
        last = table.slice(table.num_rows - 1, 1)
        yield table


def _even(tables: Iterator[pa.Table], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches of one size, wherever partitions begin and end: it is seen in what is written."""
    held: list[pa.Table] = []
    rows = 0
    for table in tables:
        held.append(table)
        rows += table.num_rows
        while rows >= BATCH:
            whole = pa.concat_tables(held)
            yield from whole.slice(0, BATCH).combine_chunks().to_batches()
            held, rows = [whole.slice(BATCH)], rows - BATCH
    if rows:
        yield from pa.concat_tables(held).combine_chunks().to_batches()
    del schema
