"""For the owner: how the snapshots of a feed came about, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags
from anachron.guarantees import Reposition
from anachron.methods.outcome import Explanation, Record
from anachron.methods.reposition.notes import TooFrequent, notes, too_frequent
from anachron.methods.reposition.push import Advanced

__all__ = ["FeedExplained", "SnapshotFigures", "explain", "snapshots"]


@dataclass(frozen=True)
class SnapshotFigures(Record):
    """A snapshot that is due."""

    snapshot: str
    arrived: int
    published: int
    moved_in: int
    left: int
    share_before: float
    largest_share: float


@dataclass(frozen=True)
class FeedExplained(Explanation):
    """What became of the records of a feed."""

    l: str  # noqa: E741
    window: int
    solver: str
    then: str
    rows: int
    published: int
    moved: int
    suppressed: int
    conflicts: int
    given_up: int
    refused: int
    late: int
    repeated: int
    loss: str
    proved: bool
    distances: Sequence[int]
    snapshots: Sequence[SnapshotFigures]
    too_frequent: TooFrequent | None
    figures: Record
    """What is particular to the way in which groups are published."""


def explain(feed: Advanced, promise: Reposition, figures: Record) -> FeedExplained:
    """Tell what became of the records; ``figures`` are of how their groups are published."""
    placings, dropped = feed.chosen.placings, feed.chosen.dropped
    here = placings.here
    delay = (placings.position - placings.home)[here]
    lost = int(sum(int(due.suppressed.count.sum()) for due in feed.dues))
    lost += dropped + len(feed.withheld)
    distances = _sums(delay, placings.count[here], promise.window).tolist()
    loss = sum((c * n for c, n in zip(promise.mu_table, distances, strict=True)), Fraction(0))
    new, due = feed.arrivals, snapshots(feed)
    return FeedExplained(
        method=promise.method,
        notes=notes(feed, promise),
        l=str(promise.l),
        window=promise.window,
        solver=promise.solver,
        then=promise.then if isinstance(promise.then, str) else promise.then.method,
        rows=sum(one.arrived for one in due),
        published=int(placings.count[here].sum()),
        moved=int(placings.count[here][delay > 0].sum()),
        suppressed=lost,
        conflicts=feed.chosen.conflicts,
        given_up=dropped - feed.chosen.conflicts,
        refused=len(feed.refused),
        late=0 if new is None else len(new.late),
        repeated=0 if new is None else len(new.doubles),
        loss=str(loss + _hidden(feed, promise)),
        proved=all(due.proved for due in feed.dues),
        distances=distances,
        snapshots=due,
        too_frequent=too_frequent(feed, promise),
        figures=figures,
    )


def _hidden(feed: Advanced, promise: Reposition) -> Fraction:
    """What the records cost that are left out or refused."""
    cost = [promise.betas.get(text, promise.beta_default) for text in feed.memory.values]
    total = Fraction(0)
    for due in feed.dues:
        lost = np.bincount(due.suppressed.value, due.suppressed.count, len(cost))
        total += sum((cost[v] * int(lost[v]) for v in np.flatnonzero(lost)), Fraction(0))
    placings = feed.chosen.placings
    dropped = _sums(placings.value[placings.out], placings.count[placings.out], len(cost))
    dropped += sum(np.bincount(one.value, minlength=len(cost)) for one in (
        feed.withheld, feed.refused))  # fmt: skip
    return total + sum((cost[v] * int(dropped[v]) for v in np.flatnonzero(dropped)), Fraction(0))


def snapshots(feed: Advanced) -> list[SnapshotFigures]:
    """Each snapshot that is due, in numbers."""
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    placings = feed.chosen.placings
    first, size = int(due[0]), int(due[-1] - due[0]) + 1
    here = placings.here
    moved = here & (placings.position != placings.home)
    width = len(feed.memory.values)
    own = (placings.home >= first) & (placings.home < first + size)

    def by_value(some: Flags, where: Array) -> Array:
        cells = (where[some] - first) * width + placings.value[some]
        return _sums(cells, placings.count[some], size * width).reshape(size, width)

    cells, before = by_value(here, placings.position), by_value(own, placings.home)
    arrived = before.sum(axis=1)
    into = _sums(placings.position[moved] - first, placings.count[moved], size)
    total = cells.sum(axis=1)
    return [
        SnapshotFigures(
            snapshot=label,
            arrived=int(arrived[p]),
            published=int(total[p]),
            moved_in=int(into[p]),
            left=int(arrived[p] - (total[p] - into[p])),
            share_before=_largest_share(before[p]),
            largest_share=_largest_share(cells[p]),
        )
        for label, p in zip(feed.time.labels(due), (due - first).tolist(), strict=True)
    ]


def _sums(places: Array, counts: Array, size: int) -> Array:
    return np.bincount(places, counts, size).astype(np.int64)


def _largest_share(counts: Array) -> float:
    total = int(counts.sum())
    return round(int(counts.max()) / total, 6) if total else 0.0
