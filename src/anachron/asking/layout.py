"""Published groups as the kernel takes them: codes of cells, by group, by row and by value.

A column stands with the group, if all its rows show the same cell; with the row; or, where the
sensitive values are a table of their own, with the values of the group. See
:mod:`anachron.kernels.cells` for how they are put together.

Where there are counterfeits, it is known how many each group has, not which rows they are. From
the second release of a register in mode ``"sticky"`` on, the rows of a group are candidates.

Notes
-----
Where sensitive values stand apart, q of the n rows of a group meet what is asked of quasi columns
and time, and c of its n values meet what is asked of the sensitive column. Nothing tells which row
has which value, so between q + c − n and min(q, c) records meet both, q c / n are expected, and
their number is hypergeometric if every assignment is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes, Flags, Floats
from anachron.asking.catalogue import Catalogue
from anachron.asking.doubt import (
    OVERLAP,
    fitted,
    unevenness,
    unevenness_apart,
    unevenness_of_classes,
    unevenness_of_values,
)
from anachron.asking.leaves import judged
from anachron.asking.question import Leaf
from anachron.asking.shares import Judged
from anachron.asking.suggest import refusal
from anachron.asking.weights import Told, Weights, told, weights_of
from anachron.asking.windows import Windows, times
from anachron.errors import ReleaseError
from anachron.guarantees import from_dict
from anachron.guarantees.reposition import register_in
from anachron.published.coded import CodedColumn, same_codes
from anachron.published.groups import Groups, groups_of, together
from anachron.published.layouts import DATA
from anachron.published.strict import Misfit
from anachron.published.ways import Bins, Granules, Interval, Ordered, Parents
from anachron.release.read import Release

__all__ = ["BY_GROUP", "BY_ROW", "BY_VALUE", "CellLayout", "Placed", "laid_out", "layout_of"]


BY_GROUP, BY_ROW, BY_VALUE = 0, 1, 2
_INSTANT = pa.timestamp("us", "UTC")


@dataclass(frozen=True, eq=False)
class Placed:
    """A column, and where the codes of its cells are found."""

    coded: CodedColumn
    level: int
    at: int


@dataclass(frozen=True, eq=False)
class CellLayout:
    """Groups, their rows and their values."""

    catalogue: Catalogue
    columns: dict[str, Placed]
    times: Windows | None
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
    margins: Mapping[str, Sequence[Told]]
    """What is told of columns beside their cells."""
    sets: bool = False
    """Whether people keep sets of values: of these there are few, and groups teach less."""

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

    def judged(self, leaf: Leaf, values: float | None = None) -> Judged:
        """Judge a leaf on the distinct cells of its column, in all rows or in those of values."""
        placed = self.find(leaf.column)
        if self.times is not None and placed.coded.way.role == "time":
            return self.times.judged(leaf)
        uneven, weights = self.uneven(leaf.column, values), self.weights(leaf.column)
        return judged(leaf, placed.coded, self.catalogue, uneven, weights)

    def weights(self, column: str) -> Weights | None:
        """How values of a column are spread over its intervals, as far as margins tell."""
        if column not in self._weights:
            placed = self.find(column)
            found = None
            if column in self.margins and placed.level == BY_GROUP:
                codes, real = self.group_codes[:, placed.at], (self.size - self.fakes)
                rows = np.bincount(codes, real, placed.coded.size).astype(np.float64)
                found = weights_of(placed.coded, rows, self.margins[column])
            self._weights[column] = found
        return self._weights[column]

    @cached_property
    def _weights(self) -> dict[str, Weights | None]:
        return {}

    def uneven(self, column: str, values: float | None = None) -> float | Floats:
        """How unevenly a column is spread within its cells: of all rows, or of those of values.

        ``values`` is the share of rows that have them. Where sensitive values stand apart, it is
        told by groups which of them go with the column.
        """
        here, weights = self.find(column), self.weights(column)
        by = self._values if values is not None and here.coded.way.role != "sensitive" else None
        if weights is None:
            return self._unevenness(here, by)
        share = values if by is not None else None
        of_all, of_values = self._unevenness(here, None), self._unevenness(here, by)
        return fitted(of_all, of_values, weights.told, share)

    def held(self, leaf: Leaf) -> float:
        """Of all rows, the share that has the values of a leaf, to a sixteenth."""
        placed = self.find(leaf.column)
        # Without margins nothing hangs on it.
        if not self.margins or placed.level != BY_ROW:
            return 0.0
        if leaf.column not in self._often:
            often = np.bincount(self.row_codes[:, placed.at], self.alike, placed.coded.size)
            self._often[leaf.column] = often / max(int(self.alike.sum()), 1)
        return round(16 * float(self.judged(leaf).share @ self._often[leaf.column])) / 16

    @cached_property
    def _often(self) -> dict[str, Floats]:
        """Of each sensitive column, the share of rows with each of its cells."""
        return {}

    def _unevenness(self, here: Placed, by: Codes | None) -> float | Floats:
        column = here.coded.way.column
        if (column, by is None) not in self._uneven:
            self._uneven[column, by is None] = self._measured(here, by)
        return self._uneven[column, by is None]

    @cached_property
    def _uneven(self) -> dict[tuple[str, bool], float | Floats]:
        return {}

    @cached_property
    def _values(self) -> Codes | None:
        """The sensitive value of each row, if rows have it."""
        found = [p for p in self.columns.values() if p.coded.way.role == "sensitive"]
        if len(found) != 1 or found[0].level != BY_ROW:
            return None
        return self.row_codes[:, found[0].at]

    def _measured(self, placed: Placed, by: Codes | None) -> float | Floats:
        """Measure the unevenness of a column; classes and intervals only leave values open."""
        one = placed.coded
        if isinstance(one.way, Parents):
            covers = one.way.covers
            return unevenness_of_classes(np.array([len(covers.get(x, ())) for x in one.values]))
        if not isinstance(one.way, Bins | Interval | Ordered):
            return 0.0
        of_row = np.repeat(np.arange(len(self.size)), np.diff(self.row_start))
        by_group = placed.level == BY_GROUP
        codes = (self.group_codes[of_row] if by_group else self.row_codes)[:, placed.at]
        low, high = one.ends
        high = high + 1 if one.whole else high

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
        return found if isinstance(one.way, Bins) else found * OVERLAP


def layout_of(releases: Sequence[Release], catalogue: Catalogue) -> CellLayout:
    """Lay out releases that are published in one way, one behind the other."""
    try:
        parts = [_groups(release, catalogue) for release in releases]
    except Misfit:
        where = ", ".join(str(release.place) for release in releases)
        raise ReleaseError(f"{where}: rows and sensitive values do not belong together.") from None
    several = zip(releases, parts, strict=True)
    candidates = [np.full(len(part), not _exact(release)) for release, part in several]
    open_values = np.concatenate(candidates).astype(np.int64)
    found = laid_out(together(parts), catalogue, open_values, told(releases))
    return replace(found, sets=register_in(from_dict(releases[0].guarantee)) is not None)


def _groups(release: Release, catalogue: Catalogue) -> Groups:
    """Read groups; those of an m-invariant feed are all of the one snapshot of their release."""
    groups = groups_of(release.form, release.table)
    time, snapshot = catalogue.time, release.form.facts.get("snapshot")
    if time is None or snapshot is None:
        return groups
    cells = (
        pa.scalar(snapshot["label"], pa.string()),
        pa.scalar(int(snapshot["start"]), _INSTANT),
        pa.scalar(int(snapshot["end"]), _INSTANT),
    )
    rows = groups.tables[DATA]
    for name, cell in zip(time.published, cells, strict=True):
        rows = rows.append_column(name, pa.repeat(cell, rows.num_rows))
    return replace(groups, tables={**groups.tables, DATA: rows})


def _exact(release: Release) -> bool:
    """Whether each value of a group is that of one person at most."""
    promise = register_in(from_dict(release.guarantee))
    return promise is None or promise.exact(release.number)


def laid_out(
    groups: Groups,
    catalogue: Catalogue,
    candidates: Array,
    margins: Mapping[str, Sequence[Told]] = MappingProxyType({}),
) -> CellLayout:
    """Lay out groups, given 1 for each whose rows are candidates and 0 for the others."""
    apart = groups.form.layout.apart
    quasi, time, sensitive = (
        [column.way for column in catalogue.with_role(role)]
        for role in ("quasi", "time", "sensitive")
    )
    of_group = [groups.cells(way) for way in (time if apart else [*quasi, *time])]
    of_row = [groups.rows(way) for way in (quasi if apart else sensitive)]
    values = [groups.values(way) for way in sensitive] if apart else []
    of_value = [value.coded for value in values]
    value_group, often = (
        (values[0].group, values[0].count) if values else np.zeros((2, 0), dtype=np.int64)
    )
    key = same_codes([groups.row, *(one.codes for one in of_row)])
    alike = np.bincount(key)
    some = np.zeros(len(alike), dtype=np.int64)
    some[key] = np.arange(len(key))
    every = np.arange(len(groups) + 1)
    return CellLayout(
        catalogue=catalogue,
        columns={
            one.way.column: Placed(one, level, at)
            for level, found in ((BY_GROUP, of_group), (BY_ROW, of_row), (BY_VALUE, of_value))
            for at, one in enumerate(found)
        },
        times=next(
            (times(o, o.way, catalogue) for o in of_group if isinstance(o.way, Granules)), None
        ),
        group_codes=_side_by_side(of_group, every[:-1]),
        # Copies, so that the kernel is compiled for one kind of arrays only.
        size=groups.size,
        fakes=np.array(groups.counterfeits),
        candidates=candidates,
        row_start=np.searchsorted(groups.row[some], every),
        row_codes=_side_by_side(of_row, some),
        alike=alike,
        value_start=np.searchsorted(value_group, every),
        value_codes=_side_by_side(of_value, np.arange(len(value_group))),
        often=np.array(often),
        margins=margins,
    )


def _side_by_side(columns: Sequence[CodedColumn], rows: Array) -> Codes:
    found = np.zeros((len(rows), len(columns)), dtype=np.int32)
    for at, one in enumerate(columns):
        found[:, at] = one.codes[rows]
    return found
