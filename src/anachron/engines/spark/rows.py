"""Rows that Spark holds: a DataFrame, and steps that wait until somebody asks for their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import COUNT, Batch, Column, Kernel, Rows, Summary
from anachron.engines.reading import held, read_in
from anachron.engines.spark import dealing, sorting
from anachron.engines.spark.columns import Carried, Field, Fields, kind_of, unpacked
from anachron.engines.spark.driver import Driver, Frame, received
from anachron.engines.spark.steps import Chosen, Found, Mapped, Step, needed, shown
from anachron.engines.spark.task import (
    ROWS,
    SENT,
    Counted,
    Errand,
    Kept,
    Replaced,
    Reported,
    Sent,
    Sized,
)
from anachron.engines.spark.versions import versions
from anachron.kernels.digests import texts
from anachron.streamed import Streamed

__all__ = ["FEW", "SparkRows", "declared", "placed"]

FEW = 1 << 16
"""So many rows are looked up in a table that every worker is given; more are joined by Spark."""


class SparkRows:
    """See :class:`anachron.engines.base.Rows`."""

    def __init__(
        self,
        driver: Driver,
        frame: Frame,
        fields: Fields,
        steps: tuple[Step, ...] = (),
        kinds: Mapping[str, Carried] | None = None,
        key: str | None = None,
        owner: object = None,
    ) -> None:
        self.driver, self.frame, self.fields, self.steps = driver, frame, fields, steps
        self.kinds = kinds or {name: one.kind for name, one in fields.items()}
        self.key = key
        """The column of which all rows of a value are in one partition, if there is one."""
        self._owner = owner
        """As long as it lives, what the frame holds is kept."""

    @classmethod
    def settled(
        cls, driver: Driver, frame: Frame, fields: Fields, key: str | None = None
    ) -> SparkRows:
        """Hold what Spark computes, so that it does so once."""
        owner = _Owner()
        return cls(driver, driver.keep(frame, owner), fields, key=key, owner=owner)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a kernel holds rows: it would take the driver to the workers")

    def __len__(self) -> int:
        return self._size

    @cached_property
    def _size(self) -> int:
        frame, fields, steps = self._from(frozenset())
        task = Errand(versions(), fields, steps, Sized())
        return sum(int(size) for size in self.driver.sent(frame, task))

    def map(self, kernel: Kernel, together: str | None = None) -> SparkRows:
        """Add columns, or replace them."""
        reads, made = shown(kernel, self.kinds)
        step, kinds = Mapped(kernel, reads, frozenset(made)), {**self.kinds, **made}
        if together is None:
            return self._with((*self.steps, step), kinds)
        gathered, fields, steps = self._gathered(together, frozenset(self.kinds))
        out, steps = placed(kinds), (*steps, step)
        if self.key == together or not sorting.keeps_order(self.driver):
            task = Errand(versions(), fields, steps, Kept(out), whole=True)
            return self._made_by(task, gathered, out, together)
        # A worker need not hold more at a time than what belongs together.
        runs = fields[together].names
        with self.driver.working():
            gathered = gathered.sortWithinPartitions(*runs)
        task = Errand(versions(), fields, steps, Kept(out), together=runs)
        return self._made_by(task, gathered, out, together)

    def by(self, key: str, kernel: Kernel) -> SparkRows:
        """Put what a kernel makes of all rows of some keys in their place."""
        reads, made = shown(kernel, self.kinds)
        gathered, fields, steps = self._gathered(key, reads | {key})
        out = placed(made)
        task = Errand(versions(), fields, steps, Replaced(kernel, out), whole=True)
        return self._made_by(task, gathered, out, key)

    def kept(self) -> SparkRows:
        """Make all columns once."""
        return SparkRows.settled(self.driver, *self._made(frozenset(self.kinds)), self.key)

    def where(self, flag: str) -> SparkRows:
        """Keep the rows of which a column is true."""
        return self._with((*self.steps, Chosen(flag)), self.kinds)

    def only(self, *columns: str) -> SparkRows:
        """Keep some columns."""
        return self._with(self.steps, {name: self.kinds[name] for name in columns})

    def counts(self, keys: Sequence[str], summary: Summary | None = None) -> SparkRows:
        """Give one row for each combination of keys: workers count batches, Spark adds up."""
        from pyspark.sql import functions

        how = {name: told for name, (told, _) in (summary or {}).items()}
        kinds = {key: self.kinds[key].plain for key in keys} | {COUNT: Carried("int64")}
        kinds |= {name: _summed(*told, self.kinds) for name, told in (summary or {}).items()}
        out = placed(kinds)
        wanted = frozenset((*keys, *(of for _, of in (summary or {}).values())))
        frame, fields, steps = self._from(wanted)
        task = Errand(versions(), fields, steps, Counted(tuple(keys), dict(summary or {}), out))
        partly = self.driver.run(frame, task, declared(out))
        add = {"sum": functions.sum, "least": functions.min, "most": functions.max}
        sums = [
            add[how.get(name, "sum")](part).alias(part)
            for name in (COUNT, *how)
            for part in out[name].names
        ]
        by = [part for key in keys for part in out[key].names]
        with self.driver.working():
            if by:
                partly = partly.repartition(self.driver.parts, *by)
            whole = partly.groupBy(*by).agg(*sums)
            if not by:
                whole = whole.where(functions.col(out[COUNT].names[0]).isNotNull())
        return SparkRows.settled(self.driver, whole, out)

    def join(self, other: Rows | Batch, on: Sequence[str]) -> SparkRows:
        """Add the columns of other rows: a few are given to all workers, many meet in Spark."""
        if isinstance(other, SparkRows):
            few = other.fetched(FEW if on else None, *other.kinds)
            if few is None:
                return self._joined(other, on)
            other = _sorted(few, on)
        others: Batch = other  # type: ignore[assignment]
        many = len(next(iter(others.values())))
        if not on:
            if many != 1:
                raise ValueError("only one row can be joined without keys")
            return self.map(partial(_everywhere, dict(others), next(iter(self.kinds))))
        if many > FEW:
            return self._joined(SparkRows(self.driver, *self.driver.spread(others)), on)
        found = {name: kind_of(column) for name, column in others.items() if name not in on}
        return self._with((*self.steps, Found(others, tuple(on))), {**self.kinds, **found})

    def _joined(self, other: SparkRows, on: Sequence[str]) -> SparkRows:
        from pyspark.sql import functions

        left, fields = self._made(frozenset(self.kinds))
        right, others = other._made(frozenset(other.kinds))
        renamed = {n: Field(f.kind, tuple(f"o{p}" for p in f.names)) for n, f in others.items()}
        keys = [[part for key in on for part in side[key].names] for side in (fields, renamed)]
        with self.driver.working():
            right = right.toDF(*(part for one in renamed.values() for part in one.names))
            left, right = (
                side.repartition(self.driver.parts, *by)
                for side, by in zip((left, right), keys, strict=True)
            )
            meets = [
                functions.col(mine) == functions.col(theirs)
                for mine, theirs in zip(*keys, strict=True)
            ]
            together = {**fields, **{n: f for n, f in renamed.items() if n not in on}}
            joined = left.join(right, meets, "left")
            joined = joined.select(*(part for one in together.values() for part in one.names))
        return SparkRows.settled(self.driver, joined, together)

    def recall(self, table: Streamed, read: Kernel, on: Sequence[str]) -> SparkRows:
        """Join what a kernel reads in the batches of a table: a few rows at a time go to Spark."""
        if table.rows <= FEW:
            return self.join(held(table, read), on)
        given = self.driver.given(read_in(table, read))
        return self._joined(SparkRows(self.driver, *given), on)

    def numbered(self, keys: Sequence[str], name: str) -> SparkRows:
        """Add the place of each row in the order of some columns, of which the driver sees all."""
        told = self.collect(*keys)
        if not keys:
            return self.join({name: np.zeros(len(self), dtype=np.int64)}, ())
        order = np.lexsort([told[key] for key in reversed(keys)])
        places = {key: told[key][order] for key in keys}
        return self.join({**places, name: np.arange(len(order))}, keys)

    def dealt(self, cell: str, lot: str, parts: Batch, name: str) -> SparkRows:
        """Add where each row goes, by the lots at which parts end."""
        kernel = dealing.dealer(self, cell, lot, parts, name)
        reads, made = shown(kernel, self.kinds)
        kinds = {**self.kinds, **made}
        out = placed(kinds)
        frame, fields, steps = self._from(frozenset(self.kinds))
        steps = (*steps, Mapped(kernel, reads, frozenset(made)))
        task = Errand(versions(), fields, steps, Kept(out))
        return self._made_by(task, frame, out, self.key)

    def ordered(self, keys: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Give these columns, sorted by all of them, a batch at a time."""
        frame, fields = self._made(frozenset(keys))
        return sorting.ordered(self.driver, frame, {key: fields[key] for key in keys})

    def listed(self, keys: Sequence[str], rows: int) -> Streamed:
        """Give these columns, sorted by all of them, as often as they are asked for."""
        frame, fields = self._made(frozenset(keys))
        return sorting.listed(self.driver, frame, {key: fields[key] for key in keys}, rows)

    def collect(self, *columns: str) -> Batch:
        """Give columns of all rows, in any order."""
        return self.fetched(None, *columns) or {}

    def fetched(self, most: int | None, *columns: str) -> Batch | None:
        """The same; None if there are more than ``most`` rows, of which then hardly any travel."""
        frame, fields, steps = self._from(frozenset(columns))
        out = placed({name: self.kinds[name] for name in columns})
        sent = self.driver.sent(frame, Errand(versions(), fields, steps, Sent(out, most)))
        tables = [pa.ipc.open_stream(content).read_all() for content in sent]
        if most is not None and sum(int(one.schema.metadata[ROWS]) for one in tables) > most:
            return None
        if not columns or not tables:
            return {name: self.kinds[name].empty() for name in columns}
        whole = pa.concat_tables([one.replace_schema_metadata(None) for one in tables])
        return unpacked(whole, out)

    def streamed(self, *columns: str) -> Iterator[Batch]:
        """Give columns of all rows, a batch after the other, in any order: none is held twice."""
        frame, fields, steps = self._from(frozenset(columns))
        out = placed({name: self.kinds[name] for name in columns})
        sent = self.driver.run(frame, Errand(versions(), fields, steps, Sent(out)), SENT)
        with self.driver.working():
            for row in sent.toLocalIterator():
                yield unpacked(pa.ipc.open_stream(bytes(row[0])).read_all(), out)

    def told(self, of: Callable[[Batch], Any], columns: Sequence[str]) -> list[Any]:
        """What a function says of each batch: sums, of which there are few."""
        frame, fields, steps = self._from(frozenset(columns))
        task = Errand(versions(), fields, steps, Reported(of, frozenset(columns)))
        return [received(content) for content in self.driver.sent(frame, task)]

    def _with(self, steps: tuple[Step, ...], kinds: Mapping[str, Carried]) -> SparkRows:
        return SparkRows(self.driver, self.frame, self.fields, steps, kinds, self.key, self._owner)

    def _from(self, wanted: frozenset[str]) -> tuple[Frame, Fields, tuple[Step, ...]]:
        """What some columns are made of, and how; one column at least, to count rows by."""
        steps, base = needed(self.steps, wanted)
        first = next(iter(self.fields))
        fields = {name: self.fields[name] for name in self.fields if name in (base or {first})}
        with self.driver.working():
            frame = self.frame.select(*(part for one in fields.values() for part in one.names))
        return frame, fields, steps

    def _made(self, wanted: frozenset[str]) -> tuple[Frame, Fields]:
        """Some columns as Spark has them once all steps are taken."""
        frame, fields, steps = self._from(wanted)
        if not steps:
            return frame, fields
        out = placed({name: kind for name, kind in self.kinds.items() if name in wanted})
        task = Errand(versions(), fields, steps, Kept(out))
        return self.driver.run(frame, task, declared(out)), out

    def _gathered(self, key: str, wanted: frozenset[str]) -> tuple[Frame, Fields, tuple[Step, ...]]:
        """Some columns, all rows of a key in one partition; as they are, if they were so."""
        if self.key == key:
            return self._from(wanted)
        frame, fields = self._made(wanted)
        with self.driver.working():
            return frame.repartition(self.driver.parts, *fields[key].names), fields, ()

    def _made_by(self, task: Errand, frame: Frame, out: Fields, key: str | None) -> SparkRows:
        made = self.driver.run(frame, task, declared(out))
        return SparkRows.settled(self.driver, made, out, key)


class _Owner:
    """What is kept for somebody is kept as long as there is one of these."""


def placed(kinds: Mapping[str, Carried]) -> Fields:
    """Columns by their places."""
    return {name: Field.at(kind, place) for place, (name, kind) in enumerate(kinds.items())}


def declared(fields: Fields) -> str:
    """How Spark is told of columns."""
    return ", ".join(one.declared for one in fields.values())


def _summed(how: str, of: str, kinds: Mapping[str, Carried]) -> Carried:
    kind = kinds[of]
    wide = kind.width is not None
    if kind.dtype is None or (how == "sum" and (wide or kind.dtype.startswith("float"))):
        # Sums of fractions depend on who adds up what first.
        raise TypeError(f"{how} of {of!r}: only whole numbers are added up")
    if how != "sum" and (kind.dtype == "uint64" or (wide and kind.dtype != "float64")):
        raise TypeError(f"{how} of {of!r}: words are not compared")
    return kind if how != "sum" or kind.dtype == "uint64" else Carried("int64")


def _everywhere(one: Batch, example: str, batch: Batch) -> Batch:
    """The same columns beside each row."""
    none: Array = np.zeros(len(batch[example]), dtype=np.int64)
    return {
        name: column[none] if isinstance(column, np.ndarray) else column.take(pa.array(none))
        for name, column in one.items()
    }


def _sorted(rows: Batch, on: Sequence[str]) -> Batch:
    """Rows by ascending digests, if these are their key: they are looked up so."""
    key: Column = rows[on[0]] if on else None
    if not isinstance(key, np.ndarray) or key.ndim == 1:
        return rows
    by = np.argsort(texts(key))
    return {
        name: column[by] if isinstance(column, np.ndarray) else column.take(pa.array(by))
        for name, column in rows.items()
    }
