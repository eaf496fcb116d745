"""What the ledger remembers of a release of a feed: who is not in their own snapshot.

Of a snapshot that is published as a release of a register it is when the record of each happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.auditing.evidence.digests import ascends, words_of
from anachron.auditing.reading.columns import HIGHEST, LOWEST, NO_MEMORY, notes_of, places, whole
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.granules import EARLIEST, LATEST, wrong_granules
from anachron.auditing.reading.succession import longest, succession
from anachron.behind import Microdata
from anachron.errors import InputError
from anachron.guarantees import Reposition
from anachron.release.read import Release

__all__ = [
    "UNKNOWN",
    "Delays",
    "FeedState",
    "OneSnapshot",
    "delays_of",
    "feed_state",
    "own_records",
    "snapshot_of",
]

UNKNOWN = LOWEST
"""The position of an instant that lies in none of the snapshots that were told off."""
_TYPES = {"record": pa.binary(16), "home": pa.int64(), "snapshot": pa.int64()}


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
    except NO_MEMORY:
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
    key, home = words_of(columns["record"]), whole(columns["home"], 0)
    if not ascends(key) or ((home < EARLIEST) | (home > LATEST)).any():
        raise ValueError
    lost = np.asarray(columns["snapshot"].is_null(), dtype=bool)
    return key, home, whole(columns["snapshot"], LOWEST), lost


def _snapshots(table: pa.Table) -> tuple[Array, Array]:
    said = notes_of(table)
    bounds = np.array(said["snapshots"], dtype=np.int64).reshape(-1, 2)
    start, end = bounds[:, 0].copy(), bounds[:, 1].copy()
    if not len(start) or (start >= end).any() or (start[1:] < end[:-1]).any():
        raise ValueError
    if start[0] < EARLIEST or end[-1] > LATEST:
        raise ValueError
    return start, end


@dataclass(frozen=True)
class OneSnapshot:
    """What the description says of the one snapshot of a release."""

    promise: Reposition
    zone: str
    label: str
    start: int
    end: int

    @property
    def span(self) -> tuple[Array, Array]:
        """When it begins and ends."""
        return np.array([self.start]), np.array([self.end])

    @property
    def fits(self) -> bool:
        """Whether it is one of the calendar, and is called what it is."""
        return not wrong_granules(self.promise.snapshot, self.zone, *self.span, [self.label]).any()


@dataclass(frozen=True)
class Delays:
    """How much later than they happened the records of a snapshot are published."""

    wrong: int
    """Records that happened later, or too long before."""
    longest: int
    window: int
    """They must be published less than so many snapshots later."""


def snapshot_of(release: Release) -> OneSnapshot | None:
    """Read what a description says of its snapshot; None if it says nothing, or something else."""
    ours: Any = release.description["anachron"]
    try:
        given = ours["snapshot"]
        promise = Reposition.from_dict(ours["guarantee"])
        start, end = int(given["start"]), int(given["end"])
        return OneSnapshot(promise, str(ours["time_zone"]), str(given["label"]), start, end)
    except (KeyError, TypeError, ValueError, AttributeError, InputError):
        return None


def delays_of(snapshot: OneSnapshot, state: pa.Table) -> Delays:
    """Count snapshots from when records happened to when they are published."""
    window, there = snapshot.promise.window, state["group"].is_valid()
    homes = state["home"].filter(there) if "home" in state.column_names else None
    if homes is None or homes.null_count:
        return Delays(state.num_rows, 0, window)
    start = whole(homes, 0)
    low = int(start.min(initial=snapshot.start))
    walked = succession(snapshot.promise.snapshot, snapshot.zone, low, snapshot.end)
    if walked is None:
        return Delays(state.num_rows, 0, window)
    home = places(walked[0], start)
    delay = len(walked[0]) - 1 - home
    wrong = int(((home < 0) | (delay >= window)).sum())
    return Delays(wrong, int(delay[home >= 0].max(initial=0)), window)


def own_records(
    snapshot: OneSnapshot, loaded: Microdata, place: Array, home: Array
) -> Flags | None:
    """Which rows are of the snapshot that is remembered of their person, given by place.

    None if that cannot be told: the calendar is too fine to be walked through.
    """
    home = np.append(home, HIGHEST)
    walked = succession(snapshot.promise.snapshot, snapshot.zone, int(home.min()), snapshot.end)
    if walked is None:
        return None
    at = places(walked[0], home[place])
    until = np.append(walked[1], HIGHEST)[at]
    own = (place >= 0) & (at >= 0)
    return own & (loaded.instants >= home[place]) & (loaded.instants < until)
