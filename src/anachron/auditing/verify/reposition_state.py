"""What the ledger remembers of a release of a feed: who is not in his own snapshot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.auditing.verdict import Check
from anachron.auditing.verify.granules import EARLIEST, LATEST
from anachron.auditing.verify.invariance_groups import LOWEST, places, whole
from anachron.auditing.verify.reposition_keys import RECORD, ascends, find, keys_of, repeated
from anachron.auditing.verify.reposition_rows import Published
from anachron.auditing.verify.reposition_shape import Feed
from anachron.auditing.verify.succession import longest, succession

__all__ = [
    "UNKNOWN",
    "State",
    "delay_check",
    "due_check",
    "forward_check",
    "once_check",
    "state_check",
    "state_of",
]

UNKNOWN = LOWEST
"""The position of an instant that lies in none of the snapshots that were told off."""
_TYPES = {"record": RECORD, "home": pa.int64(), "snapshot": pa.int64()}


@dataclass(frozen=True, eq=False)
class State:
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


def state_of(shape: Feed, table: pa.Table) -> State | None:
    """Read a state; None if it does not have the form of one."""
    try:
        return _state(shape, table.combine_chunks())
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        # Among them: wrong JSON, and pyarrow's errors about columns.
        return None


def _state(shape: Feed, table: pa.Table) -> State:
    key, home, there, lost = _listed(table)
    start, end = _snapshots(table)
    low = int(min(home.min(initial=start[0]), start[0]))
    length = longest(shape.promise.snapshot)
    if length is not None:
        # What lies before is too old for any window, and too far to be walked.
        low = max(low, int(start[0]) - (shape.promise.window + 1) * length)
    walked = succession(shape.promise.snapshot, shape.zone, low, int(end[-1]))
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
    given = State(key, home, there, lost, start, end, first, complete, walked is None)
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
    key, home = keys_of(columns["record"]), whole(columns["home"], 0)
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


def state_check(readable: bool) -> Check:
    """Say whether the ledger's memory has the form of one."""
    return Check(
        "state",
        readable,
        "the records that are not in their own snapshot, and the snapshots that are out",
        "as promised" if readable else "something is missing or malformed",
        "what the ledger remembers",
    )


def due_check(rows: Published, state: State) -> Check:
    """Check that the ledger lists all snapshots of the calendar, and among them the published."""
    strange = int((state.positions(rows.snapshots.start) < 0).sum())
    nowhere = int((~state.lost & (state.there < 0)).sum())
    nowhere += 0 if state.blind else int((state.home == UNKNOWN).sum())
    problems = {
        "other snapshots than the calendar has": not state.complete,
        f"{strange:,} published snapshots that are not listed": strange,
        f"{nowhere:,} records of or in a snapshot that there is not": nowhere,
    }
    found = "; ".join(text for text, there in problems.items() if there)
    return Check(
        "due",
        not found,
        "all snapshots from the first to the last of the release, empty ones too",
        found or f"{state.size:,} snapshots",
        "snapshots that the ledger lists",
    )


def forward_check(state: State) -> Check:
    """Check that nobody is published before he happened, or listed without a reason."""
    known = state.home != UNKNOWN
    early = int((~state.lost & known & (state.there < state.home)).sum())
    same = int((~state.lost & known & (state.there == state.home)).sum())
    alien = int((state.lost & known & (state.home < 0)).sum())
    problems = {
        f"{early:,} records published before they happened": early,
        f"{same:,} listed that are in their own snapshot": same,
        f"{alien:,} left out of a snapshot of an earlier release": alien,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "forward",
        not found,
        "only to later snapshots",
        found or f"{int((~state.lost).sum()):,} records moved",
        "records published in another snapshot",
    )


def delay_check(shape: Feed, state: State) -> Check:
    """Check that nobody is published later than the window allows."""
    moved = ~state.lost & (state.home != UNKNOWN)
    delay = (state.there - state.home)[moved]
    longest, late = int(delay.max(initial=0)), int((delay >= shape.promise.window).sum())
    return Check(
        "delay",
        not late,
        f"less than {shape.promise.window:,} snapshots",
        f"{late:,} records later, up to {longest:,}" if late else f"at most {longest:,}",
        "delay of records",
    )


def once_check(shape: Feed, state: State, before: Sequence[pa.Table]) -> Check:
    """Check that nobody is published twice, in this release or an earlier one."""
    twice = repeated(state.key)
    again = 0
    older = np.flatnonzero(~state.lost & (state.home < 0) & (state.home != UNKNOWN))
    # Newest first: one look at the release of his own snapshot is enough.
    for table in reversed(before):
        if not len(older):
            break
        earlier = state_of(shape, table)
        if earlier is None:
            break
        place = find(state.key[older], earlier.key)
        own = np.isin(state.start[state.home[older] + state.first], earlier.start[earlier.first :])
        there = (place >= 0) & ~np.append(earlier.lost, True)[place]
        again += int((there | (own & (place < 0))).sum())
        older = older[~own]
    problems = {
        f"{twice:,} listed twice": twice,
        f"{again:,} that an earlier release published": again,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "once",
        not found,
        "every record once, in all releases",
        found or "as promised",
        "how often records are published",
    )
