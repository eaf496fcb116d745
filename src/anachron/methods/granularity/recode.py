"""Climb the ladder of a quasi column: what each of its values is published as."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import COUNT, Table, quasi
from anachron.errors import PlanError, Problem
from anachron.ladders import Bins, Drop, Ladder, Parents, Prefix, Raw, Step, describe
from anachron.methods.granularity.view import Recoding

__all__ = ["Rung", "rungs"]


@dataclass(frozen=True, eq=False)
class Rung:
    """One step of a ladder, worked out for the values of a column."""

    step: Step
    recoding: Recoding
    loss: Fraction
    """Mean over the rows of the share of the column's other values that a published one hides."""

    @property
    def title(self) -> str:
        """The step in plain words."""
        return describe(self.step)


def rungs(table: Table, column: str, ladder: Ladder | None) -> tuple[Rung, ...]:
    """Work out every step of a column's ladder; a column without one has a single step."""
    values, frequencies = table.values(column), _frequencies(table, column)
    steps: tuple[Step, ...] = (Raw(),) if ladder is None else ladder.steps
    found = [_rung(column, step, values, frequencies) for step in steps]
    for fine, coarse in itertools.pairwise(found):
        _check_coarser(column, fine, coarse)
    return tuple(found)


def _frequencies(table: Table, column: str) -> Array:
    """How many rows hold each of a column's distinct values."""
    told = table.held().counts([quasi(column)]).collect(quasi(column), COUNT)
    found = np.zeros(len(table.values(column)), dtype=np.int64)
    found[told[quasi(column)]] = told[COUNT]
    return found


def _rung(column: str, step: Step, values: pa.Array, frequencies: Array) -> Rung:
    if isinstance(step, Raw):
        recoding = Recoding(column, np.arange(len(values)), pa.table({column: values}))
    elif isinstance(step, Drop):
        # A table without columns has no rows in Arrow, so one that keeps a row count is needed.
        nothing = pa.table({column: pa.nulls(1)}).select([])
        recoding = Recoding(column, np.zeros(len(values), dtype=np.int64), nothing)
    elif isinstance(step, Bins):
        recoding = _binned(column, step, values)
    elif isinstance(step, Prefix):
        _need_text(column, values, "a prefix")
        heads = [v if v is None else v[: step.length] + "*" for v in values.to_pylist()]
        recoding = _relabelled(column, heads)
    else:
        recoding = _relabelled(column, _parents(column, step, values))
    return Rung(step, recoding, _loss(recoding.codes, frequencies))


def _loss(codes: Array, frequencies: Array) -> Fraction:
    if len(codes) < 2:
        return Fraction(0)
    hidden = np.bincount(codes)[codes] - 1
    return Fraction(int(hidden @ frequencies), int(frequencies.sum()) * (len(codes) - 1))


def _relabelled(column: str, labels: list[str | None]) -> Recoding:
    """Publish text labels, in ascending order, null last."""
    known = sorted({label for label in labels if label is not None})
    number: dict[str | None, int] = {label: i for i, label in enumerate(known)}
    number[None] = len(known)
    published = [*known, None] if None in labels else known
    codes = np.array([number[label] for label in labels], dtype=np.int64)
    return Recoding(column, codes, pa.table({column: pa.array(published, pa.string())}))


def _parents(column: str, step: Parents, values: pa.Array) -> list[str | None]:
    parents = dict(step.parents)
    texts = [None if value is None else str(value) for value in values.to_pylist()]
    missing = sum(text is not None and text not in parents for text in texts)
    if missing:
        raise PlanError(
            Problem(
                f"{missing:,} of its {len(texts):,} different values are not in its hierarchy.",
                column=column,
                remedy="Add them to the hierarchy's first column.",
            )
        )
    return [None if text is None else parents[text] for text in texts]


def _binned(column: str, step: Bins, values: pa.Array) -> Recoding:
    # A column in which nothing is filled in has no type of its own, and nothing to object to.
    whole = pa.types.is_integer(values.type)
    if _is_empty(values):
        whole = not (step.width % 1 or step.origin % 1)
    elif not (whole or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type)):
        raise PlanError(Problem("has bins in its ladder but does not hold numbers.", column=column))
    if whole and (step.width % 1 or step.origin % 1):
        raise PlanError(
            Problem(
                "holds whole numbers, so its bins need whole widths and a whole origin.",
                column=column,
            )
        )
    # Decimal arithmetic: a bound is a grid point exactly, never the nearest binary fraction.
    numbers = [None if v is None else Decimal(str(v)) for v in values.to_pylist()]
    bins = [None if n is None else (n - step.origin) // step.width for n in numbers]
    # // rounds towards zero for Decimals; below the origin that is one bin too high.
    floors = [
        None if n is None or b is None else b - (b * step.width > n - step.origin)
        for n, b in zip(numbers, bins, strict=True)
    ]
    known = sorted({b for b in floors if b is not None})
    number: dict[Decimal | None, int] = {b: i for i, b in enumerate(known)}
    number[None] = len(known)
    codes = np.array([number[b] for b in floors], dtype=np.int64)
    lows: list[Any] = [step.origin + b * step.width for b in known]
    highs: list[Any] = [low + step.width - (1 if whole else 0) for low in lows]
    if None in floors:
        lows, highs = [*lows, None], [*highs, None]
    kind = pa.int64() if whole else pa.float64()
    plain = int if whole else float
    published = {
        f"{column}_low": pa.array([v if v is None else plain(v) for v in lows], kind),
        f"{column}_high": pa.array([v if v is None else plain(v) for v in highs], kind),
    }
    return Recoding(column, codes, pa.table(published))


def _need_text(column: str, values: pa.Array, what: str) -> None:
    kind = values.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_empty(values)):
        raise PlanError(Problem(f"has {what} in its ladder but does not hold text.", column=column))


def _is_empty(values: pa.Array) -> bool:
    return bool(values.null_count == len(values))


def _check_coarser(column: str, fine: Rung, coarse: Rung) -> None:
    pairs = np.unique(np.stack([fine.recoding.codes, coarse.recoding.codes]), axis=1)
    if len(np.unique(pairs[0])) != pairs.shape[1]:
        raise PlanError(
            Problem(
                f"the step {coarse.title!r} of its ladder is not coarser than {fine.title!r}.",
                column=column,
            )
        )
