"""Form k-groups of P-subgroups: step 3 of KAPRA, Section 5.3.3 of Shou et al.

Shou, Shang, Chen, Chen, Zhang: *Supporting Pattern-Preserving Anonymization for Time-Series
Data*, TKDE 2013.

==============  ==========================================================================
``low, high``   of a subgroup: the lowest and the highest value of its series at each time
``size``        of a subgroup: its series
loss            of a group: its series times the root of its mean squared width over all times
==============  ==========================================================================

A subgroup of k series or more is a group by itself. Of the others that with the smallest loss
begins a group, and again and again the one joins whose union with the group has the smallest
loss, until the group has k series. When fewer than k are left, each subgroup that is left joins
the group where it adds least to the loss of all.

Notes
-----
The loss of a group is that of all its series together, as the paper defines it for a whole
database: a union with a small subgroup loses less than one with a large one that is as far.

Of two subgroups that lose the same, the smaller is taken, then that with the smaller number. Of
two groups that the last subgroups may join, the same. The last subgroups join by number, and
each meets the groups with those that have joined before.

The paper scans all subgroups for each that joins, which is quadratic. Here the same
subgroup is found by looking at few of them: see ``nearest``. The groups are exactly those of the
scan, up to ``MOST`` subgroups.

With more, we depart from the paper, so that what must be looked at together is bounded. Subgroups
are ordered by the mean of the middle of their envelopes over all times, and by number where it is
the same, and cut into as few ranges of equally many as have ``MOST`` at most: each range has from
half of that to all of it, and forms its groups by itself. A range with fewer than k series is
joined with the next one, the last with the one before: so every group has k. A subgroup meets
fewer others near the ends of its range, and docs/benchmarks.md has what that costs.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.nearest import grow, shelve

__all__ = ["MOST", "form"]


MOST = 1 << 18
"""So many subgroups are looked at together."""
FEW = 2048  # with fewer subgroups left, laying them out anew does not pay


def form(low: Floats, high: Floats, size: Array, k: int) -> Array:
    """Give each P-subgroup the number of its k-group.

    Parameters
    ----------
    low, high
        Envelopes, one row for each subgroup. They must be finite.
    size
        Series of each subgroup, at least k in all.
    k
        How many series a group has at least.

    Returns
    -------
    Numbers from 0 without gaps, in the order in which the groups are formed.
    """
    if size.sum() < k:
        raise ValueError("there are fewer than k series")
    # A power of two changes no rounding, and squares of huge values are finite.
    exponent = np.frexp(max(np.abs(low).max(), np.abs(high).max()))[1]
    size = np.ascontiguousarray(size, dtype=np.int64)
    if len(size) <= MOST:
        return _formed(_spread(low, exponent), _spread(high, exponent), size, k)
    group, groups = np.empty(len(size), dtype=np.int64), 0
    for some in _ranges(low, high, exponent, size, k):
        ends = _spread(low[some], exponent), _spread(high[some], exponent)
        group[some] = groups + _formed(*ends, size[some], k)
        groups = int(group[some].max()) + 1
    return group


def _ranges(low: Floats, high: Floats, exponent: int, size: Array, k: int) -> list[Array]:
    """Cut the subgroups, by the mean of their middles, into ranges of k series or more each."""
    middle = np.zeros(len(size))
    for both in zip(low.T, high.T, strict=True):  # in an order that no machine decides
        one, other = np.ldexp(both, -exponent)
        middle += one / 2 + other / 2
    order = np.argsort(middle, kind="stable")
    many = -(-len(order) // MOST)
    ends = np.arange(1, many) * len(order) // many
    ranges: list[Array] = []
    short = np.zeros(0, dtype=np.int64)
    for part in np.split(order, ends):
        part = np.sort(np.concatenate([short, part]))
        is_short = size[part].sum() < k
        short = part if is_short else short[:0]
        if not is_short:
            ranges.append(part)
    if len(short):
        ranges[-1] = np.sort(np.concatenate([ranges[-1], short]))
    return ranges


def _formed(low: Floats, high: Floats, size: Array, k: int) -> Array:
    """Form the groups of subgroups that are all looked at together."""
    group = np.full(len(size), -1, dtype=np.int64)
    alone = np.flatnonzero(size >= k)
    group[alone], groups = np.arange(len(alone)), len(alone)
    by_rank = np.argsort(size, kind="stable")
    rank = np.empty_like(by_rank)
    rank[by_rank] = np.arange(len(size))
    left = np.flatnonzero(size < k)
    left = left[np.lexsort((rank[left], _squared_loss(low, high, size)[left]))]
    series = int(size[left].sum())
    while series >= k:
        boxes = shelve(low[left], high[left], size[left], rank[left])
        enough = k if len(left) <= FEW else max(k, series // 2)
        groups, series = grow(
            boxes, low, high, size, left, rank, by_rank, k, enough, group, groups, series
        )
        left = left[group[left] < 0]
    _join(low, high, size, group, groups, np.sort(left))
    return group


def _spread(values: Floats, exponent: int) -> Floats:
    """Put times far from each other first, and add one without width if their number is odd.

    The first few times then tell most about a loss. Neighbouring times tell much the same. All are
    divided by a power of two.
    """
    times = values.shape[1]
    bits = max(1, (times - 1).bit_length())
    backwards = sorted(range(times), key=lambda t: format(t, f"0{bits}b")[::-1])
    spread = np.zeros((len(values), times + times % 2))
    for place, time in enumerate(backwards):
        spread[:, place] = np.ldexp(values[:, time], -exponent)
    return spread


def _squared_loss(low: Floats, high: Floats, size: Array) -> Floats:
    """Square the loss of each subgroup, up to a factor that is the same for all."""
    square: Floats = ((high - low) ** 2).sum(axis=1)
    return square * size.astype(np.float64) ** 2


def _join(low: Floats, high: Floats, size: Array, group: Array, groups: int, left: Array) -> None:
    """Let each subgroup that is left join the group where it adds least to the loss of all."""
    if not len(left):
        return
    order = np.argsort(group, kind="stable")[len(left) :]
    heads = np.searchsorted(group[order], np.arange(groups))
    lower = np.minimum.reduceat(low[order], heads)
    upper = np.maximum.reduceat(high[order], heads)
    series = np.add.reduceat(size[order], heads)
    loss = series * np.sqrt(((upper - lower) ** 2).sum(axis=1))
    for s in left.tolist():
        width = np.maximum(upper, high[s]) - np.minimum(lower, low[s])
        union = (series + size[s]) * np.sqrt((width**2).sum(axis=1))
        added = union - loss
        equal = np.flatnonzero(added == added.min())
        chosen = int(equal[np.argmin(series[equal])])
        group[s] = chosen
        lower[chosen] = np.minimum(lower[chosen], low[s])
        upper[chosen] = np.maximum(upper[chosen], high[s])
        series[chosen] += size[s]
        loss[chosen] = union[chosen]
