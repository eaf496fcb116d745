"""Publish eligible snapshots with quasi values as intervals, and cover for who is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.errors import PlanError, Problem, TableError
from anachron.guarantees import Reposition
from anachron.methods import boxes
from anachron.methods.axes import Axis, axis
from anachron.methods.outcome import Record
from anachron.methods.reposition.apply import GROUP, Written, batches, time_columns, typed
from anachron.methods.reposition.cells import cut
from anachron.methods.reposition.cover import cover
from anachron.methods.reposition.generalize import (
    BoxedGroups,
    boxed,
    generalize,
    in_published_order,
)
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import NOWHERE, OUT, Gathered
from anachron.schema import Schema

__all__ = ["BoxFigures", "in_cells", "write"]


@dataclass(frozen=True)
class BoxFigures(Record):
    """What became of the snapshots in boxes."""

    groups: int
    widened: int
    uncovered: int


def in_cells(feed: Advanced, promise: Reposition, schema: Schema) -> Advanced:
    """Cut the rows of each snapshot into cells by quasi values alone, as careful promises have it.

    Some records, which would be too many in their cell, are then left out.
    """
    records = feed.held
    axes = _axes(records, promise, schema)
    points, span = boxes.points(axes), boxes.spans(axes)
    gone, cells = cut(records, points, span, promise.l)
    position, out = records.position.copy(), records.flag(OUT).copy()
    position[gone], out[gone] = NOWHERE, True
    return replace(feed.placed(position, out), cells=cells)


def write(feed: Advanced, promise: Reposition, schema: Schema) -> Written:
    """Lay boxes around l-diverse groups of each snapshot, and cover those who are not in theirs."""
    records, position = feed.held, feed.held.position
    axes = _axes(records, promise, schema)
    points, span = boxes.points(axes), boxes.spans(axes)
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    rows = np.flatnonzero(position != NOWHERE)
    snapshot = np.searchsorted(due, position[rows])
    value = records.value[rows]
    if feed.cells is None:
        group, groups = generalize(points.take(rows), span, snapshot, value, promise.l)
    else:
        group = feed.cells[rows]
        groups = boxed(points.take(rows), snapshot, group)
    missing = np.flatnonzero(np.isin(records.home, due) & (position != records.home))
    home = np.searchsorted(due, records.home[missing])
    covered = cover(groups, span, points.take(missing), home)
    group, groups = in_published_order(group, covered.groups)
    return Written(
        {"data": batches(_rows(feed, schema, axes, due, group, groups, value))},
        {one.column: boxes.way(one) for one in axes},
        BoxFigures(len(groups.snapshot), covered.widened, int(covered.uncovered.sum())),
    )


def _axes(records: Gathered, promise: Reposition, schema: Schema) -> list[Axis]:
    """The quasi columns as numbers; all problems at once."""
    found: list[Axis] = []
    problems: list[Problem] = []
    for column in schema.quasi:
        coded = records.quasi[column]
        try:
            found.append(axis(column, coded.dictionary.take(coded.indices), promise))
        except PlanError as error:
            problems += error.problems
    if problems:
        raise TableError(problems)
    return found


def _rows(
    feed: Advanced,
    schema: Schema,
    axes: Sequence[Axis],
    due: Array,
    group: Array,
    groups: BoxedGroups,
    value: Array,
) -> dict[str, pa.Array]:
    """The published rows, by group and sensitive value."""
    values, ascending = typed(feed)
    order = np.lexsort((ascending[value], group))
    group, value = group[order], value[order]
    columns: dict[str, pa.Array] = {GROUP: pa.array(group + 1)}
    columns |= time_columns(feed, schema.time, due[groups.snapshot[group]])
    for one, (low, high) in zip(axes, boxes.published(axes, groups.boxes), strict=True):
        columns |= boxes.columns(one, low[group], high[group])
    columns[schema.sensitive[0]] = values.take(pa.array(value))
    return columns
