"""The columns of the microdata as codes of ascending plain values: what truth is counted on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.auditing.reading.spelled import places_in
from anachron.behind import Microdata
from anachron.behind.columns import Coded, ascending, coded

__all__ = ["Codes", "Column", "columns_of", "plain"]

Codes = npt.NDArray[np.int32] | Array

_BATCH = 1 << 17


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the microdata: a code for each row, and the values that codes stand for."""

    codes: Codes
    values: tuple[object, ...]
    """Ascending, as questions name them; a missing value is no value."""

    @property
    def missing(self) -> int:
        """The code of rows without a value."""
        return len(self.values)

    def as_texts(self) -> Column:
        """Give the same column as texts, where numbers were published as such."""
        if all(isinstance(value, str) for value in self.values):
            return self
        texts = [str(value) for value in self.values]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts) + 1, dtype=np.int64)
        rank[order] = np.arange(len(texts))
        rank[-1] = self.missing
        return Column(rank[self.codes], tuple(texts[i] for i in order))

    @cached_property
    def place(self) -> Mapping[object, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.values)}


def columns_of(
    loaded: Microdata, shown: Mapping[str, pa.Array] = MappingProxyType({})
) -> dict[str, Column]:
    """Code the quasi columns, the sensitive ones and the time of a table.

    ``shown`` are the published values of sensitive columns, as far as their spelling does not
    count: who asks for one of them means all its spellings.
    """
    found = {name: _column(column) for name, column in loaded.quasi.items()}
    if loaded.schema.sensitive:
        table = pa.Table.from_batches(list(loaded.sensitive(_BATCH)), loaded.sensitive_schema)
        for name in loaded.schema.sensitive:
            column = coded(table[name])
            if name in shown:
                column = _as_shown(column, shown[name])
            found[name] = _column(ascending(column))
    if loaded.schema.time and not loaded.schema.series:
        instants, codes = np.unique(loaded.instants, return_inverse=True)
        found[loaded.schema.time] = Column(codes, tuple(instants.tolist()))
    return found


def _as_shown(column: Coded, shown: pa.Array) -> Coded:
    """A column in which published values are spelled as they are published."""
    if column.values.type != shown.type or not len(shown):
        return column
    place = places_in(shown, column.values, exact=False)
    known = shown.take(pa.array(np.maximum(place, 0)))
    values = pc.if_else(pa.array(place >= 0), known, column.values)
    if values.equals(column.values):
        return column
    rows = pa.array(column.codes, mask=column.codes < 0)
    return coded(pa.chunked_array([values.take(rows)]))


def _column(column: Coded) -> Column:
    there = column.values.drop_null()
    return Column(column.codes, plain(there))


def plain(values: pa.Array) -> tuple[object, ...]:
    """Give values as questions name them: dates in days, instants in microseconds since 1970."""
    kind = values.type
    if pa.types.is_date(kind):
        values = values.cast(pa.date32()).cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us", kind.tz)).cast(pa.int64())
    return tuple(values.to_pylist())
