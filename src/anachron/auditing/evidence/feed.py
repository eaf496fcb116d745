"""What the ledger remembers of a release of a feed: who is not in their own snapshot.

Records are recognised by their keyed hash: 16 bytes, as two numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.auditing.reading.columns import LOWEST, places, whole
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.granules import EARLIEST, LATEST
from anachron.auditing.reading.succession import longest, succession

__all__ = [
    "RECORD",
    "UNKNOWN",
    "FeedState",
    "ascends",
    "feed_state",
    "find",
    "record_keys",
    "repeated",
]


UNKNOWN = LOWEST
"""The position of an instant that lies in none of the snapshots that were told off."""


RECORD = pa.binary(16)


_SIEVE_BITS = 22


_TYPES = {"record": RECORD, "home": pa.int64(), "snapshot": pa.int64()}


@dataclass(frozen=True, eq=False)
class FeedState:
    """The records that are not published in their own snapshot, and the snapshots by position.

    The first snapshot of the release has position 0; those before it have negative ones.
    """

    key: Words
    home: Array
    """Position of the snapshot in which a record happened; ``UNKNOWN`` if that is none."""
    there: Array
    """Position of the snapshot in which it is published; ``UNKNOWN`` if that is none."""
    lost: Flags
    """Whether it is not published in this release."""
    start: Array
    """Of all snapshots from the earliest home to the last of the release."""
    end: Array
    first: int
    """The place in ``start`` of position 0."""
    complete: bool
    """Whether the ledger's list of snapshots is that of the calendar."""
    blind: bool
    """Whether the calendar is too fine to be walked through: then earlier homes are unknown."""

    @property
    def size(self) -> int:
        """How many snapshots the release is about, empty ones included."""
        return len(self.start) - self.first

    def positions(self, start: Array) -> Array:
        """The positions of snapshots, given their first instants."""
        place = places(self.start, start)
        return np.where(place >= 0, place - self.first, UNKNOWN)

    def due(self, start: Array) -> Array:
        """The same; of snapshots that are none of the release, the position after the last."""
        position = self.positions(start)
        return np.where((position >= 0) & (position < self.size), position, self.size)


def feed_state(form: Feed, table: pa.Table) -> FeedState | None:
    """Read a state; None if it does not have the form of one."""
    try:
        return _state(form, table.combine_chunks())
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        # Among them: wrong JSON, and pyarrow's errors about columns.
        return None


def _state(form: Feed, table: pa.Table) -> FeedState:
    key, home, there, lost = _listed(table)
    start, end = _snapshots(table)
    low = int(min(home.min(initial=start[0]), start[0]))
    length = longest(form.promise.snapshot)
    if length is not None:
        # What lies before is too old for any window, and too far to be walked.
        low = max(low, int(start[0]) - (form.promise.window + 1) * length)
    walked = succession(form.promise.snapshot, form.zone, low, int(end[-1]))
    complete = True
    if walked is not None:
        first = int(np.searchsorted(walked[0], start[0]))
        complete = np.array_equal(walked[0][first:], start)
        complete = complete and np.array_equal(walked[1][first:], end)
        # If the list is not that of the calendar, it is still what positions refer to.
        start = np.concatenate([walked[0][:first], start])
        end = np.concatenate([walked[1][:first], end])
    else:
        first = 0
    given = FeedState(key, home, there, lost, start, end, first, complete, walked is None)
    return replace(given, home=given.positions(home), there=given.positions(there))


def _listed(table: pa.Table) -> tuple[Words, Array, Array, Flags]:
    if {name: table.schema.field(name).type for name in table.schema.names} != _TYPES:
        raise ValueError
    columns = {
        name: table[name].chunk(0) if table[name].num_chunks else pa.array([], kind)
        for name, kind in _TYPES.items()
    }
    if columns["record"].null_count or columns["home"].null_count:
        raise ValueError
    key, home = record_keys(columns["record"]), whole(columns["home"], 0)
    if not ascends(key) or ((home < EARLIEST) | (home > LATEST)).any():
        raise ValueError
    lost = np.asarray(columns["snapshot"].is_null(), dtype=bool)
    return key, home, whole(columns["snapshot"], LOWEST), lost


def _snapshots(table: pa.Table) -> tuple[Array, Array]:
    said = json.loads((table.schema.metadata or {})[b"anachron"])
    bounds = np.array(said["snapshots"], dtype=np.int64).reshape(-1, 2)
    start, end = bounds[:, 0].copy(), bounds[:, 1].copy()
    if not len(start) or (start >= end).any() or (start[1:] < end[:-1]).any():
        raise ValueError
    if start[0] < EARLIEST or end[-1] > LATEST:
        raise ValueError
    return start, end


def record_keys(column: pa.Array) -> Words:
    """Read hashes as they stand in a state."""
    if not len(column):
        return np.zeros((0, 2), dtype=np.uint64)
    words = np.frombuffer(column.buffers()[1], dtype=">u8").reshape(-1, 2)
    return words[column.offset : column.offset + len(column)].astype(np.uint64)


def ascends(keys: Words) -> bool:
    """Whether no hash is less than the one before."""
    high, low = keys[:, 0], keys[:, 1]
    tied = high[1:] == high[:-1]
    return bool(((high[1:] > high[:-1]) | (tied & (low[1:] >= low[:-1]))).all())


def repeated(keys: Words) -> int:
    """How many of some ascending hashes are there twice."""
    return int((keys[1:] == keys[:-1]).all(axis=1).sum())


def find(wanted: Words, ascending: Words) -> Array:
    """The place of each wanted hash among ascending ones; -1 where it is not there."""
    found = np.full(len(wanted), -1, dtype=np.int64)
    if not len(ascending):
        return found
    # Few are ever listed: most are told by some of their bits.
    shift = np.uint64(64 - _SIEVE_BITS)
    sieve = np.zeros(1 << _SIEVE_BITS, dtype=bool)
    sieve[(ascending[:, 0] >> shift).astype(np.int64)] = True
    rows = np.flatnonzero(sieve[(wanted[:, 0] >> shift).astype(np.int64)])
    here = wanted[rows]
    at = np.minimum(np.searchsorted(ascending[:, 0], here[:, 0]), len(ascending) - 1)
    same = ascending[at] == here
    # Half a hash may be that of another, once in a very long time.
    for row in np.flatnonzero(same[:, 0] & ~same[:, 1]).tolist():
        while at[row] < len(ascending) and ascending[at[row], 0] == here[row, 0]:
            if ascending[at[row], 1] == here[row, 1]:
                same[row] = True
                break
            at[row] += 1
    found[rows] = np.where(same.all(axis=1), at, -1)
    return found
