"""What the rows of a release of a feed show by themselves, added up piece by piece.

Of groups in which all is right, nothing is kept but the worst of their figures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.reading.columns import descends, exceeds, largest_share, misnumbered
from anachron.auditing.reading.feed import FeedRows, Snapshots
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.intervals import GroupedRows, off_grid
from anachron.auditing.reading.pieces import Published

__all__ = ["Counts", "Shares", "Shown", "shown_of"]


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of the most frequent values, of groups or of snapshots."""

    largest: Fraction | None
    """None if there are no groups or snapshots."""
    all: int
    wrong: int
    """In how many a value is too frequent."""
    groups: Array
    """The groups in which that is so, or in whose snapshots."""


@dataclass(frozen=True, eq=False)
class Counts:
    """The table of values, where they stand apart."""

    rows: int
    strange: int
    """Counts of no group, or of nothing."""
    misplaced: int
    """Counts that are out of order, or repeated."""
    unlike: Array
    """Groups that have not as many values as rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Shown:
    """What is wrong with the rows of a release, and how good they are at the worst."""

    rows: int
    groups: int
    smallest_group: int
    fewest_values: int
    """In a group."""
    kinds: tuple[pa.DataType, ...]
    """The types of the sensitive column, and of quasi columns as they are."""
    snapshots: Snapshots
    in_groups: Shares
    in_snapshots: Shares
    missing: int
    """Counts of missing values."""
    torn: Array
    """Groups in several snapshots."""
    counts: Counts
    misnumbered: int
    late_rows: int
    late_groups: int
    boxed: GroupedRows
    """The groups of which the intervals are wrong."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What one piece shows."""

    shown: Shown
    values: pa.Array
    """The different sensitive values."""
    last: int
    """The group of the last row."""


def shown_of(form: Feed, published: Published) -> Shown:
    """Look at all pieces, one after the other."""
    parts: list[_Part] = []
    for piece in published:
        parts.append(_part(form, piece, parts[-1].last if parts else 0))
    several = [part.shown for part in parts]

    def total(of: Callable[[Shown], int]) -> int:
        return sum(map(of, several))

    rows = total(lambda one: one.rows)
    values = pa.concat_arrays([part.values for part in parts])
    return Shown(
        rows=rows,
        groups=total(lambda one: one.groups),
        smallest_group=min((one.smallest_group for one in several if one.groups), default=rows),
        fewest_values=min(
            [one.fewest_values for one in several if one.groups] + [len(values.unique())]
        ),
        kinds=several[0].kinds,
        snapshots=Snapshots(
            np.concatenate([one.snapshots.start for one in several]),
            np.concatenate([one.snapshots.end for one in several]),
            [label for one in several for label in one.snapshots.label],
        ),
        in_groups=_all_shares([one.in_groups for one in several]),
        in_snapshots=_all_shares([one.in_snapshots for one in several]),
        missing=total(lambda one: one.missing),
        torn=np.concatenate([one.torn for one in several]),
        counts=Counts(
            total(lambda one: one.counts.rows),
            total(lambda one: one.counts.strange),
            total(lambda one: one.counts.misplaced),
            np.concatenate([one.counts.unlike for one in several]),
        ),
        misnumbered=total(lambda one: one.misnumbered),
        late_rows=total(lambda one: one.late_rows),
        late_groups=total(lambda one: one.late_groups),
        boxed=_all_boxed([one.boxed for one in several]),
    )


def _all_shares(several: Sequence[Shares]) -> Shares:
    return Shares(
        max((one.largest for one in several if one.largest is not None), default=None),
        sum(one.all for one in several),
        sum(one.wrong for one in several),
        np.concatenate([one.groups for one in several]),
    )


def _all_boxed(several: Sequence[GroupedRows]) -> GroupedRows:
    def sides(of: Callable[[GroupedRows], Sequence[Numbers]]) -> tuple[Numbers, ...]:
        return tuple(np.concatenate(some) for some in zip(*map(of, several), strict=True))

    return _grouped(
        several[0],
        np.concatenate([one.number for one in several]),
        sides(lambda one: one.low),
        sides(lambda one: one.high),
        np.concatenate([one.uneven for one in several]),
    )


def _grouped(
    like: GroupedRows,
    number: Array,
    low: tuple[Numbers, ...],
    high: tuple[Numbers, ...],
    uneven: Flags,
) -> GroupedRows:
    none = np.zeros(0, dtype=np.int64)
    return GroupedRows(
        row_group=none,
        domain=like.domain,
        exact=like.exact,
        number=number,
        size=none,
        low=low,
        high=high,
        uneven=uneven,
    )


def _part(form: Feed, rows: FeedRows, before: int) -> _Part:
    limit = 1 / form.promise.l
    most, size, values = rows.in_groups
    in_groups = exceeds(most, size, limit)
    snapshot_most, snapshot_size = rows.in_snapshots
    crowded = exceeds(snapshot_most, snapshot_size, limit)
    late_rows, late_groups = _disorder(rows)
    shown = Shown(
        rows=len(rows.row_group),
        groups=len(rows.number),
        smallest_group=rows.smallest_group,
        fewest_values=int(values.min(initial=len(rows.domain) + 1)),
        kinds=rows.kinds,
        snapshots=rows.snapshots,
        in_groups=Shares(
            largest_share(most, size) if len(size) else None,
            len(size),
            int(in_groups.sum()),
            rows.number[in_groups],
        ),
        in_snapshots=Shares(
            largest_share(snapshot_most, snapshot_size) if len(snapshot_size) else None,
            len(snapshot_size),
            int(crowded.sum()),
            rows.number[crowded[rows.snapshot]],
        ),
        missing=int((rows.values.value == len(rows.domain)).sum()),
        torn=rows.number[rows.torn],
        counts=_counts(rows),
        misnumbered=misnumbered(rows.row_group, before),
        late_rows=late_rows,
        late_groups=late_groups,
        boxed=_boxed(form, rows),
    )
    last = int(rows.row_group[-1]) if len(rows.row_group) else before
    return _Part(shown, rows.domain, last)


def _counts(rows: FeedRows) -> Counts:
    cells = rows.values
    strange = (cells.place < 0) | (cells.count < 1)
    counted = np.bincount(cells.place[~strange], cells.count[~strange], len(rows.number))
    late, tied = descends((cells.group, cells.value), len(cells.group))
    unlike = counted.astype(np.int64) != rows.size
    misplaced = int((late | tied).sum())
    return Counts(len(cells.group), int(strange.sum()), misplaced, rows.number[unlike])


def _disorder(rows: FeedRows) -> tuple[int, int]:
    """How many rows, and how many groups, do not stand by what is published."""
    keys = [rows.row_snapshot, rows.row_group, *(column.rank for column in rows.quasi)]
    if rows.row_value is not None:
        keys.append(rows.row_value)
    early, _ = descends(keys, len(rows.row_group))
    if not rows.low:
        return int(early.sum()), 0
    bounds = (side for pair in zip(rows.low, rows.high, strict=True) for side in pair)
    late, alike = descends((rows.snapshot, *bounds), len(rows.number))
    return int(early.sum()), int((late | alike).sum())


def _boxed(form: Feed, rows: FeedRows) -> GroupedRows:
    wrong = rows.uneven.copy()
    for interval, low, high in zip(form.intervals, rows.low, rows.high, strict=True):
        wrong |= off_grid(interval, low, high)
    lows, highs = (tuple(side[wrong] for side in sides) for sides in (rows.low, rows.high))
    return _grouped(rows, rows.number[wrong], lows, highs, rows.uneven[wrong])
