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

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import COUNT, SUBJECT, TIME, Batch, Rows, Table, quasi, sensitive
from anachron.methods.granularity.pairing import Pairing, exceeded, run_of, total_length
from anachron.methods.granularity.view import Counts, View
from anachron.schema import check_published

__all__ = ["Counting"]

GROUP = "group"

_INSTANT = pa.timestamp("us", "UTC")


class Counting:
    """Views of a table. A group may be published if it has k people, none with too many rows."""

    def __init__(
        self,
        table: Table,
        k: int,
        max_share: Fraction | None = None,
        pairing: Pairing | None = None,
    ) -> None:
        self._table, self._k, self._share = table, k, max_share
        self._pairing = pairing or Pairing(table)

    def counts(self, view: View) -> Counts:
        """Reduce the table to counts."""
        of, groups = self._groups(view)
        told = groups.map(lambda batch: {"run": run_of(view.time, batch)}).counts(
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
            length=total_length(view.time, told["run"], rows),
        )

    def publish(self, view: View) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Carry out a view: the rows of groups that may be published, in canonical order.

        The groups are numbered in the order in which they are published, so that a row needs only
        the number of its group; what is published of a group is looked up once per group.
        """
        _, groups = self._groups(view)
        kept = groups.where("kept").numbered(("Q", "H"), GROUP)
        number = self._pairing.numbered(view.quasi)
        names = [sensitive(column) for column in self._table.schema.sensitive]
        rows = self._pairing.rows.map(
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

    def spans(self, view: View) -> Rows:
        """The subjects with published rows, and the hull of their granules: first and until."""

        def bounds(batch: Batch) -> Batch:
            first, until = view.time.bounds(batch["H"])
            return {"first": first, "until": until}

        of, _ = self._groups(view)
        hull = {"first": ("least", "first"), "until": ("most", "until")}
        return of.where("kept").map(bounds).counts((SUBJECT,), hull)

    def _groups(self, view: View) -> tuple[Rows, Rows]:
        """The pairs and groups of a view, and which of them may be published."""
        of, groups = self._pairing.paired(view)
        judged = groups.map(partial(_judged, self._k, self._share))
        return of.join(judged, ("Q", "H")), judged

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
            codes = recoding.codes[
                self._pairing.codes[quasi(recoding.column)][example[combination]]
            ]
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


def _judged(k: int, share: Fraction | None, batch: Batch) -> Batch:
    """Which groups have fewer than k people, or a person with too large a share."""
    fails = batch[COUNT] < k
    if share is not None:
        fails |= exceeded(share, batch["rows"], batch["most"])
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


def _plain(kind: pa.DataType) -> pa.DataType:
    """Publish plain values, not codes."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind
