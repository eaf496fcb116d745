"""The parameters of a feed's plan: how diverse, how late, and what moving and hiding cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm

__all__ = ["FIRST", "SOLVERS", "Rule", "linear", "quadratic"]

SOLVERS = ("recycle", "rolling")
FIRST = ("exact", "cold")
NODES, LARGEST, SECONDS = 10_000, 300_000, 60
"""Without a budget: the nodes of a search, the ways of a program that is begun, and the clock."""
PACE = 10_000
"""Ways that are looked at for a second of budget, at every node all of them.

That took a fifth of a second at the most, of all that was measured for docs/benchmarks.md: what is
searched shall not depend on how fast a machine is, and the clock shall not be what ends it.
"""
ROOT = 250
"""So many nodes take no longer than the first, with its cuts and heuristics."""


def linear(distances: int) -> tuple[Fraction, ...]:
    """Cost of moving a record 0, 1, 2, … snapshots: its distance."""
    return tuple(Fraction(d) for d in range(distances))


def quadratic(distances: int) -> tuple[Fraction, ...]:
    """Cost of moving a record 0, 1, 2, … snapshots: the square of its distance."""
    return tuple(Fraction(d * d) for d in range(distances))


@dataclass(frozen=True)
class Rule:
    """How a feed is planned; costs are those of the paper's equation (1)."""

    l: Fraction  # noqa: E741  the paper's letter
    """No value may be more than one in l records of a published snapshot."""
    window: int
    """Snapshots in the window: a record is published at most window − 1 after its home."""
    mu: tuple[Fraction, ...]
    """Cost of a record that moves 0, 1, … window − 1 snapshots."""
    beta: Fraction
    """Cost of a suppressed record."""
    betas: Mapping[int, Fraction] = field(default_factory=dict)
    """Cost of a suppressed record, where it is another for its value code."""
    strict: bool = False
    """Whether the records in their own snapshot must be l-eligible without those that come late."""
    solver: str = "recycle"
    first: str = "exact"
    budget: int = 0
    """Seconds that planning at an arrival takes at the most; then the plan is said to be unproved.
    0: as before there was a budget."""

    def __post_init__(self) -> None:
        if self.l <= 1:
            raise ValueError("l must be greater than 1")
        if self.window < 1:
            raise ValueError("the window must hold at least one snapshot")
        if self.budget < 0:
            raise ValueError("a budget is not negative")
        if self.solver not in SOLVERS or self.first not in FIRST:
            raise ValueError(f"expected one of {SOLVERS} and one of {FIRST}")
        if min((self.beta, *self.betas.values())) <= 0:
            raise ValueError("suppressing a record must cost something")
        self._check_mu()

    def _check_mu(self) -> None:
        if len(self.mu) != self.window:
            raise ValueError("mu needs a cost for each distance 0 … window − 1")
        if self.mu[0] != 0:
            raise ValueError("mu(0) must be 0")
        steps = [b - a for a, b in pairwise(self.mu)]
        if any(step <= 0 for step in steps):
            raise ValueError("mu must be strictly increasing")
        if any(b < a for a, b in pairwise(steps)):
            raise ValueError("mu must be convex")

    @cached_property
    def scale(self) -> int:
        """All costs times this number are whole."""
        return lcm(*(Fraction(c).denominator for c in (*self.mu, self.beta, *self.betas.values())))

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The cost of each distance, in units of 1 / ``scale``."""
        return tuple(int(cost * self.scale) for cost in self.mu)

    @cached_property
    def _own(self) -> dict[int, int]:
        return {value: int(cost * self.scale) for value, cost in self.betas.items()}

    @cached_property
    def _usual(self) -> int:
        return int(self.beta * self.scale)

    @property
    def seconds(self) -> float:
        """When the clock ends a search: a last resort, because a clock is not repeatable."""
        return self.budget or SECONDS

    def affordable(self, ways: int, searched: int = 0) -> int:
        """Nodes that may be searched in a program of so many ways; none if it is not begun.

        ``searched`` are those of a program of the same ways before it.
        """
        if not self.budget:
            return NODES if ways <= LARGEST else 0
        before = ROOT + searched if searched else 0
        return max(self.budget * PACE // max(ways, 1) - ROOT - before, 0)

    def hiding(self, value: int) -> int:
        """Cost of a suppressed record of a value, in units of 1 / ``scale``."""
        return self._own.get(value, self._usual)
