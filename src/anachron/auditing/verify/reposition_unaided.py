"""What the microdata tell of a release of a feed when the ledger is not at hand.

Who was moved is then unknown. But every published row is that of a record which happened in its
snapshot or in one of the few before it, and no two rows are that of the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from anachron.arrays import Array
from anachron.auditing.verdict import Check
from anachron.auditing.verify.content import combined
from anachron.auditing.verify.invariance_groups import places
from anachron.auditing.verify.reposition_content import quasi_codes, value_codes
from anachron.auditing.verify.reposition_records import Column, homes_of, value_column
from anachron.auditing.verify.reposition_rows import Published, plain_zero_values
from anachron.auditing.verify.reposition_shape import Feed
from anachron.auditing.verify.succession import succession
from anachron.engines.local.load import Loaded

__all__ = ["strange_rows", "unaided_check"]


def unaided_check(shape: Feed, rows: Published, loaded: Loaded) -> Check:
    """Check that the release can be one of these records."""
    strange = _strange(shape, rows, loaded)
    return Check(
        "records",
        not strange,
        f"rows of records of their snapshot or one of the {shape.promise.window - 1:,} before",
        f"{strange:,} of nobody" if strange else f"{len(rows.row_group):,} rows",
        "published values and quasi rows",
    )


def _strange(shape: Feed, rows: Published, loaded: Loaded) -> int:
    low = int(loaded.instants.min(initial=rows.snapshots.start.min(initial=0)))
    high = int(rows.snapshots.end.max(initial=low + 1))
    walked = succession(shape.promise.snapshot, shape.zone, low, high)
    if walked is None or not len(walked[0]):
        return 0
    home = homes_of(loaded.instants, *walked)
    here = np.flatnonzero((home >= 0) & (home < len(walked[0])))
    position = places(walked[0], rows.snapshots.start)
    lost = int((position[rows.row_snapshot] < 0).sum())
    found = [
        strange_rows(*side, shape.promise.window)
        for side in _sides(shape, rows, loaded, (home, here, position))
    ]
    return max(lost, *found)


def _sides(
    shape: Feed, rows: Published, loaded: Loaded, where: tuple[Array, Array, Array]
) -> Iterator[tuple[Array, Array, Array, Array, Array]]:
    """Of values, then of quasi rows: class and position of records, then of rows, how many."""
    home, here, position = where
    cells = rows.values
    place = cells.place
    known = place >= 0
    value = value_codes(value_column(loaded), rows)[here]
    at = position[rows.snapshot[place[known]]]
    yield value, home[here], cells.value[known], at, cells.count[known]
    if rows.quasi:
        parts = []
        for name, column in zip(shape.quasi, rows.quasi, strict=True):
            held = loaded.quasi[name]
            ours = quasi_codes(Column(held.codes, plain_zero_values(held.values)), column)[here]
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
