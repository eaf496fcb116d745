"""Counts by what groups teach: which rows hold which values, where the two are published apart.

Taking every assignment inside a group as equally likely gives away what all groups together tell.
Here each row has a chance for each value of its group, by :mod:`anachron.kernels.learning`: the
learning attack, run for counts. It reads nothing but the release, and bounds stay as they are.

========  ==================================================================================
``q``     of a row: the chance that it holds a value that is asked for, times its share
``V``     Σ q (1 − q) over the rows that count, if all are on time
``X``     how many records would change sides if all came late
========  ==================================================================================

The estimate is Σ q, and its variance V + (``SHARED`` V)² + ``LATE`` X, with ``SHARED_BY_SETS``
where people keep sets of values. The first part is chance.
The second is that the model is wrong in many groups at once, and wrong in the same way. The third
are records that happened in an earlier snapshot than they are published in.

Notes
-----
Not in the papers. How far the model errs, and how many records are late, is not published: both
numbers were measured on real feeds, and on a register; see docs/asking.md. Late records are taken
to come from each of the snapshots before as often. Where only such records could count, no error is
known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Floats
from anachron.asking.compiling import asked, counts, parts
from anachron.asking.doubt import NOT_KNOWN
from anachron.asking.figures import Estimates
from anachron.asking.layout import BY_ROW, BY_VALUE, CellLayout, Placed
from anachron.asking.question import All, Condition, Leaf, Ranges, leaves
from anachron.kernels.cells import MUST, each
from anachron.kernels.learning import (
    CLASSES,
    SEPARATE,
    Pairs,
    balanced,
    cut,
    fitted,
    paired,
    weighed,
)

__all__ = ["Learned", "learnable"]

SHARED = 1 / 4
"""How far the model errs in all groups at once, as a part of what it leaves open."""
SHARED_BY_SETS = 0.6
"""The same, where people keep sets of values: the same ones stand together again and again."""
LATE = 0.03
"""The share of records that are taken to be late."""
FEWEST = 200
"""Groups; fewer teach chance, and errors would be too small."""
_SWEEPS = 30
_AT_ONCE = 400_000
"""Pairs of a row and a value that are learned from at most, and weighed at the same time."""
_NOTHING = 1e-12
_LARGEST = 1 << 24
"""Cells of a table of values and quasi values; of more values, quasi values are cut coarser."""


def learnable(layout: CellLayout) -> bool:
    """Whether rows and values are published apart, in so many groups that these teach something."""
    apart = {BY_ROW, BY_VALUE} <= {placed.level for placed in layout.columns.values()}
    # Of candidates nobody has measured how far the model errs.
    return apart and len(layout.size) >= FEWEST and not layout.candidates.any()


@dataclass(frozen=True, eq=False)
class Learned:
    """A release of rows and values apart, as something that counts."""

    layout: CellLayout

    def __call__(self, conditions: Sequence[Condition]) -> Estimates:
        """Count the records that meet each condition; what rows and values settle stays exact."""
        found = counts(self.layout, conditions)
        for at, condition in enumerate(conditions):
            if found.high[at] > found.low[at] and self._open(condition):
                estimate, variance, lean = self._told(condition)
                found.estimate[at] = np.clip(estimate, found.low[at], found.high[at])
                found.variance[at], found.lean[at] = variance, lean
        return found

    def _open(self, condition: Condition) -> bool:
        """Whether rows and values are both asked about."""
        levels = {self.layout.find(leaf.column).level for leaf in _plain(condition)}
        return {BY_ROW, BY_VALUE} <= levels

    def _told(self, condition: Condition) -> tuple[float, float, float]:
        """Estimate, variance and lean of how many records meet a condition."""
        rest, on_time, earlier = self._without_time(condition)
        # Groups stand in the order of time: those that a window concerns are side by side.
        near = np.flatnonzero((on_time > 0.0) | (earlier > 0.0))
        if not len(near):
            return 0.0, 0.0, 0.0
        groups = slice(int(near[0]), int(near[-1]) + 1)
        expected, spread = self._expected(rest, groups)
        on_time, earlier = on_time[groups], earlier[groups]
        late = float(expected @ np.abs(on_time - earlier))
        estimate, variance = float(expected @ on_time), float(spread @ on_time)
        if late > 0.0 and not estimate:
            return 0.0, 0.0, NOT_KNOWN
        shared = SHARED_BY_SETS if self.layout.sets else SHARED
        return estimate, variance + LATE * late, shared * variance

    def _expected(self, condition: Condition, groups: slice) -> tuple[Floats, Floats]:
        """Of each of some groups: how many records meet a condition, and Σ q (1 − q)."""
        layout, rows = self.layout, self._rows
        first, last = layout.row_start[groups.start], layout.row_start[groups.stop]
        begins = int(rows.start[first])
        ends = int(rows.start[last]) if last < len(rows.start) else len(rows.cell)
        share, held = _each(layout, condition, groups)
        holds = self._chance[begins:ends] * held[rows.cell[begins:ends]]
        q = share[first:last] * np.add.reduceat(holds, rows.start[first:last] - begins)
        q = np.clip(q, 0.0, 1.0)
        place, alike = rows.group[first:last] - groups.start, layout.alike[first:last]
        many = groups.stop - groups.start
        expected: Floats = np.bincount(place, alike * q, many).astype(np.float64)
        spread: Floats = np.bincount(place, alike * q * (1.0 - q), many).astype(np.float64)
        return expected, spread

    def _without_time(self, condition: Condition) -> tuple[Condition, Floats, Floats]:
        """The rest of a condition; and of each group, whether its records are in the window that
        is asked for, and which share of the snapshots before it is."""
        layout, every = self.layout, np.ones(len(self.layout.size))
        several, time = list(parts(condition)), layout.times
        found = [one for one in several if isinstance(one, Ranges) and self._is_time(one)]
        if time is None or not found:
            unknown = any(self._is_time(leaf) for leaf in _plain(condition))
            return condition, every, every * (NOT_KNOWN if unknown else 1.0)
        rest = All(tuple(one for one in several if one not in found))
        cells = layout.group_codes[:, layout.find(found[0].column).at]
        on_time, earlier = time.delayed(found[0])
        return rest, on_time[cells], earlier[cells]

    def _is_time(self, leaf: Leaf) -> bool:
        return self.layout.find(leaf.column).coded.way.role == "time"

    @cached_property
    def _rows(self) -> _Rows:
        return _rows_of(self.layout, np.arange(len(self.layout.size)))

    @cached_property
    def _chance(self) -> Floats:
        """Of each row beside each value of its group: how likely it is to have it."""
        layout, every = self.layout, np.arange(len(self.layout.size))
        columns = [p for p in layout.columns.values() if p.level == BY_ROW]
        values = next(p.coded.size for p in layout.columns.values() if p.level == BY_VALUE)
        quasi = [_classes(layout, placed, values) for placed in columns]
        sizes = [int(code.max(initial=0)) + 1 for code in quasi]
        many = np.cumsum(np.diff(layout.row_start) * np.diff(layout.value_start))
        some = every
        if many[-1] > _AT_ONCE:
            order = np.random.default_rng(0).permutation(every)
            taken = np.cumsum(np.diff(many, prepend=0)[order]) <= _AT_ONCE
            taken[0] = True
            some = np.sort(order[taken])
        rates = fitted(_paired(layout, some), quasi, sizes, values)
        blocks = np.split(every, np.flatnonzero(np.diff(many // _AT_ONCE)) + 1)
        found = []
        for groups in blocks:
            pairs = _paired(layout, groups)
            chance = balanced(weighed(pairs, quasi, rates), pairs, _SWEEPS)
            chance /= np.repeat(pairs.mass, pairs.length)
            chance = chance[: len(pairs.real)]  # those of counterfeits stand behind
            # What is next to nothing is nothing: such numbers take long to multiply.
            found.append(np.where(chance < _NOTHING, 0.0, chance))
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of some groups, and the values beside each of them."""

    row: Array
    group: Array
    cell: Array
    """The values beside each row, one row after the other."""
    start: Array
    """Where those of each row begin."""


def _rows_of(layout: CellLayout, groups: Array) -> _Rows:
    row = _between(layout.row_start[:-1][groups], layout.row_start[1:][groups])
    group = np.repeat(groups, np.diff(layout.row_start)[groups])
    cell = _between(layout.value_start[:-1][group], layout.value_start[1:][group])
    length = np.diff(layout.value_start)[group]
    return _Rows(row, group, cell, np.cumsum(length) - length)


def _plain(condition: Condition) -> tuple[Leaf, ...]:
    """The leaves of a condition, none of which is about series: there are none here."""
    return tuple(leaf for leaf in leaves(condition) if isinstance(leaf, Leaf))


def _between(first: Array, last: Array) -> Array:
    """The numbers from each first one to before its last, one after the other."""
    length = last - first
    begins = np.cumsum(length) - length
    return np.repeat(first - begins, length) + np.arange(int(length.sum()))


def _paired(layout: CellLayout, groups: Array) -> Pairs:
    """The rows of some groups beside their values; behind them, the counterfeits of each group."""
    rows = _rows_of(layout, groups)
    place, fakes = np.searchsorted(groups, rows.group), layout.fakes[groups]
    fake = np.flatnonzero(fakes)
    mass = np.concatenate([layout.alike[rows.row], fakes[fake]]).astype(np.float64)
    cell = _between(layout.value_start[:-1][groups], layout.value_start[1:][groups])
    of_cell = np.repeat(np.arange(len(groups)), np.diff(layout.value_start)[groups])
    return paired(
        (np.append(place, fake), np.append(rows.row, np.full(len(fake), -1)), mass),
        (
            of_cell,
            layout.value_codes[cell, 0].astype(np.int64),
            layout.often[cell].astype(np.float64),
        ),
        len(groups),
    )


def _classes(layout: CellLayout, placed: Placed, values: int) -> Array:
    """The quasi value of each row as a number; of many, classes in their order."""
    one, most = placed.coded, int(np.clip(_LARGEST // values, 2, SEPARATE))
    codes = layout.row_codes[:, placed.at].astype(np.int64)
    if one.size <= most:
        return codes
    rank = np.empty(one.size, dtype=np.int64)
    rank[pc.sort_indices(one.cells[0]).to_numpy()] = np.arange(one.size)
    found = cut(rank[codes], most, min(CLASSES, most))
    return np.where(one.missing[codes], found.max(initial=0) + 1, found)


def _each(layout: CellLayout, condition: Condition, groups: slice) -> tuple[Floats, Flags]:
    """Of each row of some groups the share that meets a condition, and whether each value does."""
    program = asked(layout, [condition])
    here, (there, of_row, alike), (valued, of_value, often) = layout.arrays
    until = slice(groups.start, groups.stop + 1)
    some = (
        tuple(part[groups] for part in here),
        (there, of_row[until], alike),
        (valued, of_value[until], often),
    )
    rows = len(there)
    flags, share, doubt = np.zeros(rows, dtype=np.uint8), np.zeros(rows), np.zeros(rows)
    held = np.zeros(len(valued), dtype=np.uint8)
    each(some, program.leaves, program.tables, program.programs, program.spans[0],
         (flags, share, doubt), held)  # fmt: skip
    return share, (held & MUST) > 0
