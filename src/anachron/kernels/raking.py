"""Raking: how densely values lie, so that intervals spread by it add up to the margins.

===========  ==============================================================================
``I``        an interval, from ``start`` to ``end``, with ``rows`` people in it
``λ``        the density of values in each class, between its two edges; 1 to begin with
``Λ(I)``     the integral of λ over an interval
``A``        of each class: how many people are in it, if each interval is spread by λ
``low``      of each class: how many people it has at least by its margin
``high``     and at most
===========  ==============================================================================

Each round sets λ to λ · target / A, which is iterative proportional fitting. The target of a class
is what is between its low and high next to A: what agrees with the margin is left alone. Classes
that no margin names (low = 0) have one target together, which is what is left of all people, and
keep one λ: within the rest values are spread evenly.

Notes
-----
Not in the papers. Only the marginal densities are fitted. Densities learned from the intervals
alone, by likelihood, were tried and make answers worse: ends of intervals are minima and maxima.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Flags, Floats

__all__ = ["ROUNDS", "raked"]

ROUNDS = 30
_LEAST = 1e-6
"""The smallest density beside the mean: no class that an interval reaches is impossible."""


def raked(
    edges: Floats, start: Floats, end: Floats, rows: Floats, low: Floats, high: Floats
) -> Floats:
    """Fit λ, given the edges of all classes in order, within which all intervals lie.

    Example
    -------
    Twelve people between 0 and 2, and twelve between 1 and 3; a margin names 3, 18 and 3:

    >>> start, end, rows = np.array([0.0, 1.0]), np.array([2.0, 3.0]), np.full(2, 12.0)
    >>> named = np.array([3.0, 18.0, 3.0])
    >>> raked(np.arange(4.0), start, end, rows, named, named)
    array([0.6, 1.8, 0.6])
    """
    first = np.clip(np.searchsorted(edges, start, side="right") - 1, 0, len(edges) - 2)
    last = np.clip(np.searchsorted(edges, end, side="left") - 1, 0, len(edges) - 2)
    length, many = np.diff(edges), len(edges) - 1
    before, beyond = edges[first + 1] - start, end - edges[last]
    rest = low <= 0.0
    density = np.ones(many)
    for _ in range(ROUNDS):
        upto = np.concatenate(([0.0], np.cumsum(density * length)))
        each = np.divide(
            rows, _at(upto, density, edges, last, end) - _at(upto, density, edges, first, start)
        )
        steps = np.bincount(first + 1, each, many + 1) - np.bincount(last, each, many + 1)
        covered = length * np.cumsum(steps)[:many]
        covered += np.bincount(first, each * before, many) + np.bincount(last, each * beyond, many)
        people = density * np.maximum(covered, 0.0)
        density = _scaled(density, people, _targets(people, low, high, rest))
    return density


def _at(upto: Floats, density: Floats, edges: Floats, which: Array, point: Floats) -> Floats:
    """The integral of the density up to points, given the class of each."""
    found: Floats = upto[which] + density[which] * (point - edges[which])
    return found


def _targets(people: Floats, low: Floats, high: Floats, rest: Flags) -> Floats:
    """What each class should have; of the rest, in the proportion in which it has them."""
    target = np.clip(people, low, high)
    named = float(target[~rest].sum())
    there = float(people[rest].sum())
    if there > 0.0:
        # Rounding may leave nothing of the rest, though its values occur.
        left = np.clip(people.sum() - named, 1.0, max(float(high[rest].sum()), 1.0))
        target[rest] = people[rest] * (left / there)
    return target


def _scaled(density: Floats, people: Floats, target: Floats) -> Floats:
    scaled = density * np.divide(target, people, out=np.ones_like(target), where=people > 0.0)
    found: Floats = np.maximum(scaled / scaled.mean(), _LEAST)
    return found
