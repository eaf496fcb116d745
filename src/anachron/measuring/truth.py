"""True counts: how many rows of the microdata meet each of very many conditions.

A leaf speaks of one column, so it is decided once for each distinct value, not for each row. The
answers of a block of questions are the bits of a row of bytes, one such row for each value; the
bits of a row of the table are the AND of those of its values, and a count is a sum of bits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anachron.arrays import Array, Bytes, Flags
from anachron.asking.question import (
    All,
    Among,
    Begins,
    Condition,
    FeatureIn,
    Ranges,
    Similar,
    Span,
    ValueIn,
)
from anachron.asking.question import Any as Either
from anachron.measuring.columns import Codes, Column

__all__ = ["counted", "holds"]


_QUESTIONS = 1024
_SHORT = 255
"""So many bits fit into the sum of a byte."""
_CELLS = 1 << 24
"""How many bits are unpacked at a time."""


def counted(
    columns: Mapping[str, Column], conditions: Sequence[Condition], rows: Flags | None = None
) -> Array:
    """Count the rows that meet each condition: all rows, or those that are marked."""
    chosen = None if rows is None else np.flatnonzero(rows)
    found = [
        _counted(columns, conditions[at : at + _QUESTIONS], chosen)
        for at in range(0, len(conditions), _QUESTIONS)
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def _counted(
    columns: Mapping[str, Column], conditions: Sequence[Condition], rows: Array | None
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
            codes: Codes = columns[name].codes
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


def _tables(columns: Mapping[str, Column], conditions: Sequence[Condition]) -> dict[str, Bytes]:
    """Of each column that is asked about: a row of bits for each value, a bit for a condition."""
    flags: dict[str, Flags] = {}
    for number, condition in enumerate(conditions):
        for leaf in condition.parts if isinstance(condition, All) else (condition,):
            if isinstance(leaf, All | Either | ValueIn | FeatureIn | Similar):
                raise TypeError("truth is counted for conjunctions of conditions on columns")
            column = columns[leaf.column]
            if leaf.column not in flags:
                shape = (len(conditions), len(column.values) + 1)
                flags[leaf.column] = np.ones(shape, dtype=np.bool_)
            flags[leaf.column][number] &= holds(leaf, column)
    return {
        name: np.ascontiguousarray(np.packbits(table, axis=0).T) for name, table in flags.items()
    }


def holds(leaf: Ranges | Among | Begins, column: Column) -> Flags:
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
