"""A table that is not held: its rows pass by, some at a time, each with the number of its person.

People are known by the hashes of their names, of which no two are alike: that is looked at first.
What becomes of the rows is for those to say who look at them; they may put some aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Words
from anachron.behind.columns import Coded, ascending, coded
from anachron.behind.keys import table_digest
from anachron.behind.moments import DAY, moments
from anachron.behind.opened import Opened, quoted
from anachron.behind.people import named_sql
from anachron.behind.refusing import refuse_marked
from anachron.errors import Problem, TableError
from anachron.schema import MERGE, Schema

__all__ = ["Large", "Passing", "passes", "read_large"]

_TRIES = 8


@dataclass(frozen=True, eq=False)
class Passing:
    """Some rows of a table."""

    rows: int
    subject: Codes
    instants: Array
    quasi: Mapping[str, Coded]
    sensitive: pa.Table


@dataclass(frozen=True, eq=False)
class Large:
    """A table with its roles, of which the rows are read anew whenever somebody asks."""

    schema: Schema
    rows: int
    subject_values: pa.Array
    """The name of each person, by their number."""
    recorded_by: str
    at_once: int
    """So many rows may be held at a time."""
    aside: Path
    """Where rows may be put aside."""
    _told: str
    _days: bool
    _hashes: Words = field(repr=False)
    _salt: int
    values: Mapping[str, pa.Array] = field(repr=False)
    """The different values of each quasi column, ascending, a missing one last."""
    _sql: Mapping[str, str] = field(repr=False)
    _opened: Opened = field(repr=False)

    @property
    def subject(self) -> Codes:
        """The number of each person, by their name."""
        return np.arange(len(self.subject_values), dtype=np.int32)

    @cached_property
    def sensitive_schema(self) -> pa.Schema:
        """Names and types of the sensitive columns."""
        some = {name: self._sql[name] for name in self.schema.sensitive}
        return self._opened.schema(**some) if some else pa.schema([])

    def passing(self) -> Iterator[Passing]:
        """Give all rows once."""
        who = _hash(named_sql(self._opened, self.schema.person), self._salt)
        names = (*self.schema.quasi, *self.schema.sensitive)
        when = quoted(self.schema.time)
        asked = {"a who": who, "a time": when, **{f"of {n}": self._sql[n] for n in names}}
        for batch in self._opened.batches(self.at_once, **asked):
            at = moments(
                pa.chunked_array([batch.column("a time")]),
                len(batch),
                self.schema,
                self._opened.name,
                days=self._days,
            )
            yield Passing(
                len(batch),
                _found(batch.column("a who").to_numpy(), self._hashes),
                at.instants,
                {n: _of(batch.column(f"of {n}"), self.values[n]) for n in self.schema.quasi},
                pa.table({n: batch.column(f"of {n}") for n in self.schema.sensitive}),
            )

    def digest(self) -> str:
        """One text for the content of the table, whatever the order of its rows."""
        return table_digest(self._opened, self.schema, self._told)

    def close(self) -> None:
        """Let go of the table."""
        self._opened.close()


def passes(schema: Schema) -> bool:
    """Whether tables of such roles can be looked at without being held."""
    one_name = len(schema.subject_columns) == 1 and schema.spelling != MERGE
    return one_name and bool(schema.time) and not schema.series


def read_large(
    opened: Opened, schema: Schema, sql: Mapping[str, str], at_once: int, aside: Path
) -> Large:
    """Learn of a table what must be known before its rows can pass."""
    names, hashes, salt = _names(opened, schema.person)
    told, days, unit = _clock(opened, schema, at_once)
    return Large(
        schema=schema,
        rows=opened.rows,
        subject_values=names,
        recorded_by=unit,
        at_once=at_once,
        aside=aside,
        _told=told,
        _days=days,
        _hashes=hashes,
        _salt=salt,
        values={name: _distinct(opened, sql[name], name) for name in schema.quasi},
        _sql=sql,
        _opened=opened,
    )


def _names(opened: Opened, column: str) -> tuple[pa.Array, Words, int]:
    """The names of all people, in the order of their hashes, and how these are made."""
    sql = named_sql(opened, column)
    for salt in range(_TRIES):
        found = opened.different(who=sql, hash=_hash(sql, salt))
        hashes = np.asarray(found.column("hash"), dtype=np.uint64)
        order = np.argsort(hashes)
        hashes = hashes[order]
        if not (hashes[1:] == hashes[:-1]).any():
            who = found.column("who").combine_chunks()
            del found
            _refuse_nobody(who, column, opened.name)
            return who.take(pa.array(order)), hashes, salt
    raise TableError(Problem("has names that cannot be told apart by their hashes.", opened.name))


def _refuse_nobody(who: pa.Array, column: str, table: str) -> None:
    remedy = "Every row needs its subject. Fill it in or leave the row out."
    refuse_marked(np.asarray(who.is_null()), "is missing", remedy, column, table)
    if not pa.types.is_integer(who.type):
        empty = np.asarray(pc.equal(pc.utf8_trim_whitespace(who), ""))
        refuse_marked(empty, "is an empty text", remedy, column, table)


def _hash(name: str, salt: int) -> str:
    return f"hash({name}, {salt})" if salt else f"hash({name})"


def _found(hashes: Words, known: Words) -> Codes:
    """The place of each hash; near ones are looked up one after the other."""
    order = np.argsort(hashes)
    place = np.empty(len(hashes), dtype=np.int32)
    place[order] = np.searchsorted(known, hashes[order])
    return place


def _clock(opened: Opened, schema: Schema, at_once: int) -> tuple[str, bool, str]:
    """What the time column tells, whether days alone, and of which unit."""
    found: set[tuple[str, str]] = set()
    days = True
    for batch in opened.batches(at_once, at=quoted(schema.time)):
        at = moments(
            pa.chunked_array([batch.column(0)]), len(batch), schema, opened.name, days=True
        )
        found.add((at.told, at.unit))
        days = days and not (at.shown % DAY).any()
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
