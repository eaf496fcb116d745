"""Rows in order: Spark sorts, workers write batches, and the driver takes one after the other.

Not every server of Spark Connect keeps what it sorted in order on its way to Python. A session is
asked once; where it does not, the driver gathers the rows that it writes, and sorts them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.spark.columns import Fields, unpacked
from anachron.engines.spark.driver import Driver, Frame
from anachron.engines.spark.task import BATCH, SENT, Errand, Run, in_order, sent_of
from anachron.engines.spark.versions import versions
from anachron.errors import InternalError
from anachron.streamed import Streamed

__all__ = ["keeps_order", "listed", "ordered"]

_PROBED, _PARTS = 64, 4
_KEEPS: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
"""Of each session, whether what it sorted arrives in order."""


def ordered(
    driver: Driver, frame: Frame, fields: Fields
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Sort by all columns in their order, missing values last."""
    return _schema(fields), _in_order(driver, _sorted(driver, frame, fields), fields)


def listed(driver: Driver, frame: Frame, fields: Fields, rows: int) -> Streamed:
    """Sort so many rows once, and give them as often as somebody asks."""
    batches = _Sorted(driver, fields)
    batches.frame = driver.keep(_sorted(driver, frame, fields), batches)
    return Streamed(_schema(fields), rows, batches)


class _Sorted:
    """Gives rows in order; as long as it lives, Spark keeps them so."""

    def __init__(self, driver: Driver, fields: Fields) -> None:
        self.driver, self.fields = driver, fields
        self.frame: Frame = None

    def __call__(self) -> Iterator[pa.RecordBatch]:
        return _in_order(self.driver, self.frame, self.fields)


def _sorted(driver: Driver, frame: Frame, fields: Fields) -> Frame:
    """The columns alone, sorted by all of them where a server keeps what it sorted in order."""
    from pyspark.sql import functions

    by = [functions.col(part).asc_nulls_last() for one in fields.values() for part in one.names]
    keeps = keeps_order(driver)
    with driver.working():
        if keeps:
            frame = frame.repartitionByRange(driver.parts, *by).sortWithinPartitions(*by)
        return frame.select(*(part for one in fields.values() for part in one.names))


def _schema(fields: Fields) -> pa.Schema:
    empty = {name: pa.array(one.kind.plain.empty()) for name, one in fields.items()}
    return pa.schema([(name, column.type) for name, column in empty.items()])


def _in_order(driver: Driver, frame: Frame, fields: Fields) -> Iterator[pa.RecordBatch]:
    sent = driver.run(frame, Errand(versions(), fields, (), Run(fields)), SENT)
    runs = _received(driver, sent, fields, _schema(fields))
    return _even(_checked(runs if keeps_order(driver) else _gathered(runs)))


def keeps_order(driver: Driver) -> bool:
    """Whether rows of a session arrive in the order in which it sorted them."""
    if driver.session not in _KEEPS:
        with driver.working():
            numbers = driver.session.range(0, _PROBED, 1, _PARTS).repartition(_PARTS, "id")
            parts = numbers.repartitionByRange(_PARTS, "id").sortWithinPartitions("id")
            rows = parts.mapInArrow(_as_they_come, SENT).toLocalIterator()
            seen = [pa.ipc.open_stream(bytes(row[0])).read_all()["id"].to_pylist() for row in rows]
        _KEEPS[driver.session] = [one for some in seen for one in some] == list(range(_PROBED))
    return _KEEPS[driver.session]


def _as_they_come(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_arrays([pa.array([sent_of(batch)], pa.binary())], names=["rows"])


def _gathered(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """All rows as one table, if there are any."""
    held = list(tables)
    if held:
        yield in_order(pa.concat_tables(held))


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


def _even(tables: Iterator[pa.Table]) -> Iterator[pa.RecordBatch]:
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
