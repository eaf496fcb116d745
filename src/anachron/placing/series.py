"""Who stands behind which rows of a release of series."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.evidence.series import Misfit, Own, own_series
from anachron.auditing.evidence.standing import Ranges, listed_people, ranges_of
from anachron.auditing.history import Past, TablePast
from anachron.auditing.reading.columns import joined, ranked
from anachron.auditing.reading.description import series_of
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.letters import have_words, letters_of
from anachron.auditing.reading.series import SeriesRows, series_rows
from anachron.behind import Attribute, Members, Microdata
from anachron.placing.members import Finder
from anachron.placing.register import remembered
from anachron.placing.settling import settled
from anachron.release.read import Release

__all__ = ["SERIES", "SeriesView", "levels_of", "series_view"]

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
    group: Array | None
    """The published group of each person, 0 for none; None if the ledger is not at hand."""

    @cached_property
    def ranges(self) -> Ranges:
        """Which published sensitive values may be those of each person."""
        return ranges_of(self.shape, self.rows, self.own)

    def in_own_group(self, people: Array, group: Array) -> tuple[Array, Array]:
        """Pair places in ``people`` with the subgroups of their group that have their pattern."""
        rows = self.rows
        start = np.searchsorted(rows.subgroup_group, group, side="left")
        stop = np.searchsorted(rows.subgroup_group, group, side="right")
        found = []
        for who, subgroup in expanded(start, stop):
            letters, level = rows.subgroup_letters, rows.subgroup_level
            right = have_words(self.own.z, self.own.times, people[who], subgroup, letters, level)
            found.append((who[right], subgroup[right]))
        return joined(found)


def series_view(release: Release, table: Microdata, past: Past) -> SeriesView | None:
    """Lay a table against a release of series; None if it is none.

    Raises
    ------
    Misfit
        If the table cannot be that of the release.
    """
    shape = series_of(release)
    if shape is None:
        return None
    own = own_series(shape, table)
    group = listed_people(own, table, past).group if isinstance(past, TablePast) else None
    return SeriesView(shape, series_rows(shape), own, group)


def _members(release: Release, table: Microdata, past: Past) -> Members | None:
    """Find the subgroup of everyone: of the own group and pattern, with a row of the own value."""
    try:
        view = series_view(release, table, past)
    except Misfit:
        return None
    if view is None or view.group is None:
        return None
    people = np.flatnonzero(view.group > 0)
    who, subgroup = view.in_own_group(people, view.group[people])
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
        sensitive=tuple(Attribute(name, rank[people], domain) for name, rank, domain in coded),
    )


SERIES = Finder(remembered, _members)


def _letters(view: SeriesView, people: Array) -> tuple[Attribute, ...]:
    """The shape of people as letters, and where their values lie among all."""
    z = view.own.shape[people]
    times = np.unique(np.linspace(0, z.shape[1] - 1, min(_TIMES, z.shape[1])).astype(int))
    letters = letters_of(z[:, times], _LEVEL).astype(np.int64)
    names = [view.shape.patterns[time] for time in times.tolist()]
    alphabet = pa.array([chr(ord("a") + i) for i in range(_LEVEL)])
    found = [Attribute(name, letters[:, i], alphabet) for i, name in enumerate(names)]
    mean = view.own.values[people].mean(axis=1)
    edges = np.quantile(mean, [0.25, 0.5, 0.75]) if len(mean) else np.zeros(3)
    quarter = np.searchsorted(edges, mean, side="right").astype(np.int64)
    return (*found, Attribute("mean of the values", quarter, alphabet))


def levels_of(view: SeriesView, group: Array) -> Array:
    """At which level the pattern of each person is published; 0 for who is in no group.

    The ledger remembers the group of each person, not the row. In a group there may be patterns of
    several levels that are all the person's own; each has as many rows as people. People are
    dealt out from the finest level down, first those whom no coarser pattern of the group fits.
    """
    rows, people = view.rows, np.flatnonzero(group > 0)
    who, subgroup = view.in_own_group(people, group[people])
    person = people[who]
    level = np.zeros(len(view.own), dtype=np.int64)
    chances = np.bincount(person, minlength=len(level))
    of_pair = rows.subgroup_level[subgroup]
    for one in np.unique(of_pair)[::-1].tolist():
        here = np.flatnonzero(of_pair == one)
        chances[person[here]] -= 1
        here = here[level[person[here]] == 0]
        here = here[np.lexsort((chances[person[here]], subgroup[here]))]
        place = np.arange(len(here)) - np.searchsorted(subgroup[here], subgroup[here])
        taken = here[(place < rows.size[subgroup[here]]) | (chances[person[here]] == 0)]
        level[person[taken]] = one
    return level
