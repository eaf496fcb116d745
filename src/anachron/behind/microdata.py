"""The rows that a release was made from, as those see them who judge it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron import memory
from anachron.arrays import Array, Codes, Flags, Floats, Words
from anachron.behind.columns import Coded, ascending, coded
from anachron.behind.keys import double, of_repeated, row_keys, table_digest
from anachron.behind.large import Large, read_large
from anachron.behind.moments import Moments, moments
from anachron.behind.opened import Opened, is_text, open_table, quoted
from anachron.behind.people import people
from anachron.behind.refusing import reading, refuse_marked
from anachron.errors import Problem, TableError
from anachron.schema import Schema

__all__ = ["Microdata", "read", "read_aside"]

_EACH = 260
"""The memory that a row takes with all that is made of it."""
_CELLS = 1 << 21
"""How many values of a series are fetched at a time."""
_TOO_LARGE = 1e150
"""Numbers of a series from here on cannot be computed with."""


@dataclass(frozen=True, eq=False)
class Microdata:
    """A table with its roles. Arrays have a place for each row, in the order of the table."""

    schema: Schema
    rows: int
    subject: Codes
    """A number for the person of each row."""
    subject_values: pa.Array
    """The name of each person by that number: text or a whole number, of several columns bytes."""
    quasi: Mapping[str, Coded]
    """Values ascending, missing last."""
    series: Floats
    """The columns of a series side by side; NaN where a value is missing."""
    _moments: Moments = field(repr=False)
    _opened: Opened = field(repr=False)

    @property
    def people(self) -> int:
        """How many there are, by their names."""
        return len(self.subject_values)

    def kind(self, name: str) -> pa.DataType:
        """The type of a quasi column."""
        return self.quasi[name].values.type

    @property
    def instants(self) -> Array:
        """When each row happened, in microseconds since 1970."""
        return self._moments.instants

    @property
    def recorded_by(self) -> str:
        """``month`` or ``year`` where rows name whole ones, else ``instant``."""
        return self._moments.unit

    @cached_property
    def sensitive_schema(self) -> pa.Schema:
        """Names and types of the sensitive columns."""
        return self._opened.schema(**self._sensitive) if self._sensitive else pa.schema([])

    def sensitive(self, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Give the sensitive columns, so many rows at a time; nothing if there are none."""
        some = self._sensitive
        return self._opened.batches(batch_rows, **some) if some else iter(())

    def row_keys(self, secret: bytes, some: Sequence[str] | None = None) -> Words:
        """Two keyed hashes of each row; or only of rows with ``some`` values, zeros of others."""
        found = row_keys(self._opened, self.schema, self._moments.told, secret, some)
        return of_repeated(found, self.subject_values, secret) if self.schema.each_row else found

    def digest(self) -> str:
        """One text for the content of the table, whatever the order of its rows."""
        return table_digest(self._opened, self.schema, self._moments.told)

    def close(self) -> None:
        """Let go of the table."""
        self._opened.close()

    @cached_property
    def _sensitive(self) -> dict[str, str]:
        types = self._opened.types
        return {name: _as_it_is(name, types[name]) for name in self.schema.sensitive}


def read(table: object, schema: Schema) -> Microdata:
    """Read a table of any accepted kind, whatever else has read it before."""
    opened = _opened(table, schema)
    try:
        # Columns may be of types that nobody publishes, and that Arrow does not compare.
        with reading(opened.name):
            return _read(opened, schema)
    except BaseException:
        opened.close()
        raise


def read_aside(table: object, schema: Schema, most: int | None = None) -> Microdata | Large:
    """The same; but the rows of a table that does not fit into memory are not held.

    Nor are those of one that lies aside already, or that has more than ``most`` rows. A series is
    held, whatever its size.
    """
    opened = _opened(table, schema)
    try:
        with reading(opened.name):
            limits = [rows for rows in (most, opened.at_once) if rows is not None]
            is_small = all(opened.rows <= limit for limit in limits)
            if not opened.rows or schema.series or (is_small and memory.fits(opened.rows, _EACH)):
                return _read(opened, schema)
            at_once = min([memory.rows_at_once(_EACH), *limits])
            sql = {n: _as_it_is(n, opened.types[n]) for n in (*schema.quasi, *schema.sensitive)}
            return read_large(opened, schema, sql, at_once, opened.aside("rows of the table"))
    except BaseException:
        opened.close()
        raise


def _opened(table: object, schema: Schema) -> Opened:
    as_written = [*schema.subject_columns, *([schema.time] if schema.time else [])]
    return open_table(table, schema.columns, as_written)


def _read(opened: Opened, schema: Schema) -> Microdata:
    if not opened.rows:
        raise TableError(Problem("has no rows.", opened.name, remedy="Give the whole table."))
    when = None
    if schema.time:
        when = opened.fetch(at=_as_it_is(schema.time, opened.types[schema.time])).column(0)
    at = moments(when, opened.rows, schema, opened.name)
    who = people(opened, schema, at.told)
    return Microdata(
        schema=schema,
        rows=opened.rows,
        subject=who.codes,
        subject_values=who.values,
        quasi={name: _quasi(opened, name) for name in schema.quasi},
        series=_series(opened, schema.series),
        _moments=at,
        _opened=opened,
    )


def _as_it_is(column: str, kind: str) -> str:
    """SQL for a value as it is published: texts as texts, and one zero."""
    name = quoted(column)
    if is_text(kind):
        return f"CAST({name} AS VARCHAR)"
    return f"if({name} = 0, 0, {name})" if kind in ("FLOAT", "DOUBLE") else name


def _quasi(opened: Opened, name: str) -> Coded:
    found = coded(opened.fetch(value=_as_it_is(name, opened.types[name])).column(0))
    if pa.types.is_floating(found.values.type):
        wrong = np.append(~np.isfinite(np.asarray(found.values, dtype=float)), False)
        what, remedy = "is not a finite number (NaN or infinite)", "Leave the cell empty."
        refuse_marked(wrong[found.codes], what, remedy, name, opened.name)
    return ascending(found)


def _series(opened: Opened, columns: Sequence[str]) -> Floats:
    if not columns:
        return np.empty((opened.rows, 0))
    asked = {f"c{i}": _number(opened, name) for i, name in enumerate(columns)}
    values = np.empty((opened.rows, len(columns)))
    doubtful, at = np.zeros(len(columns), dtype=bool), 0
    for batch in opened.batches(max(_CELLS // len(columns), 1024), **asked):
        some = values[at : at + batch.num_rows]
        for i, column in enumerate(batch.columns):
            some[:, i] = np.asarray(column, dtype=float)
            # What is missing is no small number either.
            strange = np.count_nonzero(~(np.abs(some[:, i]) < _TOO_LARGE))
            doubtful[i] |= strange > column.null_count
        some += 0.0
        at += batch.num_rows
    for i in np.flatnonzero(doubtful).tolist():
        column = opened.fetch(value=asked[f"c{i}"]).column(0)
        wrong: Flags = ~(np.abs(values[:, i]) < _TOO_LARGE) & np.asarray(column.is_valid())
        what, remedy = "is not a number that can be computed with", "Give the table as published."
        refuse_marked(wrong, what, remedy, columns[i], opened.name)
    return values


def _number(opened: Opened, column: str) -> str:
    """SQL for a number of a series; far beyond all limits where it is none."""
    kind = opened.types[column]
    return f"if({quoted(column)} IS NULL, NULL, 1e300)" if is_text(kind) else double(column, kind)
