"""Published rows that are nobody's, by a table that is not held, and without a ledger.

Rows and records are counted by their value, and by their quasi values: those are put aside in
parts, each with all that is alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Words
from anachron.auditing.evidence.compared import quasi_codes, strange_rows
from anachron.auditing.evidence.happened import first_instant
from anachron.auditing.evidence.records import RecordColumn, homes_of
from anachron.auditing.reading.columns import coded, places, plain_zero_values, whole
from anachron.auditing.reading.feed import FeedRows, Ranked
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.pieces import Published
from anachron.auditing.reading.spelled import places_in
from anachron.auditing.reading.succession import succession
from anachron.behind import Large, Passing
from anachron.behind.dealt import dealt, ways

__all__ = ["strange_in_passing"]


def strange_in_passing(form: Feed, published: Published, table: Large) -> int:
    """See :func:`anachron.auditing.evidence.compared.rows_of_nobody`."""
    starts = [rows.snapshots.start.min(initial=0) for rows in published]
    ends = [rows.snapshots.end.max(initial=0) for rows in published]
    low = min([first_instant(table), int(min(starts))])
    walked = succession(form.promise.snapshot, form.zone, low, max(int(max(ends)), low + 1))
    if walked is None or not len(walked[0]):
        return 0
    both = _Both(form, published, table, walked)
    lost = sum(
        int((places(walked[0], rows.snapshots.start)[rows.row_snapshot] < 0).sum())
        for rows in published
    )
    return max(lost, both.by_value(), both.by_quasi())


_Side = tuple[list[Array], Array, Array]
"""The codes of some records, or of rows; the snapshot of each; and how many rows, or none."""


@dataclass(frozen=True, eq=False)
class _Both:
    """Rows and records."""

    form: Feed
    published: Published
    table: Large
    walked: tuple[Array, Array]

    def by_value(self) -> int:
        """How many rows there are too many of their values."""
        domain = _domain([rows.domain for rows in self.published])
        return self._strange(self._values(domain), 1)

    def by_quasi(self) -> int:
        """How many rows there are too many of their quasi values."""
        names = self.form.quasi
        if not names:
            return 0
        several: list[list[pa.Array]] = [[] for _ in names]
        for rows in self.published:
            for found, column in zip(several, rows.quasi, strict=True):
                found.append(column.domain)
        return self._strange(self._quasi(list(map(_domain, several))), len(names))

    def _values(self, domain: pa.Array) -> Iterator[_Side]:
        for rows in self.table.passing():
            found = coded(rows.sensitive.column(0))
            place = np.append(places_in(domain, found.dictionary, exact=self.form.exact), -1)
            value = place[whole(found.indices, -1)]
            home, here = self._homes(rows)
            here &= value >= 0
            yield [value[here]], home[here], np.zeros(int(here.sum()), dtype=np.int64)
        for some in self.published:
            cells = some.values
            known = cells.place >= 0
            at = self._positions(some)[some.snapshot[cells.place[known]]]
            # A missing value is the one after the last.
            value = np.append(whole(pc.index_in(some.domain, domain), -1), len(domain))
            yield [value[cells.value[known]]], at, cells.count[known]

    def _quasi(self, domains: Sequence[pa.Array]) -> Iterator[_Side]:
        ranked = [Ranked(np.zeros(0, dtype=np.int64), domain) for domain in domains]
        values = [plain_zero_values(self.table.values[name]) for name in self.form.names]
        for rows in self.table.passing():
            home, here = self._homes(rows)
            codes = [
                quasi_codes(RecordColumn(rows.quasi[name].codes[here], held), column)
                for name, held, column in zip(self.form.names, values, ranked, strict=True)
            ]
            yield codes, home[here], np.zeros(int(here.sum()), dtype=np.int64)
        for some in self.published:
            codes = [
                np.append(whole(pc.index_in(mine.domain, domain), -1), len(domain))[mine.rank]
                for mine, domain in zip(some.quasi, domains, strict=True)
            ]
            at = self._positions(some)[some.row_snapshot]
            yield codes, at, np.ones(len(at), dtype=np.int64)

    def _homes(self, rows: Passing) -> tuple[Array, Flags]:
        home = homes_of(rows.instants, *self.walked)
        return home, (home >= 0) & (home < len(self.walked[0]))

    def _positions(self, rows: FeedRows) -> Array:
        return places(self.walked[0], rows.snapshots.start)

    def _strange(self, sides: Iterable[_Side], many: int) -> int:
        """Put both sides into parts, and count the rows that are too many in each."""
        names = [f"code {at}" for at in range(many)]
        kinds = pa.schema([(name, pa.int64()) for name in (*names, "at", "rows")])
        parts = ways(self.table.rows, self.table.at_once)
        numbered = (
            (
                (_number(codes) % np.uint64(parts)).astype(np.int64),
                pa.table([*codes, at, rows], schema=kinds),
            )
            for codes, at, rows in sides
        )
        strange = 0
        for some in dealt(numbered, kinds, parts, self.table.aside, self.table.at_once):
            codes = np.stack([some[name].to_numpy() for name in names])
            key = np.unique(codes, axis=1, return_inverse=True)[1].reshape(-1)
            at, rows = some["at"].to_numpy(), some["rows"].to_numpy()
            mine, theirs = rows == 0, rows != 0
            sizes = (rows[theirs], self.form.promise.window)
            strange += strange_rows(key[mine], at[mine], key[theirs], at[theirs], *sizes)
        return strange


def _domain(several: Sequence[pa.Array]) -> pa.Array:
    """All of some values once, ascending."""
    found = pa.concat_arrays(list(several)).unique()
    return found.take(pc.sort_indices(found))


def _number(codes: Sequence[Array]) -> Words:
    """A number for each combination of codes, the same for the same."""
    found = np.zeros(len(codes[0]), dtype=np.uint64)
    for code in codes:
        found = (found ^ code.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found
