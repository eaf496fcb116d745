"""A table of series, wide or long, as cells: whose value of which time is there, and which is not.

==============  ==========================================================================
wide            one row for each subject, one column for each time
long            one row for each value, its time rounded down to a granule of the calendar
==============  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.calendar.definitions import Granularity
from anachron.calendar.granules import OUTSIDE
from anachron.calendar.realise import realise, span
from anachron.engines.base import Table
from anachron.errors import Problem, TableError
from anachron.methods.recorded import refuse_cutting

__all__ = ["Cells", "cells"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Which values there are, counted, and how to gather them. Subjects go by their codes."""

    row: Array
    """The first row of the table with each subject."""
    of_subject: Array
    """How many values each subject has."""
    of_time: Array
    """How many subjects have a value at each time."""
    has_ends: Flags
    """Whether a subject has a value at the first and at the last time."""
    names: Callable[[Array], list[str]]
    """What times are called."""
    dense: Callable[[Array, Flags], Floats]
    """Gather the values of subjects, in their order, at some times; NaN where there is none."""
    instants: Callable[[Array], tuple[Array, Array]] | None
    """When times begin, and when they are over; None if columns do not tell."""


def cells(table: Table, granularity: Granularity | None) -> Cells:
    """Look at the cells of a table of series; ``granularity`` is that of a long one."""
    return _wide(table) if granularity is None else _long(table, granularity)


def _wide(table: Table) -> Cells:
    subject = _codes(table)
    if table.subjects < table.rows:
        again = np.ones(table.rows, dtype=np.bool_)
        again[_first_rows(subject, table.subjects)] = False
        raise TableError(
            Problem(
                f"holds a subject that stands in an earlier row too ({again.sum():,} such rows).",
                column=table.schema.person,
                row=int(np.flatnonzero(again)[0]) + 1,
                remedy="With a column for each time, each subject has one row.",
            )
        )
    there = ~np.isnan(table.series())
    row = _first_rows(subject, table.subjects)

    def dense(subjects: Array, wanted: Flags) -> Floats:
        found = table.series()[row[subjects]]
        return found if wanted.all() else np.ascontiguousarray(found[:, wanted])

    return Cells(
        row,
        there.sum(axis=1)[row],
        there.sum(axis=0),
        (there[:, 0] & there[:, -1])[row],
        lambda times: [table.schema.series[time] for time in times],
        dense,
        None,
    )


def _long(table: Table, granularity: Granularity) -> Cells:
    schema = table.schema
    refuse_cutting(granularity, table, "times")
    granules = realise(granularity, span(schema.time_zone, table.first, table.last))
    index = granules.index(table.instants)
    _raise(_outside(index, granularity, schema.time))
    start = int(index.min())
    time = index - start
    times = int(time.max()) + 1
    _raise(_too_fine(times, table, granularity))
    subject = _codes(table)
    _raise(_repeated(subject * times + time, table, times, granularity))
    there = ~np.isnan(table.series()[:, 0])
    first, last = np.zeros((2, table.subjects), dtype=np.bool_)
    first[subject[there & (time == 0)]] = True
    last[subject[there & (time == times - 1)]] = True

    def dense(subjects: Array, wanted: Flags) -> Floats:
        found = np.full((len(subjects), int(wanted.sum())), np.nan)
        place = np.full(table.subjects, -1, dtype=np.int64)
        place[subjects] = np.arange(len(subjects))
        taken = there & (place[subject] >= 0) & wanted[time]
        column = np.cumsum(wanted) - 1
        found[place[subject[taken]], column[time[taken]]] = table.series()[taken, 0]
        return found

    return Cells(
        _first_rows(subject, table.subjects),
        np.bincount(subject[there], minlength=table.subjects),
        np.bincount(time[there], minlength=times),
        first & last,
        lambda times: granules.label(times + start),
        dense,
        lambda times: granules.bounds(times + start),
    )


def _codes(table: Table) -> Array:
    codes: Array = table.people().indices.to_numpy().astype(np.int64)
    return codes


def _first_rows(subject: Array, subjects: int) -> Array:
    first = np.empty(subjects, dtype=np.int64)
    # Of several values for one place the last is kept.
    first[subject[::-1]] = np.arange(len(subject))[::-1]
    return first


def _raise(problems: Iterator[Problem]) -> None:
    found = list(problems)
    if found:
        raise TableError(found)


def _outside(index: Array, granularity: Granularity, column: str) -> Iterator[Problem]:
    outside = np.flatnonzero(index == OUTSIDE)
    if len(outside):
        yield Problem(
            f"lies in no granule of {granularity.name!r} in {len(outside):,} rows.",
            column=column,
            row=int(outside[0]) + 1,
            remedy="Leave those rows out, or choose a granularity that covers them.",
        )


def _too_fine(times: int, table: Table, granularity: Granularity) -> Iterator[Problem]:
    if times > 2 * table.rows + 1000:
        yield Problem(
            f"spans {times:,} times of {granularity.name!r}, and there are {table.rows:,} rows.",
            column=table.schema.time,
            remedy="Choose a coarser granularity, or correct times that are far off.",
        )


def _repeated(cell: Array, table: Table, times: int, granularity: Granularity) -> Iterator[Problem]:
    """Find rows of a subject and a time that another row has too."""
    if table.subjects * times <= 4 * len(cell):
        taken = np.zeros(table.subjects * times, dtype=np.bool_)
        taken[cell] = True
        if np.count_nonzero(taken) == len(cell):
            return
    order = np.argsort(cell, kind="stable")
    again = order[1:][cell[order[1:]] == cell[order[:-1]]]
    if len(again):
        yield Problem(
            f"lies in the same {granularity.name} as that of an earlier row of the same subject "
            f"({len(again):,} such rows).",
            column=table.schema.time,
            row=int(again.min()) + 1,
            remedy="A series has one value at each time: choose a finer granularity, or make one "
            "value of them.",
        )
