"""A table that is not held: its rows pass by, some at a time, each with the name of its person.

What becomes of the rows is for those to say who look at them; they may put some aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron import memory
from anachron.arrays import Array, Codes, Words
from anachron.behind.columns import Coded, ascending, coded
from anachron.behind.keys import of_repeated, row_key_sql, table_digest, words_of
from anachron.behind.moments import DAY, moments
from anachron.behind.names import Names, names_aside
from anachron.behind.naming import Naming, naming
from anachron.behind.opened import Opened, quoted
from anachron.behind.refusing import Marks, refuse_marked
from anachron.errors import Problem, TableError
from anachron.schema import Schema

__all__ = ["Large", "Passing", "read_large"]


@dataclass(frozen=True, eq=False)
class Passing:
    """Some rows of a table, one after the other."""

    first: int
    """How many rows passed before."""
    rows: int
    names: pa.Array
    """The name of the person of each row: a text, a whole number, or of several columns bytes."""
    instants: Array
    quasi: Mapping[str, Coded]
    """By values that are the same for all rows of the table."""
    sensitive: pa.Table
    keys: Words | None
    """Two keyed hashes of each row, if they were asked for."""
    _table: Large = field(repr=False)

    @cached_property
    def subject(self) -> Codes:
        """The number of the person of each row, among all in the table."""
        return self._table.who.codes(self.names)


@dataclass(frozen=True, eq=False)
class Large:
    """A table with its roles, of which the rows are read anew whenever somebody asks."""

    schema: Schema
    rows: int
    recorded_by: str
    """``month`` or ``year`` where rows name whole ones, else ``instant``."""
    at_once: int
    """So many rows may be held at a time."""
    aside: Path
    """Where rows may be put aside."""
    values: Mapping[str, pa.Array] = field(repr=False)
    """The different values of each quasi column, ascending, a missing one last."""
    _told: str
    _days: bool
    _naming: Naming = field(repr=False)
    _sql: Mapping[str, str] = field(repr=False)
    _opened: Opened = field(repr=False)

    @cached_property
    def who(self) -> Names:
        """Everyone in the table: their names are gathered on the disk when somebody asks."""
        return names_aside(self._opened, self._naming, self.at_once, self.aside)

    @property
    def people(self) -> int:
        """How many there are, by their names."""
        return len(self.who)

    @cached_property
    def names_kind(self) -> pa.DataType:
        """The type of names."""
        return self._naming.kind(self._opened)

    def hashes(self, names: pa.Array) -> Words:
        """A number for each name, the same for the same."""
        return self._opened.hashes(names)

    def kind(self, name: str) -> pa.DataType:
        """The type of a quasi column."""
        return self.values[name].type

    @cached_property
    def sensitive_schema(self) -> pa.Schema:
        """Names and types of the sensitive columns."""
        some = {name: self._sql[name] for name in self.schema.sensitive}
        return self._opened.schema(**some) if some else pa.schema([])

    def passing(
        self, secret: bytes | None = None, some: Sequence[str] | None = None
    ) -> Iterator[Passing]:
        """Give all rows once.

        With a secret, they come with the keyed hashes of :meth:`Microdata.row_keys`; of ``some``
        values alone, zeros for others.
        """
        names = (*self.schema.quasi, *self.schema.sensitive)
        asked = {**self._naming.asked, **{f"of {n}": self._sql[n] for n in names}}
        if self.schema.time:
            asked["a time"] = quoted(self.schema.time)
        if secret is not None:
            asked["a key"] = row_key_sql(self._opened, self.schema, self._told, secret, some)
        first = 0
        for batch in self._opened.batches(self.at_once, **asked):
            who = self._naming.names(batch, first)
            keys = None if secret is None else words_of(batch.column("a key"))
            if keys is not None and secret is not None and self.schema.each_row:
                keys = of_repeated(keys, who, secret)
            yield Passing(
                first,
                len(batch),
                who,
                self._instants(batch, first),
                {n: _of(batch.column(f"of {n}"), self.values[n]) for n in self.schema.quasi},
                pa.table({n: batch.column(f"of {n}") for n in self.schema.sensitive}),
                keys,
                self,
            )
            first += len(batch)
            memory.given_back()

    def _instants(self, batch: pa.RecordBatch, first: int) -> Array:
        if not self.schema.time:
            return np.zeros(len(batch), dtype=np.int64)
        marks = Marks()
        marks.first = first
        column = pa.chunked_array([batch.column("a time")])
        name = self._opened.name
        with marks.over(len(batch)):
            return moments(
                column, len(batch), self.schema, name, days=self._days, refuse=marks.refuse
            ).instants
        raise marks.error()

    def digest(self) -> str:
        """One text for the content of the table, whatever the order of its rows."""
        return table_digest(self._opened, self.schema, self._told)

    def close(self) -> None:
        """Let go of the table."""
        self._opened.close()


def read_large(
    opened: Opened, schema: Schema, sql: Mapping[str, str], at_once: int, aside: Path
) -> Large:
    """Learn of a table what must be known before its rows can pass."""
    told, days, unit = _clock(opened, schema, at_once)
    return Large(
        schema=schema,
        rows=opened.rows,
        recorded_by=unit,
        at_once=at_once,
        aside=aside,
        _told=told,
        _days=days,
        _naming=naming(opened, schema, told, at_once, aside),
        values={name: _distinct(opened, sql[name], name) for name in schema.quasi},
        _sql=sql,
        _opened=opened,
    )


def _clock(opened: Opened, schema: Schema, at_once: int) -> tuple[str, bool, str]:
    """What the time column tells, whether days alone, and of which unit."""
    if not schema.time:
        return "instant", False, "instant"
    found: set[tuple[str, str]] = set()
    days, marks = True, Marks()
    for batch in opened.batches(at_once, at=quoted(schema.time)):
        column = pa.chunked_array([batch.column(0)])
        with marks.over(len(batch)):
            at = moments(column, len(batch), schema, opened.name, days=True, refuse=marks.refuse)
            found.add((at.told, at.unit))
            days = days and not (at.shown % DAY).any()
    marks.tell()
    if len(found) > 1:
        raise TableError(
            Problem(
                "mixes times with and without an offset from UTC.",
                column=schema.time,
                remedy="Write all times in one way.",
            )
        )
    [(told, unit)] = found
    return told, days, unit


def _distinct(opened: Opened, sql: str, column: str) -> pa.Array:
    """The different values of a quasi column, ascending, a missing one last."""
    found = coded(opened.different(value=sql).column(0))
    if pa.types.is_floating(found.values.type):
        wrong = ~np.isfinite(np.asarray(found.values, dtype=float))
        what, remedy = "is not a finite number (NaN or infinite)", "Leave the cell empty."
        refuse_marked(wrong, what, remedy, column, opened.name)
    return ascending(found).values


def _of(cells: pa.Array, values: pa.Array) -> Coded:
    cells = cells if cells.type == values.type else cells.cast(values.type)
    return Coded(np.asarray(pc.index_in(cells, values), dtype=np.int32), values)
