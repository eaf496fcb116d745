"""The groups of a release of a register, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.reading.columns import places, ranked, read, whole
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.intervals import GroupedRows, bounds_of_groups

__all__ = ["Counterfeits", "RegisterGroups", "register_groups"]


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """The table of counterfeits, as it stands: the paper's R."""

    group: Array
    count: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class RegisterGroups(GroupedRows):
    """What is published: groups by number, and the rows of each by value."""

    row_value: Array
    """Of each row, as a place in ``domain``; a missing value is the place after the last."""
    start: Array
    """Where the rows of each group begin in ``value``."""
    value: Array
    """Of all rows, by group and ascending: as places in ``domain``."""
    table: Counterfeits
    counterfeits: Array
    """Of each group."""

    @cached_property
    def owner(self) -> Array:
        """Of all rows, by group: the place of the group."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @property
    def real_rows(self) -> int:
        """How many rows are no counterfeits."""
        return len(self.row_group) - int(self.table.count.sum())

    def places(self, number: Array) -> Array:
        """The place of each of these group numbers; -1 where there is no such group."""
        return places(self.number, number)

    def with_any(self, rows: Flags) -> Flags:
        """Of each group, whether it is so of any of its rows, given by group."""
        return np.bincount(self.owner[rows], minlength=len(self.size)) > 0


def register_groups(form: Register, *, boxed: bool = True) -> RegisterGroups:
    """Read the groups of a release, whose columns were checked before; with or without bounds."""
    quasi = form.quasi if boxed else ()
    wanted = ["group", *(n for q in quasi for n in (q.low, q.high)), form.sensitive]
    rows, fakes = read(form.file, wanted), read(form.counterfeit_file)
    row_group = whole(rows["group"], 0)
    row_value, domain = ranked(rows[form.sensitive])
    by_group = np.lexsort((row_value, row_group))
    number, start, size = np.unique(row_group[by_group], return_index=True, return_counts=True)
    low, high, uneven = bounds_of_groups(quasi, rows, by_group, start, size)
    table = Counterfeits(whole(fakes["group"], 0), whole(fakes["counterfeits"], 0))
    counterfeits = np.zeros(len(number), dtype=np.int64)
    place = places(number, table.group)
    np.add.at(counterfeits, place[place >= 0], table.count[place >= 0])
    return RegisterGroups(
        row_group=row_group,
        row_value=row_value,
        domain=domain,
        exact=form.exact,
        number=number,
        size=size,
        start=start,
        value=row_value[by_group],
        low=low,
        high=high,
        uneven=uneven,
        table=table,
        counterfeits=counterfeits,
    )
