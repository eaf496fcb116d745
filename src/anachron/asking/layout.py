"""Published rows as groups of coded cells, and conditions as programs over them.

A column stands with the group, if all its rows show the same cell; with the row; or, where the
sensitive values are a table of their own, with the values of the group. See
:mod:`anachron.kernels.cells` for how they are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes, Flags, Floats
from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.coded import Coded, coded, same_codes
from anachron.asking.doubt import (
    OVERLAP,
    unevenness,
    unevenness_apart,
    unevenness_of_classes,
    unevenness_of_values,
)
from anachron.asking.judged import Judged
from anachron.asking.leaves import judged
from anachron.asking.question import Leaf
from anachron.asking.suggest import refusal
from anachron.asking.windows import Times, times

__all__ = ["BY_GROUP", "BY_ROW", "BY_VALUE", "Layout", "Placed", "laid_out"]


BY_GROUP, BY_ROW, BY_VALUE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Placed:
    """A column, and where the codes of its cells are found."""

    coded: Coded
    level: int
    at: int


@dataclass(frozen=True, eq=False)
class Layout:
    """Groups, their rows and their values."""

    catalogue: Catalogue
    columns: dict[str, Placed]
    times: Times | None
    group_codes: Codes
    size: Array
    """How many rows each group has."""
    fakes: Array
    """How many of them are counterfeits."""
    candidates: Array
    """1 where each person of the group has one of its values, and two may have the same; else 0."""
    row_start: Array
    row_codes: Codes
    alike: Array
    """How many rows each distinct one stands for."""
    value_start: Array
    value_codes: Codes
    often: Array
    """How often each value occurs in its group."""

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernel needs."""
        return (
            (self.group_codes, self.size, self.fakes, self.candidates),
            (self.row_codes, self.row_start, self.alike),
            (self.value_codes, self.value_start, self.often),
        )

    def find(self, column: str) -> Placed:
        """Where a column stands, or the reason why it cannot be asked for."""
        if column in self.columns:
            return self.columns[column]
        raise refusal(self.catalogue, f"{column} was not published.")

    def judged(self, leaf: Leaf, of_values: bool = False) -> Judged:
        """Judge a leaf on the distinct cells of its column, in all rows or in those of values."""
        placed = self.find(leaf.column)
        if self.times is not None and placed.coded.column.role == "time":
            return self.times.judged(leaf)
        return judged(leaf, placed.coded, self.catalogue, self.uneven(leaf.column, of_values))

    def uneven(self, column: str, of_values: bool = False) -> float | Floats:
        """How unevenly a column is spread within its cells: of all rows, or of those of a value.

        Where sensitive values stand apart, it is told by groups which of them go with it.
        """
        here = self.find(column)
        by = self._values if of_values and here.coded.column.role != "sensitive" else None
        if (column, by is None) not in self._uneven:
            self._uneven[column, by is None] = self._measured(here, by)
        return self._uneven[column, by is None]

    @cached_property
    def _uneven(self) -> dict[tuple[str, bool], float | Floats]:
        return {}

    @cached_property
    def _values(self) -> Codes | None:
        """The sensitive value of each row, if rows have it."""
        found = [p for p in self.columns.values() if p.coded.column.role == "sensitive"]
        if len(found) != 1 or found[0].level != BY_ROW:
            return None
        return self.row_codes[:, found[0].at]

    def _measured(self, placed: Placed, by: Codes | None) -> float | Floats:
        """Measure the unevenness of a column; classes and intervals only leave values open."""
        one = placed.coded
        if one.column.form == "parents":
            covers = one.column.covers
            return unevenness_of_classes(np.array([len(covers.get(x, ())) for x in one.values]))
        if one.column.form not in ("bins", "interval", "ordered"):
            return 0.0
        of_row = np.repeat(np.arange(len(self.size)), np.diff(self.row_start))
        by_group = placed.level == BY_GROUP
        codes = (self.group_codes[of_row] if by_group else self.row_codes)[:, placed.at]
        low, high = one.ranks if one.column.form == "ordered" else (one.low, one.high)
        whole = one.column.form == "ordered" or one.column.kind == "whole"
        high = high + 1 if whole else high

        def measured(here: Flags | slice) -> float:
            weight = self.alike[here].astype(np.float64)
            rows = np.bincount(codes[here], weight, one.size).astype(np.float64) * ~one.missing
            return unevenness(low, high, rows)

        if by is not None:
            together = float(self.size.sum() / len(self.size))
            first, last = (np.asarray(end, dtype=np.float64)[codes] for end in (low, high))
            apart = unevenness_apart(first, last, by, self.alike, together)
            return max(unevenness_of_values(by, self.alike, measured), apart)
        found = measured(slice(None))
        return found if one.column.form == "bins" else found * OVERLAP


def laid_out(
    catalogue: Catalogue,
    data: pa.Table,
    group: Array,
    by_group: Sequence[Column],
    by_row: Sequence[Column],
    fakes: Array,
    values: tuple[pa.Table, Array, Array] | None = None,
    candidates: Array | None = None,
) -> Layout:
    """Lay out rows.

    Parameters
    ----------
    data, group
        The rows, and the group of each, numbered from 0.
    by_group, by_row
        The columns in which all rows of a group are alike, and the others.
    fakes
        How many rows of each group are counterfeits.
    values
        The table of sensitive values, if they stand apart; the group of each of its rows, and
        how often the value occurs there.
    candidates
        1 for each group whose rows are candidates; if it is not given, none are.
    """
    groups = len(fakes)
    first = np.zeros(groups, dtype=np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    of_group = _coded(by_group, data.take(pa.array(first)))
    of_row = _coded(by_row, data)
    key = same_codes([group, *(one.codes for one in of_row)])
    alike = np.bincount(key)
    some = np.zeros(len(alike), dtype=np.int64)
    some[key] = np.arange(len(key))
    sensitive, value_group, often = [], np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if values is not None:
        table, value_group, often = values
        sensitive = _coded(catalogue.with_role("sensitive"), table)
    columns = {
        one.column.name: Placed(one, level, at)
        for level, found in ((BY_GROUP, of_group), (BY_ROW, of_row), (BY_VALUE, sensitive))
        for at, one in enumerate(found)
    }
    time = next((one for one in of_group if one.column.role == "time"), None)
    return Layout(
        catalogue=catalogue,
        columns=columns,
        times=None if time is None else times(time, catalogue),
        group_codes=_side_by_side(of_group, np.arange(groups)),
        # Copies, so that the kernel is compiled for one kind of arrays only.
        size=np.bincount(group, minlength=groups),
        fakes=np.array(fakes, dtype=np.int64),
        candidates=np.zeros(groups, dtype=np.int64)
        if candidates is None
        else np.array(candidates, dtype=np.int64),
        row_start=np.searchsorted(group[some], np.arange(groups + 1)),
        row_codes=_side_by_side(of_row, some),
        alike=alike,
        value_start=np.searchsorted(value_group, np.arange(groups + 1)),
        value_codes=_side_by_side(sensitive, np.arange(len(value_group))),
        often=np.array(often, dtype=np.int64),
    )


def _coded(columns: Sequence[Column], table: pa.Table) -> list[Coded]:
    return [coded(c, [table.column(name) for name in c.published]) for c in columns]


def _side_by_side(columns: Sequence[Coded], rows: Array) -> Codes:
    found = np.zeros((len(rows), len(columns)), dtype=np.int32)
    for at, one in enumerate(columns):
        found[:, at] = one.codes[rows]
    return found
