"""Deal an l-eligible snapshot into l-diverse groups, for any rational l above 1.

Xiao, Tao: *Anatomy: Simple and Effective Privacy Preservation*, VLDB 2006. Its groups have l
different values each, which says nothing of a fractional l.

==========  ==============================================================================
``n, M``    of a snapshot: its rows, and how many have its most frequent value; M·l ≤ n
``t``       l rounded up
column      rows of a snapshot with different values
``W``       columns of a snapshot: floor(n/t), or M if that is more
group       one or more columns
``u/q``     l − (t − 1), in lowest terms: what a column of t − 1 rows lacks, if it is above 0
``w``       q − u: w/q is what a column of t rows has to spare
==========  ==============================================================================

The rows of a snapshot stand by value, the most frequent first, and row i goes to column i mod W.

*Every group is l-diverse.* The rows of a value stand side by side and are at most M ≤ W: no
column has a value twice, and a group of c columns has it c times at most. It remains that a
group of c columns has c·l rows or more. If W = floor(n/t), each column is a group and has at
least t ≥ l rows. If not, then M > n/t, and M·l ≤ n: columns have t − 1 rows or t, *short* and
*tall*. A group of a tall and b short columns has c·l rows if and only if b·u ≤ a·w. With
f = floor(w/u) and v = w mod u, each tall column takes f short ones along. If R > 0 short ones
are left, the first ceil(R·u/v) tall columns join in groups of u, the last of them perhaps
smaller: a of them take floor(a·w/u) short ones along, which is a·f + floor(a·v/u), and that
suffices. There are so many tall columns, since n ≥ M·l says the same as R·u ≤ v · (tall columns).

*No other l-diverse groups are more*, if v = 0 or v divides u − 1. Every group has t rows or more,
so floor(n/t) is never exceeded. Let M be more than that. Of any l-diverse groups, let group r
count c_r ≥ 1 columns, at most its rows divided by l, M columns in all: the most frequent value
needs so many. Its rows beyond (t − 1)·c_r, above 0, are its tall columns; where these are more
than c_r, others can have the surplus, as there are fewer than M in all. So groups are what they
are here, short columns shared out among tall ones, and each has a tall one: without R the tall
columns are all groups. To take j more short columns along, at most v, a group needs
ceil(j·u/v) = j·(u − 1)/v + 1 tall ones, and the number of groups falls by j·(u − 1)/v at least,
so by R·(u − 1)/v in all, which is what it falls by here. A group that takes more than v can be cut.

Notes
-----
v divides u − 1 for every l with a denominator up to 7, or with one decimal. For others, groups
are at most p = q·l rows in size where columns join, and their number is nearly the largest.
For an integer l, W is floor(n/l): l or more rows with different values in each group, as in the
paper. Nothing depends on the order of the input.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array
from anachron.kernels.diversity import diverse
from anachron.kernels.sorting import by_lots

__all__ = ["bucketize"]


def bucketize(
    snapshot: Array,
    value: Array,
    lot: npt.NDArray[np.integer],
    l: Fraction,  # noqa: E741
    largest: int = 0,
) -> Array:
    """Give each row the number of its group; every group is l-diverse.

    Parameters
    ----------
    snapshot, value
        Of each row, numbered from 0.
    lot
        A different number for each row, not negative, which decides between rows of the same
        value.
    l
        Above 1. Every snapshot must be l-eligible.
    largest
        How many rows the largest snapshot has, if it is not one of these.

    Returns
    -------
    Groups are numbered from 0, through all snapshots in order; none is empty.
    """
    if l <= 1:
        raise ValueError("l must be above 1")
    if not len(snapshot):
        return np.zeros(0, dtype=np.int64)
    runs = _runs(snapshot, value, lot)
    rows = np.bincount(snapshot)
    most = np.zeros(len(rows), dtype=np.int64)
    np.maximum.at(most, runs.snapshot, runs.count)
    if not diverse(most, rows, l).all():
        raise ValueError("a snapshot is not l-eligible")
    l = _coarsened(l, max(largest, int(rows.max())))  # noqa: E741
    columns = np.maximum(rows // _above(l), most)
    frequent_first = np.lexsort((-runs.count, runs.snapshot))  # equals stay in order of value
    start = np.empty_like(runs.count)
    start[frequent_first] = _before(runs.count[frequent_first])
    start -= _before(rows)[runs.snapshot]
    column = np.repeat(start - _before(runs.count), runs.count)
    column += np.arange(len(snapshot))
    column %= np.repeat(columns[runs.snapshot], runs.count)
    column += np.repeat(_before(columns)[runs.snapshot], runs.count)
    group = np.empty(len(snapshot), dtype=np.int64)
    group[runs.row] = _joined(rows, columns, l)[column]
    return group


@dataclass(frozen=True, eq=False)
class _Runs:
    """Rows of one snapshot with one value, run after run."""

    row: Array
    """All rows by snapshot, value and lot."""
    snapshot: Array
    count: Array


def _runs(snapshot: Array, value: Array, lot: npt.NDArray[np.integer]) -> _Runs:
    """Sort the rows, and find where each run begins."""
    width = int(value.max()) + 1
    cell = snapshot * width + value
    row = by_lots(cell, lot)
    cell = cell[row]
    heads = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    return _Runs(row, cell[heads] // width, np.diff(heads, append=len(cell)))


def _joined(rows: Array, columns: Array, l: Fraction) -> Array:  # noqa: E741
    """Give each column the number of its group, snapshot by snapshot."""
    t = _above(l)
    q = l.denominator
    u = l.numerator - (t - 1) * q
    w = q - u
    f, v = divmod(w, u)
    tight = columns > rows // t
    tall = np.where(tight, rows - (t - 1) * columns, columns)
    left = np.maximum(columns - tall - f * tall, 0)  # R
    joining = -(left * -u // v) if v else np.zeros_like(left)
    larger = -(-joining // u)
    groups = larger + tall - joining
    each = np.repeat(np.arange(len(rows)), columns)
    number = np.arange(len(each)) - np.repeat(_before(columns), columns)
    one = joining[each]
    of_tall = np.where(number < one, number // u, larger[each] + number - one)
    short = number - tall[each]
    along = one * f + left[each]  # short columns in larger groups
    alone = larger[each] + (short - along) // max(f, 1)
    of_short = np.where(short < along, short // max(w, 1), alone)
    spread = np.where(left[each] > 0, of_short, short % tall[each])
    numbered: Array = _before(groups)[each] + np.where(short < 0, of_tall, spread)
    return numbered


def _coarsened(l: Fraction, n: int) -> Fraction:  # noqa: E741
    """Give the least fraction from l on with a denominator up to n: for n rows it is the same.

    It follows the one before l among all fractions with such denominators: the next of a/b is
    x/y with b·x − a·y = 1, y as large as may be.
    """
    near = l.limit_denominator(n)
    if near >= l:
        return near
    a, b = near.numerator, near.denominator
    y = n - (n - pow(-a, -1, b)) % b
    return Fraction((1 + a * y) // b, y)


def _before(counts: Array) -> Array:
    """How many come before each, in all."""
    total: Array = np.cumsum(counts) - counts
    return total


def _above(l: Fraction) -> int:  # noqa: E741
    """l rounded up."""
    return -(-l.numerator // l.denominator)
