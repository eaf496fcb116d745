"""Windows of time: which granules they hold, and what a delay may carry in or out.

A record is published in the granule in which it happened or, in a feed with a window of w
snapshots, in one of the w − 1 that follow. So what is published in snapshot j happened in one of
j − w + 1, …, j. These are positions in the calendar: snapshots without records count. Who asks
must not cut a granule: nothing tells on which side of the cut its records lie.

The first snapshot of a feed is not published as such. It may have been empty once its records
were moved, so that even the first published records can have happened w − 1 snapshots before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.catalogue import Catalogue
from anachron.asking.doubt import NOT_KNOWN
from anachron.asking.question import Condition, Leaf, Ranges, Span
from anachron.asking.shares import Judged
from anachron.asking.suggest import quoted, refusal, written
from anachron.calendar.definitions import Granularity
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.calendar.realise import realise, span
from anachron.calendar.zones import to_datetime
from anachron.errors import ReleaseError
from anachron.kernels.cells import MAY, MAY_ON_TIME, MUST, MUST_ON_TIME
from anachron.published import ways
from anachron.published.coded import CodedColumn

__all__ = ["Windows", "times"]


_YEAR = 366 * 86_400_000_000
_FAR = 128
"""Years in which to look for the snapshots before the first one."""
_ALWAYS = 2**62


@dataclass(frozen=True, eq=False)
class Windows:
    """The granules in which published records may have happened, in the order of time."""

    catalogue: Catalogue
    way: ways.Granules
    window: int
    start: Array
    end: Array
    label: list[str]
    position: Array
    """Of each distinct published cell: its granule."""

    def judged(self, leaf: Leaf) -> Judged:
        """Judge a window on every distinct published cell."""
        inside = self._inside(leaf)
        before = np.concatenate(([0], np.cumsum(inside)))
        first = np.maximum(self.position - (self.window - 1), 0)
        held = before[self.position + 1] - before[first]
        on_time = inside[self.position]
        flags = np.where(held > 0, MAY, 0) | np.where(held == self.position + 1 - first, MUST, 0)
        flags |= np.where(on_time, MAY_ON_TIME | MUST_ON_TIME, 0)
        # How many records are late is not published, and depends on values that are too frequent.
        doubt = np.where((flags & (MAY | MUST)) == MAY, NOT_KNOWN, 0.0)
        return Judged(flags.astype(np.uint8), on_time.astype(np.float64), doubt)

    def delayed(self, leaf: Leaf) -> tuple[Floats, Floats]:
        """Say of every distinct published cell whether it is in a window (0 or 1), and which share
        is of the granules in which its late records may have happened."""
        inside = self._inside(leaf)
        before = np.concatenate(([0], np.cumsum(inside)))
        first = np.maximum(self.position - (self.window - 1), 0)
        on_time = inside[self.position].astype(np.float64)
        many = self.position - first
        share = (before[self.position] - before[first]) / np.maximum(many, 1)
        return on_time, np.where(many > 0, share, on_time)

    def _inside(self, leaf: Leaf) -> Flags:
        """Which granules are in a window."""
        if not isinstance(leaf, Ranges):
            raise self._refusal("a time is asked for by a window")
        inside = np.zeros(len(self.start), dtype=bool)
        for low, high in (_instants(one) for one in leaf.spans):
            holds = (self.start >= low) & (self.end <= high)
            cut = (self.start < high) & (self.end > low) & ~holds
            if cut.any():
                raise self._cutting(int(np.flatnonzero(cut)[0]), low, high)
            inside |= holds
        return inside

    def keys(self, granularity: str | None) -> list[tuple[object, Condition]]:
        """Granules in which records may have happened, or coarser ones that hold them."""
        if granularity is None or granularity == self.way.granularity.name:
            bounds = zip(self.start.tolist(), self.end.tolist(), strict=True)
            return [
                (label, self._leaf(*ends)) for label, ends in zip(self.label, bounds, strict=True)
            ]
        coarse = self._realised(self.catalogue.granularities[granularity])
        if self._cuts(coarse):
            raise self._not_by(granularity)
        index = np.unique(coarse.index(self.start))
        start, end = coarse.bounds(index)
        edges = zip(start.tolist(), end.tolist(), strict=True)
        return [
            (label, self._leaf(*ends))
            for label, ends in zip(coarse.label(index), edges, strict=True)
        ]

    def _leaf(self, start: int, end: int) -> Ranges:
        return Ranges(self.way.column, (Span(start, end, high_closed=False),))

    def _realised(self, granularity: Granularity) -> Granules:
        first, last = int(self.start.min()), int(self.end.max())
        return realise(granularity, span(self.catalogue.time_zone, first, last))

    def _cuts(self, coarse: Granules) -> bool:
        """Whether some granule reaches over an edge of coarser ones, or out of all of them."""
        holder, last = coarse.index(self.start), coarse.index(self.end - 1)
        return bool(np.any((holder != last) | (holder == OUTSIDE)))

    def _not_by(self, granularity: str) -> Exception:
        name = quoted(self.way.column)
        return refusal(
            self.catalogue,
            f"{self.way.column} is published by {self.way.granularity.name}, and granules of "
            f"{granularity} cut some of them.",
            f"SELECT {name}, COUNT(*) GROUP BY {name}",
        )

    def _cutting(self, at: int, low: int, high: int) -> Exception:
        """Name the granule that is cut, and the nearest window that cuts none."""
        first, until = self._nearest(low), self._nearest(high)
        if first >= until:
            first, until = int(self.start[at]), int(self.end[at])
        name, edges = quoted(self.way.column), []
        if low > -_ALWAYS:
            edges.append(f"{name} >= {self._written(first)}")
        if high < _ALWAYS:
            edges.append(f"{name} < {self._written(until)}")
        return refusal(
            self.catalogue,
            f"the window cuts {self.label[at]!r}: {self.way.column} is published by "
            f"{self.way.granularity.name}, and which records lie on either side is not known.",
            f"SELECT COUNT(*) WHERE {' AND '.join(edges)}",
        )

    def _nearest(self, instant: int) -> int:
        """The edge of a granule that is cut which is nearest to an instant."""
        at = np.flatnonzero((self.start < instant) & (self.end > instant))
        if not len(at):
            return instant
        start, end = int(self.start[at[0]]), int(self.end[at[0]])
        return start if instant - start < end - instant else end

    def _written(self, instant: int) -> str:
        aware = to_datetime(instant).replace(tzinfo=UTC)
        local = aware.astimezone(ZoneInfo(self.catalogue.time_zone)).replace(tzinfo=None)
        return written(local.date() if local.time() == datetime.min.time() else local)

    def _refusal(self, what: str) -> Exception:
        return refusal(self.catalogue, f"{self.way.column}: {what}.")


def times(coded: CodedColumn, way: ways.Granules, catalogue: Catalogue) -> Windows:
    """Lay out the granules in which the records of some published cells may have happened."""
    _, starts, ends = coded.cells
    start, end = (np.asarray(pa_array.cast("int64").to_numpy()) for pa_array in (starts, ends))
    if isinstance(way, ways.Snapshots):
        return _snapshots(way, catalogue, start)
    order = np.argsort(start, kind="stable")
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    label = [str(coded.values[at]) for at in order]
    return Windows(catalogue, way, 1, start[order], end[order], label, position)


def _snapshots(way: ways.Snapshots, catalogue: Catalogue, start: Array) -> Windows:
    """All snapshots of the calendar from w − 1 before the first published one to the last."""
    granularity, window = way.granularity, catalogue.window or 1
    first, last, years = int(start.min()), int(start.max()), 0
    while True:
        granules = realise(granularity, span(catalogue.time_zone, first - years * _YEAR, last))
        index = granules.index(start)
        # A list of granules may simply begin.
        if int(index.min()) >= window - 1 or years > _FAR:
            break
        years = 2 * years + 1
    if bool(np.any(index == OUTSIDE) or np.any(granules.bounds(index)[0] != start)):
        raise ReleaseError(f"{way.column} is not published by {granularity.name}, as it is said.")
    kept = np.arange(max(int(index.min()) - window + 1, 0), int(index.max()) + 1)
    begins, ends = granules.bounds(kept)
    labels = granules.label(kept)
    return Windows(catalogue, way, window, begins, ends, labels, index - kept[0])


def _instants(one: Span) -> tuple[int, int]:
    """A span of whole microseconds, from its first to before its end."""
    low, high = -_ALWAYS, _ALWAYS
    if one.low is not None:
        low = int(one.low) + (not one.low_closed)
    if one.high is not None:
        high = int(one.high) + one.high_closed
    return low, high
