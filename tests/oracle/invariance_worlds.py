"""All worlds of a register that a release leaves possible, on the counts that are planned.

The swap attack is compared with it; what a whole publisher gives away, ``worlds`` judges.
He knows who is in which snapshot, all quasi values, all releases with their counterfeit counts,
and the algorithm. A world gives a value to every person. For each world all draws are played
through, each with its probability; a world is as likely as what was published is under it.
All arithmetic is exact.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import factorial

import numpy as np

from anachron.errors import GuaranteeError
from anachron.methods.invariance.assign import assign, eligible
from anachron.methods.invariance.buckets import NEW
from anachron.methods.invariance.plan import Plan
from anachron.methods.invariance.rule import Rule
from tests.oracle.snapshots import Held, Snapshot, plan

Worlds = dict[tuple[int, ...], Fraction]


def pseudonym(person: int) -> bytes:
    return hashlib.sha256(b"person %d" % person).digest()


def pseudonyms(people: Sequence[int]) -> np.ndarray:
    text = b"".join(map(pseudonym, people))
    return np.frombuffer(text, dtype=np.uint8).reshape(-1, 32)


@dataclass(frozen=True)
class Script:
    """Lots that come out as written."""

    order: Mapping[bytes, int]
    values_order: tuple[int, ...]

    def subjects(self, purpose: str, subjects: np.ndarray) -> np.ndarray:
        given = np.array([self.order.get(s.tobytes(), 0) for s in subjects], dtype=np.int64)
        return np.argsort(np.argsort(given, kind="stable"))

    def values(self, purpose: str, domain: int) -> np.ndarray:
        return np.array(self.values_order)

    def drawn(self, purpose: str, domain: int, subject: bytes) -> Iterator[int]:
        return iter(np.argsort(self.values_order).tolist())


def draws(
    new: Sequence[tuple[int, int]], rule: Rule, changed: bool
) -> Iterator[tuple[Script, Fraction]]:
    """All draws among new people (person, value) that can make a difference."""
    cells: dict[int, list[int]] = defaultdict(list)
    for person, value in new:
        cells[value].append(person)
    counts = tuple(len(cells[v]) for v in range(rule.domain))
    orders = [list(permutations(cell)) for cell in cells.values() if cell]
    for order, share in value_orders(counts, rule.m, rule.mode == "paper" or rule.pools, changed):
        weight = share / int(np.prod([len(o) for o in orders]))
        for chosen in product(*orders):
            ranked = [person for cell in chosen for person in cell]
            yield Script({pseudonym(p): i for i, p in enumerate(ranked)}, order), weight


@cache
def value_orders(
    counts: tuple[int, ...], m: int, some_fill: bool, changed: bool
) -> list[tuple[tuple[int, ...], Fraction]]:
    """Orders of values, those that Assign cannot tell apart gathered into one.

    Assign sees all of S−, or what is left when some tuples filled or joined a bucket. People who
    changed their value see the order too; then all orders are played.
    """
    seen: dict[object, tuple[tuple[int, ...], int]] = {}
    lower = [range(n + 1) if some_fill else (n,) for n in counts]
    left = [np.array(n) for n in product(*lower) if eligible(np.array(n), m)]
    for order in permutations(range(len(counts))):
        steps = tuple(assign(n, m, np.array(order)) for n in left)
        key = order if changed else steps
        first, times = seen.get(key, (order, 0))
        seen[key] = (first, times + 1)
    return [(order, Fraction(n, factorial(len(counts)))) for order, n in seen.values()]


def published(made: Plan) -> tuple[object, ...]:
    """What everyone can see: boxes, values and the number of counterfeits of each group."""
    g = made.groups
    return tuple(
        sorted(
            (tuple(g.low[i]), tuple(g.high[i]), made.memory.signatures[g.signature[i]],
             int(g.counterfeits[i]))
            for i in range(len(g.signature))
        )
    )  # fmt: skip


def _known(memory: Held) -> tuple[object, ...]:
    """All that later releases depend on, in a form that can be compared."""
    s = memory.standing
    groups = () if s is None else tuple(memory.groups.tolist())
    signature = tuple(memory.signatures[i] for i in memory.latest)
    boxes = () if s is None else (s.low.tobytes(), s.high.tobytes(), s.signature.tobytes())
    return memory.subjects.tobytes(), signature, groups, boxes, tuple(memory.earlier.items())


class Adversary:
    """Plays a history of snapshots through in every world."""

    def __init__(self, snapshots: Sequence[Sequence[int]], rule: Rule) -> None:
        self.snapshots, self.rule = snapshots, rule
        self.people = sorted({p for snapshot in snapshots for p in snapshot})
        self.played: dict[object, list[tuple[object, Held, Fraction]]] = {}

    def release(
        self, at: int, memory: Held, values: Mapping[int, int], before: Mapping[int, int]
    ) -> list[tuple[object, Held, Fraction]]:
        """All outcomes of a release: what is seen, what is remembered, and how likely it is."""
        people = self.snapshots[at]
        key = (at, _known(memory), *((values[p], before.get(p)) for p in people))
        if key not in self.played:
            self.played[key] = list(self._outcomes(people, memory, values, before))
        return self.played[key]

    def _outcomes(
        self, people: Sequence[int], memory: Held, values: Mapping[int, int],
        before: Mapping[int, int],
    ) -> Iterator[tuple[object, Held, Fraction]]:  # fmt: skip
        known = {s.tobytes() for s in memory.subjects}
        new = [(p, values[p]) for p in people if pseudonym(p) not in known]
        snapshot = Snapshot(
            pseudonyms(people),
            np.array([values[p] for p in people]),
            np.array([[float(p)] for p in people]),
            np.array([p in before and before[p] != values[p] for p in people]),
        )
        merged: dict[object, tuple[object, Held, Fraction]] = {}
        changed = any(before.get(p, values[p]) != values[p] for p in people)
        # In the other modes nothing is left to draw where a signature takes all free values.
        assert not changed or self.rule.mode == "paper" or self.rule.domain <= 2 * self.rule.m
        for script, weight in draws(new, self.rule, changed and self.rule.mode == "paper"):
            try:
                made = plan(snapshot, memory, self.rule, script)
            except GuaranteeError:
                continue
            seen = published(made) + tuple(int(i) for i in np.flatnonzero(made.group == NEW))
            same = (seen, _known(made.memory))
            _, after, so_far = merged.get(same, (seen, made.memory, Fraction(0)))
            merged[same] = (seen, after, so_far + weight)
        yield from merged.values()

    def outputs(
        self, worlds: Mapping[tuple[Mapping[int, int], ...], Fraction]
    ) -> dict[object, Worlds]:
        """For everything that can be seen, how likely it is together with each world."""
        found: dict[object, Worlds] = defaultdict(lambda: defaultdict(Fraction))
        for values, prior in worlds.items():
            stories = [((), Held(), prior)]
            last: dict[int, int] = {}
            for at in range(len(self.snapshots)):
                now = dict(zip(self.people, values[at], strict=True))
                stories = [
                    ((*seen, new), after, chance * share)
                    for seen, memory, chance in stories
                    for new, after, share in self.release(at, memory, now, last)
                ]
                last.update({p: now[p] for p in self.snapshots[at]})
            for seen, _, chance in stories:
                found[seen][values] += chance
        return found

    def constant_worlds(self) -> dict[tuple[tuple[int, ...], ...], Fraction]:
        """Everyone has one value for ever, each as likely as any other."""
        times = len(self.snapshots)
        return {
            (values,) * times: Fraction(1)
            for values in product(range(self.rule.domain), repeat=len(self.people))
        }
