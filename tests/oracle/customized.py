"""Section 6 of the (k,P)-anonymity paper with a general solver, one program for each question.

Nothing is shared with the method: letters come from scipy's break points, the programs have one
pair of inequalities for each time, and scipy's linprog solves them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from scipy.optimize import linprog
from scipy.stats import norm

INFEASIBLE, UNBOUNDED = 2, 3


def cuts(level: int, times: int) -> list[tuple[float, float]]:
    """Lower and upper cut of each letter, for a value among those that were normalised."""
    furthest = (times - 1) / math.sqrt(times)
    inner = [float(norm.ppf(j / level)) for j in range(1, level)]
    inner = [min(max(cut, -furthest), furthest) for cut in inner]
    return list(zip([-furthest, *inner], [*inner, furthest], strict=True))


def word(series: Sequence[float], level: int) -> list[int]:
    """The letters of a series, from 0."""
    sd = stdev(series)
    inner = [float(norm.ppf(j / level)) for j in range(1, level)]
    z = [(x - fmean(series)) / sd if sd > 1e-12 * max(map(abs, series)) else 0.0 for x in series]
    return [sum(cut <= value for cut in inner) for value in z]


def solve(
    inequalities: Sequence[tuple[float, float, float]], objective: tuple[float, float]
) -> float | None:
    """Minimise over mu and sigma ≥ 0 subject to c·mu + d·sigma ≤ e; None without solution."""
    answer = linprog(
        objective,
        A_ub=[(c, d) for c, d, _ in inequalities] or None,
        b_ub=[e for _, _, e in inequalities] or None,
        bounds=[(None, None), (0, None)],
    )
    if answer.status == INFEASIBLE:
        return None
    if answer.status == UNBOUNDED:
        return -math.inf
    assert answer.status == 0, answer.message
    return float(answer.fun)


def extremes(
    inequalities: Sequence[tuple[float, float, float]], a: float, b: float
) -> tuple[float, float] | None:
    """The smallest mu + sigma·a and the largest mu + sigma·b."""
    least, most = solve(inequalities, (1, a)), solve(inequalities, (-1, -b))
    if least is None or most is None:
        return None
    return least, -most


def record(
    envelopes: dict[str, tuple[float, float]], letters: dict[str, int], level: int
) -> list[tuple[float, float, float]]:
    """The inequalities of a published record: for each time with both, its letter's cuts."""
    bounds = cuts(level, len(letters))
    found = []
    for time, (low, high) in envelopes.items():
        if time in letters:
            lower, upper = bounds[letters[time]]
            found += [(-1.0, -upper, -low), (1.0, lower, high)]
    return found
