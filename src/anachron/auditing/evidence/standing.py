"""Is each published row that of one person, with their own values, shape and sensitive value?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.matching import Ways, matched
from anachron.auditing.evidence.possible import MANY, enveloped, expanded, meetings_of, possible
from anachron.auditing.evidence.series import Own
from anachron.auditing.history import TablePast
from anachron.auditing.reading.columns import floats, joined, places, whole
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.letters import have_words
from anachron.auditing.reading.series import SeriesRows, places_of
from anachron.behind import Microdata

__all__ = [
    "Pairs",
    "Possibly",
    "Ranges",
    "Remembered",
    "StandingPeople",
    "listed_people",
    "possibly",
    "ranges_of",
    "standing",
]

Pairs = tuple[Array, Array]
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Ranges:
    """Which published sensitive values may be those of each person: from ``first`` to ``end``."""

    first: Array
    end: Array


def ranges_of(form: Series, rows: SeriesRows, own: Own) -> Ranges:
    """Find the published values of people: their own, or those that noise may make of them."""
    promise = form.promise
    if promise.l is None or promise.diversity != "paper" or promise.noise is None:
        place = places_of(own.sensitive, len(own), rows.value)
        return Ranges(np.maximum(place, 0), place + 1)
    (column,) = own.sensitive
    mine = floats(column)
    theirs = floats(pa.chunked_array([rows.value.domains[0]]))
    noise = float(promise.noise) + _ROUNDING * float(np.abs(mine).max(initial=0.0))
    return Ranges(
        np.searchsorted(theirs, mine - noise, side="left"),
        np.searchsorted(theirs, mine + noise, side="right"),
    )


@dataclass(frozen=True, eq=False)
class Remembered:
    """What the ledger remembers of the people of the microdata."""

    group: Array
    """Of each person, 0 for none."""
    known: int
    """People who are remembered."""
    strangers: int
    """People who are remembered and have no series."""
    late: int
    """People who are remembered at other times."""
    timeless: bool
    """Whether no times are remembered, although there are some."""


def listed_people(own: Own, loaded: Microdata, history: TablePast) -> Remembered:
    """Find the group of each person, as the ledger remembers it."""
    state = history.state.table()
    remembered = state["subject"].combine_chunks()
    if isinstance(remembered, pa.ChunkedArray):
        remembered = pa.concat_arrays(remembered.chunks)
    who = history.pseudonyms(loaded.subject_values)
    place = whole(pc.index_in(who, value_set=remembered), -1)[own.subject]
    known = place >= 0
    late, dated = 0, "first" in state.column_names
    if own.span is not None and dated:
        first, until = whole(state["first"], 0), whole(state["until"], 0)
        late = int(((first > own.span[0]) | (until < own.span[1])).sum())
    return Remembered(
        group=np.where(known, np.append(whole(state["group"], 0), 0)[place], 0),
        known=int(known.sum()),
        strangers=len(remembered) - int(known.sum()),
        late=late,
        timeless=own.span is not None and not dated,
    )


@dataclass(frozen=True, eq=False)
class StandingPeople:
    """The people whom the ledger remembers in a group: one place for each."""

    number: Array
    """Of the group."""
    inside: Flags
    """Whether the envelope holds the person's values,"""
    shaped: Flags
    """a row of the group has the person's pattern,"""
    valued: Flags
    """and such a row the person's value."""
    without: int
    """People who find no row of their own."""
    vacant: Flags
    """Of each subgroup, whether a row of it finds nobody."""


def standing(rows: SeriesRows, own: Own, listed: Remembered, ranges: Ranges) -> StandingPeople:
    """Lay people against the rows of their group."""
    people = np.flatnonzero(listed.group > 0)
    number = listed.group[people]
    envelope = places(rows.number, number)
    inside = envelope >= 0
    inside[inside] = enveloped(rows, own, people[inside], envelope[inside])
    pairs = _in_group(rows, own, people, number)
    of, to, room = _ways(rows, ranges, people, pairs)
    valued = _has(of, len(people))
    without, empty = matched(Ways(valued.astype(np.int64), room, of, to))
    shaped, vacant = _has(pairs[0], len(people)), _of_cells(rows, empty)
    return StandingPeople(number, inside, shaped, valued, without, vacant)


@dataclass(frozen=True, eq=False)
class Possibly:
    """Rows, laid against all people: each can be that of another person, or of nobody."""

    vacant: Flags
    """Of each subgroup, whether a row of it finds nobody."""
    undecided: int
    """Rows for which that was not looked at."""


def possibly(rows: SeriesRows, own: Own, ranges: Ranges) -> Possibly:
    """Find rows that can be nobody's.

    Where very many people fit very many rows, some subgroups from all over the table are looked at.
    """
    everyone = np.arange(len(own))
    meetings = meetings_of(rows, own, everyone)
    step = meetings.pairs // MANY + 1
    pairs = possible(rows, own, everyone, meetings.thinned(step))
    of, to, room = _ways(rows, ranges, everyone, pairs)
    room[_cells(rows)[0] // _width(rows) % step != 0] = 0
    _, empty = matched(Ways(_has(of, len(own)).astype(np.int64), room, of, to))
    return Possibly(_of_cells(rows, empty), int((rows.subgroup % step != 0).sum()))


def _of_cells(rows: SeriesRows, empty: Flags) -> Flags:
    """Of each subgroup, whether a cell of it is so."""
    wrong = np.zeros(len(rows.size), dtype=bool)
    wrong[_cells(rows)[0][empty] // _width(rows)] = True
    return wrong


def _in_group(rows: SeriesRows, own: Own, people: Array, group: Array) -> Pairs:
    """Pair people with the subgroups of their group whose pattern is theirs."""
    start = np.searchsorted(rows.subgroup_group, group, side="left")
    stop = np.searchsorted(rows.subgroup_group, group, side="right")
    letters, level = rows.subgroup_letters, rows.subgroup_level
    found = []
    for who, subgroup in expanded(start, stop):
        right = have_words(own.z, own.times, people[who], subgroup, letters, level)
        right &= ~rows.misspelled[subgroup]
        found.append((who[right], subgroup[right]))
    return joined(found)


def _cells(rows: SeriesRows) -> tuple[Array, Array]:
    """Rows of a subgroup with the same sensitive values: a number for each such cell, and rows."""
    return np.unique(rows.subgroup * _width(rows) + rows.value.code, return_counts=True)


def _width(rows: SeriesRows) -> int:
    return int(rows.value.code.max(initial=0)) + 2


def _ways(
    rows: SeriesRows, ranges: Ranges, people: Array, pairs: Pairs
) -> tuple[Array, Array, Array]:
    """From people and their subgroups to the cells that may hold their row."""
    key, room = _cells(rows)
    wide = _width(rows)
    who, subgroup = pairs
    first, end = ranges.first[people[who]], ranges.end[people[who]]
    start = np.searchsorted(key, subgroup * wide + first, side="left")
    stop = np.searchsorted(key, subgroup * wide + np.maximum(first, end), side="left")
    return (*joined((who[at], cell) for at, cell in expanded(start, stop)), room)


def _has(who: Array, people: int) -> Flags:
    return np.bincount(who, minlength=people) > 0
