"""Are the published rows those of the records that belong into each snapshot?

Quasi rows and sensitive values must be, each for itself, those of the records, as often, snapshot
by snapshot. Where quasi values are published as they are, they also say who is in which group:
if all records of a snapshot with the same quasi values have the same sensitive value, their
groups must have that value as often.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.feed import UNKNOWN
from anachron.auditing.evidence.records import (
    RecordColumn,
    Records,
    homes_of,
    quasi_columns,
    value_column,
)
from anachron.auditing.reading.columns import (
    TALLIED,
    combined,
    places,
    runs,
    tally,
)
from anachron.auditing.reading.feed import FeedRows, Ranked
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.spelled import places_in
from anachron.auditing.reading.succession import succession
from anachron.behind import Microdata
from anachron.behind.columns import Coded

__all__ = [
    "Compared",
    "Differences",
    "compare",
    "quasi_codes",
    "quasi_numbers",
    "rows_of_nobody",
    "strange_rows",
    "value_places",
]

_LARGEST = 2**62


@dataclass(frozen=True)
class Differences:
    """What the two sides have, that the other has not."""

    missing: int
    """Records that should be published and are not."""
    strange: int
    """Published rows that are nobody's."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Records and published rows, laid against each other."""

    values: Differences
    quasi: Differences
    linked: Flags | None
    """Of each group whether its values are not those of its rows; None if that cannot be told."""
    uncovered: int
    """Records that are missing from their snapshot and have quasi values that nobody there has."""

    def differs(self, may_lack: bool) -> bool:
        """Whether the release is not that of the records; some ``may lack``, if so many of both."""
        if self.values.strange or self.values != self.quasi:
            return True
        return self.values.missing > 0 and not may_lack


def compare(
    rows: FeedRows, records: Records, there: Array, missing: Flags, position: Array
) -> Compared:
    """Lay published rows, given the position of each published snapshot, against records.

    A published snapshot that is none of the release has the position after the last.
    """
    here = np.flatnonzero(there != UNKNOWN)
    value = value_places(records.value, rows)
    with ThreadPoolExecutor(max_workers=1) as beside:
        counted = beside.submit(_of_values, rows, there, here, value, position)
        if not rows.quasi:
            return Compared(counted.result(), counted.result(), None, 0)
        mine, theirs, size = quasi_numbers(rows.quasi, records.quasi)
        where = position[rows.row_snapshot]
        snapshots = max(int(side.max(initial=0)) for side in (where, there, records.home)) + 1
        if size * snapshots > _LARGEST:
            _, both = np.unique(np.concatenate([mine, theirs]), return_inverse=True)
            mine, theirs, size = both[: len(mine)], both[len(mine) :], len(both)
        ours = there * size + mine
        ours = ours if len(here) == len(ours) else ours[here]
        theirs = where * size + theirs
        lost = np.flatnonzero(missing)
        absent = np.sort(records.home[lost] * size + mine[lost])
        quasi, linked = _linked(rows, ours, theirs, value[here], size * snapshots)
        uncovered = len(absent) - _present(absent, theirs, size * snapshots) if len(absent) else 0
        return Compared(counted.result(), quasi, linked, uncovered)


def quasi_numbers(
    published: Sequence[Ranked], columns: Sequence[RecordColumn | Coded]
) -> tuple[Array, Array, int]:
    """One number for the quasi values of each record, and of each row; and a bound of them."""
    both, size = combined(
        (np.concatenate([quasi_codes(held, column), column.rank]), len(column.domain) + 2)
        for column, held in zip(published, columns, strict=True)
    )
    records = len(both) - len(published[0].rank)
    return both[:records], both[records:], size


def _present(some: Array, among: Array, size: int) -> int:
    """How many of some numbers, in ascending order, are among others."""
    if size <= TALLIED:
        there = np.zeros(size, dtype=bool)
        there[among] = True
        return int(there[some].sum())
    # Those who are looked for are few: find the others among them, not them among the others.
    at = np.searchsorted(some, among)
    hit = some[np.minimum(at, len(some) - 1)] == among
    return int(np.isin(some, among[hit]).sum())


def value_places(column: RecordColumn, rows: FeedRows) -> Array:
    """Each record's sensitive value as a place among the published ones; -1 if it is none."""
    found = places_in(rows.domain, column.values, exact=rows.exact)
    return np.append(found, -1)[column.codes]


def quasi_codes(column: RecordColumn | Coded, published: Ranked) -> Array:
    """Likewise of quasi values, of which a missing one is one; a strange one has its own code."""
    size = len(published.domain)
    place = places_in(published.domain, column.values, exact=True)
    place[place < 0] = size + 1
    place[np.asarray(column.values.is_null(), dtype=bool)] = size
    return np.append(place, size)[column.codes]


def _of_values(
    rows: FeedRows, there: Array, here: Array, value: Array, position: Array
) -> Differences:
    key, count, size = rows.by_snapshot(position)
    size = max(size, (int(there.max(initial=0)) + 1) * rows.width)
    ours = there * rows.width
    ours += np.where(value < 0, rows.width - 1, value)
    ours = ours if len(here) == len(ours) else ours[here]
    return _differences(tally(ours, None, size), tally(key, count, size))


def _linked(
    rows: FeedRows, ours: Array, theirs: Array, value: Array, size: int
) -> tuple[Differences, Flags | None]:
    groups, width = max(len(rows.number), 1), len(rows.domain) + 1
    if size * max(groups, width) > _LARGEST:
        _, both = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
        ours, theirs = both[: len(ours)], both[len(ours) :]
    by_group = np.sort(theirs * groups + rows.row_place)
    by_value = np.sort(ours * width + np.where(value < 0, width - 1, value))
    theirs, ours = by_group // groups, by_value // width
    if not np.array_equal(ours, theirs):
        sides = ((side[first], count) for side in (ours, theirs) for first, count in [runs(side)])
        return _differences(*sides), None
    by_value -= ours * width
    first, count = runs(ours)
    # Values of a class stand in order: if the first is the last, there is no other.
    sure = by_value[first] == by_value[first + count - 1] if len(first) else first > 0
    certain = np.repeat(sure, count)
    pair = np.sort((by_group - theirs * groups)[certain] * width + by_value[certain])
    first, count = runs(pair)
    return Differences(0, 0), _overdrawn(rows, pair[first], count, width)


def _overdrawn(rows: FeedRows, pair: Array, count: Array, width: int) -> Flags:
    """Which groups have a value less often than their rows have it for sure."""
    cells = rows.values
    there = cells.place * width + cells.value
    order = slice(None) if (there[1:] >= there[:-1]).all() else np.argsort(there, kind="stable")
    at = places(there[order], pair)
    has = np.where(at >= 0, np.append(cells.count[order], 0)[at], 0)
    wrong = np.zeros(len(rows.number), dtype=bool)
    wrong[pair[has < count] // width] = True
    return wrong


def _differences(ours: tuple[Array, Array], theirs: tuple[Array, Array]) -> Differences:
    """Compare how often numbers occur: different numbers, ascending, and their counts."""
    keys = np.union1d(ours[0], theirs[0])
    more = np.zeros(len(keys), dtype=np.int64)
    more[np.searchsorted(keys, ours[0])] += ours[1]
    more[np.searchsorted(keys, theirs[0])] -= theirs[1]
    return Differences(int(more[more > 0].sum()), int(-more[more < 0].sum()))


def rows_of_nobody(form: Feed, rows: FeedRows, loaded: Microdata) -> int:
    """How many published rows can be those of no record.

    Who was moved is unknown without a ledger. But every published row is that of a record which
    happened in its snapshot or in one of the few before it, and no two rows are that of the same.
    """
    low = int(loaded.instants.min(initial=rows.snapshots.start.min(initial=0)))
    high = int(rows.snapshots.end.max(initial=low + 1))
    walked = succession(form.promise.snapshot, form.zone, low, high)
    if walked is None or not len(walked[0]):
        return 0
    home = homes_of(loaded.instants, *walked)
    here = np.flatnonzero((home >= 0) & (home < len(walked[0])))
    position = places(walked[0], rows.snapshots.start)
    lost = int((position[rows.row_snapshot] < 0).sum())
    found = [
        strange_rows(*side, form.promise.window)
        for side in _sides(form, rows, loaded, (home, here, position))
    ]
    return max(lost, *found)


def _sides(
    form: Feed, rows: FeedRows, loaded: Microdata, where: tuple[Array, Array, Array]
) -> Iterator[tuple[Array, Array, Array, Array, Array]]:
    """Of values, then of quasi rows: class and position of records, then of rows, how many."""
    home, here, position = where
    cells = rows.values
    place = cells.place
    known = place >= 0
    value = value_places(value_column(loaded), rows)[here]
    at = position[rows.snapshot[place[known]]]
    yield value, home[here], cells.value[known], at, cells.count[known]
    if rows.quasi:
        columns = [column.take(here) for column in quasi_columns(form, loaded)]
        ours, theirs, _ = quasi_numbers(rows.quasi, columns)
        _, key = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
        one = np.ones(len(rows.row_group), dtype=np.int64)
        yield key[: len(here)], home[here], key[len(here) :], position[rows.row_snapshot], one


def strange_rows(
    ours: Array, home: Array, theirs: Array, there: Array, count: Array, window: int
) -> int:
    """How many rows no record of their class can stand for, at most ``window - 1`` before them.

    Rows take the oldest records that are not too old: whoever can be taken later, is left.
    """
    size = int(max(home.max(initial=0), there.max(initial=0))) + 1
    kinds = int(max(ours.max(initial=-1), theirs.max(initial=-1))) + 1
    valid, fits = ours >= 0, there >= 0
    key = np.concatenate([ours[valid] * size + home[valid], theirs[fits] * size + there[fits]])
    cells, which = np.unique(key, return_inverse=True)
    records = np.bincount(which[: int(valid.sum())], minlength=len(cells))
    rows = np.bincount(which[int(valid.sum()) :], count[fits], len(cells)).astype(np.int64)
    kind = cells // size
    # Most classes have the rows of their own snapshot, and nothing else.
    odd = np.zeros(max(kinds, 1), dtype=bool)
    odd[kind[rows > records]] = True
    look = np.flatnonzero(odd[kind])
    strange, last = 0, -1
    waiting: deque[list[int]] = deque()
    of_look = zip(kind[look], cells[look] % size, records[look], rows[look], strict=True)
    for here, now, new, wanted in (map(int, cell) for cell in of_look):
        if here != last:
            waiting.clear()
            last = here
        waiting.append([now, new])
        while waiting and waiting[0][0] <= now - window:
            waiting.popleft()
        strange += _taken(waiting, wanted)
    return strange


def _taken(waiting: deque[list[int]], wanted: int) -> int:
    """Take the oldest; give how many are still wanted."""
    while wanted and waiting:
        some = min(wanted, waiting[0][1])
        waiting[0][1] -= some
        wanted -= some
        if not waiting[0][1]:
            waiting.popleft()
    return wanted
