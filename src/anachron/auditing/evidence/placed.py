"""The records of a feed, each in the snapshot in which it is published by what a ledger says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.evidence.records import Records

__all__ = ["HeldRecords", "Placed", "PlacedRecords", "Some", "placed", "some_of"]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where each record is published."""

    there: Array
    """The position of the snapshot; ``UNKNOWN`` for none of this release."""
    listed: Array
    """The place of the record in the state; -1 for those that are not listed."""
    missing: Flags
    """Whether its snapshot is one of the release and it is not published there."""


@dataclass(frozen=True, eq=False)
class Some:
    """The records that happened in some snapshots, and those that are published in them."""

    records: Records
    there: Array
    """Where each is published, if that is in these snapshots; ``UNKNOWN`` otherwise."""
    unpublished: Flags
    """Whether it is published in no snapshot of the release."""
    at_home: Flags
    """Whether it happened in one of these."""
    missing: Flags
    """Whether it is missing from its own, which is one of these."""
    listed: Array
    """The places in the state of those that happened in these and are listed, in order"""
    home_listed: Array
    """and when each happened."""

    def take(self, rows: Array) -> Some:
        """Some of the records, for all that is asked but of the list."""
        return Some(
            self.records.take(rows),
            self.there[rows],
            self.unpublished[rows],
            self.at_home[rows],
            self.missing[rows],
            self.listed[:0],
            self.home_listed[:0],
        )


class PlacedRecords(Protocol):
    """All records that can be in a release."""

    @property
    def dropped(self) -> bool | None:
        """Whether the ledger lists any as dropped; None if it has no such list."""

    @property
    def earlier(self) -> bool:
        """Whether any happened before the first snapshot of the release."""

    @property
    def ended(self) -> bool:
        """Whether none happened after its last snapshot."""

    def pieces(self) -> Iterator[Some]:
        """Give those of each piece of what is published."""

    def others(self) -> Iterator[Some]:
        """Give those that are in no piece."""


@dataclass(frozen=True, eq=False)
class HeldRecords:
    """See :class:`PlacedRecords`: they are all held."""

    records: Records
    at: Placed
    size: int
    """The snapshots of the release."""
    ends: Array
    """The position after the last of each piece but the last."""

    @property
    def dropped(self) -> bool | None:
        """See :class:`PlacedRecords`."""
        dropped = self.records.dropped
        return None if dropped is None else bool(dropped.any())

    @property
    def earlier(self) -> bool:
        """See :class:`PlacedRecords`."""
        return bool((self.records.home < 0).any())

    @property
    def ended(self) -> bool:
        """See :class:`PlacedRecords`."""
        return not (self.records.home >= self.size).any()

    def others(self) -> Iterator[Some]:
        """See :class:`PlacedRecords`: records of other snapshots are in the first and last one."""
        return iter(())

    def pieces(self) -> Iterator[Some]:
        """See :class:`PlacedRecords`."""
        if not len(self.ends):
            everywhere = np.ones(len(self.records), dtype=bool)
            yield some_of(self.records, self.at, everywhere, everywhere)
            return
        home = np.searchsorted(self.ends, self.records.home, side="right").astype(np.int32)
        there = np.searchsorted(self.ends, self.at.there, side="right").astype(np.int32)
        there[self.at.there == UNKNOWN] = -1
        for piece in range(len(self.ends) + 1):
            rows = np.flatnonzero((home == piece) | (there == piece))
            at = Placed(self.at.there[rows], self.at.listed[rows], self.at.missing[rows])
            yield some_of(self.records.take(rows), at, home[rows] == piece, there[rows] == piece)


def some_of(records: Records, at: Placed, at_home: Flags, arrived: Flags) -> Some:
    """Look at records that happened, or are published, in the snapshots of a piece."""
    listed = np.flatnonzero(at_home & (at.listed >= 0))
    return Some(
        records=records,
        there=np.where(arrived, at.there, UNKNOWN),
        unpublished=at.there == UNKNOWN,
        at_home=at_home,
        missing=at.missing & at_home,
        listed=at.listed[listed],
        home_listed=records.home[listed],
    )


def placed(records: Records, state: FeedState) -> Placed:
    """Put each record where the ledger lists it, and else into its own snapshot."""
    listed = find(records.key, state.key)
    own = (records.home >= 0) & (records.home < state.size)
    there = np.where(own, records.home, UNKNOWN)
    elsewhere = np.flatnonzero(listed >= 0)
    at = listed[elsewhere]
    there[elsewhere] = np.where(state.lost[at], UNKNOWN, state.there[at])
    return Placed(there, listed, own & (there != records.home))
