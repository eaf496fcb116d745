"""What it costs to publish a record late, or never.

=====  ================================================================================
mu     the cost of a delay, by the number of snapshots: 0 for none, growing, convex
beta   the cost of leaving a record out, by sensitive value; above 0
=====  ================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from math import lcm

from anachron.errors import PlanError, Problem
from anachron.guarantees.reading import Exact, Reading, fraction

__all__ = ["MU", "OTHERS", "beta_dict", "read_beta", "read_mu", "table"]

MU = {"linear": 1, "quadratic": 2}
"""Costs with a name, and the power of the delay that they are."""
OTHERS = "*"
"""Stands for all values that have no cost of their own."""
LARGEST = 10**9
"""With larger costs, as whole numbers of a common part, sums over a feed might not be exact."""

Mu = tuple[Fraction, ...]
Beta = tuple[tuple[str, Fraction], ...]


def table(mu: str | Iterable[Fraction], window: int) -> Mu:
    """The costs of the delays that a window allows."""
    if isinstance(mu, str):
        return tuple(Fraction(delay ** MU[mu]) for delay in range(window))
    return tuple(mu)[:window]


def read_mu(given: str | Iterable[Exact], window: int | None, reading: Reading) -> Mu | None:
    """Read the costs of delays."""
    if isinstance(given, str) and given in MU:
        return None if window is None else table(given, window)
    if isinstance(given, str) or not isinstance(given, Iterable):
        reading.add(f"mu must be {', '.join(MU)}, or a list of costs.")
        return None
    before = len(reading.problems)
    read = [
        reading.take(fraction, f"mu, item {number}", cost, "0, 1.5 or '3/2'")
        for number, cost in enumerate(given, 1)
    ]
    found = tuple(cost for cost in read if cost is not None)
    if len(reading.problems) > before:
        return None
    reading.problems.extend(_mu_problems(found, window))
    return found[:window] if len(reading.problems) == before and window is not None else None


def _mu_problems(mu: Mu, window: int | None) -> Iterable[Problem]:
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


def read_beta(
    given: Exact | Mapping[str, Exact] | None, mu: Mu | None, reading: Reading
) -> Beta | None:
    """Read the costs of leaving a record out; those that are not given follow from delays."""
    if not isinstance(given, Mapping):
        given = {} if given is None else {OTHERS: given}
        read = {value: reading.take(_cost, "beta", cost) for value, cost in given.items()}
    else:
        # Values of the table are not repeated in messages.
        read = {
            str(value): reading.take(_cost, f"beta, entry {number}", cost)
            for number, (value, cost) in enumerate(given.items(), 1)
        }
    found = {value: cost for value, cost in read.items() if cost is not None}
    if mu is None or len(found) < len(read):
        return None
    found.setdefault(OTHERS, _beyond(mu))
    beta = tuple(sorted(found.items()))
    _check_size((*mu, *found.values()), reading)
    return beta


def _cost(name: str, value: Exact) -> Fraction:
    found = fraction(name, value, "7, 2.5 or '5/2'")
    if found <= 0:
        raise PlanError(
            Problem(
                f"{name} must be above 0.",
                remedy="To leave a record out must cost something, or all would be left out.",
            )
        )
    return found


def _beyond(mu: Mu) -> Fraction:
    """As much as one snapshot beyond the longest delay, by its last step."""
    return 2 * mu[-1] - mu[-2] if len(mu) > 1 else Fraction(1)


def _check_size(costs: tuple[Fraction, ...], reading: Reading) -> None:
    if max(costs) * lcm(*(cost.denominator for cost in costs)) > LARGEST:
        reading.add(
            "mu and beta have too many digits to be compared exactly.", "Give them with fewer."
        )


def beta_dict(beta: Beta) -> str | dict[str, str]:
    """Give the costs of leaving out as plain values: one, or one for each value."""
    if len(beta) == 1:
        return str(beta[0][1])
    return {value: str(cost) for value, cost in beta}
