"""The groups of a release of a register, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.reading.columns import (
    descends,
    places,
    plain_zero,
    ranked,
    read,
    runs,
    whole,
)
from anachron.auditing.reading.feed import Ranked
from anachron.auditing.reading.form import COUNT, Register
from anachron.auditing.reading.intervals import GroupedRows, bounds_of_groups
from anachron.auditing.reading.long import long_column, long_ranked

__all__ = ["Apart", "Counterfeits", "RegisterGroups", "register_groups"]


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """The table of counterfeits, as it stands: the paper's R."""

    group: Array
    count: Array


@dataclass(frozen=True, eq=False)
class Apart:
    """The rows of people, where values are a table of their own; as they stand in the file."""

    group: Array
    """Of each row: its number."""
    place: Array
    """Of each row: the place of its group; -1 if there is none of that number."""
    quasi: tuple[Ranked, ...]
    """What is published of them."""
    count: Array
    """Of each row of the other table: how often the value occurs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RegisterGroups(GroupedRows):
    """What is published: groups by number, and the rows of each by value.

    Where values stand apart, a row is one of their table.
    """

    row_value: Numbers
    """Of each row, as a place in ``domain``; a missing value is the place after the last."""
    start: Array
    """Where the rows of each group begin in ``value``."""
    value: Numbers
    """Of all rows, by group and ascending: as places in ``domain``."""
    table: Counterfeits
    counterfeits: Array
    """Of each group."""
    apart: Apart | None
    """The people, if they do not stand beside values."""

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
    quasi = form.intervals if boxed else ()
    files, fakes = form.value_files or form.files, read(form.counterfeit_files)
    row_group = long_column(files, "group", _numbers)
    row_value, domain = long_ranked(files, form.sensitive)
    by_group: Array | slice = slice(None)
    if descends((row_group, row_value), len(row_group))[0].any():
        by_group = np.lexsort((row_value, row_group))
    start, size = runs(row_group[by_group])
    number = row_group[by_group][start].astype(np.int64)
    low, high, uneven = bounds_of_groups(quasi, partial(long_column, files), by_group, start, size)
    table = Counterfeits(whole(fakes["group"], 0), whole(fakes["counterfeits"], 0))
    counterfeits = np.zeros(len(number), dtype=np.int64)
    place = places(number, table.group)
    np.add.at(counterfeits, place[place >= 0], table.count[place >= 0])
    apart = None if form.value_files is None else _apart(form, number)
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
        apart=apart,
    )


def _numbers(column: pa.ChunkedArray) -> Array:
    return whole(column, 0)


def _apart(form: Register, number: Array) -> Apart:
    """Read the rows of people, given the numbers of groups."""
    rows = read(form.files, coded=True)
    count = whole(read(form.value_files or (), [COUNT])[COUNT], 0)
    group = whole(rows["group"], 0)
    quasi = tuple(Ranked(*ranked(plain_zero(rows[name]))) for name in form.quasi)
    return Apart(group, places(number, group), quasi, count)
