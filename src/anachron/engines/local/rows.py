"""Rows held in this process, as one batch: whole columns in numpy and Arrow.

A kernel sees all rows at once, so that every verb is a few passes over arrays. Columns are made
when they are first asked for: what a verb does not look at costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.engines.base import ABSENT, COUNT, Batch, Column, Kernel, Rows, Summary
from anachron.engines.local.grouping import (
    Grouped,
    added_up,
    ascends,
    grouped,
    looked_up,
    sorted_up,
)
from anachron.engines.reading import held
from anachron.kernels.sorting import in_parts
from anachron.streamed import Streamed

__all__ = ["LocalRows", "Streaming"]


_BATCH = 1 << 17


class Streaming(Protocol):
    """Where rows come from: columns that are not held, and room to sort what does not fit."""

    def streams(self, name: str) -> bool:
        """Whether it gives a column so."""

    def stream(self, names: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Give columns of all rows in their order, some rows at a time."""

    def sort(
        self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """Sort rows by all their columns."""


class _Columns(dict[str, Column]):
    """Columns that were made, and how to make the others."""

    def __init__(self, later: Mapping[str, Callable[[], Column]]) -> None:
        super().__init__()
        self.later = later

    def __missing__(self, name: str) -> Column:
        column = self[name] = self.later[name]()
        return column


@dataclass(frozen=True, eq=False)
class LocalRows:
    """See :class:`anachron.engines.base.Rows`."""

    size: int
    later: Mapping[str, Callable[[], Column]] = field(repr=False)
    """How each column is made."""
    source: Streaming | None = field(default=None, repr=False)
    chosen: Array | None = field(default=None, repr=False)
    """The places of these rows among those of the source, if they are not all."""
    _of: tuple[Batch, Grouped] | None = field(default=None, repr=False)
    """What these rows count, if they do: the keys, and the place of each row among them."""
    _columns: _Columns = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_columns", _Columns(self.later))

    @classmethod
    def of(cls, columns: Batch) -> LocalRows:
        """Hold columns as they are."""
        size = len(next(iter(columns.values()), ()))
        return cls(size, {name: partial(_same, column) for name, column in columns.items()})

    def __len__(self) -> int:
        return self.size

    def map(self, kernel: Kernel, together: str | None = None) -> LocalRows:  # noqa: ARG002
        """Add columns, or replace them: all rows are together."""
        return self._with(kernel(self._columns))

    def by(self, key: str, kernel: Kernel) -> LocalRows:  # noqa: ARG002
        """Put what a kernel makes of all rows in their place."""
        return LocalRows.of(kernel(self._columns))

    def kept(self) -> LocalRows:
        """Columns are made once anyway."""
        return self

    def where(self, flag: str) -> LocalRows:
        """Keep the rows of which a column is true."""
        keeps: Flags = self._columns[flag]
        if keeps.all():
            return self
        rows = np.flatnonzero(keeps)
        later = {name: partial(self._taken, name, rows) for name in self.later}
        chosen = rows if self.chosen is None else self.chosen[rows]
        return LocalRows(len(rows), later, self.source, chosen)

    def only(self, *columns: str) -> LocalRows:
        """Keep some columns."""
        later = self._same()
        return self._like({name: later[name] for name in columns})

    def counts(self, keys: Sequence[str], summary: Summary | None = None) -> LocalRows:
        """Give one row for each combination of keys, in ascending order."""
        columns = {key: self._columns[key] for key in keys}
        found = grouped(list(columns.values()), self.size)
        later: dict[str, Callable[[], Column]] = {
            key: partial(_same, column) for key, column in zip(keys, found.keys, strict=True)
        }
        later[COUNT] = partial(_same, found.sizes)
        for name, (how, of) in (summary or {}).items():
            later[name] = partial(added_up, how, self._columns[of], found)
        return LocalRows(len(found.sizes), later, _of=(columns, found))

    def join(self, other: Rows | Batch, on: Sequence[str]) -> LocalRows:
        """Add the columns of other rows by equal keys."""
        others = other if isinstance(other, LocalRows) else LocalRows.of(other)  # type: ignore[arg-type]
        place = self._place(others, on)
        found = {
            name: partial(_picked, others, name, place) for name in others.later if name not in on
        }
        return self._like({**self._same(), **found})

    def recall(self, table: Streamed, read: Kernel, on: Sequence[str]) -> LocalRows:
        """Join what a kernel reads in the batches of a table."""
        return self.join(held(table, read), on)

    def numbered(self, keys: Sequence[str], name: str) -> LocalRows:
        """Add the place of each row in the order of some columns."""
        columns = [self._columns[key] for key in keys]
        number = np.arange(self.size, dtype=np.int64)
        if not ascends(columns):
            number[np.lexsort(columns[::-1])] = number.copy()
        return self._with({name: number})

    def dealt(self, cell: str, lot: str, parts: Batch, name: str) -> LocalRows:
        """Add where each row goes."""
        goes = in_parts(
            self._columns[cell],
            self._columns[lot],
            parts["cell"],
            parts["count"],
            parts["to"],
            ABSENT,
        )
        return self._with({name: goes})

    def ordered(self, keys: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Give these columns, sorted by all of them; what is not held goes by without being so."""
        if self.source is None:
            whole = self._sorted(keys)
            return whole.schema, iter(whole.to_batches(max_chunksize=_BATCH))
        streamed = [key for key in keys if self.source.streams(key)]
        held = {key: pa.array(self._columns[key]) for key in keys if key not in streamed}
        if not streamed:
            table = pa.table(held)
            return table.schema, self.source.sort(table.schema, iter(table.to_batches()))
        others, batches = self.source.stream(streamed)
        schema = pa.schema([*((key, column.type) for key, column in held.items()), *others])
        return schema, self.source.sort(schema, self._beside(held, batches, schema))

    def listed(self, keys: Sequence[str], rows: int) -> Streamed:  # noqa: ARG002
        """Give these columns, sorted by all of them, as often as they are asked for."""
        return Streamed.of(self._sorted(keys))

    def _sorted(self, keys: Sequence[str]) -> pa.Table:
        return sorted_up({key: self._columns[key] for key in keys})

    def _beside(
        self, held: Mapping[str, pa.Array], batches: Iterator[pa.RecordBatch], schema: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        """Lay columns of these rows beside what the source gives of all of its own."""
        at = begin = 0
        for batch in batches:
            end = begin + len(batch)
            if self.chosen is not None:
                here = self.chosen[at : np.searchsorted(self.chosen, end)] - begin
                batch = batch.take(pa.array(here))
            parts = [column.slice(at, len(batch)) for column in held.values()]
            yield pa.RecordBatch.from_arrays([*parts, *batch.columns], schema=schema)
            at, begin = at + len(batch), end

    def collect(self, *columns: str) -> Batch:
        """Give columns of all rows, in their order."""
        return {name: self._columns[name] for name in columns}

    def _same(self) -> dict[str, Callable[[], Column]]:
        return {name: partial(self._columns.__getitem__, name) for name in self.later}

    def _with(self, columns: Batch) -> LocalRows:
        given = {name: partial(_same, column) for name, column in columns.items()}
        return self._like({**self._same(), **given})

    def _like(self, later: Mapping[str, Callable[[], Column]]) -> LocalRows:
        """The same rows with other columns."""
        return LocalRows(self.size, later, self.source, self.chosen, self._of)

    def _taken(self, name: str, rows: Array) -> Column:
        column = self._columns[name]
        return column[rows] if isinstance(column, np.ndarray) else column.take(pa.array(rows))

    def _place(self, others: LocalRows, on: Sequence[str]) -> Array:
        """Where the keys of each row are among others."""
        mine = [self._columns[key] for key in on]
        if others._of is not None:
            counted, found = others._of
            # They count these very rows, so that it is known already.
            if list(counted) == list(on) and all(map(_is, mine, counted.values())):
                return found.number
        return looked_up(mine, [others._columns[key] for key in on])


def _same(column: Column) -> Column:
    return column


def _is(one: object, other: object) -> bool:
    return one is other


def _picked(others: LocalRows, name: str, place: Array) -> Column:
    column = others._columns[name]
    absent = place < 0
    if not absent.any():
        return column[place] if isinstance(column, np.ndarray) else column.take(pa.array(place))
    if not isinstance(column, np.ndarray):
        return column.take(pa.array(place, mask=absent))
    fill = ABSENT if column.dtype.kind == "i" else 0
    if not len(column):
        return np.full((len(place), *column.shape[1:]), fill, dtype=column.dtype)
    # The first stands in for those who are not there.
    found = column.take(np.maximum(place, 0), axis=0)
    found[absent] = fill
    return found
