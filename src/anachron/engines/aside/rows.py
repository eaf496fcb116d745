"""Rows that lie aside: pieces on a disk, and steps that wait until somebody asks for columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.aside.pieces import Base, Held, Pieces, Store, laid_together
from anachron.engines.aside.steps import Chosen, Found, Mapped, Replaced, Step, Summed, needed
from anachron.engines.base import COUNT, Batch, Kernel, Rows, Summary
from anachron.engines.local.rows import LocalRows
from anachron.engines.spark.columns import Carried, kind_of
from anachron.engines.spark.steps import shown
from anachron.streamed import Streamed

__all__ = ["AsideRows", "Sorting"]

Sorting = Callable[[pa.Schema, Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""Sorts rows by all their columns, on a disk where it must be."""


class AsideRows:
    """See :class:`anachron.engines.base.Rows`."""

    def __init__(
        self,
        store: Store,
        sort: Sorting,
        base: Base,
        steps: tuple[Step, ...] = (),
        kinds: Mapping[str, Carried] | None = None,
        key: frozenset[str] = frozenset(),
        *,
        is_made: bool = False,
    ) -> None:
        self.store, self.sort, self.base, self.steps = store, sort, base, steps
        self.is_made = is_made
        """Whether these rows are kept as a kernel made them: what another makes of them is not."""
        self.kinds = base.kinds if kinds is None else kinds
        self.key = key
        """Rows with the same values in these columns are in one piece, if there are any."""
        self._dealt: dict[str, AsideRows] = {}

    def __len__(self) -> int:
        return self._size

    @cached_property
    def _size(self) -> int:
        return sum(len(rows) for rows in self.batches(frozenset()))

    def map(self, kernel: Kernel, together: str | None = None) -> AsideRows:
        """Add columns, or replace them."""
        reads, made = shown(kernel, self.kinds)
        step, kinds = Mapped(kernel, reads, frozenset(made)), {**self.kinds, **made}
        rows = self if together is None else self._gathered(together, frozenset(self.kinds))
        return rows._with((*rows.steps, step), kinds)

    def by(self, key: str, kernel: Kernel) -> AsideRows:
        """Put what a kernel makes of all rows of some keys in their place."""
        reads, made = shown(kernel, self.kinds)
        step, kinds = Replaced(kernel, reads), made
        rows = self._gathered(key, reads | {key})
        rows = rows._with((*rows.steps, step), kinds)
        return rows if self.is_made else rows.settled(is_made=True)

    def settled(self, *, is_made: bool = False) -> AsideRows:
        """The same rows, kept as they are made: they will be asked for again and again."""
        several = (rows.collect(*self.kinds) for rows in self.batches(frozenset(self.kinds)))
        kept = self.store.keep(several, self.kinds)
        return AsideRows(self.store, self.sort, kept, (), None, self.key, is_made=is_made)

    def kept(self) -> AsideRows:
        """Make all columns once."""
        return self.settled()

    def where(self, flag: str) -> AsideRows:
        """Keep the rows of which a column is true."""
        return self._with((*self.steps, Chosen(flag)), self.kinds)

    def only(self, *columns: str) -> AsideRows:
        """Keep some columns."""
        kinds = {name: self.kinds[name] for name in columns}
        return AsideRows(
            self.store, self.sort, self.base, self.steps, kinds, self.key, is_made=self.is_made
        )

    def counts(self, keys: Sequence[str], summary: Summary | None = None) -> AsideRows:
        """Give one row for each combination of keys: of each piece, and then of all."""
        step = Summed(tuple(keys), dict(summary or {}))
        empty = LocalRows.of({name: kind.empty() for name, kind in self.kinds.items()})
        kinds = {name: kind_of(c) for name, c in _counted_kinds(step, empty).items()}
        if self.key and self.key <= frozenset(keys):
            return self._with((*self.steps, step), kinds)
        plain = {name: kind.plain for name, kind in kinds.items()}
        counted = self._with((*self.steps, step), kinds)
        return self._added_up(step.again, plain, counted.batches(frozenset(kinds)))

    def _added_up(
        self, again: Summed, kinds: Mapping[str, Carried], counted: Iterator[LocalRows]
    ) -> AsideRows:
        """Add counts up in memory as long as there are few; else where those of a key meet."""
        parts: list[Batch] = []
        rows = least = 0
        for one in counted:
            parts.append(one.collect(*kinds))
            rows += len(one)
            if rows > 2 * least + self.store.few // 4:
                parts = [again(LocalRows.of(laid_together(parts, kinds))).collect(*kinds)]
                rows = least = len(next(iter(parts[0].values())))
            if least > self.store.few:
                every = chain(parts, (more.collect(*kinds) for more in counted))
                pieces = self.store.deal(every, kinds, again.keys, 4 * self.store.parts(least))
                return self._of(pieces, (again,), frozenset(again.keys))
        whole = again(LocalRows.of(laid_together(parts, kinds))).collect(*kinds)
        return self._of(Held(kinds, {name: _plain(c) for name, c in whole.items()}))

    def join(self, other: Rows | Batch, on: Sequence[str]) -> AsideRows:
        """Add the columns of other rows: few are looked up, many meet in pieces."""
        if isinstance(other, AsideRows):
            few = other.fetched(self.store.few)
            if few is None:
                return self._of(Meeting(self, other, tuple(on)), key=frozenset(on))
            other = few
        others: Batch = other  # type: ignore[assignment]
        if not on:
            return self.map(partial(_everywhere, dict(others), next(iter(self.kinds))))
        found = {name: kind_of(column) for name, column in others.items() if name not in on}
        return self._with((*self.steps, Found(others, tuple(on))), {**self.kinds, **found})

    def recall(self, table: Streamed, read: Kernel, on: Sequence[str]) -> NoReturn:  # noqa: ARG002
        """What is remembered of registers is recalled, and those are held in memory."""
        raise TypeError("only tables of events are put aside")

    def numbered(self, keys: Sequence[str], name: str) -> AsideRows:
        """Add the place of each row in the order of some columns: of groups, which are held."""
        told = dict(self.collect(*self.kinds))
        rows = LocalRows.of(told).numbered(keys, name) if keys else LocalRows.of(
            {**told, name: np.zeros(len(self), dtype=np.int64)})  # fmt: skip
        kinds = {**self.kinds, name: Carried("int64")}
        return self._of(Held(kinds, rows.collect(*kinds)))

    def dealt(self, cell: str, lot: str, parts: Batch, name: str) -> NoReturn:  # noqa: ARG002
        """Rows of registers and feeds are dealt, and those are held in memory."""
        raise TypeError("only tables of events are put aside")

    def ordered(self, keys: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Give these columns, sorted by all of them; they pass by without being held."""
        empty = {name: pa.array(self.kinds[name].plain.empty()) for name in keys}
        schema = pa.schema([(name, column.type) for name, column in empty.items()])

        def made() -> Iterator[pa.RecordBatch]:
            for rows in self.batches(frozenset(keys)):
                columns = rows.collect(*keys)
                arrays = [pa.array(_plain(columns[name])) for name in keys]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

        return schema, self.sort(schema, made())

    def listed(self, keys: Sequence[str], rows: int) -> NoReturn:  # noqa: ARG002
        """People of registers are given more than once, and those are held in memory."""
        raise TypeError("only tables of events are put aside")

    def collect(self, *columns: str) -> Batch:
        """Give columns of all rows, in any order."""
        kinds = {name: self.kinds[name].plain for name in columns}
        parts = [
            {name: _plain(column) for name, column in rows.collect(*columns).items()}
            for rows in self.batches(frozenset(columns))
        ]
        return laid_together(parts, kinds)

    def fetched(self, most: int) -> Batch | None:
        """All columns; None if there are more rows than so many."""
        parts: list[Batch] = []
        size = 0
        for rows in self.batches(frozenset(self.kinds)):
            parts.append(rows.collect(*self.kinds))
            size += len(rows)
            if size > most:
                return None
        return laid_together(parts, {name: kind.plain for name, kind in self.kinds.items()})

    def told(self, of: Callable[[Batch], Any], columns: Sequence[str]) -> list[Any]:
        """What a function says of each batch: sums, of which there are few."""
        several = self.batches(frozenset(columns))
        return [of(rows.collect(*columns)) for rows in several if len(rows)]

    def batches(self, wanted: frozenset[str]) -> Iterator[LocalRows]:
        """Some columns of all rows, a piece or a batch at a time."""
        steps, begin = needed(self.steps, wanted)
        # Rows are counted by one column at least.
        for columns in self.base.batches(begin or frozenset([next(iter(self.base.kinds))])):
            rows = LocalRows.of(columns)
            for step in steps:
                rows = step(rows)
            yield rows

    def gathered(self, key: str, wanted: frozenset[str], rows: int) -> AsideRows:
        """Some columns of so many rows, all those of a key in one piece."""
        kinds = {name: self.kinds[name].plain for name in sorted(wanted)}
        several = (rows.collect(*kinds) for rows in self.batches(wanted))
        return self._of(
            self.store.deal(several, kinds, (key,), self.store.parts(rows)), key=frozenset((key,))
        )

    def _gathered(self, key: str, wanted: frozenset[str]) -> AsideRows:
        """The same; as they are, if they were so."""
        if self.key == {key}:
            return self
        known = self._dealt.get(key)
        if known is None or not wanted <= frozenset(known.kinds):
            known = self._dealt[key] = self.gathered(key, wanted, len(self))
        return known

    def _with(self, steps: tuple[Step, ...], kinds: Mapping[str, Carried]) -> AsideRows:
        return AsideRows(
            self.store, self.sort, self.base, steps, kinds, self.key, is_made=self.is_made
        )

    def _of(
        self, base: Base, steps: tuple[Step, ...] = (), key: frozenset[str] = frozenset()
    ) -> AsideRows:
        return AsideRows(self.store, self.sort, base, steps, None, key)


@dataclass(frozen=True, eq=False)
class Meeting:
    """Rows beside others of the same keys: both are dealt when somebody asks."""

    left: AsideRows
    right: AsideRows
    on: Sequence[str]
    _dealt: list[Pieces] = field(default_factory=list, repr=False)

    @property
    def kinds(self) -> Mapping[str, Carried]:
        """Those of both."""
        return {name: kind.plain for name, kind in {**self.right.kinds, **self.left.kinds}.items()}

    def batches(self, wanted: frozenset[str]) -> Iterator[Batch]:
        """Look up the rows of a piece among those that were dealt as they were."""
        if not self._dealt:
            store = self.left.store
            parts = store.parts(max(len(self.left), len(self.right)))
            for side in (self.left, self.right):
                kinds = {name: kind.plain for name, kind in side.kinds.items()}
                several = (rows.collect(*kinds) for rows in side.batches(frozenset(kinds)))
                self._dealt.append(store.deal(several, kinds, self.on, parts))
        mine, theirs = self._dealt
        for at in range(len(mine.files)):
            left, right = (_piece(side, at) for side in (mine, theirs))
            rows = LocalRows.of(left).join(right, self.on)
            if len(rows):
                yield rows.collect(*wanted)


def _piece(of: Pieces, at: int) -> Batch:
    one = Pieces(of.kinds, [of.files[at]])
    return next(one.batches(frozenset(of.kinds)), laid_together((), of.kinds))


def _counted_kinds(step: Summed, empty: LocalRows) -> Batch:
    found = empty.counts(step.keys, step.summary)
    return found.collect(*step.keys, COUNT, *step.summary)


def _plain(column: Any) -> Any:
    if isinstance(column, np.ndarray) or not pa.types.is_dictionary(column.type):
        return column
    return column.dictionary.take(column.indices)


def _everywhere(one: Batch, example: str, batch: Batch) -> Batch:
    """The same columns beside each row."""
    none: Array = np.zeros(len(batch[example]), dtype=np.int64)
    return {
        name: column[none] if isinstance(column, np.ndarray) else column.take(pa.array(none))
        for name, column in one.items()
    }
