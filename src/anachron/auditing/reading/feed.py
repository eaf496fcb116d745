"""The rows of a release of a feed, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.check import fraction
from anachron.auditing.reading.columns import (
    LOWEST,
    Span,
    places,
    plain_zero,
    ranked,
    read,
    runs,
    tally,
    whole,
)
from anachron.auditing.reading.form import COUNT, Feed
from anachron.auditing.reading.intervals import GroupedRows, bounds_of_groups, differs
from anachron.auditing.reading.spelled import kinds_of

__all__ = ["Cells", "FeedPiece", "FeedRows", "Ranked", "Snapshots", "feed_rows", "told"]


@dataclass(frozen=True)
class FeedPiece:
    """Some snapshots of a release: which rows they have, and which values."""

    begins: int
    """When the first of them begins."""
    rows: Span
    """The first row and the one after the last, if it is not the end."""
    cells: Span
    """Likewise in the table of values."""


_ALL = FeedPiece(LOWEST, (0, None), (0, None))


@dataclass(frozen=True, eq=False)
class Ranked:
    """A column: a number for each row that sorts like it, and what the numbers stand for."""

    rank: Array
    """A missing value is the number after the last."""
    domain: pa.Array
    """Ascending."""


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The different times that are published, by start."""

    start: Array
    end: Array
    label: list[str]


@dataclass(frozen=True, eq=False)
class Cells:
    """How often a value occurs in a group: one place for each that is published."""

    group: Array
    """Its number."""
    value: Array
    """As a place in the domain; a missing value is the place after the last."""
    count: Array
    place: Array
    """The place of the group; -1 if there is none of that number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FeedRows(GroupedRows):
    """What is published: rows as they stand in the file, groups by number."""

    row_snapshot: Array
    """As a place among ``snapshots``."""
    snapshots: Snapshots
    snapshot: Array
    """Of each group: that of one of its rows, as a place among ``snapshots``."""
    torn: Flags
    """Whether rows of a group are in different snapshots."""
    values: Cells
    row_value: Array | None
    """Of each row, if values stand in the rows."""
    quasi: tuple[Ranked, ...]
    """Quasi columns that are published as they are."""

    @property
    def row_place(self) -> Array:
        """Of each row: the place of its group."""
        if (self.row_group[1:] >= self.row_group[:-1]).all():
            return np.repeat(np.arange(len(self.number)), self.size)
        return places(self.number, self.row_group)

    def by_snapshot(self, position: Array) -> tuple[Array, Array, int]:
        """Count values in snapshots, given the position of each: as numbers, counts, and a bound.

        The number of a value in a snapshot is position times ``width`` and the value's place.
        """
        cells = self.values
        known = cells.place >= 0
        key = position[self.snapshot[cells.place[known]]] * self.width + cells.value[known]
        return key, cells.count[known], (int(position.max(initial=0)) + 1) * self.width

    @property
    def kinds(self) -> tuple[pa.DataType, ...]:
        """The types of the sensitive column, and of quasi columns as they are."""
        return (self.domain.type, *(column.domain.type for column in self.quasi))

    @property
    def width(self) -> int:
        """Places of values, with one for a missing value and one for a strange one."""
        return len(self.domain) + 2

    @property
    def smallest_group(self) -> int:
        """How many rows the smallest group has."""
        return int(self.size.min(initial=len(self.row_group)))

    @cached_property
    def in_groups(self) -> tuple[Array, Array, Array]:
        """Of each group: how often its most frequent value occurs, its rows, and its values."""
        cells, kind = self.values, kinds_of(self.domain, exact=self.exact)
        known = cells.place >= 0
        key = cells.place[known] * self.width + kind[cells.value[known]]
        cell, count = tally(key, cells.count[known], len(self.number) * self.width)
        most = np.zeros(len(self.number), dtype=np.int64)
        np.maximum.at(most, cell // self.width, count)
        return most, self.size, np.bincount(cell // self.width, minlength=len(self.number))

    @cached_property
    def in_snapshots(self) -> tuple[Array, Array]:
        """Of each snapshot: how often its most frequent value occurs, and its rows."""
        most = np.zeros(len(self.snapshots.start), dtype=np.int64)
        key, count, size = self.by_snapshot(np.arange(len(most)))
        kind = kinds_of(self.domain, exact=self.exact)[key % self.width]
        cell, count = tally(key // self.width * self.width + kind, count, size)
        np.maximum.at(most, cell // self.width, count)
        return most, np.bincount(self.row_snapshot, minlength=len(most))


def feed_rows(form: Feed, piece: FeedPiece = _ALL) -> FeedRows:
    """Read the rows of a release, whose columns were checked before, or of a piece of it."""
    rows = read(form.files, coded=True, only=piece.rows)
    row_group = whole(rows["group"], 0)
    row_snapshot, snapshots = _snapshots(form, rows)
    ordered = bool((row_group[1:] >= row_group[:-1]).all())
    by_group = np.arange(len(row_group)) if ordered else np.argsort(row_group, kind="stable")
    first, size = runs(row_group[by_group])
    number = row_group[by_group[first]]
    value = None if form.value_files else Ranked(*ranked(rows[form.sensitive]))
    low, high, uneven = bounds_of_groups(
        form.intervals, lambda name, made: made(rows[name]), by_group, first, size
    )
    if value is not None:
        domain, cells = value.domain, _counted(row_group, value, number)
    else:
        domain, cells = _values(form, number, piece)
    there = row_snapshot[by_group]
    return FeedRows(
        row_group=row_group,
        row_snapshot=row_snapshot,
        snapshots=snapshots,
        number=number,
        size=size,
        snapshot=there[first],
        torn=differs(there, first, size),
        values=cells,
        domain=domain,
        exact=form.exact,
        row_value=None if value is None else value.rank,
        quasi=tuple(Ranked(*ranked(plain_zero(rows[name]))) for name in form.quasi),
        low=low,
        high=high,
        uneven=uneven,
    )


def _snapshots(form: Feed, rows: pa.Table) -> tuple[Array, Snapshots]:
    """Find the different times; rows of one snapshot stand together, if all is right."""
    _, *instants = form.times
    start, end = (whole(rows[name].cast(pa.int64()), LOWEST) for name in instants)
    label, names = ranked(rows[form.time])
    new = np.ones(len(start), dtype=bool)
    new[1:] = (start[1:] != start[:-1]) | (end[1:] != end[:-1]) | (label[1:] != label[:-1])
    heads = np.flatnonzero(new)
    triples = np.stack([start[heads], end[heads], label[heads]])
    different, place = np.unique(triples, axis=1, return_inverse=True)
    texts = [*names.cast(pa.string()).to_pylist(), ""]
    snapshots = Snapshots(different[0], different[1], [texts[at] for at in different[2].tolist()])
    return np.repeat(place.reshape(-1), np.diff(heads, append=len(start))), snapshots


def _values(form: Feed, number: Array, piece: FeedPiece) -> tuple[pa.Array, Cells]:
    """Read the table of sensitive values, in the order of the file."""
    table = read(form.value_files or form.files, coded=True, only=piece.cells)
    value, domain = ranked(table[form.sensitive])
    group = whole(table["group"], 0)
    return domain, Cells(group, value, whole(table[COUNT], 0), places(number, group))


def _counted(row_group: Array, value: Ranked, number: Array) -> Cells:
    width = len(value.domain) + 1
    key = row_group * width + value.rank
    if (key[1:] < key[:-1]).any():
        key = np.sort(key)
    first, count = runs(key)
    group = key[first] // width
    return Cells(group, key[first] - group * width, count, places(number, group))


def told(largest: Fraction | None) -> str:
    """The largest of some shares in words, if there are any."""
    return "0" if largest is None else fraction(largest)
