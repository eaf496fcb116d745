"""Read a table that does not fit into memory: checked batch by batch, and dealt out by people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron import scratch
from anachron.engines.aside.pieces import Store
from anachron.engines.aside.rows import AsideRows
from anachron.engines.aside.table import AsideTable
from anachron.engines.base import ROW, SUBJECT, TIME, Batch, quasi, sensitive
from anachron.engines.local.kinds import plain, type_problems
from anachron.engines.local.scan import Scan
from anachron.engines.local.subjects import subject_notes, subject_sql
from anachron.engines.local.table import sorted_by
from anachron.engines.local.time_text import Kind
from anachron.engines.local.times import microseconds_sql
from anachron.engines.spark.columns import Carried, kind_of
from anachron.engines.spark.given import Given, given
from anachron.engines.spark.load import dictionary
from anachron.engines.spark.people import Named, each_row, people
from anachron.engines.spark.selecting import one_database
from anachron.engines.spark.times import TimeReading, TimesSeen, moments
from anachron.errors import Problem, TableError
from anachron.schema import EXACT, MERGE, REFUSE, Schema
from anachron.source.base import quoted
from anachron.spelling import Letters, foldings, letters, one_way, trimmings

__all__ = ["load"]

_BATCH = 1 << 18
_TOLD = "told"


@dataclass(frozen=True, eq=False)
class Scanned:
    """The rows of a scan: read anew whenever somebody asks, some at a time, in their order."""

    scan: Scan
    sql: Mapping[str, str]
    """How each column is told."""
    rows: int
    """So many are given at a time."""
    kinds: Mapping[str, Carried]

    @classmethod
    def of(cls, scan: Scan, sql: Mapping[str, str], rows: int) -> Scanned:
        """Say what the columns are, and that their rows are numbered."""
        empty = scan.schema(sql).empty_table()
        kinds = {name: kind_of(empty.column(name).combine_chunks()) for name in sql}
        return cls(scan, sql, rows, {**kinds, ROW: Carried("int64")})

    def batches(self, wanted: frozenset[str]) -> Iterator[Batch]:
        """Scan some columns, with the number of each row."""
        sql = {name: told for name, told in self.sql.items() if name in wanted}
        first = 0
        for batch in self.scan.batches(sql or {"": "NULL"}, self.rows):
            columns: dict[str, Any] = {name: batch.column(name) for name in sql}
            columns[ROW] = np.arange(first, first + len(batch), dtype=np.int64)
            first += len(batch)
            yield columns


def load(scan: Scan, schema: Schema, table: object) -> AsideTable:
    """Read an opened table; all problems found are raised as one error."""
    with one_database():
        return _load(scan, schema, table)


def _load(scan: Scan, schema: Schema, table: object) -> AsideTable:
    file, types = scan.source.name, dict(scan.source.columns)
    problems: list[Problem] = list(type_problems(schema, types, file))
    if problems:
        raise TableError(problems)
    store = Store(scan.held.enter_context(scratch.folder("the table")), scan.at_once, scan.con)
    sql = {given(column): quoted(column) for column in schema.columns}
    read = Given(scan, file, types, _scanned(scan, store, sql))  # type: ignore[arg-type]
    when = moments(read, schema, problems)
    dictionaries = {column: _values(read, column, problems) for column in schema.quasi}
    held = who = None
    if when is not None and not problems:
        held, who = _people(scan, store, read, schema, when, dictionaries)
    if who is None and not schema.each_row:
        who = people(read, schema, problems)
    if problems or when is None:
        raise TableError(problems)
    who = who or each_row(read, schema, _kind(when))
    return AsideTable(
        schema=schema,
        given=scan.source.held if scan.source.is_gone else table,
        file=file,
        rows=scan.rows,
        subjects=who.subjects,
        notes=(*who.notes, *when.notes),
        read=Given(scan, file, types, who.rows),  # type: ignore[arg-type]
        when=when,
        dictionaries=dictionaries,
        dealt=held,
    )


def _scanned(scan: Scan, store: Store, sql: Mapping[str, str]) -> Any:
    rows = min(scan.at_once, _BATCH)
    return AsideRows(store, partial(sorted_by, scan), Scanned.of(scan, sql, rows))


def _kind(when: TimesSeen) -> Kind:
    return Kind.INSTANT if when.clock is None else when.clock.kind


def _values(read: Given, column: str, problems: list[Problem]) -> pa.Array:
    """The distinct values of a quasi column, ascending, null last."""
    base: Any = read.rows
    sql = {quasi(column): plain(column, read.types[column])}
    rows = _scanned(base.base.scan, base.store, sql)
    return dictionary(replace(read, rows=rows), column, problems)


def _people(
    scan: Scan,
    store: Store,
    read: Given,
    schema: Schema,
    when: TimesSeen,
    dictionaries: Mapping[str, pa.Array],
) -> tuple[AsideRows | None, Named | None]:
    """Deal rows out by people of whom each has one name; None where that must be looked into."""
    if len(schema.subject_columns) != 1 or schema.spelling == MERGE or when.clock is None:
        return None, None
    [column] = schema.subject_columns
    types = read.types
    sql = {
        SUBJECT: subject_sql(column, types[column]),
        _TOLD: microseconds_sql(schema, types[schema.time], when.clock.kind),
        **{given(name): plain(name, types[name]) for name in schema.quasi},
        **{sensitive(name): plain(name, types[name]) for name in schema.sensitive},
    }
    rows: AsideRows = _scanned(scan, store, sql).map(partial(_instants, when.clock))
    for name, values in dictionaries.items():
        rows = rows.map(partial(_coded, given(name), quasi(name), values))
    kept = (SUBJECT, TIME, *map(quasi, schema.quasi), *map(sensitive, schema.sensitive))
    dealt = rows.gathered(SUBJECT, frozenset(kept), scan.rows)
    names = dealt.counts((SUBJECT,)).settled()
    found = names.told(_blank, (SUBJECT,))
    if any(found):
        return None, None
    many = alike = len(names)
    if not pa.types.is_integer(names.kinds[SUBJECT].arrow):
        one_each = many
        if not one_way(names.told(_letters, (SUBJECT,))):
            names = names.map(_alike)
            alike = len(names.counts(("folded",)))
            one_each = len(names.counts(("trimmed",))) if schema.spelling == EXACT else alike
        if one_each < many:
            return None, None
    twins = 0 if schema.spelling == REFUSE else many - alike
    who: Any = Named(read.rows, many, tuple(subject_notes(schema, many, twins)))
    return dealt, who


def _instants(clock: TimeReading, batch: Batch) -> Batch:
    told = np.asarray(batch[_TOLD].to_numpy(zero_copy_only=False), dtype=np.int64)
    return {TIME: clock.read(told, [])[0]}


def _coded(raw: str, name: str, values: pa.Array, batch: Batch) -> Batch:
    """The place of each value among the distinct ones."""
    cells = batch[raw]
    if cells.type != values.type:
        cells = cells.cast(values.type)
    return {name: np.asarray(pc.index_in(cells, values), dtype=np.int32)}


def _blank(batch: Batch) -> bool:
    """Whether somebody has no name."""
    names = batch[SUBJECT]
    if names.null_count or pa.types.is_integer(names.type):
        return bool(names.null_count)
    return bool(pc.any(pc.equal(foldings(names), "")).as_py())


def _letters(batch: Batch) -> Letters:
    return letters(batch[SUBJECT])


def _alike(batch: Batch) -> Batch:
    """How each name is known in either way."""
    return {"folded": foldings(batch[SUBJECT]), "trimmed": trimmings(batch[SUBJECT])}
