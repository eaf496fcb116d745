"""The sensitive columns of series: one value for each, diverse where that is promised."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Floats
from anachron.engines.base import Table
from anachron.errors import PlanError, Problem, TableError
from anachron.guarantees import KPAnonymity
from anachron.methods.patterns.diversity import Diversity, Lots
from anachron.methods.patterns.perturb import perturb
from anachron.methods.patterns.planned import Planned
from anachron.methods.vocabulary import vocabulary

__all__ = ["coded", "diversity", "noisy", "spelled"]

_ROUNDING = 4 * float(np.finfo(np.float64).eps)


def spelled(table: Table, name: str, promise: KPAnonymity) -> tuple[pa.Array, list[str]]:
    """A sensitive column as it is counted and published, and what its owner should know of it.

    Where no l is promised, values are not counted, and published as they are written.
    """
    column = table.column(name)
    if promise.l is None or column.null_count:
        return column, []
    found = vocabulary(column, name, table.schema.spelling)
    as_published = found.values.take(pa.array(found.code)) if found.merged else column
    return as_published, found.notes


def diversity(
    promise: KPAnonymity,
    columns: Mapping[str, pa.Array],
    row: Array,
    lots: Lots,
) -> Diversity | None:
    """Say what each P-subgroup must hold, or check that values can be changed by noise.

    ``row`` is where each series is found in the table; ``lots`` draws. Each value is spelled in
    one way, as :func:`spelled` gives it.
    """
    if promise.l is None:
        return None
    [(name, values)] = columns.items()
    if values.null_count:
        missing = row[values.is_null().to_numpy(zero_copy_only=False)]
        raise TableError(
            Problem(
                f"is empty for {len(missing):,} subjects.",
                column=name,
                row=int(missing.min()) + 1,
                remedy="Fill it in, leave those people out, or promise no l.",
            )
        )
    if promise.noise is not None and not _is_number(values):
        raise PlanError(
            Problem(
                "holds no numbers, so noise has no meaning.",
                column=name,
                remedy='Remove noise, and promise diversity = "subgroup".',
            )
        )
    if promise.diversity == "paper":
        return None
    numbers = _numbers(values) if _is_number(values) else coded(values).astype(np.float64)
    distance = 0.0 if promise.noise is None else float(promise.noise)
    if distance:
        # What is that far apart in decimals must not seem farther because of rounding.
        distance += _ROUNDING * float(np.abs(numbers).max())
    return Diversity(numbers, promise.l, lots, distance)


def noisy(
    promise: KPAnonymity, values: pa.Array, plan: Planned, envelope: tuple[Floats, Floats]
) -> pa.Array:
    """Change values that too many of one possible set share, as the paper has it.

    Whole numbers stay whole.
    """
    if promise.l is None or promise.noise is None or promise.diversity != "paper":
        return values
    whole = bool(pa.types.is_integer(values.type))
    before = _numbers(values)
    after = perturb(plan, envelope, before, promise.l, float(promise.noise), whole=whole)
    if not whole:
        return pa.array(after)
    own = values.cast(pa.int64()).to_numpy()
    return pa.array(np.where(after != before, after.astype(np.int64), own))


def coded(values: pa.Array) -> Array:
    """Number the different values; a missing one has a number of its own."""
    codes: Codes = values.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64) + 1


def _is_number(values: pa.Array) -> bool:
    kind = values.type
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _numbers(values: pa.Array) -> Floats:
    numbers: Floats = pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers
