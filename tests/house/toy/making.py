"""How a table is published: rows of those who have few are left out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.auditing.history import TablePast
from anachron.engines.local.table import LocalTable
from anachron.errors import AlreadyPublished
from anachron.ledger import Publication
from anachron.making.course import Work
from anachron.making.tables import TableCourse
from anachron.methods.outcome import Explanation, Outcome, Past, Record
from anachron.published import ways
from anachron.streamed import Streamed
from tests.house.toy.promise import Frequent


@dataclass(frozen=True)
class Facts(Record):
    """What a recipient must know."""

    suppressed_rows: int


@dataclass(frozen=True)
class Explained(Explanation):
    """What the owner is told."""

    rows: int
    subjects: int
    people: int
    """Those who are published."""


def course(
    _work: Work[Frequent], table: LocalTable, _end: bool
) -> tuple[TableCourse[Frequent, Explained]]:
    """Publish a table by itself."""
    return (TableCourse(table, carry_out, _past),)


def _past(outcome: Outcome[Explained], publication: Publication) -> TablePast:
    return TablePast(outcome.state, publication.pseudonyms)


def carry_out(
    table: LocalTable,
    promise: Frequent,
    past: Past,
    _told: Callable[[str], None],
    _accept: Collection[str],
) -> Outcome[Explained]:
    """Count the rows of each person, and publish those of whoever has enough."""
    people, schema = table.people(), table.schema
    who = np.asarray(people.indices)
    enough = np.bincount(who) >= promise.n
    kept = np.flatnonzero(enough[who])
    rows = _ordered(
        {name: table.column(name).take(pa.array(kept)) for name in _named(table)}, len(schema.quasi)
    )
    columns = {name: ways.AsItIs(name) for name in schema.quasi}
    columns |= {name: ways.Content(name) for name in schema.sensitive}
    return Outcome(
        {"data": (rows.schema, iter(rows.to_batches()))},
        columns,
        Facts(table.rows - len(kept)),
        _remembered(people.dictionary.filter(pa.array(enough)), past),
        Explained(promise.method, (), table.rows, table.subjects, int(enough.sum())),
    )


def _named(table: LocalTable) -> tuple[str, ...]:
    return (*table.schema.quasi, *table.schema.sensitive)


def _ordered(columns: dict[str, pa.Array], quasi: int) -> pa.Table:
    """Rows in the order of their values; those that agree in all quasi values are a group."""
    rows = pa.table(columns)
    rows = rows.sort_by([(name, "ascending") for name in rows.column_names])
    key = list(zip(*(rows[name].to_pylist() for name in rows.column_names[:quasi]), strict=True))
    number = {values: n for n, values in enumerate(dict.fromkeys(key), start=1)}
    group = pa.array([number[values] for values in key] or [1] * len(rows), pa.int64())
    return rows.add_column(0, "group", group)


def _remembered(people: pa.Array, past: Past) -> Streamed:
    """Everyone in the release; who was published before is refused."""
    who = past.pseudonyms(people)
    always = np.zeros(len(who), dtype=np.int64)
    wanted = pa.table({"subject": who, "first": always, "until": always + 1}).sort_by("subject")
    if past.overlapping(Streamed.of(wanted)):
        raise AlreadyPublished("people of this table were published before.")
    return Streamed.of(wanted.select(["subject"]))
