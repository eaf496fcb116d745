"""Split balanced buckets into groups of one tuple of each value: Section 4.3 of Xiao and Tao.

==============  ==========================================================================
``s``           number of values of a bucket's signature
list            the tuples of one value of a bucket
``height``      tuples in each list of a bucket, counterfeits included
``x``           quasi values, each attribute's domain normalised to [0, 1]
scheme          attribute i and cut c: the first c tuples of each list, sorted by attribute i,
                become one bucket, the others the second
perimeter       of a bucket: its tuples times the summed lengths of its intervals
==============  ==========================================================================

A bucket is cut by the scheme with the smallest sum of perimeters, and both parts again, until
every part has height 1: these are the groups.

Notes
-----
There are d·(height − 1) schemes for a bucket; "s − 1" for each attribute, as Section 4.3 says,
is a slip. Counterfeits have no quasi values: they precede all others in a list and do not
lengthen an interval. In a balanced bucket some list has no counterfeit, so every group has a
real tuple.

The paper sorts every bucket anew. We sort once for each attribute and keep the lists sorted
when they are cut. All buckets are cut at the same time, level by level: see ``cuts``.

Equal tuples of a list stand in the order of ``lot``, never in that of the input. Among equally
good schemes the one nearest to the middle is taken, then the first attribute, then the first
cut. So a bucket of equal tuples is halved, and its groups are its first tuples, its second
tuples, and so on.

A bucket that is too large for one piece comes here in parts: see ``methods/invariance/halve.py``.

The groups depend on a value only through who has the same: exchange two values throughout,
and the groups are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anachron.arrays import Array, Codes, Floats
from anachron.kernels.cuts import Parts, cut_down

__all__ = ["boxes", "normalise", "split"]


def normalise(quasi: Floats, low: Floats, high: Floats) -> Floats:
    """Map each attribute's domain [low, high] to [0, 1]; a domain of no width to 0."""
    width = high - low
    wide = width > 0
    return np.where(wide, (quasi - low) / np.where(wide, width, 1.0), 0.0)


def split(x: Floats, slot: Array, lot: Array, start: Array, height: Array) -> Array:
    """Give each tuple the number of its group.

    Parameters
    ----------
    x
        Normalised quasi values, one row for each tuple.
    slot
        The list of each tuple. The lists of bucket b are start[b] … start[b + 1] − 1.
    lot
        A different number for each tuple, which decides between equal ones.
    start, height
        Of each bucket. A list with fewer tuples than its bucket is high is filled up with
        counterfeits; one list of each bucket must be full.

    Returns
    -------
    The groups of bucket b are height[0] + … + height[b − 1] and the next height[b] − 1.
    """
    group = np.full(len(x), -1, dtype=np.int64)
    if len(x):
        code, scale = _coded(x if x.shape[1] else np.zeros((len(x), 1)))
        orders = [_sorted(slot, column, lot) for column in code]
        for lists, starts, groups in _of_equal_width(orders, slot, start, height):
            cut_down(Parts(lists, starts, groups, code, np.arange(len(x))), scale, group)
    return group


def boxes(quasi: Floats, group: Array, groups: int) -> tuple[Floats, Floats]:
    """Give the smallest and the largest quasi values of each group; none may be empty."""
    if not groups:
        none = np.zeros((0, quasi.shape[1]))
        return none, none
    order = np.argsort(group)
    heads = np.searchsorted(group[order], np.arange(groups))
    sorted_quasi = quasi[order]
    return (
        np.minimum.reduceat(sorted_quasi, heads, axis=0),
        np.maximum.reduceat(sorted_quasi, heads, axis=0),
    )


def _coded(x: Floats) -> tuple[Codes, Floats]:
    """Number the different values of each attribute in ascending order, and list them."""
    code = np.empty(x.T.shape, dtype=np.int32)
    different = []
    for i in range(x.shape[1]):
        values, code[i] = np.unique(x[:, i], return_inverse=True)
        different.append(values)
    scale = np.zeros((len(different), max(map(len, different))))
    for row, values in zip(scale, different, strict=True):
        row[: len(values)] = values
    return code, scale


def _of_equal_width(
    orders: list[Array], slot: Array, start: Array, height: Array
) -> Iterator[tuple[list[Codes], Array, Array]]:
    """Lay out buckets with the same number of lists side by side, one width after the other.

    A bucket takes as many columns as it is high, and each list is a row. The last tuple of a
    list is in the last column, so that counterfeits (−1) come first.
    """
    width, count = np.diff(start), np.bincount(slot, minlength=int(start[-1]))
    bucket = np.repeat(np.arange(len(width)), width)
    groups = np.cumsum(height) - height
    from_end = np.repeat(np.cumsum(count), count) - np.arange(len(slot))
    for s in np.unique(width[height > 0]).tolist():
        chosen = np.flatnonzero((width == s) & (height > 0))
        first = np.zeros(len(width), dtype=np.int64)
        first[chosen] = np.cumsum(height[chosen]) - height[chosen]
        here = np.repeat(width[bucket] == s, count)
        end = np.repeat((first + height)[bucket], count)[here]
        row = np.repeat(np.arange(len(bucket)) - start[bucket], count)[here]
        number = np.repeat(groups[chosen] - first[chosen], height[chosen])
        lists = []
        for order in orders:
            lists.append(np.full((s, len(number)), -1, dtype=np.int32))
            lists[-1][row, end - from_end[here]] = order[here]
        yield lists, first[chosen], number + np.arange(len(number))


def _sorted(slot: Array, code: Codes, lot: Array) -> Array:
    """Order tuples by list, attribute and lot: in one number if that has room for all three."""
    n = len(slot)
    bits = [int(part.max()).bit_length() for part in (slot, code, lot)]
    if sum(bits) > 63 or lot.max() > 4 * n:
        return np.lexsort((lot, code, slot))
    row = np.empty(1 << bits[2], dtype=np.int64)
    row[lot] = np.arange(n)
    key = (slot << (bits[1] + bits[2])) | (code.astype(np.int64) << bits[2]) | lot
    key.sort()
    in_order: Array = row[key & ((1 << bits[2]) - 1)]
    return in_order
