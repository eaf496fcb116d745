"""True counts: how many rows of the table meet each of very many conditions.

Columns are codes of ascending plain values. A leaf speaks of one column, so it is decided once for
each distinct value, not for each row. The answers of a block of questions are the bits of a row of
bytes, one such row for each value; the bits of a row of the table are the AND of those of its
values, and a count is a sum of bits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Bytes, Codes, Flags
from anachron.asking.question import All, Among, Begins, Condition, Ranges, Span
from anachron.auditing.reading.columns import of_loaded
from anachron.auditing.reading.spelled import places_in
from anachron.behind import Microdata
from anachron.behind.columns import Coded, ascending, coded

__all__ = ["PlainColumn", "columns_of", "counted", "holds"]

_QUESTIONS = 1024
_SHORT = 255
"""So many bits fit into the sum of a byte."""
_CELLS = 1 << 24
"""How many bits are unpacked at a time."""


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """A column of the microdata: a code for each row, and the values that codes stand for."""

    codes: Codes | Array
    values: tuple[object, ...]
    """Ascending, as questions name them. A missing value is none; its code is the one after."""

    def as_texts(self) -> PlainColumn:
        """Give the same column as texts, where numbers were published as such."""
        if all(isinstance(value, str) for value in self.values):
            return self
        texts = [str(value) for value in self.values]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts) + 1, dtype=np.int64)
        rank[order] = np.arange(len(texts))
        rank[-1] = len(texts)
        return PlainColumn(rank[self.codes], tuple(texts[i] for i in order))

    @cached_property
    def place(self) -> Mapping[object, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.values)}


def columns_of(
    loaded: Microdata, shown: Mapping[str, pa.Array] | None = None
) -> dict[str, PlainColumn]:
    """Code the quasi columns, the sensitive ones and the time of a table.

    ``shown`` are the published values of sensitive columns, as far as their spelling does not
    count: who asks for one of them means all its spellings.
    """
    found = {name: _column(column) for name, column in loaded.quasi.items()}
    if loaded.schema.sensitive:
        table = of_loaded(loaded)
        for name in loaded.schema.sensitive:
            column = coded(table[name])
            if shown and name in shown:
                column = _as_shown(column, shown[name])
            found[name] = _column(ascending(column))
    if loaded.schema.time and not loaded.schema.series:
        instants, codes = np.unique(loaded.instants, return_inverse=True)
        found[loaded.schema.time] = PlainColumn(codes, tuple(instants.tolist()))
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


def _column(column: Coded) -> PlainColumn:
    """Give values as questions name them: dates in days, instants in microseconds since 1970."""
    values, kind = column.values.drop_null(), column.values.type
    if pa.types.is_date(kind):
        values = values.cast(pa.date32()).cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us", kind.tz)).cast(pa.int64())
    return PlainColumn(column.codes, tuple(values.to_pylist()))


def counted(
    columns: Mapping[str, PlainColumn], conditions: Sequence[Condition], rows: Flags | None = None
) -> Array:
    """Count the rows that meet each condition: all rows, or those that are marked."""
    chosen = None if rows is None else np.flatnonzero(rows)
    found = [
        _counted(columns, conditions[at : at + _QUESTIONS], chosen)
        for at in range(0, len(conditions), _QUESTIONS)
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def _counted(
    columns: Mapping[str, PlainColumn], conditions: Sequence[Condition], rows: Array | None
) -> Array:
    tables = _tables(columns, conditions)
    number = len(next(iter(columns.values())).codes) if rows is None else len(rows)
    if not tables:
        return np.full(len(conditions), number, dtype=np.int64)
    width = next(iter(tables.values())).shape[1]
    step = max(_CELLS // (8 * width) // _SHORT, 1) * _SHORT
    total = np.zeros(8 * width, dtype=np.int64)
    for at in range(0, number, step):
        some = slice(at, min(at + step, number))
        bits = np.full((some.stop - at, width), 255, dtype=np.uint8)
        for name, table in tables.items():
            codes = columns[name].codes
            bits &= table[codes[some] if rows is None else codes[rows[some]]]
        total += _summed(bits)
    return total[: len(conditions)]


def _summed(bits: Bytes) -> Array:
    """Add up each bit over all rows; first as bytes, which is many at a time."""
    lacking = -len(bits) % _SHORT
    if lacking:
        bits = np.concatenate([bits, np.zeros((lacking, bits.shape[1]), dtype=np.uint8)])
    ones = np.unpackbits(bits, axis=1).reshape(-1, _SHORT, 8 * bits.shape[1])
    total: Array = ones.sum(axis=1, dtype=np.uint8).sum(axis=0, dtype=np.int64)
    return total


def _tables(
    columns: Mapping[str, PlainColumn], conditions: Sequence[Condition]
) -> dict[str, Bytes]:
    """Of each column that is asked about: a row of bits for each value, a bit for a condition."""
    flags: dict[str, Flags] = {}
    for number, condition in enumerate(conditions):
        for leaf in condition.parts if isinstance(condition, All) else (condition,):
            if not isinstance(leaf, Ranges | Among | Begins):
                raise TypeError("truth is counted for conjunctions of conditions on columns")
            column = columns[leaf.column]
            if leaf.column not in flags:
                shape = (len(conditions), len(column.values) + 1)
                flags[leaf.column] = np.ones(shape, dtype=np.bool_)
            flags[leaf.column][number] &= holds(leaf, column)
    return {
        name: np.ascontiguousarray(np.packbits(table, axis=0).T) for name, table in flags.items()
    }


def holds(leaf: Ranges | Among | Begins, column: PlainColumn) -> Flags:
    """Tell for each value of a column, and for a missing one, whether a condition is true."""
    found = np.zeros(len(column.values) + 1, dtype=np.bool_)
    if isinstance(leaf, Ranges):
        for span in leaf.spans:
            found[slice(*_within(span, column.values))] = True
    elif isinstance(leaf, Among):
        places = [column.place[value] for value in leaf.values if value in column.place]
        found[places] = True
    else:
        found[:-1] = [str(value).startswith(leaf.prefixes) for value in column.values]
    if not isinstance(leaf, Ranges) and not leaf.inside:
        found = ~found
    found[-1] = leaf.nulls
    return found


def _within(span: Span, ascending: Sequence[Any]) -> tuple[int, int]:
    """From which place up to before which the values of a column lie in a span."""
    left = bisect_left if span.low_closed else bisect_right
    right = bisect_right if span.high_closed else bisect_left
    first = 0 if span.low is None else left(ascending, span.low)
    end = len(ascending) if span.high is None else right(ascending, span.high)
    return first, max(first, end)
