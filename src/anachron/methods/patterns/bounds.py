"""Envelopes on the fixed public grid: exact bounds would be somebody's values."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from anachron.arrays import Array, Floats
from anachron.errors import PlanError, Problem
from anachron.methods.axes import Axis
from anachron.methods.boxes import points

__all__ = ["keeps_whole", "outwards", "step_of"]

_EXACT = 2**53


def step_of(declared: Decimal | None, whole: bool, values: Floats) -> Decimal:
    """Give the step of the grid: as declared, or 1 for whole numbers."""
    if declared is None and not whole:
        raise PlanError(
            Problem(
                "the series hold fractions, and precision is missing.",
                remedy="Say of what published bounds are multiples, for instance 0.1.",
            )
        )
    step = Decimal(1) if declared is None else declared
    if Decimal(repr(float(np.abs(values).max()))) / step >= _EXACT:
        raise PlanError(
            Problem(
                "the series hold numbers too large for the precision.",
                remedy="Declare a larger precision.",
            )
        )
    return step


def keeps_whole(step: Decimal, high: Floats) -> bool:
    """Whether whole numbers, rounded outwards to multiples of a step, are whole numbers."""
    return 1 in step.as_integer_ratio() and float(np.abs(high).max(initial=0.0)) < _EXACT


def outwards(low: Floats, high: Floats, step: Decimal) -> tuple[Floats, Floats]:
    """Round lower bounds down and upper bounds up to multiples of a step, decimal by decimal."""
    floor = points([_axis(column, step) for column in low.T]).first
    ceiling = points([_axis(column, step) for column in high.T]).end
    return _multiples(floor, step), _multiples(ceiling, step)


def _axis(numbers: Floats, step: Decimal) -> Axis:
    return Axis("", np.ascontiguousarray(numbers), step, False, (), (0.0, 0.0))


def _multiples(counts: Array, step: Decimal) -> Floats:
    known, which = np.unique(counts, return_inverse=True)
    edges = np.array([float(count * step) for count in known.tolist()], dtype=np.float64)
    multiples: Floats = edges[which].reshape(counts.shape)
    return multiples
