"""l-diversity of each P-subgroup, by cuts that tell nothing where they are not made.

In every P-subgroup at most 1/l of the members have a sensitive value within a given distance of
any number. All series begin as one set. A set is cut in two, and the two again, as long as both
sides are diverse and large enough; what is not cut is a P-subgroup. Where to cut, the series alone
say: they are lined up so that those of one shape stand together, in blocks, and a set is cut at
the edge of a block, or in the middle.

Notes
-----
Not in Shou et al. (see ``perturb`` for theirs): no value is changed, values that are nearly the
same count as the same, and whoever knows this algorithm and all series, and takes any two people
for equally likely to have a value, believes of nobody that they have a value (within the
distance) with a chance above 1/l. To merge the subgroups that are crowded, as an earlier version
did, would break it: which ones were merged tells which were crowded.

*Proof.* Suppose that, after all that is seen of other sets, who in a set X has which of the values
in X is open: every way to deal them is equally likely. (For the set of all series that is the
assumption.) How X would be cut depends on the series, on the values in X as a whole, and on lots.

* X is cut: the values on both sides are seen, which says of each side what the cut would have
  said of X. Within a side all ways to deal them are equally likely.
* X is too small for a cut: the chance that somebody has a value v is the share of v in X.
* The cut fails, X stays whole, and everybody knows it. If the cut is *even*, the chance is still
  the share of v: given the lots, the chance that the cut fails and somebody has v depends only
  on the size of the side they would be on, and everybody is equally likely to be on the larger
  one. So the chance is the same for all of X. Halves are even. Of an odd number, somebody drawn
  by lot steps aside, the others are halved, and they join one half by lot: then everybody
  is on the larger side with the chance (n + 1) / 2n.
* A cut that is not even is made only if it cannot fail, or if ``telling`` finds, by counting all
  ways to deal the values of X, that nobody's chance would be above 1/l if it did.

And X is diverse, so the share of v is at most 1/l. What a reader sees may be less than the sets
(two of one word in one group look like one), which takes only means of such chances.

What fails is not tried again, in another way: two failures together would tell something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import comb

import numpy as np

from anachron.arrays import Array, Floats
from anachron.errors import GuaranteeError

__all__ = ["Cut", "Diversity", "Lots", "cut", "lined_up", "telling"]

_COUNTED = 64
"""Sets up to this size are looked at closely: whether an uneven cut that fails would tell."""

Ways = list[int]
"""In how many ways 0, 1, 2, … people are on the first side."""

Lots = Callable[[str, Array], Array]
"""A new order of some series, for a purpose: places from 0, every order being equally likely."""


@dataclass(frozen=True)
class Diversity:
    """What each P-subgroup must hold."""

    values: Floats
    """The sensitive value of each series, or its number where values are not numbers."""
    l: int  # noqa: E741
    """At most 1/l of the members have about the same value."""
    lots: Lots
    distance: float = 0.0
    """Values at most this far apart are about the same."""

    def crowd(self, rows: Array) -> int:
        """How many of some series, at most, have a value around one number."""
        values = np.sort(self.values[rows])
        if not self.distance:
            return max(self.counts(rows))
        upto = np.searchsorted(values, values + 2 * self.distance, side="right")
        return int((upto - np.arange(len(values))).max())

    def counts(self, rows: Array) -> list[int]:
        """How often each of the values occurs among some series, the most frequent first."""
        found = np.unique(self.values[rows], return_counts=True)[1]
        return sorted(found.tolist(), reverse=True)

    def holds(self, rows: Array) -> bool:
        """Whether some series are diverse."""
        return self.crowd(rows) * self.l <= len(rows)


@dataclass(frozen=True)
class Cut:
    """What became of the sets."""

    part: Array
    """The part that each series is in."""
    failed: Array
    """1 for each series in a part that would have been cut further, if that were diverse."""


def cut(line: Array, block: Array, least: int, wanted: Diversity, start: Cut | None = None) -> Cut:
    """Cut all series, or each part of ``start`` of which no cut failed, into diverse parts.

    Parameters
    ----------
    line
        All series, lined up.
    block
        The block of each; neighbours of one block belong together.
    least
        The fewest series of a part.
    """
    part, failed = np.empty((2, len(line)), dtype=np.int64)
    number, depth = 0, 0
    sets = list(_begin(line, wanted, start))
    while sets:
        # Sets of one depth have no series in common, so that one word names all their lots.
        below = []
        for rows, closed in sets:
            sides = (
                None
                if closed or len(rows) < 2 * least
                else _sides(rows, block, least, wanted, f"halves {least} {depth}")
            )
            if sides is not None and all(wanted.holds(side) for side in sides):
                below += [(side, False) for side in sides]
                continue
            part[rows], failed[rows] = number, closed or sides is not None
            number += 1
        sets, depth = below, depth + 1
    return Cut(part, failed)


def _begin(line: Array, wanted: Diversity, start: Cut | None) -> Iterator[tuple[Array, bool]]:
    if start is None:
        if not wanted.holds(line):
            raise GuaranteeError(
                f"More than 1/{wanted.l} of all series have about the same sensitive value, so no "
                "grouping is diverse. Ask for a smaller l or a smaller distance."
            )
        yield line, False
        return
    order = line[np.argsort(start.part[line], kind="stable")]
    for rows in np.split(order, np.flatnonzero(np.diff(start.part[order])) + 1):
        yield rows, bool(start.failed[rows[0]])


def _sides(
    rows: Array, block: Array, least: int, wanted: Diversity, purpose: str
) -> tuple[Array, Array]:
    """Where a set would be cut: at the edge of a block that is nearest to the middle, or there."""
    size = len(rows)
    edges = np.flatnonzero(np.diff(block[rows])) + 1
    edges = edges[(edges >= least) & (edges <= size - least)]
    if len(edges):
        at = int(edges[np.argmin(np.abs(2 * edges - size))])
        if 2 * at == size or _quiet(at, rows, wanted):
            return rows[:at], rows[at:]
    half = size // 2
    if size % 2 == 0:
        return rows[:half], rows[half:]
    place = wanted.lots(purpose, rows)
    aside = int(np.argmin(place))
    others = np.delete(np.arange(size), aside)
    # Which of two others was drawn first is as likely as not, whoever steps aside.
    first = place[others[0]] < place[others[1]]
    low, high = others[:half], others[half:]
    low, high = (np.append(low, aside), high) if first else (low, np.append(high, aside))
    return rows[np.sort(low)], rows[np.sort(high)]


def _quiet(at: int, rows: Array, wanted: Diversity) -> bool:
    """Whether an uneven cut may be tried, by the values of the set as a whole."""
    sizes = at, len(rows) - at
    if wanted.crowd(rows) * wanted.l <= min(sizes):
        return True  # it cannot fail
    if wanted.distance or len(rows) > _COUNTED:
        return False
    return not telling(*sizes, tuple(wanted.counts(rows)), wanted.l)


@lru_cache(maxsize=1 << 14)
def telling(s: int, t: int, counts: tuple[int, ...], l: int) -> bool:  # noqa: E741
    """Whether it would tell too much, of somebody in a set X, that X was not cut.

    ==============  ======================================================================
    ``s``, ``t``    how many of X would be on the first side of the cut, and on the second
    ``c``           how many of X have a value; ``counts`` are those of all values
    ``a``           how many of these are on the first side
    fits            a ≤ s / l and c − a ≤ t / l for every value: both sides would be diverse
    ==============  ======================================================================

    All ways to deal the values are counted, in whole numbers, so that no chance is rounded: those
    that fit are a product, over the values, of sums of binomials. The chance of somebody on the
    first side to have a value, if the cut failed, is the mean of a over the ways that do not fit,
    over s. It must not be above 1/l.
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


def lined_up(rank: Array, *blocks: Array) -> Array:
    """Line up series by blocks, and blocks in blocks, each by the first rank of its members."""
    keys = [rank]
    for block in reversed(blocks):
        first = np.full(int(block.max()) + 1, len(rank), dtype=np.int64)
        np.minimum.at(first, block, rank)
        keys.append(first[block])
    return np.lexsort(keys)
