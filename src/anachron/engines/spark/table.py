"""A table that Spark holds, and the door through which a DataFrame becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats
from anachron.engines.base import COUNT, KEY, ROW, SUBJECT, TIME, Batch, quasi, sensitive
from anachron.engines.local import load as local
from anachron.engines.local.coded import Coded, in_order, quasi_problems
from anachron.engines.local.digest import HASH, HASHED, digest_of, row_sql, told_apart
from anachron.engines.local.kinds import plain, type_problems
from anachron.engines.local.marked import Marked
from anachron.engines.local.scan import open_scan
from anachron.engines.local.table import LocalTable
from anachron.engines.local.time_text import Kind
from anachron.engines.spark.driver import Driver, Frame
from anachron.engines.spark.given import Given, given, opened
from anachron.engines.spark.people import each_row, people
from anachron.engines.spark.rows import SparkRows
from anachron.engines.spark.selecting import Selected
from anachron.engines.spark.times import TimesSeen, moments
from anachron.errors import Problem, TableError
from anachron.memory import held
from anachron.schema import Schema
from anachron.source.frames import NAME

__all__ = ["SparkTable", "dictionary", "load"]

_ROWS_A_PART = 1 << 18


def load(
    frame: Frame, schema: Schema, each: int = 260, name: str = NAME, table: object = None
) -> SparkTable | LocalTable:
    """Read a DataFrame; all problems found are raised as one error, in the words of any table.

    Series are planned as one matrix: they are collected, and held by the local engine, to which
    ``each`` matters. ``table`` is what the DataFrame was made of, if it is to be read again.
    """
    read = opened(frame, schema, name)
    source = frame if table is None else table
    try:
        if schema.series:
            return _collected(read, schema, source, each)
        return _load(read, schema, source)
    except BaseException:
        read.driver.close()
        raise


def _collected(table: Given, schema: Schema, source: object, each: int) -> LocalTable:
    """The table on the driver, if it has the memory for it."""
    names = {given(column): column for column in schema.columns}
    if problems := list(type_problems(schema, table.types, table.name)):
        raise TableError(problems)
    rows = len(table.rows)
    with held(rows, each, table.name):
        columns = table.rows.collect(*names)
    whole = pa.table({names[name]: column for name, column in columns.items()})
    table.driver.close()
    return replace(local.load(whole, schema, each), given=source)


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
    who = None if schema.each_row else people(table, schema, problems)
    if problems or when is None:
        raise TableError(problems)
    kind = Kind.INSTANT if when.clock is None else when.clock.kind
    who = who or each_row(table, schema, kind)
    return SparkTable(
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


@dataclass(frozen=True, eq=False)
class SparkTable:
    """See :class:`anachron.engines.base.Table`."""

    schema: Schema
    given: object
    """The DataFrame, to be read once more by those who judge."""
    file: str
    rows: int
    subjects: int
    notes: tuple[str, ...]
    read: Given = field(repr=False)
    when: TimesSeen = field(repr=False)
    dictionaries: Mapping[str, pa.Array] = field(repr=False)

    @property
    def first(self) -> int:
        """The first instant, in microseconds since 1970."""
        return self.when.first

    @property
    def last(self) -> int:
        """The last instant."""
        return self.when.last

    @property
    def unit(self) -> int:
        """The largest unit in which all times since the first can be told, in microseconds."""
        return self.when.unit

    @property
    def recorded_by(self) -> str:
        """The built-in granularity in which the times are recorded, or ``"instant"``."""
        return self.when.recorded_by

    @property
    def driver(self) -> Driver:
        """Where it is held."""
        return self.read.driver

    def digest(self) -> str:
        """A digest of the columns with a role, whatever the order of the rows."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        hashed = f"md5_number(concat({self._row}))"
        parts = {name: sql.replace("hash", hashed, 1) for name, sql in zip(
            ("low", "high"), HASHED, strict=True)}  # fmt: skip
        rows = self.read.rows.map(partial(_words, Selected(self._names, parts)))
        told = rows.counts((), {name: ("sum", name) for name in parts}).collect(*parts)
        sums = int(told["low"][0]), int(told["high"][0])
        is_wall = self.when.clock is not None and self.when.clock.is_wall
        return digest_of(self.schema, is_wall, self.rows, sums)

    def values(self, column: str) -> pa.Array:
        """The distinct values of a quasi column, in ascending order, null last."""
        return self.dictionaries[column]

    def held(self, secret: bytes | None = None) -> SparkRows:
        """The rows, and how each of their columns is read in a worker."""
        rows, types = self.read.rows, self.read.types
        rows = rows.map(_epoch if self.when.clock is None else self.when.clock.instants)
        for column in self.schema.quasi:
            name = quasi(column)
            kernel = Selected({column: given(column)}, {name: plain(column, types[column])})
            rows = rows.map(partial(_coded, kernel, name, self.dictionaries[column]))
        for column in self.schema.sensitive:
            expressions = {sensitive(column): plain(column, types[column])}
            rows = rows.map(Selected({column: given(column)}, expressions))
        if secret is None:
            return rows
        sql = f"unhex(left(sha256(concat($1, {self._row})), {HASH}))"
        hashing = Selected(self._names, {KEY: sql}, (secret[:16].hex(),))
        return rows.map(partial(_keys, hashing, secret if self.schema.each_row else None))

    def close(self) -> None:
        """Let go of what Spark keeps."""
        self.driver.close()

    @property
    def _row(self) -> str:
        kind = Kind.INSTANT if self.when.clock is None else self.when.clock.kind
        return row_sql(self.read.types, self.schema, kind)

    @property
    def _names(self) -> dict[str, str]:
        return {column: given(column) for column in self.schema.columns}

    # Series are planned as one matrix: a DataFrame of them is collected before it is read.

    def people(self) -> NoReturn:
        """Rows are not to be had."""
        raise TypeError("an engine of many machines gives no arrays of rows")

    def column(self, name: str) -> NoReturn:
        """Rows are not to be had."""
        raise TypeError(f"an engine of many machines gives no column {name!r}")

    def series(self) -> Floats:
        """There is none."""
        return np.empty((self.rows, 0))

    def forget(self) -> None:
        """There is nothing to let go of."""

    @property
    def instants(self) -> Array:
        """Rows are not to be had."""
        raise TypeError("an engine of many machines gives no arrays of rows")

    @property
    def whole_series(self) -> bool:
        """There is none."""
        return True


def _epoch(batch: Batch) -> Batch:
    """A register of people: all rows are of the moment of its release."""
    return {TIME: np.zeros(len(batch[ROW]), dtype=np.int64)}


def _coded(read: Selected, name: str, values: pa.Array, batch: Batch) -> Batch:
    """The place of each value among the distinct ones."""
    cells = read(batch)[name]
    if cells.type != values.type:
        cells = cells.cast(values.type)
    place = pc.index_in(cells, values)
    return {name: np.asarray(place.to_numpy(zero_copy_only=False), dtype=np.int32)}


def _words(read: Selected, batch: Batch) -> Batch:
    return {
        name: np.asarray(one.to_numpy(zero_copy_only=False), dtype=np.uint64)
        for name, one in read(batch).items()
    }


def _keys(read: Selected, each: bytes | None, batch: Batch) -> Batch:
    """Two keyed hashes of each row."""
    content = b"".join(cell.as_py() for cell in read(batch)[KEY])
    keys = np.frombuffer(content, dtype=">u8").reshape(-1, 2).astype(np.uint64)
    return {KEY: keys if each is None else told_apart(keys, batch[SUBJECT], each)}
