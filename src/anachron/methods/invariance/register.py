"""From a register to the arrays that are planned on: people, values, quasi columns."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.base import Table
from anachron.errors import PlanError, Problem, TableError
from anachron.guarantees import MInvariance

__all__ = ["Axis", "Register", "register"]

Floats = npt.NDArray[np.float64]

_EXACT = 2**53
"""Up to here, floating-point numbers tell all whole numbers apart."""


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


@dataclass(frozen=True, eq=False)
class Register:
    """A register that was checked: one row a person, one sensitive value each."""

    people: pa.Array
    sensitive: pa.Array
    """As it will be published."""
    texts: pa.Array
    """Sensitive values as the texts by which the ledger knows them."""
    axes: tuple[Axis, ...]

    @property
    def quasi(self) -> Floats:
        """All quasi columns side by side."""
        return np.stack([axis.numbers for axis in self.axes], axis=1)


def register(table: Table, promise: MInvariance) -> Register:
    """Check that a table is a register, and give it as arrays; all problems at once."""
    schema = table.schema
    if len(schema.sensitive) != 1 or not schema.quasi or schema.time:
        raise PlanError(
            "m-invariance is for a register with one sensitive column and at least one quasi "
            "column, and without a time column. Change the schema."
        )
    people, sensitive = table.people(), table.column(schema.sensitive[0])
    problems = _missing(sensitive, schema.sensitive[0])
    if table.subjects < table.rows:
        problems += _repeated(people, schema.subject)
    axes = []
    for column in schema.quasi:
        values = table.column(column)
        problems += _missing(values, column)
        try:
            axes.append(_axis(column, values, promise))
        except PlanError as error:
            problems += error.problems
    if problems:
        raise TableError(problems)
    return Register(people, sensitive, sensitive.cast(pa.string()), tuple(axes))


def _repeated(people: pa.Array, column: str) -> list[Problem]:
    codes = people.dictionary_encode().indices.to_numpy()
    first = np.unique(codes, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(codes)), first)
    return [
        Problem(
            f"holds a subject that stands in an earlier row too ({len(again):,} such rows).",
            column=column,
            row=int(again[0]) + 1,
            remedy="A register has one row for each person.",
        )
    ]


def _missing(values: pa.Array, column: str) -> list[Problem]:
    if not values.null_count:
        return []
    row = int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0]) + 1
    return [
        Problem(
            f"is empty in {values.null_count:,} rows.",
            column=column,
            row=row,
            remedy="Fill it in, or leave those people out.",
        )
    ]


def _axis(column: str, values: pa.Array, promise: MInvariance) -> Axis:
    kind = values.type
    widths, domains = dict(promise.widths), dict(promise.domains)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _ordered(column, values, dict(promise.orders).get(column))
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
        raise PlanError(Problem("holds whole numbers and needs a whole width.", column=column))
    numbers = _as_numbers(column, values)
    spanned = (float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf)))
    low, high = domains.get(column, spanned)
    if numbers.min(initial=np.inf) < float(low) or numbers.max(initial=-np.inf) > float(high):
        raise PlanError(Problem("holds values outside its declared domain.", column=column))
    return Axis(column, numbers, width, whole, (), (float(low), float(high)))


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


def _ordered(column: str, values: pa.Array, order: tuple[str, ...] | None) -> Axis:
    if order is None:
        raise PlanError(
            Problem(
                "holds text, which has no order of its own.",
                column=column,
                remedy="List its values in orders, neighbours side by side, or code it in numbers.",
            )
        )
    numbers = pc.index_in(values.cast(pa.string()), pa.array(order, pa.string()))
    strange = numbers.null_count - values.null_count
    if strange > 0:
        raise PlanError(
            Problem(f"holds values that its order does not list ({strange:,} rows).", column=column)
        )
    plain = np.asarray(numbers.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.float64)
    return Axis(column, plain, None, False, order, (0.0, float(len(order) - 1)))
