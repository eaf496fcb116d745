"""Could the algorithm have published this, had two values been exchanged?

What the method does with counts is done again: the shortages of the buckets, the new people who
fill them, and the steps of the assignment of all others. How many people of each bucket are new,
and how many rows of it are counterfeits, is what an adversary sees.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from anachron.arrays import Array
from anachron.attacking.register import Seen, Slots
from anachron.methods.invariance import balance
from anachron.methods.invariance.assign import assign
from anachron.methods.invariance.buckets import Buckets, Signature, in_order

__all__ = ["Rerun", "reachable", "rerun_of"]

_TRIES = 500
"""Ways to break ties that are tried before the outcome counts as possible."""
Change = tuple[int, int, int, int]
"""Of one pair of slots: the lower, the higher, and how many known and new people change to it."""


@dataclass(frozen=True, eq=False)
class Rerun:
    """One release, as the method saw it: by counts."""

    buckets: Buckets
    """The signatures of known people."""
    counts: Array
    """Known people in each slot of the buckets."""
    placed: Array
    """All people in each slot of the buckets."""
    fresh: dict[Signature, int]
    """For the signatures of new people alone, how many groups they have."""
    new: Array
    """New people with each value."""
    m: int
    greedy: bool
    """Whether shortages are filled one at a time, as in the paper."""
    slot: Array
    """The place in ``buckets`` of each slot of the history; -1 for those of no known people."""
    _answers: dict[Change, bool] = field(default_factory=dict)
    _ends: dict[tuple[bytes, tuple[tuple[Signature, int], ...]], bool] = field(default_factory=dict)

    def possible(self, change: Change | None = None, value: tuple[int, int] = (0, 0)) -> bool:
        """Tell whether this release can result, given a change of the values of some people.

        ``value`` has the two values that are exchanged.
        """
        key = change or (0, 0, 0, 0)
        if key not in self._answers:
            self._answers[key] = self._possible(key, value)
        return self._answers[key]

    def _possible(self, change: Change, value: tuple[int, int]) -> bool:
        counts, placed, new = self.counts.copy(), self.placed.copy(), self.new.copy()
        slots = self.slot[list(change[:2])]
        if (slots >= 0).all():
            counts[slots] += np.array([-1, 1]) * change[2]
            placed[slots] += np.array([-1, 1]) * (change[2] + change[3])
        elif change[2] or change[3]:
            return True  # nobody known is concerned: not seen here
        new[list(value)] += np.array([-1, 1]) * change[3]
        if min(counts.min(initial=0), new.min(initial=0)) < 0:
            return False
        shortage = self.buckets.shortages(counts)
        rule = balance.paper if self.greedy else balance.exact
        try:
            filled = rule(shortage, self.buckets.value, new, self.m)
        except ValueError:
            return False
        more = placed - counts - filled
        rest = new - np.bincount(self.buckets.value, weights=filled, minlength=len(new)).astype(
            np.int64
        )
        if not self._balanced(more):
            return False
        target = self._target(more)
        end = rest.tobytes(), tuple(sorted(target.items()))
        if end not in self._ends:
            self._ends[end] = reachable(rest, target, self.m)
        return self._ends[end]

    def _balanced(self, more: Array) -> bool:
        """Whether equally many of each value of a bucket are left to the assignment."""
        if not len(more):
            return True
        start = self.buckets.start[:-1]
        least, most = np.minimum.reduceat(more, start), np.maximum.reduceat(more, start)
        return bool((least >= 0).all() and (least == most).all())

    def _target(self, more: Array) -> dict[Signature, int]:
        target = dict(self.fresh)
        heads = self.buckets.start[:-1]
        for at in np.flatnonzero(more[heads] if len(more) else more).tolist():
            target[self.buckets.signatures[at]] = int(more[heads[at]])
        return target


def reachable(rest: Array, target: dict[Signature, int], m: int) -> bool:
    """Tell whether the assignment can end with that many groups of each signature.

    How many people move in each step, and with how many values, does not depend on how ties are
    broken; with which values does. If too many ways would have to be tried, the answer is yes.

    >>> reachable(np.array([1, 1, 1, 1]), {(0, 2): 1, (1, 3): 1}, 2)
    True
    >>> reachable(np.array([2, 1, 1]), {(0, 1, 2): 1}, 2)
    False
    """
    try:
        steps = assign(rest, m, np.arange(len(rest)))
    except ValueError:
        return False
    waiting = [(0, rest.copy(), dict(target))]
    for _ in range(_TRIES + len(steps)):
        if not waiting:
            return False
        at, left, open_ = waiting.pop()
        if at == len(steps):
            if not any(open_.values()):
                return True
            continue
        alpha, beta = steps[at].alpha, len(steps[at].signature)
        for signature in _next(left, open_, alpha, beta):
            following = left.copy()
            following[list(signature)] -= alpha
            remaining = {**open_, signature: open_[signature] - alpha}
            waiting.append((at + 1, following, remaining))
    return True


def _next(left: Array, open_: dict[Signature, int], alpha: int, beta: int) -> list[Signature]:
    """The signatures that a step can have made, by which values are the most frequent."""
    edge = int(np.sort(left)[-beta])
    above = set(np.flatnonzero(left > edge).tolist())
    return [
        signature
        for signature, groups in open_.items()
        if groups >= alpha
        and len(signature) == beta
        and above <= set(signature)
        and all(left[value] >= edge for value in signature)
    ]


def rerun_of(seen: Seen, slots: Slots, m: int, domain: int, greedy: bool) -> Rerun:
    """Count a release as the method does."""
    signatures = [
        tuple(slots.value[slots.start[n] : slots.start[n + 1]].tolist())
        for n in range(len(slots.start) - 1)
    ]
    old = np.unique(seen.signature[~seen.new])
    buckets = Buckets(in_order(signatures[n] for n in old.tolist()))
    slot = np.full(len(slots.value) + 1, -1, dtype=np.int64)
    for n in old.tolist():
        first = int(buckets.start[buckets.number[signatures[n]]])
        slot[slots.start[n] : slots.start[n + 1]] = first + np.arange(len(signatures[n]))
    at = slot[slots.find(seen.signature, seen.value)]
    length = len(buckets.value)
    inside = at >= 0
    fresh: dict[Signature, int] = {}
    groups = np.unique(np.stack([seen.signature[~inside], seen.group[~inside]], axis=1), axis=0)
    for n, count in zip(*np.unique(groups[:, 0], return_counts=True), strict=True):
        fresh[signatures[int(n)]] = int(count)
    return Rerun(
        buckets=buckets,
        counts=np.bincount(at[inside & ~seen.new], minlength=length),
        placed=np.bincount(at[inside], minlength=length),
        fresh=fresh,
        new=np.bincount(seen.value[seen.new], minlength=domain),
        m=m,
        greedy=greedy,
        slot=slot,
    )
