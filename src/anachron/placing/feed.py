"""Who stands in which group of a feed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Codes, Flags, Words
from anachron.auditing.checks.form import roles_of_feed
from anachron.auditing.evidence.boxes import Tree, holders, planted_boxes
from anachron.auditing.evidence.compared import quasi_codes, value_places
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.feed import UNKNOWN, feed_state
from anachron.auditing.evidence.placed import placed
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.evidence.records import Records, homes_of, records_of
from anachron.auditing.history import FeedPast, Past
from anachron.auditing.reading.columns import combined, joined, places
from anachron.auditing.reading.description import feed_of
from anachron.auditing.reading.feed import FeedRows, feed_rows
from anachron.auditing.reading.form import Feed
from anachron.behind import Attribute, Members, Microdata
from anachron.placing.members import Finder
from anachron.placing.register import REGISTER
from anachron.placing.settling import settled
from anachron.release.read import Release

__all__ = ["FEED", "FeedView", "Look", "feed_view"]


@dataclass(frozen=True, eq=False)
class Look:
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
        who, at = joined(expanded(start, stop))
        return who, self.row_group[at]


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

    @cached_property
    def look(self) -> Look:
        """Finds the groups that can hold records."""
        rows, records, none = self.rows, self.records, np.zeros(0, dtype=np.int64)
        if self.shape.value_files is None:
            tree, points = planted_boxes(self.shape, rows, records, self.position)
            return Look(tree, tuple(points), none, none, none, 0)
        parts = [(np.zeros(len(records) + len(rows.row_group), dtype=np.int64), 1)]
        for ranked, held in zip(rows.quasi, records.quasi, strict=True):
            codes = np.concatenate([quasi_codes(held, ranked), ranked.rank])
            parts.append((codes, len(ranked.domain) + 2))
        names, key = np.unique(combined(parts)[0], return_inverse=True)
        own, theirs = key[: len(records)], key[len(records) :]
        row = self.position[rows.row_snapshot] * len(names) + theirs
        order = np.argsort(row, kind="stable")
        return Look(None, (), own, row[order], rows.row_place[order], len(names))


def feed_view(release: Release, table: Microdata, past: Past) -> FeedView | None:
    """Lay the microdata against a release of a feed; None if not enough is known."""
    shape = feed_of(release)
    if shape is None or not isinstance(past, FeedPast):
        return None
    rows, state = feed_rows(shape), feed_state(shape, past.state.table())
    if state is None or not roles_of_feed.holds(shape, table, rows):
        return None
    records = records_of(shape, state, past, [rows], table)
    if records is None:
        return None
    at = placed(records, state)
    position = state.due(rows.snapshots.start)
    value = value_places(records.value, rows)
    return FeedView(shape, rows, records, value, at.there, at.missing, position)


def _members(release: Release, table: Microdata, past: Past) -> Members | None:
    """Find a group for each published record: one that can hold it and has its value."""
    if not isinstance(release.guarantee["then"], str):
        return REGISTER.members(release, table, past)
    view = feed_view(release, table, past)
    if view is None:
        return None
    rows, cells = view.rows, view.rows.values
    here = np.flatnonzero((view.there != UNKNOWN) & (view.value >= 0))
    who, group = view.look.groups(here, view.there[here])
    width = len(rows.domain) + 1
    cell = cells.place * width + cells.value
    order = np.argsort(cell, kind="stable")
    at = places(cell[order], group * width + view.value[here[who]])
    fits = at >= 0
    slot = settled(who[fits], order[at[fits]], cells.count, len(here))
    found = slot >= 0
    here = here[found]
    return Members(
        group=cells.place[slot[found]],
        groups=len(rows.number),
        person=view.records.person[here],
        quasi=_quasi(view, here),
        sensitive=(Attribute(view.shape.sensitive, view.value[here], rows.domain),),
        snapshot=rows.snapshot[cells.place[slot[found]]],
        delay=(view.there - view.records.home)[here],
    )


def _quasi(view: FeedView, here: Array) -> tuple[Attribute, ...]:
    found = []
    for name, column in zip(view.shape.names, view.records.quasi, strict=True):
        code, domain = column.codes[here].astype(np.int64), column.values.drop_null()
        # A missing value has a code of its own, the last.
        found.append(Attribute(name, np.where(code < 0, len(domain), code), domain))
    return tuple(found)


def _rows(release: Release, table: Microdata, past: Past) -> Flags | None:
    """The records of the release's snapshots, but for those the ledger lists as elsewhere."""
    if not isinstance(past, FeedPast):
        return REGISTER.rows(release, table, past)
    shape = feed_of(release)
    state = None if shape is None else feed_state(shape, past.state.table())
    if shape is None or state is None:
        return None
    home = homes_of(table.instants, state.start, state.end) - state.first
    found = (home >= 0) & (home < state.size)
    key = table.row_keys(past.secret)
    listed = find(key, state.key)
    at = np.flatnonzero(listed >= 0)
    found[at] = ~state.lost[listed[at]]
    if shape.promise.repeated == "one":
        # Rows that are the same in all columns have the same hash: only one of them is meant.
        found &= _first_of_person(home, table.subject, key)
    return found


def _first_of_person(home: Array, person: Codes, key: Words) -> Flags:
    """Of several records of a person in a snapshot one takes part: that with the least hash."""
    order = np.lexsort((key[:, 1], key[:, 0], person, home))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (home[order[1:]] != home[order[:-1]]) | (person[order[1:]] != person[order[:-1]])
    found = np.empty(len(order), dtype=np.bool_)
    found[order] = first
    return found


FEED = Finder(_rows, _members)
