"""The door through which a DataFrame becomes a table that Spark holds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.engines.base import COUNT, ROW, quasi
from anachron.engines.local.coded import Coded, in_order, quasi_problems
from anachron.engines.local.kinds import plain, type_problems
from anachron.engines.local.marked import Marked
from anachron.engines.local.scan import open_scan
from anachron.engines.local.series import CELL
from anachron.engines.local.time_text import Kind
from anachron.engines.spark.driver import Frame
from anachron.engines.spark.given import Given, given, opened
from anachron.engines.spark.people import each_row, people
from anachron.engines.spark.selecting import Selected
from anachron.engines.spark.series import SparkSeries, series_problems
from anachron.engines.spark.table import SparkTable
from anachron.engines.spark.times import moments
from anachron.errors import Problem, TableError
from anachron.memory import held
from anachron.schema import Schema
from anachron.source.frames import NAME

__all__ = ["dictionary", "load"]

_ROWS_A_PART = 1 << 18


def load(
    frame: Frame, schema: Schema, each: int = 260, name: str = NAME, table: object = None
) -> SparkTable:
    """Read a DataFrame; all problems found are raised as one error, in the words of any table.

    Series are planned as one matrix, which the driver must have the memory for: ``each`` row takes
    so much beside it. ``table`` is what the DataFrame was made of, if it is to be read again.
    """
    read = opened(frame, schema, name)
    source = frame if table is None else table
    try:
        found = _load(read, schema, source)
        if isinstance(found, SparkSeries):
            size = each + CELL * len(schema.series)
            found.room.enter_context(held(found.rows, size, name))
        return found
    except BaseException:
        read.driver.close()
        raise


def _load(table: Given, schema: Schema, source: object) -> SparkTable:
    if problems := list(type_problems(schema, table.types, table.name)):
        raise TableError(problems)
    rows = len(table.rows)
    if not rows:
        names = schema.columns
        open_scan(pa.table({name: pa.array([], pa.string()) for name in names}), schema, 0)
    table.driver.parts = max(2, -(-rows // _ROWS_A_PART))
    when = moments(table, schema, problems)
    dictionaries = {}
    for column in schema.quasi:
        dictionaries[column] = dictionary(table, column, problems)
    if schema.series:
        problems += series_problems(table, schema)
    who = None if schema.each_row else people(table, schema, problems)
    if problems or when is None:
        raise TableError(problems)
    kind = Kind.INSTANT if when.clock is None else when.clock.kind
    who = who or each_row(table, schema, kind)
    return (SparkSeries if schema.series else SparkTable)(
        schema=schema,
        given=source,
        file=table.name,
        rows=rows,
        subjects=who.subjects,
        notes=(*who.notes, *when.notes),
        read=Given(table.driver, table.name, table.types, who.rows),
        when=when,
        dictionaries=dictionaries,
    )


def dictionary(table: Given, column: str, problems: list[Problem]) -> pa.Array:
    """The distinct values of a quasi column, ascending, null last."""
    name = quasi(column)
    rows = table.rows
    if name not in rows.kinds:
        rows = rows.map(
            Selected({column: given(column)}, {name: plain(column, table.types[column])})
        )
    told = rows.counts((name,), {"first": ("least", ROW)})
    found = told.collect(name, COUNT, "first")
    values = found[name]
    known = np.asarray(values.is_valid())
    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    there = values.filter(pa.array(known))
    one_each = Coded(np.arange(len(there), dtype=np.int32), there)
    for one in quasi_problems(one_each, column, table.name):
        wrong = ~np.isfinite(there.to_numpy(zero_copy_only=False).astype(float))
        count, first = (found[part][known][wrong] for part in (COUNT, "first"))
        if isinstance(one, Marked):
            problems.append(one.of(int(count.sum()), int(first.min())))
    codes = one_each.codes if known.all() else np.append(one_each.codes, np.int32(-1))
    return in_order(Coded(codes, there)).values
