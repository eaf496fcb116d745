"""Would it tell too much that a set was not cut?

==============  ==========================================================================
``X``           a set of people, and who of them has which value is open
``s``, ``t``    how many would be on the first side of the cut, and on the second
``c``           how many of X have a value
``a``           how many of these are on the first side
fits            a ≤ s / l and c − a ≤ t / l for every value: both sides would be diverse
==============  ==========================================================================

All ways to deal the values are counted, in whole numbers, so that no chance is rounded: those
that fit are a product, over the values, of sums of binomials. The chance of somebody on the first
side to have a value, if the cut failed, is the mean of a over the ways that do not fit, over s.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce
from math import comb

__all__ = ["telling"]

Ways = list[int]
"""In how many ways 0, 1, 2, … people are on the first side."""


@lru_cache(maxsize=1 << 14)
def telling(s: int, t: int, counts: tuple[int, ...], l: int) -> bool:  # noqa: E741
    """Whether somebody's chance would be above 1/l after a cut that failed.

    ``counts`` are those of all values, s + t together.
    """
    ways = [_ways(c, s // l, t // l, s) for c in counts]
    total, fitting = comb(s + t, s), _product(ways, s)[s]
    failing = total - fitting
    if not failing:
        return False
    for at, c in enumerate(counts):
        if at and counts[at - 1] == c:
            continue
        others = _product(ways[:at] + ways[at + 1 :], s)
        # Over all ways: the sum of a, and of those that fit.
        fits = sum(a * n * others[s - a] for a, n in enumerate(ways[at]) if a <= s)
        first = total * c * s - (s + t) * fits
        second = total * c * t - (s + t) * (c * fitting - fits)
        if l * first > failing * s * (s + t) or l * second > failing * t * (s + t):
            return True
    return False


def _ways(c: int, most: int, most_beyond: int, s: int) -> Ways:
    """How many ways put so many of c people with one value on the first side, if they fit."""
    return [comb(c, a) if a <= most and c - a <= most_beyond else 0 for a in range(min(c, s) + 1)]


def _product(factors: Iterable[Ways], s: int) -> Ways:
    """Multiply polynomials, up to the power s."""
    return reduce(lambda one, other: _times(one, other, s), factors, [1] + [0] * s)


def _times(one: Ways, other: Ways, s: int) -> Ways:
    found = [0] * (s + 1)
    for i, a in enumerate(one):
        if a:
            for j, b in enumerate(other[: s + 1 - i]):
                found[i + j] += a * b
    return found
