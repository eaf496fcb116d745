"""Who stands in which group of a feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.attacking.known import Known
from anachron.attacking.members import Column, Members, register_members
from anachron.attacking.settling import settled
from anachron.auditing.checks.form import roles_of_feed
from anachron.auditing.evidence.boxes import Tree, holders, planted_boxes
from anachron.auditing.evidence.compared import quasi_codes, value_places
from anachron.auditing.evidence.feed import UNKNOWN, feed_state
from anachron.auditing.evidence.laid import placed
from anachron.auditing.evidence.records import Records, records_of
from anachron.auditing.history import FeedPast
from anachron.auditing.reading.columns import combined, joined, places
from anachron.auditing.reading.description import feed_of
from anachron.auditing.reading.feed import FeedRows, feed_rows
from anachron.auditing.reading.form import Feed
from anachron.behind import Microdata

__all__ = ["FeedView", "Finder", "feed_members", "feed_view", "finder", "snapshots_of"]


@dataclass(frozen=True, eq=False)
class FeedView:
    """A release of a feed, and all records of the owner laid against it."""

    shape: Feed
    rows: FeedRows
    records: Records
    value: Array
    """Of each record, as a place among the published values; -1 if it is not published."""
    there: Array
    """The position of the snapshot in which it is published; ``UNKNOWN`` for none."""
    missing: Flags
    """Whether its own snapshot is out and it is not published there."""
    position: Array
    """Of each published snapshot; beyond all if it is none of the release."""


def feed_view(known: Known) -> FeedView | None:
    """Lay the microdata against a release of a feed; None if not enough is known."""
    shape, past = feed_of(known.release), known.past
    if shape is None or known.microdata is None or not isinstance(past, FeedPast):
        return None
    rows, state = feed_rows(shape), feed_state(shape, past.state)
    if state is None or not roles_of_feed.holds(shape, known.microdata, rows):
        return None
    records = records_of(shape, state, past, rows, known.microdata)
    if records is None:
        return None
    at = placed(records, state)
    position = state.due(rows.snapshots.start)
    value = value_places(records.value, rows)
    return FeedView(shape, rows, records, value, at.there, at.missing, position)


@dataclass(frozen=True, eq=False)
class Finder:
    """Finds the published groups of a snapshot that can hold a record."""

    tree: Tree | None
    """Of the groups' boxes; None if quasi values are published as they are."""
    point: tuple[Array, ...]
    """The place of each record on each axis."""
    own: Array
    """A number for the quasi values of each record, if they are published as they are."""
    row: Array
    """Likewise for each published row, with its snapshot, ascending."""
    row_group: Array
    size: int

    def groups(self, some: Array, snapshot: Array) -> tuple[Array, Array]:
        """Pair places in ``some`` with groups of these snapshots, once for each row that fits."""
        if self.tree is not None:
            return joined(holders(self.tree, snapshot, [p[some] for p in self.point]))
        key = snapshot * self.size + self.own[some]
        start, stop = (np.searchsorted(self.row, key, side=s) for s in ("left", "right"))
        many = stop - start
        within = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        at = np.repeat(start, many) + within
        return np.repeat(np.arange(len(some)), many), self.row_group[at]


def finder(view: FeedView) -> Finder:
    """Prepare to look for records in published groups."""
    rows, records, none = view.rows, view.records, np.zeros(0, dtype=np.int64)
    if view.shape.value_file is None:
        tree, points = planted_boxes(view.shape, rows, records, view.position)
        return Finder(tree, tuple(points), none, none, none, 0)
    parts = [(np.zeros(len(records) + len(rows.row_group), dtype=np.int64), 1)]
    for ranked, held in zip(rows.quasi, records.quasi, strict=True):
        codes = np.concatenate([quasi_codes(held, ranked), ranked.rank])
        parts.append((codes, len(ranked.domain) + 2))
    names, key = np.unique(combined(parts)[0], return_inverse=True)
    own, theirs = key[: len(records)], key[len(records) :]
    row = view.position[rows.row_snapshot] * len(names) + theirs
    order = np.argsort(row, kind="stable")
    return Finder(None, (), own, row[order], rows.row_place[order], len(names))


def feed_members(known: Known, loaded: Microdata) -> Members | None:
    """Find a group for each published record: one that can hold it and has its value."""
    if not isinstance(known.release.guarantee["then"], str):
        return register_members(known, loaded)
    view = feed_view(known)
    if view is None:
        return None
    rows, cells = view.rows, view.rows.values
    here = np.flatnonzero((view.there != UNKNOWN) & (view.value >= 0))
    who, group = finder(view).groups(here, view.there[here])
    width = len(rows.domain) + 1
    cell = cells.place * width + cells.value
    order = np.argsort(cell, kind="stable")
    at = places(cell[order], group * width + view.value[here[who]])
    fits = at >= 0
    slot = settled(who[fits], order[at[fits]], cells.count, len(here))
    placed_ = slot >= 0
    here = here[placed_]
    none = np.zeros(0, dtype=np.int64)
    return Members(
        group=cells.place[slot[placed_]],
        groups=len(rows.number),
        person=view.records.person[here],
        quasi=_quasi(view, here),
        sensitive=(Column(view.shape.sensitive, view.value[here], rows.domain),),
        spare=(none, none),
        delay=(view.there - view.records.home)[here],
    )


def snapshots_of(known: Known) -> Array:
    """A number for the snapshot of each group of a feed."""
    shape = feed_of(known.release)
    return np.zeros(0, dtype=np.int64) if shape is None else feed_rows(shape).snapshot


def _quasi(view: FeedView, here: Array) -> tuple[Column, ...]:
    held: Sequence[tuple[str, Array, pa.Array]] = [
        (name, column.codes[here].astype(np.int64), column.values.drop_null())
        for name, column in zip(view.shape.names, view.records.quasi, strict=True)
    ]
    # A missing value has a code of its own, the last.
    return tuple(Column(n, np.where(c < 0, len(v), c), v) for n, c, v in held)
