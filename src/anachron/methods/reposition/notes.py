"""What the owner of a feed should know about its plan: figures, never a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anachron.guarantees import MInvariance, Reposition
from anachron.methods.outcome import Record
from anachron.methods.reposition.betas import not_come
from anachron.methods.reposition.eligible import is_eligible, kept
from anachron.methods.reposition.push import Advanced

__all__ = ["TooFrequent", "notes", "too_frequent"]


@dataclass(frozen=True)
class TooFrequent(Record):
    """Why no plan can publish all records: one value has too many of them."""

    records: int
    share: float
    left_out_at_least: int
    largest_l: str


def too_frequent(feed: Advanced, promise: Reposition) -> TooFrequent | None:
    """Say in figures why no plan can publish all records that arrived so far, if none can.

    Snapshots that are l-eligible are so together, too. So if all records together are not, some
    are left out whatever the window: at least as many as if they were one snapshot. An
    m-invariant feed plans for new people only, and nothing is said of it.
    """
    counts = np.array(feed.memory.arrived, dtype=np.int64)
    if isinstance(promise.then, MInvariance) or is_eligible(counts, promise.l):
        return None
    records, most = int(counts.sum()), int(counts.max())
    return TooFrequent(
        records=records,
        share=round(most / records, 6),
        left_out_at_least=records - int(kept(counts, promise.l).sum()),
        # Rounded down, so that what is recommended does.
        largest_l=f"{100 * records // most / 100:g}",
    )


def notes(feed: Advanced, promise: Reposition) -> list[str]:
    """Say what was out of the ordinary."""
    new, lost = feed.arrivals, feed.chosen.conflicts
    given_up = feed.chosen.dropped - lost
    late, doubles, barred = (
        (0, 0, 0) if new is None else (len(new.late), len(new.doubles), len(new.barred))
    )
    told = [
        (late, "that came too late for their snapshot"),
        (doubles, "of people who have another in the same snapshot"),
        (barred, "of people who were left out before"),
        (lost, "whose person was already where they would have moved to"),
        (given_up, "for the sake of those who are on time"),
    ]
    found = [_frequent(feed, promise)]
    found += [f"records left out {what}: {n:,}" for n, what in told if n]
    found += _unproved(feed)
    found += () if new is None else new.spelled.notes
    absent = len(not_come(promise, feed.memory.values))
    if absent:
        have = "has" if absent == 1 else "have"
        found.append(f"{absent:,} of the values that beta names {have} not come so far")
    return [note for note in found if note]


def _unproved(feed: Advanced) -> Iterator[str]:
    """How much was not planned to the end, and whether another machine would have done more."""
    unproved = sum(not due.proved for due in feed.dues)
    if unproved:
        yield (
            f"planning ended before it was proved that no plan is better, of {unproved:,} "
            "snapshots: their records are recycled, or better; the promise does not depend on it"
        )
    stopped = sum(due.stopped for due in feed.dues)
    if stopped:
        yield (
            f"of {stopped:,} of them the clock ended it, not the budget: a faster machine could "
            "have planned them in another way"
        )


def _frequent(feed: Advanced, promise: Reposition) -> str:
    figures = too_frequent(feed, promise)
    if figures is None:
        return ""
    ended = not feed.memory.window.places
    best, lost, records = figures.largest_l, figures.left_out_at_least, figures.records
    share, most = 100 * figures.share, 100 / float(promise.l)
    return (
        f"one value has {share:.2f} % of all {records:,} records{'' if ended else ' so far'}, more "
        f"than the {most:.2f} % that l = {promise.l} allows. "
        f"{'No' if ended else 'If that stays so, no'} plan and no window can publish everything: "
        f"at least {lost:,} records ({100 * lost / records:.2f} %) are left out. "
        + (f"For all to be published l can be at most {best}" if best != "1" else "No l would do")
    )
