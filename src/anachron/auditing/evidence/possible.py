"""Whom does an adversary find who knows values and shape of a person?

The possible set of a person are the published rows whose envelope holds the person's values and
whose pattern is the person's, Section 4.2.1 of Shou et al. It is gathered by subgroups: all rows
of one are in it, or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Words
from anachron.auditing.evidence.series import Own
from anachron.auditing.reading.columns import joined, places, spread
from anachron.auditing.reading.letters import letters_of
from anachron.auditing.reading.series import SeriesRows

__all__ = ["MANY", "Meetings", "enveloped", "expanded", "meetings_of", "possible"]

MANY = 30_000_000
"""More pairs of people and subgroups are not looked at in one go."""
_PAIRS = 1 << 21


@dataclass(frozen=True, eq=False)
class Meetings:
    """Which people have the pattern of which subgroups, level by level."""

    start: tuple[Array, ...]
    """Where the subgroups of each person's pattern begin, among those of the level."""
    stop: tuple[Array, ...]
    subgroup: tuple[Array, ...]

    @property
    def pairs(self) -> int:
        """How many pairs of people and subgroups there are."""
        return sum(int((b - a).sum()) for a, b in zip(self.start, self.stop, strict=True))

    def thinned(self, step: int) -> Meetings:
        """Look at one in so many subgroups only."""
        kept = [subgroup % step == 0 for subgroup in self.subgroup]
        before = [np.append(0, np.cumsum(some)) for some in kept]
        return Meetings(
            tuple(many[at] for many, at in zip(before, self.start, strict=True)),
            tuple(many[at] for many, at in zip(before, self.stop, strict=True)),
            tuple(all_[some] for all_, some in zip(self.subgroup, kept, strict=True)),
        )


def meetings_of(rows: SeriesRows, own: Own, some: Array, only: Flags | None = None) -> Meetings:
    """Find the subgroups with the patterns of some people; ``only`` tells which are asked for."""
    asked = places(rows.number, rows.subgroup_group) >= 0
    asked &= ~rows.misspelled if only is None else only & ~rows.misspelled
    mark = np.random.default_rng(0).integers(0, 2**64, (own.z.shape[1], 256), dtype=np.uint64)
    found = []
    for level in np.unique(rows.subgroup_level[asked]).tolist():
        here = np.flatnonzero(asked & (rows.subgroup_level == level))
        theirs = _digest(letters_of(own.z[some], level), mark)
        word = _digest(rows.subgroup_letters[here], mark)
        order = np.argsort(word, kind="stable")
        ends = (np.searchsorted(word[order], theirs, side=side) for side in ("left", "right"))
        found.append((*ends, here[order]))
    return Meetings(*zip(*found, strict=True)) if found else Meetings((), (), ())


def possible(rows: SeriesRows, own: Own, some: Array, meetings: Meetings) -> tuple[Array, Array]:
    """Pair some people, 0 being the first of them, with subgroups whose envelope holds them."""
    envelope = places(rows.number, rows.subgroup_group)
    found = []
    parts = zip(meetings.start, meetings.stop, meetings.subgroup, strict=True)
    for start, stop, subgroup in parts:
        for who, at in expanded(start, stop):
            held = enveloped(rows, own, some[who], envelope[subgroup[at]])
            found.append((who[held], subgroup[at[held]]))
    who, which = joined(found)
    order = np.lexsort((which, who))
    return who[order], which[order]


def expanded(start: Array, stop: Array) -> Iterator[tuple[Array, Array]]:
    """Pair each number i with all places from ``start[i]`` to ``stop[i]``, some at a time."""
    count = stop - start
    ends = np.cumsum(count)
    first = 0
    while first < len(count):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + _PAIRS, side="right")), first + 1)
        who, place = spread(start[first:last], count[first:last])
        yield who + first, place
        first = last


def enveloped(rows: SeriesRows, own: Own, who: Array, envelope: Array) -> Flags:
    """Tell whether these envelopes hold the values of these people."""
    left = np.arange(len(who))
    for time in range(own.values.shape[1]):
        value, at = own.values[:, time].take(who[left]), envelope[left]
        inside = rows.low[:, time].take(at) <= value
        inside &= value <= rows.high[:, time].take(at)
        left = left[inside]
    held = np.zeros(len(who), dtype=bool)
    held[left] = True
    return held


def _digest(letters: Bytes, mark: Words) -> Words:
    """A number for each word: the sum of one for each letter at its time."""
    found = np.zeros(len(letters), dtype=np.uint64)
    for time in range(letters.shape[1]):
        found += mark[time].take(letters[:, time])
    return found
