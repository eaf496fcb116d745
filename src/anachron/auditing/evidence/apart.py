"""The people of the microdata, laid against rows that stand apart from values.

Quasi values are published as they are, so that a row says of itself who can be behind it.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Flags, distinct
from anachron.auditing.evidence.compared import quasi_numbers
from anachron.auditing.reading.columns import places, spread
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import Apart, RegisterGroups
from anachron.behind import Microdata
from anachron.behind.columns import Coded

__all__ = ["differing", "holding_rows", "in_rows", "rows_of_nobody", "without_row"]


def _numbers(form: Register, apart: Apart, loaded: Microdata, rows: Array) -> tuple[Array, Array]:
    """A number for the quasi values of each of these rows of the microdata; of each published."""
    columns = [loaded.quasi[name] for name in form.quasi]
    some = [Coded(column.codes[rows], column.values) for column in columns]
    ours, theirs, _ = quasi_numbers(apart.quasi, some)
    # Small numbers, so that a group can stand beside them.
    _, both = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    return both[: len(ours)], both[len(ours) :]


def differing(
    form: Register, groups: RegisterGroups, apart: Apart, loaded: Microdata, group: Array
) -> Flags:
    """Which groups have other rows than their people, given the place of each row's group or -1."""
    rows = np.flatnonzero(group >= 0)
    ours, theirs = _numbers(form, apart, loaded, rows)
    there = apart.place >= 0
    width = len(ours) + len(theirs)
    keys = np.concatenate([group[rows] * width + ours, apart.place[there] * width + theirs[there]])
    cell, which = np.unique(keys, return_inverse=True)
    side = np.repeat([1, -1], [len(rows), int(there.sum())])
    more = np.bincount(which, side, len(cell)).astype(np.int64)
    found = np.zeros(len(groups.number), dtype=bool)
    found[cell[more != 0] // max(width, 1)] = True
    return found


def in_rows(form: Register, apart: Apart, loaded: Microdata, rows: Array, group: Array) -> Flags:
    """Whether a row of these groups has the quasi values of these rows of the microdata."""
    ours, theirs = _numbers(form, apart, loaded, rows)
    width = len(ours) + len(theirs)
    there = distinct(apart.place * width + theirs)
    return places(there, group * width + ours) >= 0


def holding_rows(
    form: Register, apart: Apart, loaded: Microdata, rows: Array
) -> tuple[Array, Array]:
    """Pairs of a place in these rows of the microdata and a group with a row that is like it."""
    ours, theirs = _numbers(form, apart, loaded, rows)
    known = apart.place >= 0
    groups = int(apart.place.max(initial=-1)) + 1
    held, group = np.divmod(np.unique(theirs[known] * groups + apart.place[known]), max(groups, 1))
    first, end = (np.searchsorted(held, ours, side=side) for side in ("left", "right"))
    some, at = spread(first, end - first)
    return some, group[at]


def without_row(
    form: Register, groups: RegisterGroups, apart: Apart, loaded: Microdata, value: Array
) -> int:
    """How many people find no row of theirs in a group that has their value."""
    ours, theirs = _numbers(form, apart, loaded, np.arange(loaded.rows))
    known = np.flatnonzero(apart.place >= 0)
    size = groups.size[apart.place[known]]
    before = np.cumsum(size) - size
    at = np.repeat(groups.start[apart.place[known]] - before, size) + np.arange(int(size.sum()))
    width = len(groups.domain) + 2
    there = distinct(np.repeat(theirs[known], size) * width + groups.value[at])
    return int(((value < 0) | (places(there, ours * width + value) < 0)).sum())


def rows_of_nobody(form: Register, apart: Apart, loaded: Microdata) -> int:
    """How many published rows are those of no person, if no two are of the same."""
    ours, theirs = _numbers(form, apart, loaded, np.arange(loaded.rows))
    many = max(int(side.max(initial=-1)) for side in (ours, theirs)) + 1
    more = np.bincount(theirs, minlength=many) - np.bincount(ours, minlength=many)
    return int(more[more > 0].sum())
