"""What it costs to publish a record late, or never.

=====  ================================================================================
mu     the cost of a delay, by the number of snapshots: 0 for none, growing, convex
beta   the cost of leaving a record out, by sensitive value; above 0
=====  ================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, Literal

from anachron.errors import PlanError, Problem
from anachron.parts.numbers import Exact, fraction
from anachron.parts.part import Kind, Reading
from anachron.parts.shapes import Holds, Number, Text

__all__ = ["BETA", "MU", "OTHERS", "Named", "settle", "table"]

Named = Literal["linear", "quadratic"]
POWERS: Mapping[Named, int] = {"linear": 1, "quadratic": 2}
"""Costs with a name, and the power of the delay that they are."""
OTHERS = "*"
"""Stands for all values that have no cost of their own."""
LARGEST = 10**9
"""With larger costs, as whole numbers of a common part, sums over a feed might not be exact."""

Mu = tuple[Fraction, ...]
Beta = tuple[tuple[str, Fraction], ...]


def table(mu: Named | Mu, window: int) -> Mu:
    """The costs of the delays that a window allows."""
    if isinstance(mu, str):
        return tuple(Fraction(delay ** POWERS[mu]) for delay in range(window))
    return mu[:window]


def settle(reading: Reading) -> None:
    """Compare the costs with the window, and with each other; complete those that follow."""
    mu, window = reading.kept.get("mu"), reading.kept.get("window")
    if isinstance(mu, tuple):
        problems = list(_mu_problems(mu, window))
        reading.problems += problems
        mu = None if problems else mu
    if mu is None or window is None or "beta" not in reading.kept:
        return
    costs = table(mu, window)
    beta = {OTHERS: _beyond(costs), **dict(reading.kept["beta"] or ())}
    if isinstance(mu, tuple):
        reading.kept["mu"] = costs
    reading.kept["beta"] = tuple(sorted(beta.items()))
    every = (*costs, *beta.values())
    if max(every) * lcm(*(cost.denominator for cost in every)) > LARGEST:
        reading.add(
            "mu and beta have too many digits to be compared exactly.", "Give them with fewer."
        )


def _beyond(mu: Mu) -> Fraction:
    """As much as one snapshot beyond the longest delay, by its last step."""
    return 2 * mu[-1] - mu[-2] if len(mu) > 1 else Fraction(1)


def _mu_problems(mu: Mu, window: int | None) -> Iterator[Problem]:
    if window is not None and len(mu) < window:
        yield Problem(
            f"mu has {len(mu)} costs, fewer than the window has snapshots ({window}).",
            remedy="Give the costs of all delays from 0 to window - 1.",
        )
    if mu and mu[0] != 0:
        yield Problem("mu must begin with 0: to publish in time costs nothing.")
    steps = [later - sooner for sooner, later in pairwise(mu)]
    for delay, step in enumerate(steps, 1):
        if step <= 0:
            yield Problem(
                f"mu must grow with every snapshot: mu[{delay}] is not more than mu[{delay - 1}]."
            )
            return
    for delay in range(2, len(mu)):
        if steps[delay - 1] < steps[delay - 2]:
            yield Problem(
                f"mu must be convex: it grows less from mu[{delay - 1}] to mu[{delay}] than from "
                f"mu[{delay - 2}] to mu[{delay - 1}].",
                remedy="Give costs that grow as much or more at every step.",
            )
            return


def _read_mu(name: str, given: Any) -> Any:
    if isinstance(given, str) and given in POWERS:
        return given
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise PlanError(f"{name} must be {', '.join(POWERS)}, or a list of costs.")
    reading = Reading()
    for number, cost in enumerate(given, 1):
        reading.take(f"{name}, item {number}", _delay, cost)
    return tuple(reading.finish().values())


def _delay(name: str, given: Exact) -> Fraction:
    return fraction(name, given, "0, 1.5 or '3/2'")


def _read_beta(name: str, given: Exact | Mapping[str, Exact]) -> Beta:
    """Read one cost, or one for each value."""
    if not isinstance(given, Mapping):
        return ((OTHERS, _leaving(name, given)),)
    reading = Reading()
    for number, cost in enumerate(given.values(), 1):
        # Values of the table are not repeated in messages.
        reading.take(f"{name}, entry {number}", _leaving, cost)
    return tuple(zip(map(str, given), reading.finish().values(), strict=True))


def _leaving(name: str, given: Exact) -> Fraction:
    found = fraction(name, given, "7, 2.5 or '5/2'")
    if found <= 0:
        raise PlanError(
            f"{name} must be above 0.",
            remedy="To leave a record out must cost something, or all would be left out.",
        )
    return found


MU = Kind(
    Holds("linear, quadratic, or a list of costs", Text | list[Number]),
    _read_mu,
    show=lambda mu: repr(mu if isinstance(mu, str) else [str(cost) for cost in mu]),
)
BETA = Kind(
    Holds(
        "a number above 0, or a table with a number for each value",
        Number | dict[str, Number],
        "a number above 0",
    ),
    _read_beta,
    # One cost stands for itself.
    unfold=lambda beta: beta[0][1] if len(beta) == 1 else dict(beta),
    show=lambda beta: f"{dict(beta)[OTHERS]}{'…' if len(beta) > 1 else ''}",
)
