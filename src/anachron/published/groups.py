"""The groups of a release, read back in one way from any layout.

A release is rows, each with the number of its group, and perhaps further tables that tell
something else of each group:

===============  ===========================================  ==================================
layout           a row shows                                  the second table
===============  ===========================================  ==================================
events           its group's cells, and its values
register, boxes  its group's box, and its value               how many rows are counterfeits
register,        cells of its own                             how often each value occurs; in a
anatomy                                                       third, how many values are of nobody
series           the word of its shape, and its values        the envelope of each group
feed, boxes      its group's box and snapshot, and its value
feed, anatomy    its group's snapshot, and cells of its own   how often each value occurs
===============  ===========================================  ==================================

Which column stands where follows from the form of the release, so that nobody who reads groups
needs to ask for the method. All but ``number`` means a group by its place among all groups.

>>> from decimal import Decimal
>>> from anachron.published.layouts import REGISTER
>>> from anachron.published.ways import Content, Interval
>>> age, ill = Interval("age", Decimal(5)), Content("ill")
>>> form = Form(REGISTER, {"age": age, "ill": ill}, {})
>>> tables = {
...     "data": pa.table({"group": [1, 1, 2, 2, 2], "age_low": [20, 20, 30, 30, 30],
...                       "age_high": [29, 29, 34, 34, 34],
...                       "ill": ["flu", "gout", "flu", "cold", "gout"]}),
...     "counterfeits": pa.table({"group": [2], "counterfeits": [1]})}
>>> groups = groups_of(form, tables.__getitem__)

Of a release it is ``groups_of(release.form, release.table)``, and the ways in which its columns are
published are ``release.form.columns``. Then:

>>> groups.row.tolist(), groups.size.tolist(), groups.counterfeits.tolist()  # row → group
([0, 0, 1, 1, 1], [2, 3], [0, 1])
>>> groups.cells(age).values, groups.cells(age).codes.tolist()               # group → cells
([20, 30], [0, 1])
>>> low, high = groups.ends(age)
>>> low.tolist(), high.tolist()
([20, 30], [29, 34])
>>> held = groups.values(ill)                                                # values by group
>>> held.group.tolist(), held.count.tolist()
([0, 0, 1, 1, 1], [1, 1, 1, 1, 1])
>>> [held.coded.values[code] for code in held.coded.codes]
['flu', 'gout', 'flu', 'cold', 'gout']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Numbers, distinct
from anachron.published.coded import CodedColumn, coded, ends_of, same_codes
from anachron.published.form import Form
from anachron.published.layouts import COUNT, COUNTERFEITS, DATA, GROUP
from anachron.published.strict import Misfit
from anachron.published.ways import Way

__all__ = ["GroupValues", "Groups", "groups_of", "together"]


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The sensitive values of groups: one place for each that is published, by group."""

    group: Array
    """Ascending."""
    coded: CodedColumn
    """Which value it is."""
    count: Array
    """How often it occurs there: 1, where each row has its own."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows, their groups, and what is published of both."""

    form: Form
    number: Array
    """Of each group: the number under which it is published, ascending."""
    tables: Mapping[str, pa.Table]
    """As they are published."""
    of: Mapping[str, Array]
    """For each table: the group that each of its rows is of."""

    def __len__(self) -> int:
        return len(self.number)

    @property
    def row(self) -> Array:
        """The group of each row."""
        return self.of[DATA]

    @cached_property
    def size(self) -> Array:
        """How many rows each group has; where values stand apart, how many values."""
        rows = np.bincount(self.row, minlength=len(self))
        return rows + self.counterfeits if self.form.layout.apart else rows

    @cached_property
    def counterfeits(self) -> Array:
        """How many rows of each group are of nobody; where values stand apart, how many values."""
        found = np.zeros(len(self), dtype=np.int64)
        if COUNTERFEITS in self.tables:
            found[self.of[COUNTERFEITS]] = np.asarray(self.tables[COUNTERFEITS][COUNTERFEITS])
        return found

    @cached_property
    def subgroup(self) -> Array:
        """Of series: the same number for the rows of a group that show the same shape.

        Numbers are in the order of groups. Of all others, the rows of a group are one.
        """
        shapes = [self.rows(way).codes for way in self.form.layout.shapes]
        return same_codes([self.row, *shapes]) if shapes else self.row

    def rows(self, way: Way) -> CodedColumn:
        """What each row shows of a column; or each row of the other table, if it stands there."""
        table = self.tables[self.form.layout.table_of(way.role)]
        return coded(way, [table[name] for name in way.names])

    def cells(self, way: Way) -> CodedColumn:
        """What each group shows of a column in which its rows are alike."""
        name = self.form.layout.table_of(way.role)
        one = pa.array(self._one_of_each[name])
        return coded(way, [self.tables[name][part].take(one) for part in way.names])

    def ends(self, way: Way) -> tuple[Numbers, Numbers]:
        """Between which numbers each group lies: of texts with an order, places in it."""
        name = self.form.layout.table_of(way.role)
        shown = self.tables[name].select(way.names).take(pa.array(self._one_of_each[name]))
        return ends_of(way, [column.combine_chunks() for column in shown.columns])

    def values(self, way: Way) -> GroupValues:
        """The values of a sensitive column, by group."""
        name, found = self.form.layout.table_of(way.role), self.rows(way)
        group, count = self.of[name], np.ones(len(found.codes), dtype=np.int64)
        if COUNT in self.form.layout.tables[name]:
            count = np.asarray(self.tables[name][COUNT].cast(pa.int64()), dtype=np.int64)
        if (group[1:] < group[:-1]).any():
            order = np.argsort(group, kind="stable")
            group, count = group[order], count[order]
            found = CodedColumn(found.way, found.cells, found.codes[order])
        return GroupValues(group, found, count)

    @cached_property
    def _one_of_each(self) -> dict[str, Array]:
        """For each table with all groups, the first row of each."""
        found = {}
        for name, group in self.of.items():
            one = np.full(len(self), -1, dtype=np.int64)
            one[group[::-1]] = np.arange(len(group))[::-1]
            found[name] = one
        return found


def groups_of(form: Form, table: Callable[[str], pa.Table]) -> Groups:
    """Read the groups of a release.

    Parameters
    ----------
    form
        What the release is made of.
    table
        Gives the published tables by name.

    Raises
    ------
    Misfit
        If the tables do not belong together: some group is not in both that must be, or in none.
    """
    tables = {name: table(name) for name in form.layout.tables}
    numbers = {name: _numbers(name, found) for name, found in tables.items()}
    number, row = np.unique(numbers[DATA], return_inverse=True)
    of = {DATA: row}
    for name in tables:
        if name != DATA:
            of[name] = _places(name, number, numbers[name])
            if name != COUNTERFEITS and len(distinct(numbers[name])) < len(number):
                raise Misfit(name, "a group of the rows is not in it")
            counted = COUNT in tables[name].column_names
            if not counted and len(distinct(of[name])) < len(of[name]):
                raise Misfit(name, "a group stands in it twice")
    groups = Groups(form, number, tables, of)
    _check_counts(groups)
    return groups


def _check_counts(groups: Groups) -> None:
    """Demand as many values as rows and counterfeits, and not more counterfeits than rows."""
    for name, table in groups.tables.items():
        if COUNT in table.column_names:
            # Each is a whole number of rows: what sums up to more does so as a fraction, too.
            often = np.asarray(table[COUNT])
            told = np.bincount(groups.of[name], weights=often, minlength=len(groups))
            if (told != groups.size).any():
                raise Misfit(name, "it has other numbers of values than a group has rows")
    if (groups.counterfeits > groups.size).any():
        raise Misfit(COUNTERFEITS, "a group has more counterfeits than rows")


def together(parts: Sequence[Groups]) -> Groups:
    """Put the groups of several releases of one form behind each other.

    A later table may need larger numbers. Groups keep the numbers that they have in their release.
    """
    firsts = np.cumsum([0, *(len(part) for part in parts)])
    names = parts[0].tables
    return Groups(
        parts[0].form,
        np.concatenate([part.number for part in parts]),
        {
            name: pa.concat_tables([p.tables[name] for p in parts], promote_options="permissive")
            for name in names
        },
        {
            name: np.concatenate(
                [part.of[name] + first for part, first in zip(parts, firsts, strict=False)]
            )
            for name in names
        },
    )


def _numbers(name: str, table: pa.Table) -> Array:
    column = table[GROUP]
    if column.null_count or not pa.types.is_integer(column.type):
        raise Misfit(name, "a row of it has no group")
    return np.asarray(column, dtype=np.int64)


def _places(name: str, number: Array, wanted: Array) -> Array:
    """The place of each number among those of the groups."""
    at = np.searchsorted(number, wanted)
    if (np.append(number, -1)[at] != wanted).any():
        raise Misfit(name, "a group of it has no rows")
    return at
