"""Do published groups hold their people, each behind a row of their own?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.evidence.boxes import axes_of
from anachron.auditing.evidence.tally import RunningCount, paired, parted
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups
from anachron.behind.columns import Coded

__all__ = ["Axes", "Coverings", "Covers"]

_PIECE = 1 << 22
"""Pairs of people and groups that are compared at once."""


class Axes:
    """The intervals of groups, and where the values of the microdata lie on them."""

    def __init__(
        self, form: Register, groups: RegisterGroups, values: Mapping[str, pa.Array]
    ) -> None:
        """Find the places of values among bounds, column by column."""
        self._names = [interval.column for interval in form.intervals]
        each = [
            Coded(np.arange(len(values[name]), dtype=np.int32), values[name])
            for name in self._names
        ]
        self._axes = [
            (point, first.astype(np.int32), last.astype(np.int32))
            for point, first, last in zip(*axes_of(form.intervals, each, groups), strict=True)
        ]

    def hold(self, quasi: Mapping[str, Numbers], group: Array) -> Flags:
        """Tell whether these groups hold these rows of the microdata."""
        held = np.ones(len(group), dtype=bool)
        for name, (point, first, last) in zip(self._names, self._axes, strict=True):
            here = point[quasi[name]]
            held &= (first[group] <= here) & (here <= last[group])
        return held

    def any_of(self, quasi: Mapping[str, Numbers], rows: Array, groups: Array) -> Flags:
        """Tell of each of these rows whether one of these groups holds it."""
        held = np.zeros(len(rows), dtype=bool)
        piece = max(_PIECE // max(len(groups), 1), 1)
        for at in range(0, len(rows), piece):
            some = rows[at : at + piece]
            inside = np.ones((len(some), len(groups)), dtype=bool)
            for name, (point, first, last) in zip(self._names, self._axes, strict=True):
                here = point[quasi[name][some]][:, None]
                inside &= (first[groups] <= here) & (here <= last[groups])
            held[at : at + piece] = inside.any(axis=1)
        return held


@dataclass(frozen=True, eq=False)
class Coverings:
    """How many people are not held by their groups, and by which."""

    people: int
    outside: int
    """Outside the intervals of their group."""
    of_outside: Flags
    strange: int
    """With a value that their group does not have."""
    of_strange: Flags
    shared: int
    """With the same value as another, in groups in which all must have different ones."""
    of_shared: Flags


class Covers:
    """Lays people against their groups, some at a time."""

    def __init__(self, groups: RegisterGroups, axes: Axes | None, different: Flags) -> None:
        """Look at groups; at intervals only if there are any."""
        self._groups, self._axes, self._different = groups, axes, different
        self._people = self._outside = self._strange = self._shared = 0
        self._of_outside, self._of_strange, self._of_shared = (
            np.zeros(len(groups.number), dtype=bool) for _ in range(3)
        )
        self._taken = np.zeros(len(groups.value), dtype=bool)
        self._odd = RunningCount()

    def add(self, quasi: Mapping[str, Numbers], group: Array, value: Array) -> None:
        """Look at some people, in groups that are there."""
        self._people += len(group)
        if self._axes is not None:
            outside = ~self._axes.hold(quasi, group)
            self._outside += int(outside.sum())
            self._of_outside[group[outside]] = True
        row = _row_of(self._groups, group, value)
        strange = row < 0
        self._strange += int(strange.sum())
        self._of_strange[group[strange]] = True
        self._odd.add(paired(group[strange], value[strange]))
        found, first, count = np.unique(row[~strange], return_index=True, return_counts=True)
        again = count - 1 + self._taken[found]
        self._taken[found] = True
        self._share(group[~strange][first], again)

    def _share(self, group: Array, again: Array) -> None:
        shared = again * self._different[group]
        self._shared += int(shared.sum())
        self._of_shared[group[shared > 0]] = True

    def found(self) -> Coverings:
        """Say what was found of all people."""
        self._share(parted(self._odd.number)[0], self._odd.count - 1)
        self._odd = RunningCount()
        return Coverings(
            self._people,
            self._outside,
            self._of_outside,
            self._strange,
            self._of_strange,
            self._shared,
            self._of_shared,
        )


def _row_of(groups: RegisterGroups, group: Array, value: Array) -> Array:
    """The first row of each of these groups with such a value, by bisection; -1 for none."""
    low = groups.start[group].astype(np.int64)
    end = low + groups.size[group]
    high = end.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        less = open_ & (groups.value[np.where(open_, middle, 0)] < value)
        low = np.where(less, middle + 1, low)
        high = np.where(open_ & ~less, middle, high)
    there = low < end
    there[there] = groups.value[low[there]] == value[there]
    return np.where(there, low, -1)
