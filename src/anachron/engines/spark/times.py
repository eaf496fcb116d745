"""When rows happened: the checks of the local engine, batch by batch, and put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import ROW, TIME, Batch
from anachron.engines.local.kinds import is_text
from anachron.engines.local.marked import Marked, gathered
from anachron.engines.local.time_text import Kind, kinds_sql
from anachron.engines.local.times import doubts, microseconds_sql, told_kind, unread
from anachron.engines.local.walls import (
    RECORDED_BY,
    from_wall,
    only_days,
    recorded_by,
    twice_notes,
)
from anachron.engines.spark.given import Given, given
from anachron.engines.spark.selecting import selected
from anachron.errors import Problem
from anachron.schema import CALENDAR_UNITS, Schema

__all__ = ["TimeReading", "TimesSeen", "moments"]

_FINER = (*RECORDED_BY, "second", "instant")


@dataclass(frozen=True)
class TimeReading:
    """How the time of each row is read, once all of them were seen."""

    schema: Schema
    of: str
    """The type of the column in DuckDB."""
    kind: Kind
    name: str
    """How messages call the table."""
    is_wall: bool
    all_days: bool = False

    def told(self, batch: Batch) -> pa.Array:
        """Microseconds on the clock that the column tells; null where it tells none."""
        sql = microseconds_sql(self.schema, self.of, self.kind)
        cells = {self.schema.time: batch[given(self.schema.time)]}
        return selected(cells, {"us": sql}).column(0).combine_chunks()

    def instants(self, batch: Batch) -> Batch:
        """The instant of each row: a kernel."""
        told = np.asarray(self.told(batch).to_numpy(zero_copy_only=False), dtype=np.int64)
        return {TIME: self.read(told, [])[0]}

    def read(self, told: Array, problems: list[Problem]) -> tuple[Array, int]:
        """From what the clock showed to instants, and how many were shown twice."""
        if not self.is_wall or not len(told):
            return told, 0
        return from_wall(told, self.schema, self.name, problems, self.all_days)


@dataclass(frozen=True)
class TimesSeen:
    """The times of a table."""

    clock: TimeReading | None
    first: int = 0
    last: int = 0
    unit: int = 1
    recorded_by: str = "instant"
    notes: tuple[str, ...] = ()


def moments(table: Given, schema: Schema, problems: list[Problem]) -> TimesSeen | None:
    """Read the time column, or add to the problems why it cannot be read."""
    if not schema.time:
        return TimesSeen(None)
    before = len(problems)
    of = table.types[schema.time]
    kind = _kind(table, schema, of, problems)
    if kind is None:
        return None
    declared = schema.time_unit if kind in (Kind.COUNTED, Kind.MONTH) else "auto"
    clock = TimeReading(
        schema, of, kind, table.name, kind is Kind.WALL or declared in CALENDAR_UNITS
    )
    looks = table.rows.told(partial(_looked, clock), (given(schema.time), ROW))
    found = [one for one in looks if one.unread]
    problems += gathered(one.unread for one in found) if found else gathered(
        one.doubts for one in looks)  # fmt: skip
    if len(problems) > before:
        return None
    clock = replace(clock, all_days=all(one.days for one in looks))
    seen = table.rows.told(partial(_seen, clock), (given(schema.time), ROW))
    problems += gathered(one.problems for one in seen if one.problems)
    if len(problems) > before:
        return None
    first = min(one.first for one in seen)
    steps = [step for one in seen for step in (one.step, one.first - first)]
    finest = max(_FINER.index(one.recorded_by) for one in seen)
    return TimesSeen(
        clock,
        first,
        max(one.last for one in seen),
        max(int(np.gcd.reduce(np.array(steps, dtype=np.int64))), 1),
        declared if declared in CALENDAR_UNITS else _FINER[finest],
        tuple(twice_notes(sum(one.twice for one in seen), schema)),
    )


def _kind(table: Given, schema: Schema, of: str, problems: list[Problem]) -> Kind | None:
    """What the column tells: of text, by how many cells of each kind there are."""
    counted: dict[int, tuple[int, int]] = {}
    if is_text(of):
        for part in table.rows.told(partial(_kinds, schema), (given(schema.time), ROW)):
            for kind, (count, first) in part.items():
                known = counted.get(kind, (0, first))
                counted[kind] = known[0] + count, min(known[1], first)
    kinds = sorted(counted, key=lambda kind: (counted[kind][1], kind))
    # One row for each kind, in the order in which they come, tells what is wrong with all of them.
    one_each = pa.array(kinds, pa.uint8())
    columns = {schema.time: of}
    scan: Any = SimpleNamespace(
        column=lambda _: one_each, source=SimpleNamespace(name=table.name, columns=columns)
    )
    found: list[Problem] = []
    kind = told_kind(scan, schema, of, found)
    for problem in found:
        if problem.row is None:
            problems.append(problem)
            continue
        count, first = counted[kinds[problem.row - 1]]
        is_marked = isinstance(problem, Marked)
        problems.append(
            problem.of(count, first) if is_marked else replace(problem, row=first + 1)  # type: ignore[attr-defined]
        )
    return kind


def _kinds(schema: Schema, batch: Batch) -> dict[int, tuple[int, int]]:
    """How many cells of a batch are of each kind, and the first row of each."""
    cells = {schema.time: batch[given(schema.time)]}
    found = selected(cells, {"kind": kinds_sql(schema)}).column(0).to_numpy()
    told, count = np.unique(found, return_counts=True)
    return {
        int(kind): (int(many), int(batch[ROW][found == kind].min()))
        for kind, many in zip(told, count, strict=True)
    }


@dataclass(frozen=True)
class _Look:
    """What a first look at a batch shows."""

    unread: tuple[Problem, ...]
    doubts: tuple[Problem, ...] = ()
    days: bool = True


def _looked(clock: TimeReading, batch: Batch) -> _Look:
    told, schema = clock.told(batch), clock.schema
    if told.null_count:
        column = batch[given(schema.time)]
        scan: Any = SimpleNamespace(
            column=lambda sql: selected({schema.time: column}, {"value": sql}).column(0),
            source=SimpleNamespace(name=clock.name, columns={schema.time: clock.of}),
        )
        null = told.is_null().to_numpy(zero_copy_only=False)
        return _Look(_by_row(unread(scan, schema, clock.kind, null), batch))
    walls = np.asarray(told.to_numpy(zero_copy_only=False), dtype=np.int64)
    found = doubts(walls, schema, clock.kind, clock.name)
    return _Look((), _by_row(found, batch), only_days(walls))


@dataclass(frozen=True)
class _Seen:
    """What a batch adds to what is known of all times."""

    problems: tuple[Problem, ...]
    first: int
    last: int
    step: int
    recorded_by: str
    twice: int


def _seen(clock: TimeReading, batch: Batch) -> _Seen:
    problems: list[Problem] = []
    told = np.asarray(clock.told(batch).to_numpy(zero_copy_only=False), dtype=np.int64)
    instants, twice = clock.read(told, problems)
    first = int(instants.min())
    return _Seen(
        _by_row(problems, batch),
        first,
        int(instants.max()),
        int(np.gcd.reduce(instants - first)),
        recorded_by(instants, clock.schema.time_zone),
        twice,
    )


def _by_row(problems: Iterable[Problem], batch: Batch) -> tuple[Problem, ...]:
    """Problems of a batch by the rows of the table."""
    row: Array = batch[ROW]
    return tuple(
        one if one.row is None else replace(one, row=int(row[one.row - 1]) + 1) for one in problems
    )
