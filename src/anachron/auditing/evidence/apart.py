"""The people of the microdata, laid against rows that stand apart from values.

Quasi values are published as they are, so that a row says of itself who can be behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.evidence.compared import quasi_codes
from anachron.auditing.evidence.roll import Roll
from anachron.auditing.evidence.tally import merged
from anachron.auditing.reading.columns import places, spread
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import Apart, RegisterGroups
from anachron.behind.columns import Coded

__all__ = ["OwnRows", "QuasiNumbers", "holding_rows", "rows_of_nobody", "without_row"]

_ROWS = 1 << 18


class QuasiNumbers:
    """A number for the quasi values of each published row; of people, -1 if no row is like them."""

    def __init__(self, form: Register, apart: Apart, values: Mapping[str, pa.Array]) -> None:
        """Number the rows, given the different values of each quasi column of the microdata."""
        self._names = form.quasi
        self._codes: list[Array] = []
        self._steps: list[tuple[int, Array]] = []
        number = np.zeros(len(apart.group), dtype=np.int64)
        for name, column in zip(form.quasi, apart.quasi, strict=True):
            each = Coded(np.arange(len(values[name]), dtype=np.int32), values[name])
            self._codes.append(quasi_codes(each, column))
            width = len(column.domain) + 2
            found, number = np.unique(number * width + column.rank, return_inverse=True)
            self._steps.append((width, found))
        self.published = number
        """Of each published row."""

    @property
    def many(self) -> int:
        """How many there are."""
        return len(self._steps[-1][1])

    def of(self, quasi: Mapping[str, Numbers]) -> Array:
        """Of rows of the microdata, given the places of their values."""
        number = None
        for name, code, (width, found) in zip(self._names, self._codes, self._steps, strict=True):
            here = code[quasi[name]]
            key = here if number is None else np.where(number < 0, -1, number * width + here)
            number = places(found, key)
        return np.zeros(0, dtype=np.int64) if number is None else number


class OwnRows:
    """Has each group the rows of its people, and no other?"""

    def __init__(self, groups: RegisterGroups, apart: Apart, numbers: QuasiNumbers) -> None:
        """Count the published rows of each group that are alike."""
        there = apart.place >= 0
        self._numbers = numbers
        self._cell, self._left = np.unique(
            apart.place[there] * numbers.many + numbers.published[there], return_counts=True
        )
        self._differing = np.zeros(len(groups.number), dtype=bool)

    def hold(self, quasi: Mapping[str, Numbers], group: Array) -> Flags:
        """Whether a row of these groups has the quasi values of these rows of the microdata."""
        return self._at(quasi, group) >= 0

    def take(self, quasi: Mapping[str, Numbers], group: Array) -> None:
        """Take a row for each of these people from their groups."""
        at = self._at(quasi, group)
        self._differing[group[at < 0]] = True
        np.subtract.at(self._left, at[at >= 0], 1)

    def differing(self) -> Flags:
        """Of each group whether it has other rows than those of all people who took one."""
        found = self._differing.copy()
        found[self._cell[self._left != 0] // max(self._numbers.many, 1)] = True
        return found

    def _at(self, quasi: Mapping[str, Numbers], group: Array) -> Array:
        number = self._numbers.of(quasi)
        return places(self._cell, np.where(number < 0, -1, group * self._numbers.many + number))


def holding_rows(
    form: Register, apart: Apart, quasi: Mapping[str, Coded], rows: Array
) -> tuple[Array, Array]:
    """Pairs of a place in these rows of the microdata and a group with a row that is like it."""
    numbers = QuasiNumbers(form, apart, {name: column.values for name, column in quasi.items()})
    ours = numbers.of({name: column.codes[rows] for name, column in quasi.items()})
    known = apart.place >= 0
    groups = int(apart.place.max(initial=-1)) + 1
    cells = np.unique(numbers.published[known] * groups + apart.place[known])
    held, group = np.divmod(cells, max(groups, 1))
    first, end = (np.searchsorted(held, ours, side=side) for side in ("left", "right"))
    some, at = spread(first, end - first)
    return some, group[at]


def without_row(
    groups: RegisterGroups,
    apart: Apart,
    numbers: QuasiNumbers,
    people: Iterable[tuple[Array, Array]],
) -> int:
    """How many people find no row of theirs in a group that has their value.

    Given are the number and the value of each, some at a time.
    """
    width = len(groups.domain) + 2
    known, there = np.flatnonzero(apart.place >= 0), np.zeros(0, dtype=np.int64)
    for start in range(0, len(known), _ROWS):
        some = known[start : start + _ROWS]
        place = apart.place[some]
        row, at = spread(groups.start[place], groups.size[place])
        there = merged(there, numbers.published[some][row] * width + groups.value[at])
    lost = 0
    for number, value in people:
        absent = (value < 0) | (number < 0)
        lost += int((absent | (places(there, number * width + value) < 0)).sum())
    return lost


def rows_of_nobody(numbers: QuasiNumbers, roll: Roll) -> int:
    """How many published rows are those of no person, if no two are of the same."""
    more = np.bincount(numbers.published, minlength=numbers.many)
    for piece in roll:
        number = numbers.of(piece.quasi)
        more -= np.bincount(number[number >= 0], minlength=numbers.many)
    return int(more[more > 0].sum())
