"""Carry out a view on all rows: recode, leave out, sort by what is published.

The groups to publish arrive in the order in which they are published, so a row needs only
the number of its group; the published columns of a group are looked up once per group, and
DuckDB sorts (group, sensitive columns), spilling to disk where it must.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import View
from anachron.engines.local.load import Loaded, quoted
from anachron.schema import check_published

__all__ = ["published"]


GROUP = "group"
_BATCH = 1 << 17
_INSTANT = pa.timestamp("us", "UTC")


def published(
    loaded: Loaded, view: View, kept: tuple[Array, Array], row_q: Array, row_h: Array
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Rows of the kept groups (Q, H), with the columns that the view publishes."""
    number = _group_of_rows(kept, row_q, row_h)
    group_columns = _group_columns(loaded, view, kept, row_q)
    schema = pa.schema(
        [
            pa.field(GROUP, pa.int64(), nullable=False),
            *(pa.field(name, _plain(column.type)) for name, column in group_columns.items()),
            *loaded.sensitive_schema,
        ]
    )
    check_published(schema.names)
    return schema, _batches(loaded, schema, number, group_columns)


def _group_of_rows(kept: tuple[Array, Array], row_q: Array, row_h: Array) -> Array:
    """The number of each row's group, from 1; 0 for rows that are left out."""
    width = int(max(row_h.max(initial=0), kept[1].max(initial=0))) + 1
    keys = kept[0] * width + kept[1]
    row = np.where(row_h < 0, -1, row_q * width + row_h)
    space = (int(row_q.max(initial=0)) + 1) * width
    if space <= 4 * len(row):
        # The last place of the table serves rows in no granule, whose key is -1.
        number = np.zeros(space + 1, dtype=np.int64)
        number[keys] = np.arange(1, len(keys) + 1)
        return number[row]
    place = np.minimum(np.searchsorted(keys, row), len(keys) - 1)
    return np.where(keys[place] == row, place + 1, 0)


def _group_columns(
    loaded: Loaded, view: View, kept: tuple[Array, Array], row_q: Array
) -> dict[str, pa.Array]:
    """The published quasi and time columns of each group."""
    columns: dict[str, pa.Array] = {}
    # Any row of a combination tells its published values.
    example = np.zeros(int(row_q.max(initial=0)) + 1, dtype=np.int64)
    example[row_q] = np.arange(len(row_q))
    rows = example[kept[0]]
    for recoding in view.quasi:
        codes = recoding.codes[loaded.quasi[recoding.column].codes[rows]]
        for name in recoding.published.column_names:
            values = recoding.published.column(name).combine_chunks()
            columns[name] = pa.DictionaryArray.from_arrays(codes.astype(np.int32), values)
    time = loaded.schema.time
    index, place = np.unique(kept[1], return_inverse=True)
    labels = view.time.label(index)
    start, end = view.time.bounds(index)
    columns[time] = pa.DictionaryArray.from_arrays(
        place.astype(np.int32), pa.array(labels, pa.string())
    )
    columns[f"{time}_start"] = pa.array(start[place], _INSTANT)
    columns[f"{time}_end"] = pa.array(end[place], _INSTANT)
    return columns


def _plain(kind: pa.DataType) -> pa.DataType:
    """Publish plain values, not codes."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _batches(
    loaded: Loaded, schema: pa.Schema, number: Array, group_columns: dict[str, pa.Array]
) -> Iterator[pa.RecordBatch]:
    for batch in _in_order(loaded, number):
        place = pa.array(batch.column(0).to_numpy() - 1)
        looked_up = [
            column.take(place).cast(schema.field(name).type)
            for name, column in group_columns.items()
        ]
        columns = [batch.column(0), *looked_up, *batch.columns[1:]]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _in_order(loaded: Loaded, number: Array) -> Iterator[pa.RecordBatch]:
    """Group numbers and sensitive columns of the rows to publish, sorted by all of them."""
    names = [field.name for field in loaded.sensitive_schema]
    numbered = pa.schema([pa.field(GROUP, pa.int64()), *loaded.sensitive_schema])
    reader = pa.RecordBatchReader.from_batches(numbered, _numbered(loaded, number, numbered))
    picked = ", ".join([quoted(GROUP), *(_positive_zero(f) for f in loaded.sensitive_schema)])
    keys = ", ".join(f"{quoted(name)} ASC NULLS LAST" for name in [GROUP, *names])
    with loaded.cursor() as cursor:
        cursor.register("numbered", reader)
        query = f"SELECT {picked} FROM numbered WHERE {quoted(GROUP)} > 0 ORDER BY {keys}"
        for batch in cursor.sql(query).to_arrow_reader(_BATCH):
            yield batch.cast(numbered)


def _positive_zero(field: pa.Field) -> str:
    """Zeros of both signs compare equal; publish one of them, or ties would show input order."""
    name = quoted(field.name)
    return f"{name} + 0.0 AS {name}" if pa.types.is_floating(field.type) else name


def _numbered(loaded: Loaded, number: Array, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    if not len(loaded.sensitive_schema):
        yield pa.RecordBatch.from_arrays([pa.array(number)], schema=schema)
        return
    at = 0
    for batch in loaded.sensitive(_BATCH):
        part = pa.array(number[at : at + len(batch)])
        at += len(batch)
        yield pa.RecordBatch.from_arrays([part, *batch.columns], schema=schema)
