"""For the owner: how the snapshots of a feed came about, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array
from anachron.guarantees import Reposition
from anachron.methods.outcome import Explanation, Record
from anachron.methods.reposition.notes import TooFrequent, notes, too_frequent
from anachron.methods.reposition.push import Advanced
from anachron.methods.reposition.records import NOWHERE

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
    records, position = feed.records, feed.chosen.position
    here = position != NOWHERE
    delay = (position - records.home)[here]
    lost = int(sum(int(due.suppressed.count.sum()) for due in feed.dues))
    lost += len(feed.chosen.dropped) + len(feed.held)
    distances = np.bincount(delay, minlength=promise.window).tolist()
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
        published=int(here.sum()),
        moved=int((delay > 0).sum()),
        suppressed=lost,
        conflicts=feed.chosen.conflicts,
        given_up=len(feed.chosen.dropped) - feed.chosen.conflicts,
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
    others = np.concatenate([feed.chosen.dropped, feed.held, feed.refused])
    dropped = feed.records.value[others]
    return total + sum((cost[v] for v in dropped.tolist()), Fraction(0))


def snapshots(feed: Advanced) -> list[SnapshotFigures]:
    """Each snapshot that is due, in numbers."""
    due = np.array([due.position for due in feed.dues], dtype=np.int64)
    records, position = feed.records, feed.chosen.position
    first, size = int(due[0]), int(due[-1] - due[0]) + 1
    here = np.flatnonzero(position != NOWHERE)
    moved = here[position[here] != records.home[here]]
    width = len(feed.memory.values)
    own = np.flatnonzero((records.home >= first) & (records.home < first + size))

    def by_value(rows: Array, where: Array) -> Array:
        cells = (where - first) * width + records.value[rows]
        return np.bincount(cells, minlength=size * width).reshape(size, width)

    cells, before = by_value(here, position[here]), by_value(own, records.home[own])
    arrived = before.sum(axis=1)
    into = np.bincount(position[moved] - first, minlength=size)
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


def _largest_share(counts: Array) -> float:
    total = int(counts.sum())
    return round(int(counts.max()) / total, 6) if total else 0.0
