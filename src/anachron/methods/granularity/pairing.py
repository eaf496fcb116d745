"""Look at a table through views: who is in which group, whatever is promised of groups.

==============  ===============================================================
combination     one of the different combinations of quasi values in the table
``Q``           number of the combination of published quasi values
``H``           index of a granule of the view
group           one pair (Q, H)
pair            one person in a group, with all their rows there
==============  ===============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.engines.base import SUBJECT, TIME, Batch, Rows, Table, quasi
from anachron.kernels.people import Events, events, pairs
from anachron.methods.granularity.view import Recoding, View

__all__ = ["Pairing", "exceeded", "run_of", "total_length"]

_FEW_TIMES = 1 << 16
"""So many different times are looked up in a table for each granularity."""


class Pairing:
    """The people of a table in the groups of its views."""

    def __init__(self, table: Table) -> None:
        self.table = table
        rows, names = table.held(), [quasi(column) for column in table.schema.quasi]
        different = rows.counts(names).numbered(names, "combination")
        told = different.collect("combination", *names)
        by = np.argsort(told["combination"])
        self.codes = {name: told[name][by] for name in names}
        """Of each combination, the place of its value in each column."""
        self.rows, self._combinations = rows.join(different, names), len(by)
        # A search tests many granularities of one recoding in a row, and publishes the last view.
        self._sorted: tuple[tuple[Recoding, ...], Rows] | None = None
        self._paired: tuple[View, Rows, Rows] | None = None
        self._granules: dict[Granules, Array] = {}

    def paired(self, view: View) -> tuple[Rows, Rows]:
        """The pairs and groups of a view; those of the last one asked for are kept.

        Of each group: how many people it has, their rows, and the ``most`` that one of them has.
        """
        if self._paired is None or self._paired[0] is not view:
            self._paired = None
            of = self._events(view.quasi).by(SUBJECT, partial(_pairs, self._granule(view.time)))
            summary = {"rows": ("sum", "rows"), "most": ("most", "rows")}
            self._paired = view, of, of.counts(("Q", "H"), summary)
        return self._paired[1:]

    def _events(self, recodings: tuple[Recoding, ...]) -> Rows:
        # Recodings compare by identity, and those kept here cannot be taken for later ones.
        if self._sorted is None or self._sorted[0] != recodings:
            self._sorted = None
            kernel = partial(_events, self.numbered(recodings), self.table.first, self.table.unit)
            self._sorted = recodings, self.rows.by(SUBJECT, kernel)
        return self._sorted[1]

    def _granule(self, time: Granules) -> Callable[[Array], Array]:
        """How to find the granule of times that are given in units since the first one."""
        first, unit = self.table.first, self.table.unit
        many = (self.table.last - first) // unit + 1
        if many > _FEW_TIMES:
            return lambda units: time.index(first + units * unit)
        if time not in self._granules:
            self._granules[time] = time.index(first + np.arange(many, dtype=np.int64) * unit)
        return self._granules[time].take

    def numbered(self, recodings: Sequence[Recoding]) -> Array:
        """Number the published values of each combination, in their lexicographic order."""
        number, size = np.zeros(self._combinations, dtype=np.int64), 1
        for recoding in recodings:
            wide = int(recoding.codes.max(initial=0)) + 1
            if wide == 1:  # it is left out, or the same everywhere
                continue
            if size * wide > 2**62:
                number = np.unique(number, return_inverse=True)[1]
                size = int(number.max(initial=0)) + 1
            number = number * wide + recoding.codes[self.codes[quasi(recoding.column)]]
            size *= wide
        return number if size <= 4 * len(number) else np.unique(number, return_inverse=True)[1]


def _events(number: Array, first: int, unit: int, batch: Batch) -> Batch:
    """Different (Q, subject, time), in that order; times in units since the first one."""
    who, times = _coded(batch[SUBJECT]), batch[TIME]
    of = events(number[batch["combination"]], _codes(who), (times - first) // unit)
    return {"Q": of.Q, SUBJECT: _named(of.U, who), "T": of.T, "rows": of.rows}


def _pairs(granule: Callable[[Array], Array], batch: Batch) -> Batch:
    """Different (Q, subject, H), of events in their order."""
    of, units, rows = (batch[name] for name in ("Q", "T", "rows"))
    who = batch[SUBJECT]
    found = pairs(Events(of, _codes(who), units, rows), granule(units), OUTSIDE)
    return {"Q": found.Q, "H": found.H, SUBJECT: _named(found.U, who), "rows": found.rows}


def _coded(who: pa.Array) -> pa.DictionaryArray:
    return who if pa.types.is_dictionary(who.type) else who.dictionary_encode()


def _codes(who: pa.DictionaryArray) -> Array:
    return np.asarray(who.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _named(codes: Array, who: pa.DictionaryArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), who.dictionary, safe=False)


def exceeded(max_share: Fraction, rows: Array, most: Array) -> Flags:
    """Where one person has more than a share of the rows of a group, exactly."""
    beyond: Flags = most * max_share.denominator > rows * max_share.numerator
    return beyond


def run_of(time: Granules, batch: Batch) -> Array:
    """The run of granules in which each group is."""
    granule: Array = batch["H"]
    return np.searchsorted(time.first, granule, side="right") - 1


def total_length(time: Granules, run: Array, rows: Array) -> int:
    """Sum over the rows of the length of their granule, exactly."""
    # Pieces of one granule have the same index: its length is that of all of them.
    granule = np.unique(time.first, return_inverse=True)[1]
    length = np.zeros(len(time.first), dtype=np.int64)
    np.add.at(length, granule, time.width)
    length = length[granule]
    return sum(int(n) * int(length[r]) for r, n in zip(run, rows, strict=True))
