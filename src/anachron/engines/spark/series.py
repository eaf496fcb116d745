"""Series that Spark holds: read and checked in workers, and gathered as one matrix to be planned.

Only what is planned on comes to the driver, some rows at a time: whose series it is, when, and the
values, which are laid into one matrix. The DataFrame stays where it is.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Floats
from anachron.engines.base import ROW, SUBJECT, TIME, Batch, sensitive
from anachron.engines.local.coded import encode
from anachron.engines.local.kinds import is_text, is_whole, limit
from anachron.engines.local.marked import gathered
from anachron.engines.local.series import doubtful, expressions, in_turn, strange
from anachron.engines.spark.given import Given, given
from anachron.engines.spark.selecting import Selected, selected
from anachron.engines.spark.table import SparkTable
from anachron.errors import Problem
from anachron.schema import Schema

__all__ = ["SparkSeries", "series_problems"]

_VALUES = "values"


def series_problems(table: Given, schema: Schema) -> list[Problem]:
    """Say where columns of a series hold what cannot be worked with."""
    types = {name: table.types[name] for name in schema.series}
    read = partial(_strange, _reading(table, schema), types, table.name)
    looks = table.rows.told(read, (*map(given, types), ROW))
    words, texts = (gathered(look[place] for look in looks) for place in range(2))
    known = {one.column for one in words}
    found = [*words, *(one for one in texts if one.column not in known)]
    return sorted(found, key=lambda one: (schema.series.index(one.column or ""), in_turn(one)))


def _reading(table: Given, schema: Schema) -> Selected:
    """How numbers are made of the columns of a series."""
    names = {name: given(name) for name in schema.series}
    return Selected(names, expressions(schema, table.types))


def _strange(
    read: Selected, types: dict[str, str], file: str, batch: Batch
) -> tuple[list[Problem], list[Problem]]:
    """What is wrong with a batch, and what is if no text of the table is a word."""
    found: tuple[list[Problem], list[Problem]] = [], []
    for (name, kind), numbers in zip(types.items(), read(batch).values(), strict=True):
        if not doubtful(numbers, limit(kind)):
            continue
        cells = {name: batch[given(name)]}
        fetch = partial(_fetched, cells)
        found[0].extend(strange(fetch, name, kind, file))
        if is_text(kind):
            found[1].extend(strange(fetch, name, kind, file, texts=True))
    return found


def _fetched(cells: dict[str, pa.Array], sql: str) -> pa.ChunkedArray:
    return selected(cells, {"value": sql}).column(0)


def _values(read: Selected, batch: Batch) -> Batch:
    """The columns of a series side by side; NaN where a value is missing."""
    columns = [one.to_numpy(zero_copy_only=False) for one in read(batch).values()]
    # Zeros of both signs are one value.
    return {_VALUES: np.stack(columns, axis=1).astype(np.float64) + 0.0}


@dataclass(eq=False)
class _Gathered:
    """What is planned on, in the order in which rows came."""

    people: pa.DictionaryArray
    instants: Array
    values: Floats
    sensitive: dict[str, pa.Array]


@dataclass(frozen=True, eq=False)
class SparkSeries(SparkTable):
    """See :class:`anachron.engines.base.Table`. Rows come once, all in one order."""

    room: ExitStack = field(default_factory=ExitStack, repr=False)
    """The memory that it is counted on to take."""
    _held: list[_Gathered] = field(default_factory=list, repr=False)

    def people(self) -> pa.Array:
        """The subject of each row."""
        return self._gathered.people

    def column(self, name: str) -> pa.Array:
        """A sensitive column, as it is worked with and published."""
        return self._gathered.sensitive[name]

    def series(self) -> Floats:
        """The columns of a series side by side; NaN where a value is missing."""
        return self._gathered.values

    @property
    def instants(self) -> Array:
        """The instant of each row, in microseconds since 1970."""
        return self._gathered.instants

    def forget(self) -> None:
        """Let go of all that was gathered."""
        self._held.clear()

    def close(self) -> None:
        """Let go of what Spark keeps, and of what it gave."""
        self.forget()
        self.room.close()
        super().close()

    @property
    def whole_series(self) -> bool:
        """Whether all columns of the series hold whole numbers, by their types."""
        types = (self.read.types[column] for column in self.schema.series)
        # A column of text that was accepted is empty.
        return all(is_whole(kind) or is_text(kind) for kind in types)

    @property
    def _gathered(self) -> _Gathered:
        if not self._held:
            self._held.append(self._gather())
        return self._held[0]

    def _gather(self) -> _Gathered:
        """Take rows as they come: none of them is held twice."""
        values = np.empty((self.rows, len(self.schema.series)))
        instants = np.empty(self.rows, dtype=np.int64)
        names = [SUBJECT, *map(sensitive, self.schema.sensitive)]
        columns: dict[str, list[pa.Array]] = {name: [] for name in names}
        rows = self.held().map(partial(_values, _reading(self.read, self.schema)))
        at = 0
        for batch in rows.streamed(TIME, _VALUES, *names):
            end = at + len(batch[TIME])
            instants[at:end], values[at:end] = batch[TIME], batch[_VALUES]
            for name, parts in columns.items():
                parts.append(batch[name])
            at = end
        coded = encode(pa.chunked_array(columns.pop(SUBJECT)))
        people = pa.DictionaryArray.from_arrays(coded.codes, coded.values)
        told = zip(self.schema.sensitive, columns.values(), strict=True)
        return _Gathered(people, instants, values, {
            name: pa.concat_arrays(parts) for name, parts in told})  # fmt: skip
