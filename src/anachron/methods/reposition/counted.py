"""Count what one push of a feed came to: for its account, and for its owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from anachron.arrays import Array
from anachron.methods.outcome import Record
from anachron.methods.reposition.account import Account, Line, entered, open_records
from anachron.methods.reposition.memory import FeedMemory
from anachron.methods.reposition.push import Advanced

__all__ = ["AccountTold", "accounted", "told"]


@dataclass(frozen=True)
class AccountTold(Record):
    """The account of a feed, as a push leaves it."""

    begins: int | None
    total: Line
    snapshots: Sequence[Mapping[str, str | int]]
    """The lines of the snapshots that the push changed."""


def accounted(before: FeedMemory, feed: Advanced) -> Account:
    """Give the account of a feed after a push, whose releases are as planned or as held back."""
    placings, new = feed.chosen.placings, feed.arrivals
    dropped = [] if new is None else [new.late, new.doubles, new.barred]
    arrived = [] if new is None else [(new.records.home, new.records.count)]
    left_out = [(due.suppressed.home, due.suppressed.count) for due in feed.dues]
    left_out.append((placings.home[placings.out], placings.count[placings.out]))
    counts = {
        "pushed": _homes(dropped) + _sums(arrived),
        "published": _sums([(placings.home[placings.here], placings.count[placings.here])]),
        "waiting": open_records(feed.memory.window, feed.memory.waiting),
        "left_out": _homes([feed.withheld.home]) + _sums(left_out),
        "dropped": _homes(dropped),
        "refused": _homes([feed.refused.home]),
    }
    homes = np.array(sorted(set().union(*counts.values())), dtype=np.int64)
    at = dict(zip(homes.tolist(), feed.time.bounds(homes)[0].tolist(), strict=True))
    return entered(
        before.account,
        {kind: {at[home]: n for home, n in found.items()} for kind, found in counts.items()},
    )


def told(before: FeedMemory, after: FeedMemory, feed: Advanced) -> AccountTold:
    """For the owner: the account as this push leaves it, and the snapshots that it changed."""
    account = after.account
    changed = account.changed(before.account)
    column = after.plan["schema"]["time"]
    places = feed.time.positions(np.array(list(changed), dtype=np.int64), column)
    labels = feed.time.labels(places)
    return AccountTold(
        account.begins,
        account.total,
        [
            {"snapshot": label, **asdict(line)}
            for label, line in zip(labels, changed.values(), strict=True)
        ],
    )


def _homes(several: Iterable[Array]) -> Counter[int]:
    """Count records by their snapshots, given that of each."""
    return _sums(_tally(homes) for homes in several)


def _tally(homes: Array) -> tuple[Array, Array]:
    """The different numbers, and how often each occurs."""
    first, last = (int(homes.min()), int(homes.max())) if len(homes) else (0, 0)
    if last - first > 4 * len(homes):
        return np.unique(homes, return_counts=True)
    count = np.bincount(homes - first)  # far faster than sorting
    there = np.flatnonzero(count)
    return there + first, count[there]


def _sums(pairs: Iterable[tuple[Array, Array]]) -> Counter[int]:
    """Add up how many records there are of each snapshot."""
    found: Counter[int] = Counter()
    for homes, counts in pairs:
        for home, count in zip(homes.tolist(), counts.tolist(), strict=True):
            found[home] += count
    return found
