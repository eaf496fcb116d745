"""A snapshot of a feed that is published as a release of a register."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.auditing.reading.columns import HIGHEST, places, whole
from anachron.auditing.reading.granules import wrong_granules
from anachron.auditing.reading.succession import succession
from anachron.behind import Microdata
from anachron.errors import InputError
from anachron.guarantees import Reposition
from anachron.release.read import Release

__all__ = ["Delays", "Snapshot", "delays_of", "one_each", "own_records", "snapshot_of"]


@dataclass(frozen=True)
class Snapshot:
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


def snapshot_of(release: Release) -> Snapshot | None:
    """Read what a description says of its snapshot; None if it says nothing, or something else."""
    ours: Any = release.description["anachron"]
    try:
        given = ours["snapshot"]
        promise = Reposition.from_dict(ours["guarantee"])
        start, end = int(given["start"]), int(given["end"])
        return Snapshot(promise, str(ours["time_zone"]), str(given["label"]), start, end)
    except (KeyError, TypeError, ValueError, AttributeError, InputError):
        return None


def delays_of(snapshot: Snapshot, state: pa.Table) -> Delays:
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


def own_records(snapshot: Snapshot, loaded: Microdata, place: Array, home: Array) -> Flags | None:
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


def one_each(person: Array, unfit: Flags, *ranks: Words) -> Flags:
    """Choose a record of each person: one that is not unfit if there is one, by the last rank."""
    order = np.lexsort((*ranks, unfit, person))
    chosen = np.zeros(len(person), dtype=bool)
    chosen[order] = np.diff(person[order], prepend=-1) != 0
    return chosen
