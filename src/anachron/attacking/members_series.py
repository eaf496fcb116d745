"""Who stands behind which rows of a release of series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.attacking.known import Known
from anachron.attacking.members import Column, Members
from anachron.attacking.settling import settled
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.evidence.series import Misfit, Own, own_series
from anachron.auditing.evidence.standing import Ranges, listed_people, ranges_of
from anachron.auditing.history import TablePast
from anachron.auditing.reading.columns import joined, ranked
from anachron.auditing.reading.description import series_of
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.letters import have_words, letters_of
from anachron.auditing.reading.series import SeriesRows, series_rows
from anachron.behind import Microdata

__all__ = ["SeriesView", "series_members", "series_view"]

_LEVEL = 4
"""Shapes are described to learners by so many letters,"""
_TIMES = 12
"""at so many times."""


@dataclass(frozen=True, eq=False)
class SeriesView:
    """A release of series, and the series of the owner laid against it."""

    shape: Series
    rows: SeriesRows
    own: Own
    ranges: Ranges
    """Which published sensitive values may be those of each person."""
    group: Array | None
    """The published group of each person, 0 for none; None if the ledger is not at hand."""


def series_view(known: Known) -> SeriesView | None:
    """Lay the microdata against a release of series; None if not enough is known."""
    shape = series_of(known.release)
    if shape is None or known.microdata is None:
        return None
    try:
        own = own_series(shape, known.microdata)
    except Misfit:
        return None
    rows = series_rows(shape)
    group = None
    if isinstance(known.past, TablePast):
        group = listed_people(own, known.microdata, known.past).group
    return SeriesView(shape, rows, own, ranges_of(shape, rows, own), group)


def in_own_group(view: SeriesView, people: Array, group: Array) -> tuple[Array, Array]:
    """Pair places in ``people`` with the subgroups of their group that have their pattern."""
    rows = view.rows
    start = np.searchsorted(rows.subgroup_group, group, side="left")
    stop = np.searchsorted(rows.subgroup_group, group, side="right")
    found = []
    for who, subgroup in expanded(start, stop):
        letters, level = rows.subgroup_letters, rows.subgroup_level
        right = have_words(view.own.z, people[who], subgroup, letters, level)
        found.append((who[right], subgroup[right]))
    return joined(found)


def series_members(known: Known, _loaded: Microdata) -> Members | None:
    """Find the subgroup of everyone: of the own group and pattern, with a row of the own value."""
    view = series_view(known)
    if view is None or view.group is None:
        return None
    people = np.flatnonzero(view.group > 0)
    who, subgroup = in_own_group(view, people, view.group[people])
    rows, width = view.rows, int(view.rows.value.code.max(initial=0)) + 2
    key, room = np.unique(rows.subgroup * width + rows.value.code, return_counts=True)
    first, end = view.ranges.first[people[who]], view.ranges.end[people[who]]
    start = np.searchsorted(key, subgroup * width + first)
    stop = np.searchsorted(key, subgroup * width + np.maximum(first, end))
    of, to = joined((who[at], cell) for at, cell in expanded(start, stop))
    slot = settled(of, to, room, len(people))
    there = slot >= 0
    people = people[there]
    columns = zip(view.shape.sensitive, view.own.sensitive, strict=True)
    coded = ((name, *ranked(column)) for name, column in columns)
    return Members(
        group=key[slot[there]] // width,
        groups=len(rows.size),
        person=view.own.subject[people],
        quasi=_letters(view, people),
        sensitive=tuple(Column(name, rank[people], domain) for name, rank, domain in coded),
        spare=joined(()),
    )


def _letters(view: SeriesView, people: Array) -> tuple[Column, ...]:
    """The shape of people as letters, and where their values lie among all."""
    z = view.own.z[people]
    times = np.unique(np.linspace(0, z.shape[1] - 1, min(_TIMES, z.shape[1])).astype(int))
    letters = letters_of(z[:, times], _LEVEL).astype(np.int64)
    names = [view.shape.patterns[time] for time in times.tolist()]
    alphabet = pa.array([chr(ord("a") + i) for i in range(_LEVEL)])
    found = [Column(name, letters[:, i], alphabet) for i, name in enumerate(names)]
    mean = view.own.values[people].mean(axis=1)
    edges = np.quantile(mean, [0.25, 0.5, 0.75]) if len(mean) else np.zeros(3)
    quarter = np.searchsorted(edges, mean, side="right").astype(np.int64)
    return (*found, Column("mean of the values", quarter, alphabet))
