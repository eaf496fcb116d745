"""Columns by their distinct published cells: what is the same is looked at once.

A cell is what one row, or one group, shows of a column: a value, the two ends of an interval, or
the label and the two ends of a granule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Flags, Numbers
from anachron.published.kinds import kind_of
from anachron.published.ways import Ordered, Way

__all__ = ["CodedColumn", "Kind", "coded", "ends_of", "kind_of_way", "same_codes"]

Kind = Literal["whole", "number", "text", "boolean", "date", "instant", "series", "other"]
"""What the values of a column are."""

_KINDS: dict[str, Kind] = {
    "boolean": "boolean",
    "integer": "whole",
    "number": "number",
    "string": "text",
    "date": "date",
    "datetime": "instant",
}
_PER_MICROSECOND = {"s": 1_000_000, "ms": 1_000, "us": 1}
_LARGEST = 2**63


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column: its distinct published cells, and which of them each row or group shows.

    Example
    -------
    >>> from decimal import Decimal
    >>> from anachron.published.ways import Interval
    >>> low, high = pa.chunked_array([[20, 30, 20]]), pa.chunked_array([[29, 34, 29]])
    >>> ages = coded(Interval("age", Decimal(5)), [low, high])
    >>> ages.size, ages.codes.tolist(), ages.high[ages.codes].tolist()
    (2, [0, 1, 0], [29, 34, 29])
    """

    way: Way
    cells: tuple[pa.Array, ...]
    """An array for each published column, as long as there are distinct cells."""
    codes: Codes

    @property
    def size(self) -> int:
        """How many distinct cells there are."""
        return len(self.cells[0])

    @cached_property
    def kind(self) -> Kind:
        """What the values are."""
        return kind_of_way(self.way, self.cells[0].type)

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, so that sums and means have a meaning."""
        return self.kind in ("whole", "number")

    @cached_property
    def missing(self) -> Flags:
        """Which cell is empty."""
        return np.asarray(self.cells[0].is_null().to_numpy(zero_copy_only=False), dtype=bool)

    @cached_property
    def low(self) -> Numbers:
        """The first published number of each cell, 0 where it is empty."""
        return _numbers(self.cells[0])

    @cached_property
    def high(self) -> Numbers:
        """The last published number of each cell; of a value as it is, the same."""
        return _numbers(self.cells[-1]) if len(self.cells) > 1 else self.low

    @cached_property
    def ends(self) -> tuple[Numbers, Numbers]:
        """The ends of each cell as numbers: of texts with an order, their places in it."""
        if isinstance(self.way, Ordered):
            return ends_of(self.way, self.cells)
        return self.low, self.high

    @property
    def whole(self) -> bool:
        """Whether the ends are whole numbers, so that there are ``high − low + 1`` values."""
        return isinstance(self.way, Ordered) or self.kind == "whole"

    @cached_property
    def values(self) -> list[Any]:
        """The first published value of each cell."""
        return list(self.cells[0].to_pylist())

    @cached_property
    def place(self) -> dict[object, int]:
        """Where each value stands among the cells."""
        return {value: code for code, value in enumerate(self.values)}


def coded(way: Way, arrays: Sequence[pa.ChunkedArray]) -> CodedColumn:
    """Number the distinct cells of a column that was published as some arrays."""
    codes = np.zeros(len(arrays[0]), dtype=np.int64)
    for array in arrays:
        one = array.combine_chunks().dictionary_encode(null_encoding="encode")
        indices = np.asarray(one.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        codes = same_codes([codes, indices])
    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    cells = tuple(array.combine_chunks().take(pa.array(first)) for array in arrays)
    return CodedColumn(way, cells, codes.astype(np.int32))


def same_codes(columns: Sequence[Numbers]) -> Array:
    """Number the distinct combinations of some codes, in the order of the codes."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        # Renumbered every time: the product of two small numbers stays small.
        key = key * (int(codes.max(initial=0)) + 1) + codes
        key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return key


def ends_of(way: Way, cells: Sequence[pa.Array]) -> tuple[Numbers, Numbers]:
    """The ends of some cells as numbers, 0 where they are empty: of texts, places in an order."""
    if not isinstance(way, Ordered):
        return _numbers(cells[0]), _numbers(cells[-1])
    order = pa.array(way.order, pa.string())
    places = (pc.index_in(side.cast(pa.string()), order).fill_null(0) for side in cells)
    low, high = (np.asarray(place.to_numpy(), dtype=np.int64) for place in places)
    return low, high


def kind_of_way(way: Way, storage: pa.DataType | None) -> Kind:
    """What the values of a column are that is published in a way, as a type."""
    if way.role in ("time", "series"):
        return "instant" if way.role == "time" else "series"
    return "other" if storage is None else _KINDS.get(kind_of(storage), "other")


def _numbers(cells: pa.Array) -> Numbers:
    """Numbers to compare with: whole ones, also for days and instants, or fractions."""
    kind = cells.type
    if pa.types.is_date(kind):
        cells = pc.cast(cells, pa.date32()).cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        cells = _microseconds(cells)
    elif pa.types.is_decimal(kind):
        return np.array([0 if v is None else v for v in cells.to_pylist()], dtype=object)
    plain = np.asarray(cells.fill_null(0).to_numpy(zero_copy_only=False))
    if pa.types.is_floating(kind):
        # As in SQL, what is no number is above all others.
        return np.nan_to_num(plain.astype(np.float64), nan=np.inf, posinf=np.inf, neginf=-np.inf)
    if plain.dtype == np.uint64 and plain.max(initial=0) >= _LARGEST:
        return plain.astype(object)
    return plain.astype(np.int64)


def _microseconds(cells: pa.Array) -> pa.Array:
    numbers = cells.cast(pa.int64())
    if cells.type.unit == "ns":
        floor = np.asarray(numbers.fill_null(0).to_numpy()) // 1000
        return pa.array(floor, mask=np.asarray(cells.is_null().to_numpy(zero_copy_only=False)))
    return pc.multiply_checked(numbers, _PER_MICROSECOND[cells.type.unit])
