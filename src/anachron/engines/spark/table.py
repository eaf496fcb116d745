"""A table that Spark holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats
from anachron.engines.base import KEY, ROW, SUBJECT, TIME, Batch, quasi, sensitive
from anachron.engines.local.digest import HASH, HASHED, digest_of, row_sql, told_apart
from anachron.engines.local.kinds import plain
from anachron.engines.local.time_text import Kind
from anachron.engines.spark.driver import Driver
from anachron.engines.spark.given import Given, given
from anachron.engines.spark.rows import SparkRows
from anachron.engines.spark.selecting import Selected
from anachron.engines.spark.times import TimesSeen
from anachron.schema import Schema

__all__ = ["SparkTable"]


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

    # Of series, which are planned as one matrix, it does: see SparkSeries.

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
