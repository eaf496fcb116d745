"""A release of a feed, some snapshots at a time: what is larger than memory is read in pieces.

A piece has all rows of its snapshots, all rows of their groups, and all values of these. Where rows
or counts are out of order it cannot be told what belongs together before all has been read: then
all of it is one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.auditing.reading.columns import LOWEST, Span, batches, whole
from anachron.auditing.reading.feed import FeedPiece, FeedRows, feed_rows
from anachron.auditing.reading.form import Feed

__all__ = ["AT_ONCE", "Published", "published_of"]

AT_ONCE = 1 << 17
"""Snapshots of together so many rows are judged at a time; of a larger one, all of it."""


@dataclass(frozen=True, eq=False)
class Published:
    """The rows of a release, which are read anew whenever somebody asks."""

    form: Feed
    pieces: Sequence[FeedPiece]

    def __iter__(self) -> Iterator[FeedRows]:
        """Give the rows of one piece after the other."""
        if len(self.pieces) == 1:
            yield self._only
            return
        for piece in self.pieces:
            yield feed_rows(self.form, piece)

    @property
    def begins(self) -> Array:
        """When the snapshots of each piece begin; the first has all that is earlier."""
        return np.array([piece.begins for piece in self.pieces], dtype=np.int64)

    @cached_property
    def _only(self) -> FeedRows:
        return feed_rows(self.form, self.pieces[0])


def published_of(form: Feed) -> Published:
    """Divide a release, whose columns were checked before, by its snapshots."""
    cuts = _cuts(form)
    if cuts is None:
        return Published(form, (FeedPiece(LOWEST, (0, None), (0, None)),))
    row, begins, group = cuts
    cell = [0] * len(row) if form.value_files is None else _cells(form, group)
    if cell is None:
        return Published(form, (FeedPiece(LOWEST, (0, None), (0, None)),))
    return Published(form, tuple(map(FeedPiece, begins, _spans(row), _spans(cell))))


def _spans(first: Sequence[int]) -> list[Span]:
    return [*pairwise(first), (first[-1], None)]


def _cuts(form: Feed) -> tuple[list[int], list[int], list[int]] | None:
    """Of each piece its first row, when it begins, and its first group; None without order."""
    _, start, _ = form.times
    row, begins, group = [0], [LOWEST], [LOWEST]
    last, before, known = (LOWEST, LOWEST), (0, LOWEST, LOWEST), 0
    for batch in batches(form.files, ["group", start]):
        groups = np.append(last[0], whole(batch["group"], 0))
        starts = np.append(last[1], whole(batch[start].cast(pa.int64()), LOWEST))
        if (groups[1:] < groups[:-1]).any() or (starts[1:] < starts[:-1]).any():
            return None
        parted = (starts[1:] > starts[:-1]) & (groups[1:] > groups[:-1])
        for at in np.flatnonzero(parted).tolist():
            # A piece ends where one more of what cannot be parted would make it too long.
            if known + at - row[-1] > AT_ONCE and before[0] > row[-1]:
                for found, one in zip((row, begins, group), before, strict=True):
                    found.append(one)
            before = (known + at, int(starts[at + 1]), int(groups[at + 1]))
        known, last = known + batch.num_rows, (int(groups[-1]), int(starts[-1]))
    if known - row[-1] > AT_ONCE and before[0] > row[-1]:
        for found, one in zip((row, begins, group), before, strict=True):
            found.append(one)
    return row, begins, group


def _cells(form: Feed, group: Sequence[int]) -> list[int] | None:
    """The place of the first value of each of these groups or a later one."""
    wanted, found, last = np.array(group), np.zeros(len(group), dtype=np.int64), LOWEST
    for batch in batches(form.value_files or form.files, ["group"]):
        groups = np.append(last, whole(batch["group"], 0))
        if (groups[1:] < groups[:-1]).any():
            return None
        found += np.searchsorted(groups[1:], wanted)
        last = int(groups[-1])
    return found.tolist()
