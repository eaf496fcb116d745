"""Publish series: align them, plan groups, round envelopes, write patterns.

Notes
-----
Everything is done in the order of a draw with the ledger's key, so the order of the table has
no influence, not even on sums.

The ledger remembers who was published, and of long tables from when to when: whoever stands in
an earlier release at a time that this one would cover again is a reason to refuse it, since two
envelopes of the same values intersect. Names of columns tell no time, so people of a wide table
are taken to be published at all times; its next year needs a long table, or other people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Floats
from anachron.engines.base import Table
from anachron.errors import PlanError, Problem
from anachron.guarantees import KPAnonymity
from anachron.kernels.envelopes import envelopes
from anachron.kernels.hashing import ranks
from anachron.methods.invariance.memory import digests
from anachron.methods.meeting import refuse_known
from anachron.methods.outcome import Outcome, Past, Record
from anachron.methods.patterns.diversity import Diversity
from anachron.methods.patterns.explain import SeriesExplained, explain
from anachron.methods.patterns.kapra import kapra
from anachron.methods.patterns.naive import naive
from anachron.methods.patterns.planned import Planned, Task
from anachron.methods.patterns.released import check_names, keeps_whole, outwards, released, step_of
from anachron.methods.patterns.segments import lengths_of
from anachron.methods.patterns.sensitive import diversity, noisy, spelled
from anachron.methods.patterns.series import Aligned, align, chosen, constant, refuse_shapeless
from anachron.progress import Tell
from anachron.published.ways import Content, Envelope, Way
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = ["SeriesFacts", "carry_out"]

BREAK_POINTS = 1
"""The number of the table of break points that letters are told by."""


@dataclass(frozen=True)
class SeriesFacts(Record):
    """What a recipient must know to read a release of series; the order of times above all."""

    times: Mapping[str, Sequence[str]]
    precision: str
    break_points: int
    highest_level: int
    suppressed_series: int
    dropped_series: int
    figures: Mapping[str, Sequence[int]]
    """How many times each segment of a pattern has, if not each time has a letter."""


def carry_out(
    table: Table,
    promise: KPAnonymity,
    past: Past,
    told: Tell,
    accept: Collection[str] = (),
) -> Outcome[SeriesExplained]:
    """Plan the groups of a table of series, and write them out."""
    _check_schema(table, promise)
    aligned = align(table, promise)
    at_values = chosen(aligned.times, promise.values, "values")
    at_patterns = chosen(aligned.times, promise.patterns, "patterns")
    check_names(aligned.times, table.schema.sensitive)
    people = past.pseudonyms(aligned.subjects)
    drawn = np.argsort(ranks(past.secret("lots"), past.number, "series", digests(people)))
    row = aligned.row[drawn]
    series = aligned.gather(drawn)
    shapes = _at(series, at_patterns)
    refuse_shapeless(shapes, row, table)
    values = _at(series, at_values)
    del series
    step = step_of(promise.precision, table.whole_series, values)
    _refuse_known(people, aligned, table.schema, past, accept)
    columns = {name: spelled(table, name, promise) for name in table.schema.sensitive}
    sensitive = {name: constant(table, row, name, found) for name, (found, _) in columns.items()}
    table.forget()
    drawn_people = digests(people)[drawn]

    def lots(purpose: str, rows: Array) -> Array:
        return ranks(past.secret("lots"), past.number, purpose, drawn_people[rows])

    wanted = diversity(promise, sensitive, row, lots)
    lengths = lengths_of(promise, len(at_patterns))
    told("planning groups", 0.2)
    plan = _planned(promise, values, shapes, wanted, lengths)
    told("drawing envelopes", 0.7)
    bounds = outwards(*envelopes(values, plan.group), step)
    shown = {name: noisy(promise, column, plan, bounds) for name, column in sensitive.items()}
    times = _Times(aligned.times, at_values, at_patterns)
    whole = (
        table.whole_series and promise.gaps != "interpolate" and keeps_whole(step, np.stack(bounds))
    )
    release = released(plan, bounds, times.values, shown, whole)
    told_of = explain(table, promise, aligned, plan, bounds, shown)
    notes = [*told_of.notes, *(note for _, some in columns.values() for note in some)]
    return Outcome(
        release.resources,
        times.columns | _sensitive(table),
        _facts(times, step, plan, aligned),
        _state(people.take(pa.array(drawn)), release.group, aligned),
        replace(told_of, subgroups=release.subgroups, notes=notes),
    )


def _at(series: Floats, times: Array) -> Floats:
    """Series at some times in their order; all of them without another copy."""
    return series if len(times) == series.shape[1] else np.ascontiguousarray(series[:, times])


@dataclass(frozen=True)
class _Times:
    """What is published of which time."""

    names: tuple[str, ...]
    at_values: Array
    at_patterns: Array

    @property
    def values(self) -> list[str]:
        return [self.names[i] for i in self.at_values]

    @property
    def patterns(self) -> list[str]:
        return [self.names[i] for i in self.at_patterns]

    @property
    def columns(self) -> dict[str, Way]:
        shown, shaped = set(self.values), set(self.patterns)
        return {name: Envelope(name, name in shown, name in shaped) for name in self.names}


def _sensitive(table: Table) -> dict[str, Way]:
    return {name: Content(name) for name in table.schema.sensitive}


def _facts(times: _Times, step: Decimal, plan: Planned, aligned: Aligned) -> SeriesFacts:
    lengths = plan.task.lengths
    return SeriesFacts(
        times={"values": times.values, "patterns": times.patterns},
        precision=str(step),
        break_points=BREAK_POINTS,
        highest_level=int(plan.level.max()),
        suppressed_series=int(np.count_nonzero(plan.group < 0)),
        dropped_series=aligned.dropped,
        figures={} if lengths is None else {"segments": lengths.tolist()},
    )


def _check_schema(table: Table, promise: KPAnonymity) -> None:
    schema = table.schema
    problems = []
    if not schema.series or schema.quasi:
        problems.append(
            Problem(
                "(k,P)-anonymity is for series, which are all that an outsider may know.",
                remedy="Name the columns of the series in the schema, and no quasi columns.",
            )
        )
    if bool(schema.time) != (promise.granularity is not None):
        problems.append(
            Problem(
                "a granularity is needed with a time column, and has no meaning without.",
                remedy="It says what two neighbouring times of a long table are apart.",
            )
        )
    if promise.l is not None and len(schema.sensitive) != 1:
        problems.append(
            Problem(
                f"l is promised of one sensitive column, and there are {len(schema.sensitive)}.",
                remedy="Name exactly one in the schema.",
            )
        )
    if problems:
        raise PlanError(problems)


def _planned(
    promise: KPAnonymity,
    values: Floats,
    shapes: Floats,
    wanted: Diversity | None,
    lengths: Array | None,
) -> Planned:
    """Plan groups of series that are in the order of the draw."""
    task = Task(
        values, promise.k, promise.P, promise.max_level,
        "loss" if promise.objective == "loss" else "level",
        np.arange(len(values)), wanted, shapes, promise.tree_level, promise.cells, lengths,
    )  # fmt: skip
    return {"kapra": kapra, "naive": naive}[promise.algorithm](task)


def _refuse_known(
    people: pa.Array, aligned: Aligned, schema: Schema, past: Past, accept: Collection[str]
) -> None:
    """Refuse people whom an earlier release shows at a time that this one would cover again."""
    ends = np.iinfo(np.int64)
    first, until = (ends.min, ends.max) if aligned.span is None else aligned.span
    wanted = pa.table(
        {
            "subject": people,
            "first": np.full(len(people), first),
            "until": np.full(len(people), until),
        }
    )
    remedy = (
        "Two envelopes of the same values intersect and give people away. Publish other people, "
        "or, in a long table, later times only."
    )
    refuse_known(Streamed.of(wanted.sort_by("subject")), schema, past, accept, remedy)


def _state(people: pa.Array, group: Array, aligned: Aligned) -> Streamed:
    """What the ledger keeps of the people in a release; without times, they are in it for ever."""
    here = np.flatnonzero(group)
    columns = {"subject": people.take(pa.array(here))}
    if aligned.span is not None:
        columns |= {
            name: pa.array(np.full(len(here), instant))
            for name, instant in zip(("first", "until"), aligned.span, strict=True)
        }
    state = pa.table(columns | {"group": pa.array(group[here].astype(np.int32))})
    return Streamed.of(state.sort_by("subject"))
