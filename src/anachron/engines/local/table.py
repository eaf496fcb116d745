"""A table held in this process: coded columns for counting, DuckDB for moving rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes, Floats, Words
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.engines.base import Counts, Recoding, Rule, Spans, View
from anachron.engines.local.load import Loaded, load
from anachron.engines.local.publish import published
from anachron.kernels.people import Events, Groups, events, groups
from anachron.schema import Schema

__all__ = ["LocalTable", "read"]


_FEW_TIMES = 1 << 16
"""So many different times are looked up in a table for each granularity."""
_FEW_RECODINGS = 2
"""A search with more recodings than this works on different combinations, not on rows."""


def read(table: object, schema: Schema) -> LocalTable:
    """Read and check a table of any accepted kind."""
    return LocalTable(load(table, schema))


class LocalTable:
    """See :class:`anachron.engines.base.Table`."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.schema = loaded.schema
        self.rows = loaded.rows
        self.subjects = len(loaded.subject_values)
        self.first = int(loaded.instants.min())
        self.last = int(loaded.instants.max())
        self.recorded_by = loaded.recorded_by
        self.notes = loaded.notes
        # The last sorted events, by what they were sorted for: a search tests many
        # granularities of one recoding in a row.
        self._sorted: tuple[tuple[Recoding, ...], Events] | None = None
        self._grouped: tuple[View, Groups] | None = None
        self._granules: dict[Granules, Array] = {}
        self._recoded = 0

    def digest(self) -> str:
        """A digest of the rows and roles, whatever their order."""
        return self.loaded.digest()

    def people(self) -> pa.Array:
        """The subject of each row."""
        return pa.DictionaryArray.from_arrays(self.loaded.subject, self.loaded.subject_values)

    def column(self, name: str) -> pa.Array:
        """A quasi or sensitive column, as it is worked with and published."""
        if name in self.loaded.quasi:
            coded = self.loaded.quasi[name]
            return coded.values.take(pa.array(coded.codes))
        batches = list(self.loaded.sensitive(1 << 17))
        return pa.Table.from_batches(batches).column(name).combine_chunks()

    @property
    def instants(self) -> Array:
        """The instant of each row, in microseconds since 1970."""
        return self.loaded.instants

    def codes(self, column: str) -> Codes:
        """Of each row, the place of its quasi value among the distinct ones."""
        return self.loaded.quasi[column].codes

    def series(self) -> Floats:
        """The columns of a series side by side; NaN where a value is missing."""
        return self.loaded.series

    @property
    def whole_series(self) -> bool:
        """Whether all columns of the series hold whole numbers, by their types."""
        return self.loaded.whole_series

    def row_keys(self, secret: bytes) -> Words:
        """Two keyed hashes of each row, whatever the order of the rows."""
        return self.loaded.row_keys(secret)

    def values(self, column: str) -> pa.Array:
        """The distinct values of a quasi column, in ascending order, null last."""
        return self.loaded.quasi[column].values

    def frequencies(self, column: str) -> Array:
        """How many rows hold each of them."""
        coded = self.loaded.quasi[column]
        return np.bincount(coded.codes, minlength=len(coded.values))

    def counts(self, view: View, rule: Rule) -> Counts:
        """Reduce the table to counts."""
        found = self._groups(view)
        fails = found.failing(rule.k, rule.max_share)
        obeys = ~fails
        return Counts(
            rows=self.rows,
            outside=found.outside,
            groups=int(obeys.sum()),
            smallest=int(found.people[obeys].min(initial=self.subjects)) if obeys.any() else 0,
            people=int(found.people[obeys].sum()),
            failing_groups=int(fails.sum()),
            failing_rows=int(found.rows[fails].sum()),
            failing_people=found.people_of(fails),
            length=_total_length(view.time, found),
        )

    def publish(self, view: View, rule: Rule) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Carry out a view: the rows of groups that obey the rule, in canonical order."""
        found = self._groups(view)
        obeys = ~found.failing(rule.k, rule.max_share)
        row_q, row_h = self._combinations(view.quasi), view.time.index(self.loaded.instants)
        return published(self.loaded, view, (found.Q[obeys], found.H[obeys]), row_q, row_h)

    def spans(self, view: View, rule: Rule) -> Spans:
        """The subjects with published rows, and the hull of their granules."""
        found = self._groups(view)
        kept = ~found.failing(rule.k, rule.max_share)[found.pair_group]
        subject = found.pair_subject[kept]
        start, end = view.time.bounds(found.H[found.pair_group[kept]])
        first = np.full(self.subjects, np.iinfo(np.int64).max)
        until = np.full(self.subjects, np.iinfo(np.int64).min)
        np.minimum.at(first, subject, start)
        np.maximum.at(until, subject, end)
        there = np.flatnonzero(first <= until)
        return Spans(self.loaded.subject_values.take(there), first[there], until[there])

    def close(self) -> None:
        """Let go of what the engine holds."""
        self._sorted = self._grouped = None
        self.loaded.close()

    @cached_property
    def _unit(self) -> int:
        """The largest unit in which all times can be told."""
        return max(int(np.gcd.reduce(self.loaded.instants - self.first)), 1)

    def _groups(self, view: View) -> Groups:
        """The groups of a view; those of the last one asked for are kept."""
        if self._grouped is None or self._grouped[0] is not view:
            self._grouped = None
            self._grouped = view, self._grouped_anew(view)
        return self._grouped[1]

    def _grouped_anew(self, view: View) -> Groups:
        # Recodings compare by identity, and those kept here cannot be taken for later ones.
        sorted_for = view.quasi
        if self._sorted is None or self._sorted[0] != sorted_for:
            self._sorted = None
            times = (self.loaded.instants - self.first) // self._unit
            row_q = self._combinations(view.quasi)
            self._sorted = sorted_for, events(row_q, self.loaded.subject.astype(np.int64), times)
        of = self._sorted[1]
        return groups(of, self._granule(view.time, of.T), OUTSIDE)

    def _granule(self, time: Granules, units: Array) -> Array:
        """The granule of each time, given in units since the first one."""
        many = (self.last - self.first) // self._unit + 1
        if many > _FEW_TIMES:
            return time.index(self.first + units * self._unit)
        if time not in self._granules:
            every = np.arange(many, dtype=np.int64)
            self._granules[time] = time.index(self.first + every * self._unit)
        return self._granules[time][units]

    def _combinations(self, quasi: Sequence[Recoding]) -> Array:
        """Number the combinations of published quasi values, in their lexicographic order."""
        self._recoded += 1
        if self._recoded <= _FEW_RECODINGS:
            codes = {name: coded.codes for name, coded in self.loaded.quasi.items()}
            return _numbered(codes, quasi, self.rows)
        row, codes = self._different
        return _numbered(codes, quasi, len(next(iter(codes.values()), row)))[row]

    @cached_property
    def _different(self) -> tuple[Array, dict[str, Codes]]:
        """Of each row its combination of quasi values, and the values of each combination."""
        codes = {name: coded.codes for name, coded in self.loaded.quasi.items()}
        raw = [
            Recoding(name, np.arange(len(coded.values)), pa.table({}))
            for name, coded in self.loaded.quasi.items()
        ]
        number = _numbered(codes, raw, self.rows)
        _, first, row = np.unique(number, return_index=True, return_inverse=True)
        return row, {name: column[first] for name, column in codes.items()}


def _numbered(codes: Mapping[str, Codes], quasi: Sequence[Recoding], rows: int) -> Array:
    number = np.zeros(rows, dtype=np.int64)
    size = 1
    for recoding in quasi:
        wide = max(int(recoding.codes.max(initial=0)) + 1, 1)
        if wide == 1:  # it is left out, or the same everywhere
            continue
        if size * wide > 2**62:
            number = np.unique(number, return_inverse=True)[1]
            size = int(number.max(initial=0)) + 1
        number = number * wide + recoding.codes[codes[recoding.column]]
        size *= wide
    if size > 4 * rows:
        number = np.unique(number, return_inverse=True)[1]
    return number


def _total_length(time: Granules, found: Groups) -> int:
    """Sum over the rows of the length of their granule, exactly."""
    run = np.searchsorted(time.first, found.H, side="right") - 1
    rows = np.bincount(run, weights=found.rows, minlength=len(time.first)).astype(np.int64)
    # Pieces of one granule have the same index: its length is that of all of them.
    granule = np.unique(time.first, return_inverse=True)[1]
    length = np.zeros(len(time.first), dtype=np.int64)
    np.add.at(length, granule, time.width)
    length = length[granule]
    return sum(int(r) * int(n) for r, n in zip(rows, length, strict=True) if r)
