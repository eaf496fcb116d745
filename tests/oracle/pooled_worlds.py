"""What pooling tells somebody who has read the source: short histories, in all their worlds.

Two or three releases of a few people who come in waves, leave and return. For each history the
planner that ships runs in every world, with every draw, and after everything that can be seen the
chance of every value of everybody is computed exactly.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, permutations, product
from unittest.mock import patch

import numpy as np

from anachron.methods.invariance import place
from anachron.methods.invariance.rule import Rule
from tests.oracle.invariance_worlds import Adversary

__all__ = ["Judged", "histories", "judged"]

Snapshots = tuple[tuple[int, ...], ...]
POOLED = {"mode": "transparent", "balance": "pooled"}


@dataclass(frozen=True)
class Judged:
    """What comes of a history."""

    worlds: int
    outputs: int
    worst: Fraction
    """The largest chance of any value of anybody, after any output."""
    joined: int
    """How many plans let new people join others."""


def histories(seed: int) -> Iterator[tuple[Snapshots, Rule]]:
    """Draw histories, each once."""
    rng = random.Random(f"pooled {seed}")
    known = set()
    while True:
        snapshots, rule = _history(rng)
        if (snapshots, rule.m, rule.domain) not in known:
            known.add((snapshots, rule.m, rule.domain))
            yield snapshots, rule


def _history(rng: random.Random) -> tuple[Snapshots, Rule]:
    """Waves of new people, whose values may be any; whoever came may be missing later."""
    m = rng.choice((2, 2, 2, 3))
    sizes = rng.choice(((2, 2), (2, 2, 2), (3, 3), (4, 2), (2, 3), (2, 4)) if m == 2 else ((3, 3),))
    domain = rng.choice((3, 4)) if sum(sizes) < 6 else 3
    snapshots, came = [], 0
    for at in range(max(len(sizes), rng.choice((2, 3)))):
        again = [p for p in range(came) if rng.random() < 0.7]
        new = range(came, came + (sizes[at] if at < len(sizes) else 0))
        came += len(new)
        snapshots.append(tuple(sorted({*again, *new})) or (0,))
    return tuple(snapshots), Rule(m, domain, **POOLED)


def judged(snapshots: Snapshots, rule: Rule, waves: tuple[str, ...] = ()) -> Judged:
    """Go through all worlds and all draws; or those in which the people of each wave, who come in
    the order of their numbers, have the letters of its word among them."""
    joined = 0

    def counting(*given: object) -> np.ndarray:
        nonlocal joined
        alpha = pool(*given)
        joined += bool(alpha.any())
        return alpha

    adversary = Adversary(snapshots, rule)
    pool = place.pool
    possible = _dealt(waves, len(snapshots)) if waves else adversary.constant_worlds()
    with patch.object(place, "pool", counting):
        outputs = adversary.outputs(possible)
    worst = Fraction(0)
    for worlds in outputs.values():
        chance: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for values, weight in worlds.items():
            for person, value in enumerate(values[0]):
                chance[person, value] += weight
        worst = max(worst, max(chance.values()) / sum(worlds.values()))
    return Judged(len(possible), len(outputs), worst, joined)


def _dealt(waves: tuple[str, ...], times: int) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    hands = [sorted({tuple(map("abcdef".index, deal)) for deal in permutations(w)}) for w in waves]
    return {(tuple(chain(*dealt)),) * times: Fraction(1) for dealt in product(*hands)}
