"""Which published rows can be those of no record, when the ledger is not at hand?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from anachron.arrays import Array
from anachron.auditing.evidence.compared import quasi_codes, value_places
from anachron.auditing.evidence.records import RecordColumn, homes_of, value_column
from anachron.auditing.reading.columns import combined, places, plain_zero_values
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.succession import succession
from anachron.engines.local.load import Loaded

__all__ = ["rows_of_nobody", "strange_rows"]


def rows_of_nobody(form: Feed, rows: FeedRows, loaded: Loaded) -> int:
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
    form: Feed, rows: FeedRows, loaded: Loaded, where: tuple[Array, Array, Array]
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
        parts = []
        for name, column in zip(form.quasi, rows.quasi, strict=True):
            held = loaded.quasi[name]
            ours = quasi_codes(RecordColumn(held.codes, plain_zero_values(held.values)), column)[
                here
            ]
            parts.append((np.concatenate([ours, column.rank]), len(column.domain) + 2))
        key, _ = combined(parts)
        _, key = np.unique(key, return_inverse=True)
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
