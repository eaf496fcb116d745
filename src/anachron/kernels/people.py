"""Count people, not rows, in every group of a view: Procedure 2 of Mascetti et al. (2006).

==========  =========================================================================
``Q``       number of the combination of published quasi values of a row
``U``       number of the row's subject (the paper's UID)
``T``       the row's time, as a whole number on some scale
``H``       index of the granule that holds it, in the granularity under test
``group``   one pair (Q, H): the paper's QI-group of the view
``pair``    one (Q, U, H): a person in a group, however many rows it has there
==========  =========================================================================

Notes
-----
The paper orders the rows by (Q, T) and keeps a set of UIDs for the group at hand. We order
them by (Q, U, T), once for all granularities: a granularity is monotone in time, so the rows
of one person in one group stand together whatever the granularity, and a person is counted
where (Q, U, H) changes. One sort, then one pass per granularity, without sets.

Two repairs of the procedure as printed: it starts with an empty set U and so forgets the
first tuple, and it takes the minimum from all of R instead of the view. Sums run over groups,
as its Example 3 and Theorem 3 demand, not over tuples as its Definition 6 says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags

__all__ = ["Events", "Pairs", "events", "pairs"]


_KEY_BITS = 63


@dataclass(frozen=True, eq=False)
class Events:
    """Different (Q, U, T), in that order, and how many rows there are of each."""

    Q: Array
    U: Array
    T: Array
    rows: Array


@dataclass(frozen=True, eq=False)
class Pairs:
    """Different (Q, U, H), and how many rows there are of each; those outside are left out."""

    Q: Array
    U: Array
    H: Array
    rows: Array


def events(Q: Array, U: Array, T: Array) -> Events:
    """Sort rows by (Q, U, T) and gather those that are equal."""
    times: Array | None = None
    if _bits(Q, U, T) > _KEY_BITS:
        T, times = _ranks(T)
    if _bits(Q, U, T) > _KEY_BITS:
        Q, U, T, rows = _gathered(Q, U, T)
    else:
        Q, U, T, rows = _gathered_by_key(Q, U, T)
    return Events(Q, U, T if times is None else times[T], rows)


def _bits(*columns: Array) -> int:
    return sum(int(column.max(initial=0)).bit_length() for column in columns)


def _gathered_by_key(Q: Array, U: Array, T: Array) -> tuple[Array, Array, Array, Array]:
    """Sort one number made of the three, which is faster than to sort by three."""
    low, middle = _bits(T), _bits(U)
    key = (Q.astype(np.int64) << (middle + low)) | (U.astype(np.int64) << low) | T
    key.sort()
    at = _changes(key)
    rows = np.diff(np.append(at, len(key)))
    key = key[at]
    return key >> (middle + low), (key >> low) & ((1 << middle) - 1), key & ((1 << low) - 1), rows


def _gathered(Q: Array, U: Array, T: Array) -> tuple[Array, Array, Array, Array]:
    by_all = np.lexsort((T, U, Q))
    Q, U, T = Q[by_all].astype(np.int64), U[by_all].astype(np.int64), T[by_all]
    at = np.flatnonzero(_differs(Q) | _differs(U) | _differs(T))
    return Q[at], U[at], T[at], np.diff(np.append(at, len(Q)))


def pairs(of: Events, H: Array, outside: int) -> Pairs:
    """Gather events into people in groups, given the granule of each event."""
    inside: Flags = np.not_equal(H, outside)
    Q, U, rows = of.Q, of.U, of.rows
    if not inside.all():
        Q, U, H, rows = Q[inside], U[inside], H[inside], rows[inside]
    at = np.flatnonzero(_differs(Q) | _differs(U) | _differs(H))
    return Pairs(Q[at], U[at], H[at], np.add.reduceat(rows, at) if len(at) else rows)


def _ranks(column: Array) -> tuple[Array, Array]:
    values, rank = np.unique(column, return_inverse=True)
    return rank.astype(np.int64), values


def _differs(column: Array) -> Flags:
    """Where a column is not what it was one place before; always at the first place."""
    different = np.ones(len(column), dtype=bool)
    different[1:] = column[1:] != column[:-1]
    return different


def _changes(column: Array) -> Array:
    return np.flatnonzero(_differs(column))
