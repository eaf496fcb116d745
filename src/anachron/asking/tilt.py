"""Do rows that meet a question hold the values it asks for more often than others?

Where rows and values are two tables, nothing tells which row of a group has which value, and an
estimate takes every assignment as equally likely. But groups are many, and they tell: if groups
with more of the values have more rows that meet the question, too, these rows hold them.

========  ==================================================================================
``n``     rows of a group
``x``     of each group: the sum of p over its rows, p being the share of a row that meets
``r``     of each group: how many of its values are asked for
``σ``     the standard deviation of p over all rows
``Δ``     the tilt: by how much the mean of p is higher in rows that hold such a value
``C``     the sum of r (n − r) / n over all groups
========  ==================================================================================

Groups are dealt by values, without a look at what rows say. So the mean of x, given the values of
a group, is a straight line in r with slope Δ, and a line through the groups gives Δ and its error.
The mean of the truth is Δ C above the estimate: of a group r (μ + Δ) and not r/n (n μ + r Δ), where
μ is the mean of p in rows that hold another value. Before a release has told anything, Δ is taken
to be about half of σ, up or down; where groups are few, that is what remains. The lean of an answer
is C times the root of the mean of Δ², which has both.

Notes
-----
Not in the papers. The estimate stays theirs; only its error knows of the tilt.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Floats

__all__ = ["MOMENTS", "leaning", "of_groups"]

MOMENTS = 12
"""Sums over groups: of 1, n, n², x, n x, x², r, n r, r², x r; of p² over rows; and C."""


def of_groups(n: Floats, x: Floats, r: Floats, squares: Floats) -> Floats:
    """Sum up groups, given the sum of p² over the rows of each."""
    one, opened = np.ones_like(n), r * (n - r) / n
    products = (one, n, n * n, x, n * x, x * x, r, n * r, r * r, x * r, squares, opened)
    return np.array([product.sum() for product in products])


def leaning(of: Floats) -> Floats:
    """By how much answers lean, given the moments of each in a row.

    Example
    -------
    A thousand groups of two, and of each one value is asked for. If one row of every group meets
    the question, the groups tell nothing:

    >>> half = np.ones(1000)
    >>> leaning(of_groups(2 * half, half, half, half)[None]).round(1)
    array([125.])

    If only groups with the value have a row that meets the question, it is these rows that hold it,
    and the truth is not half of 500, but all. If groups with the value have no more such rows than
    others, it hardly leans:

    >>> some = np.tile([1.0, 0.0], 500)
    >>> leaning(of_groups(2 * half, some, some, some)[None]).round(1)
    array([250.])
    >>> other = np.tile([1.0, 1.0, 0.0, 0.0], 250)
    >>> leaning(of_groups(2 * half, some, other, some)[None]).round(1)
    array([7.8])
    """
    groups, n, nn, x, nx, xx, r, nr, rr, xr, squares, opened = of.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, share = x / n, r / n
        across = rr - 2 * share * nr + share**2 * nn
        along = xr - mean * nr - share * nx + mean * share * nn
        above = xx - 2 * mean * nx + mean**2 * nn
        slope = along / across
        error = np.maximum(above - along * slope, 0.0) / (groups - 2.0) / across
        expected = np.maximum(squares / n - mean**2, 0.0) / 4.0
        told = (groups > 2.0) & (across > 1e-9 * rr)
        weight = np.where(told & (expected > 0.0), expected / (expected + error), 0.0)
        square = np.where(told, (weight * slope) ** 2, 0.0) + (1.0 - weight) * expected
        found: Floats = np.where(opened > 0.0, np.sqrt(square) * opened, 0.0)
    return found
