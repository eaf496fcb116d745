"""Read a table that does not fit into memory: batch by batch, with the checks of any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anachron import scratch
from anachron.engines.aside.pieces import Store
from anachron.engines.aside.rows import AsideRows
from anachron.engines.aside.table import AsideTable
from anachron.engines.base import ROW, Batch
from anachron.engines.local.kinds import type_problems
from anachron.engines.local.scan import Scan
from anachron.engines.local.table import sorted_by
from anachron.engines.local.time_text import Kind
from anachron.engines.spark.columns import Carried, kind_of
from anachron.engines.spark.given import Given, given
from anachron.engines.spark.people import each_row, people
from anachron.engines.spark.table import dictionary
from anachron.engines.spark.times import moments
from anachron.errors import Problem, TableError
from anachron.schema import Schema
from anachron.source.base import quoted

__all__ = ["load"]

_BATCH = 1 << 18


@dataclass(frozen=True, eq=False)
class Scanned:
    """The rows of a scan, as they are given: read anew whenever somebody asks."""

    scan: Scan
    kinds: Mapping[str, Carried]
    names: Mapping[str, str]
    """The columns of the table by the names of :func:`given`."""
    rows: int
    """So many are given at a time."""

    def batches(self, wanted: frozenset[str]) -> Iterator[Batch]:
        """Scan some columns, with the number of each row."""
        sql = {name: quoted(of) for name, of in self.names.items() if name in wanted}
        first = 0
        for batch in self.scan.batches(sql or {"": "NULL"}, self.rows):
            columns: dict[str, Any] = {name: batch.column(name) for name in sql}
            columns[ROW] = np.arange(first, first + len(batch), dtype=np.int64)
            first += len(batch)
            yield columns


def load(scan: Scan, schema: Schema, table: object) -> AsideTable:
    """Read an opened table; all problems found are raised as one error."""
    rows = scan.at_once
    file, types = scan.source.name, dict(scan.source.columns)
    problems: list[Problem] = list(type_problems(schema, types, file))
    if problems:
        raise TableError(problems)
    store = Store(scan.held.enter_context(scratch.folder("the table")), rows)
    names = {given(column): column for column in schema.columns}
    empty = scan.schema({name: quoted(of) for name, of in names.items()}).empty_table()
    kinds = {name: kind_of(empty.column(name).combine_chunks()) for name in names}
    base = Scanned(scan, {**kinds, ROW: Carried("int64")}, names, min(rows, _BATCH))
    read: Any = Given(scan, file, types, AsideRows(store, partial(sorted_by, scan), base))  # type: ignore[arg-type]
    when = moments(read, schema, problems)
    dictionaries = {column: dictionary(read, column, problems) for column in schema.quasi}
    who = None if schema.each_row else people(read, schema, problems)
    if problems or when is None:
        raise TableError(problems)
    kind = Kind.INSTANT if when.clock is None else when.clock.kind
    who = who or each_row(read, schema, kind)
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
    )
