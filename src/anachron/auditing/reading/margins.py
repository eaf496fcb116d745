"""Margins: how many people are said to be in each class of a quasi column.

Class k goes from k times the width to just before k + 1 times; texts with an order have the numbers
of their places. The width is that of the grid, doubled as often as is needed for no more classes
than the people are steps, or than ``MOST``, between the lowest and the highest published bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Numbers
from anachron.auditing.reading.columns import whole

__all__ = ["MOST", "Margin", "classes_of", "margins_of", "width_of"]

MOST = 512
_CLOSE = 1e-9
"""Quotients that are nearer to a whole number are computed again as fractions."""


@dataclass(frozen=True)
class Margin:
    """What is said of one column."""

    width: Fraction
    classes: tuple[int, ...]
    people: tuple[int, ...]


def margins_of(said: Any, promised: int | None, columns: Sequence[str]) -> dict[str, Margin] | None:
    """Read the margins of these columns; an error if they are there and not promised, or not so."""
    if promised is None:
        if said is not None:
            raise ValueError
        return None
    if not isinstance(said, Mapping) or set(said) != set(columns):
        raise ValueError
    return {column: _margin(said[column]) for column in columns}


def _margin(said: Any) -> Margin:
    if set(said) != {"width", "classes", "people"}:
        raise ValueError
    numbers = [said["classes"], said["people"]]
    if len({len(some) for some in numbers}) != 1:
        raise ValueError
    if any(type(number) is not int for some in numbers for number in some):
        raise ValueError
    width = Fraction(Decimal(said["width"]))
    if width <= 0:
        raise ValueError
    return Margin(width, *(tuple(some) for some in numbers))


def width_of(grid: Fraction, bounds: tuple[Numbers, Numbers], people: int, step: int) -> Fraction:
    """The width that the classes of a column must have."""
    if not len(bounds[0]):
        return grid
    lowest, highest = bounds[0].min().item(), bounds[1].max().item()
    bottom, top = (Fraction(repr(end)) // grid for end in (lowest, highest))
    enough, times = min(max(people // step, 1), MOST), 1
    while True:
        low, high = bottom // times, top // times
        # Halves never meet where zero is between them.
        if high - low < enough or (low, high) == (-1, 0) or low == high:
            return grid * times
        times *= 2


def classes_of(width: Fraction, values: pa.Array, order: Sequence[str] | None) -> Array:
    """The class of each value, given the width; what is missing has that of zero."""
    if order is not None:
        texts = pa.array(order, pa.string())
        return whole(pc.index_in(values.cast(pa.string()), value_set=texts), 0) // int(width)
    if pa.types.is_integer(values.type) and values.type != pa.uint64() and width.denominator == 1:
        return whole(values, 0) // int(width)
    numbers = np.asarray(values.cast(pa.float64(), safe=False).fill_null(0), np.float64)
    return _below(width, numbers)


def _below(width: Fraction, numbers: Numbers) -> Array:
    quotient = numbers / float(width)
    found = np.floor(quotient)
    unsure = np.abs(quotient - np.rint(quotient)) <= _CLOSE * np.maximum(np.abs(quotient), 1.0)
    some, place = np.unique(numbers[unsure], return_inverse=True)
    exact = [int(Fraction(repr(number)) // width) for number in some.tolist()]
    found[unsure] = np.array(exact, dtype=np.float64)[place]
    return found.astype(np.int64)
