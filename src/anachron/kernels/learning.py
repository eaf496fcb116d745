"""Learn from groups which quasi values go with which sensitive values, and weigh who has which.

Where rows and values of a group are two tables, nothing tells which row has which value. But groups
are many: start from equal chances, learn from all groups which quasi values go with each value,
weigh the rows inside each group anew, and repeat.

===========  ==============================================================================
pair         a row of a group beside a value of that group
cell         a value of a group, with the number of rows that have it
``x``        of a pair: a weight, as quasi values and value go together
``chance``   of a pair: x, scaled until each row has one value and each value its rows
===========  ==============================================================================

Notes
-----
Naive Bayes, so many rounds of expectation and maximisation, a little added to each count. Scaling
inside a group (Sinkhorn) is close to weighing all permutations, and takes no longer for large
groups. Nothing is drawn: the same groups teach the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats

__all__ = ["CLASSES", "SEPARATE", "Pairs", "balanced", "cut", "fitted", "paired", "weighed"]

SEPARATE = 128
"""Values of a quasi column that are told apart; more are cut"""
CLASSES = 32
"""into so many classes."""
_ROUNDS = 25
_BALANCING = 6
_SMOOTHING = 0.05

Rates = tuple[Floats, ...]
"""For each quasi column: by value and quasi value, the logarithm of how often they go together."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Each row beside each value of its group; rows without quasi values, such as counterfeits of
    a group together, are -1."""

    who: Array
    """The row."""
    cell: Array
    value: Array
    start: Array
    """Where the pairs of each row begin,"""
    length: Array
    """and how many there are."""
    mass: Floats
    """How many records each row stands for."""
    count: Floats
    """Of each cell."""
    real: Array
    """The pairs of rows with quasi values."""


def paired(
    row: tuple[Array, Array, Floats], cell: tuple[Array, Array, Floats], groups: int
) -> Pairs:
    """Put each row beside each value of its group.

    Parameters
    ----------
    row
        Group, number (or -1) and mass of each row.
    cell
        Group, value and count of each cell, in the order of groups.
    groups
        How many there are; they are numbered from 0.
    """
    (group, number, mass), (where, value, count) = row, cell
    edges = np.searchsorted(where, np.arange(groups + 1))
    first, length = edges[group], np.diff(edges)[group]
    start = np.cumsum(length) - length
    at = np.repeat(first - start, length) + np.arange(int(length.sum()))
    who = np.repeat(number, length)
    return Pairs(who, at, value[at], start, length, mass, count, np.flatnonzero(who >= 0))


def balanced(x: Floats, pairs: Pairs, sweeps: int = _BALANCING) -> Floats:
    """Scale until every row has one value, and every value its rows."""
    if not len(x):
        return x
    for _ in range(sweeps):
        column = np.bincount(pairs.cell, x, len(pairs.count))
        x = x * (pairs.count / np.maximum(column, 1e-300))[pairs.cell]
        row = np.add.reduceat(x, pairs.start)
        x = x * np.repeat(pairs.mass / np.maximum(row, 1e-300), pairs.length)
    return x


def fitted(pairs: Pairs, quasi: Sequence[Array], sizes: Sequence[int], values: int) -> Rates:
    """Learn which quasi values go with which value.

    Parameters
    ----------
    quasi
        For each quasi column, the value of each row as a number from 0,
    sizes
        and how many there are;
    values
        and how many sensitive values.
    """
    x = np.ones(len(pairs.cell))
    rates: Rates = ()
    for _ in range(_ROUNDS):
        chance = balanced(x, pairs)[pairs.real]
        rates = tuple(
            _rates(pairs, chance, column, size, values)
            for column, size in zip(quasi, sizes, strict=True)
        )
        x = weighed(pairs, quasi, rates)
    return rates


def weighed(pairs: Pairs, quasi: Sequence[Array], rates: Rates) -> Floats:
    """Weigh pairs by what was learned; the largest weight of a row is 1."""
    weight = np.zeros(len(pairs.cell))
    if not len(weight):
        return weight
    there = pairs.real
    for column, rate in zip(quasi, rates, strict=True):
        weight[there] += rate[pairs.value[there], column[pairs.who[there]]]
    weight -= np.repeat(np.maximum.reduceat(weight, pairs.start), pairs.length)
    found: Floats = np.exp(weight)
    return found


def _rates(pairs: Pairs, chance: Floats, column: Array, size: int, values: int) -> Floats:
    at = pairs.value[pairs.real] * size + column[pairs.who[pairs.real]]
    table = (np.bincount(at, chance, values * size) + _SMOOTHING).reshape(values, size)
    found: Floats = np.log(table / table.sum(axis=1, keepdims=True))
    return found


def cut(code: Array, most: int = SEPARATE, into: int = CLASSES) -> Array:
    """Cut numbers of which there are more than ``most`` into classes of equally many rows.

    >>> cut(np.array([4, 0, 2, 1]), most=3, into=2)
    array([1, 0, 1, 0])
    >>> cut(np.array([4, 0, 2, 1]), most=5)
    array([4, 0, 2, 1])
    """
    if int(code.max(initial=0)) < most:
        return code
    edges = np.quantile(code, np.arange(1, into) / into)
    return np.searchsorted(np.unique(edges), code, side="right").astype(np.int64)
