"""A quasi column as numbers, and the fixed public grid on which its intervals are published."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats
from anachron.errors import PlanError, Problem

__all__ = ["Axis", "Grid", "axis", "plain_axis"]


_EXACT = 2**53
"""Up to here, floating-point numbers tell all whole numbers apart."""


class Grid(Protocol):
    """What a guarantee says of its intervals, by column."""

    @property
    def widths(self) -> tuple[tuple[str, Decimal], ...]:
        """The least width of an interval."""

    @property
    def orders(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """For texts, the values in order."""

    @property
    def domains(self) -> tuple[tuple[str, tuple[Decimal, Decimal]], ...]:
        """The lowest and the highest value."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi column as numbers, and how its intervals are published."""

    column: str
    numbers: Floats
    width: Decimal | None
    """Of the grid, for numbers; None for ordered texts."""
    whole: bool
    order: tuple[str, ...]
    """For texts, the values by their number."""
    domain: tuple[float, float]


def axis(column: str, values: pa.Array, grid: Grid, rows: Array | None = None) -> Axis:
    """Check that intervals of a column can be published as declared, and give it as numbers.

    ``rows`` says how many rows have each value, if they are distinct ones.
    """
    kind = values.type
    widths, domains = dict(grid.widths), dict(grid.domains)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _ordered(column, values, dict(grid.orders).get(column), rows)
    whole = bool(pa.types.is_integer(kind))
    if not whole and not (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise PlanError(Problem("is neither a number nor text.", column=column))
    if not whole and column not in widths:
        raise PlanError(
            Problem(
                "holds fractions, so its intervals need a least width.",
                column=column,
                remedy="Declare one in widths.",
            )
        )
    width = widths.get(column, Decimal(1))
    if whole and (width > _EXACT or width % 1):
        raise PlanError(
            Problem(
                "holds whole numbers and needs a whole width.",
                column=column,
                remedy="Declare one in widths; in a history, a multiple of the one before.",
            )
        )
    numbers = _as_numbers(column, values)
    spanned = (float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf)))
    low, high = domains.get(column, spanned)
    if numbers.min(initial=np.inf) < float(low) or numbers.max(initial=-np.inf) > float(high):
        raise PlanError(
            Problem(
                "holds values outside its declared domain.",
                column=column,
                remedy="Widen it in domains.",
            )
        )
    if not whole and Decimal(repr(float(np.abs(numbers).max(initial=0)))) / width >= _EXACT:
        raise PlanError(
            Problem(
                "holds numbers too large for intervals of its width.",
                column=column,
                remedy="Declare a larger width; in a history, a multiple of the one before.",
            )
        )
    return Axis(column, numbers, width, whole, (), (float(low), float(high)))


def plain_axis(column: str, values: pa.Array) -> Axis:
    """Give a column that is published as it is as numbers: what is near is put together.

    Its distinct values are in ascending order. Those that are no finite numbers have their place.
    """
    kind, numbers = values.type, np.arange(len(values), dtype=np.float64)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        read = pc.cast(values.fill_null(0), pa.float64(), safe=False)
        found = np.asarray(read.to_numpy(zero_copy_only=False))
        numbers = found if np.isfinite(found).all() else numbers
    spanned = (float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf)))
    return Axis(column, numbers, None, False, (), spanned)


def _as_numbers(column: str, values: pa.Array) -> Floats:
    try:
        numbers = pc.cast(values.fill_null(0), pa.float64())
    except pa.ArrowInvalid:  # whose message quotes the number
        raise PlanError(
            Problem(
                f"holds whole numbers beyond {_EXACT:,}, which cannot be compared exactly.",
                column=column,
                remedy="Give it in a larger unit.",
            )
        ) from None
    return np.asarray(numbers.to_numpy(zero_copy_only=False))


def _ordered(
    column: str, values: pa.Array, order: tuple[str, ...] | None, rows: Array | None
) -> Axis:
    if order is None:
        raise PlanError(
            Problem(
                "holds text, which has no order of its own.",
                column=column,
                remedy="List its values in orders, neighbours side by side, or code it in numbers.",
            )
        )
    numbers = pc.index_in(values.cast(pa.string()), pa.array(order, pa.string()))
    unlisted = pc.and_(numbers.is_null(), values.is_valid()).to_numpy(zero_copy_only=False)
    strange = int(unlisted.sum() if rows is None else rows[unlisted].sum())
    if strange > 0:
        raise PlanError(
            Problem(
                f"holds values that its order does not list ({strange:,} rows).",
                column=column,
                remedy="Add them to its order in orders; in a history, at the end.",
            )
        )
    plain = np.asarray(numbers.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.float64)
    return Axis(column, plain, None, False, order, (0.0, float(len(order) - 1)))
