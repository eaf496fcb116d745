"""Look at a table through views: count the people of every group, and publish the groups.

==============  ===============================================================
combination     one of the different combinations of quasi values in the table
``Q``           number of the combination of published quasi values
``H``           index of a granule of the view
group           one pair (Q, H)
pair            one person in a group, with all their rows there
==============  ===============================================================

Rows stay with the engine. What arrives here are the combinations, sums over groups, and of the one
view that is published its groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.engines.base import COUNT, SUBJECT, TIME, Batch, Rows, Table, quasi, sensitive
from anachron.kernels.people import Events, events, pairs
from anachron.methods.granularity.view import Counts, Recoding, Spans, View
from anachron.schema import check_published

__all__ = ["Counting"]

GROUP = "group"

_FEW_TIMES = 1 << 16
"""So many different times are looked up in a table for each granularity."""
_INSTANT = pa.timestamp("us", "UTC")


class Counting:
    """Views of a table. A group may be published if it has k people, none with too many rows."""

    def __init__(self, table: Table, k: int, max_share: Fraction | None = None) -> None:
        self._table, self._k, self._share = table, k, max_share
        rows, names = table.held(), [quasi(column) for column in table.schema.quasi]
        different = rows.counts(names).numbered(names, "combination")
        told = different.collect("combination", *names)
        by = np.argsort(told["combination"])
        self._codes = {name: told[name][by] for name in names}
        self._rows, self._combinations = rows.join(different, names), len(by)
        # A search tests many granularities of one recoding in a row, and publishes the last view.
        self._sorted: tuple[tuple[Recoding, ...], Rows] | None = None
        self._grouped: tuple[View, Rows, Rows] | None = None
        self._granules: dict[Granules, Array] = {}

    def counts(self, view: View) -> Counts:
        """Reduce the table to counts."""
        of, groups = self._groups(view)
        told = groups.map(lambda batch: {"run": _run(view.time, batch)}).counts(
            ("fails", "run"),
            {"people": ("sum", COUNT), "smallest": ("least", COUNT), "rows": ("sum", "rows")},
        ).collect("fails", "run", COUNT, "people", "smallest", "rows")  # fmt: skip
        fails = told["fails"]
        number, people, rows, smallest = (
            told[name] for name in (COUNT, "people", "rows", "smallest")
        )
        failing = of.where("fails").counts((SUBJECT,)) if fails.any() else ()
        return Counts(
            rows=self._table.rows,
            outside=self._table.rows - int(rows.sum()),
            groups=int(number[~fails].sum()),
            smallest=0 if fails.all() else int(smallest[~fails].min()),
            people=int(people[~fails].sum()),
            failing_groups=int(number[fails].sum()),
            failing_rows=int(rows[fails].sum()),
            failing_people=len(failing),
            length=_total_length(view.time, told["run"], rows),
        )

    def publish(self, view: View) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Carry out a view: the rows of groups that may be published, in canonical order.

        The groups are numbered in the order in which they are published, so that a row needs only
        the number of its group; what is published of a group is looked up once per group.
        """
        _, groups = self._groups(view)
        kept = groups.where("kept").numbered(("Q", "H"), GROUP)
        number = self._numbered(view.quasi)
        names = [sensitive(column) for column in self._table.schema.sensitive]
        rows = self._rows.map(
            lambda batch: {
                "Q": number[batch["combination"]],
                "H": view.time.index(batch[TIME]),
            }
        ).join(kept, ("Q", "H"))  # fmt: skip
        rows = rows.map(lambda batch: {GROUP: batch[GROUP] + 1, "there": batch[GROUP] >= 0})
        held, batches = rows.where("there").ordered((GROUP, *names))
        columns = self._group_columns(view, number, kept.collect("Q", "H", GROUP))
        schema = pa.schema(
            [
                pa.field(GROUP, pa.int64(), nullable=False),
                *(pa.field(name, _plain(column.type)) for name, column in columns.items()),
                *(held.field(sensitive(c)).with_name(c) for c in self._table.schema.sensitive),
            ]
        )
        check_published(schema.names)
        return schema, _looked_up(batches, schema, columns)

    def spans(self, view: View) -> Spans:
        """The subjects with published rows, and the hull of their granules."""

        def bounds(batch: Batch) -> Batch:
            first, until = view.time.bounds(batch["H"])
            return {"first": first, "until": until}

        of, _ = self._groups(view)
        hull = {"first": ("least", "first"), "until": ("most", "until")}
        told = of.where("kept").map(bounds).counts((SUBJECT,), hull)
        found = told.collect(SUBJECT, "first", "until")
        return Spans(found[SUBJECT], found["first"], found["until"])

    def _groups(self, view: View) -> tuple[Rows, Rows]:
        """The pairs and groups of a view; those of the last one asked for are kept."""
        if self._grouped is None or self._grouped[0] is not view:
            self._grouped = None
            of = self._events(view.quasi).by(SUBJECT, partial(_pairs, self._granule(view.time)))
            summary = {"rows": ("sum", "rows"), "most": ("most", "rows")}
            groups = of.counts(("Q", "H"), summary).map(partial(_judged, self._k, self._share))
            self._grouped = view, of.join(groups, ("Q", "H")), groups
        return self._grouped[1:]

    def _events(self, recodings: tuple[Recoding, ...]) -> Rows:
        # Recodings compare by identity, and those kept here cannot be taken for later ones.
        if self._sorted is None or self._sorted[0] != recodings:
            self._sorted = None
            kernel = partial(
                _events, self._numbered(recodings), self._table.first, self._table.unit
            )
            self._sorted = recodings, self._rows.by(SUBJECT, kernel)
        return self._sorted[1]

    def _granule(self, time: Granules) -> Callable[[Array], Array]:
        """How to find the granule of times that are given in units since the first one."""
        first, unit = self._table.first, self._table.unit
        many = (self._table.last - first) // unit + 1
        if many > _FEW_TIMES:
            return lambda units: time.index(first + units * unit)
        if time not in self._granules:
            self._granules[time] = time.index(first + np.arange(many, dtype=np.int64) * unit)
        return self._granules[time].take

    def _numbered(self, recodings: Sequence[Recoding]) -> Array:
        """Number the published values of each combination, in their lexicographic order."""
        number, size = np.zeros(self._combinations, dtype=np.int64), 1
        for recoding in recodings:
            wide = int(recoding.codes.max(initial=0)) + 1
            if wide == 1:  # it is left out, or the same everywhere
                continue
            if size * wide > 2**62:
                number = np.unique(number, return_inverse=True)[1]
                size = int(number.max(initial=0)) + 1
            number = number * wide + recoding.codes[self._codes[quasi(recoding.column)]]
            size *= wide
        return number if size <= 4 * len(number) else np.unique(number, return_inverse=True)[1]

    def _group_columns(self, view: View, number: Array, groups: Batch) -> dict[str, pa.Array]:
        """The published quasi and time columns of each group."""
        by = np.argsort(groups[GROUP])
        combination = groups["Q"][by]
        index, place = np.unique(groups["H"][by], return_inverse=True)
        columns: dict[str, pa.Array] = {}
        # Any combination tells the published values of all that are published as it is.
        example = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int64)
        example[number] = np.arange(len(number))
        for recoding in view.quasi:
            codes = recoding.codes[self._codes[quasi(recoding.column)][example[combination]]]
            for name in recoding.published.column_names:
                values = recoding.published.column(name).combine_chunks()
                columns[name] = pa.DictionaryArray.from_arrays(codes.astype(np.int32), values)
        time = self._table.schema.time
        start, end = view.time.bounds(index)
        labels = pa.array(view.time.label(index), pa.string())
        columns[time] = pa.DictionaryArray.from_arrays(place.astype(np.int32), labels)
        columns[f"{time}_start"] = pa.array(start[place], _INSTANT)
        columns[f"{time}_end"] = pa.array(end[place], _INSTANT)
        return columns


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


def _judged(k: int, share: Fraction | None, batch: Batch) -> Batch:
    """Which groups have fewer than k people, or a person with too large a share."""
    fails = batch[COUNT] < k
    if share is not None:
        rows = batch["rows"]
        fails |= batch["most"] * share.denominator > rows * share.numerator
    return {"fails": fails, "kept": ~fails}


def _looked_up(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, columns: dict[str, pa.Array]
) -> Iterator[pa.RecordBatch]:
    """Put the published columns of its group beside each row."""
    for batch in batches:
        place = pa.array(batch.column(0).to_numpy() - 1)
        looked_up = [
            column.take(place).cast(schema.field(name).type) for name, column in columns.items()
        ]
        yield pa.RecordBatch.from_arrays(
            [batch.column(0), *looked_up, *batch.columns[1:]], schema=schema
        )


def _coded(who: pa.Array) -> pa.DictionaryArray:
    return who if pa.types.is_dictionary(who.type) else who.dictionary_encode()


def _codes(who: pa.DictionaryArray) -> Array:
    return np.asarray(who.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _named(codes: Array, who: pa.DictionaryArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), who.dictionary, safe=False)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Publish plain values, not codes."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _run(time: Granules, batch: Batch) -> Array:
    """The run of granules in which each group is."""
    granule: Array = batch["H"]
    return np.searchsorted(time.first, granule, side="right") - 1


def _total_length(time: Granules, run: Array, rows: Array) -> int:
    """Sum over the rows of the length of their granule, exactly."""
    # Pieces of one granule have the same index: its length is that of all of them.
    granule = np.unique(time.first, return_inverse=True)[1]
    length = np.zeros(len(time.first), dtype=np.int64)
    np.add.at(length, granule, time.width)
    length = length[granule]
    return sum(int(n) * int(length[r]) for r, n in zip(run, rows, strict=True))
