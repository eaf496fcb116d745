"""What a release says about some conditions: estimates, hard bounds, and why they are wide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from anachron.arrays import Floats

__all__ = ["Estimate", "Estimates", "joined", "nothing", "total", "without_groups"]

_LAST_DIGITS = 1e-12
"""By how much sums of the same numbers in another order may differ, as a part of them."""


class Estimate(NamedTuple):
    """What is said about one of the conditions."""

    estimate: float
    low: float
    high: float
    variance: float
    cut: float
    counterfeits: float
    late: float
    lean: float
    candidates: float

    @property
    def wide(self) -> bool:
        """Whether it is open between its bounds, by more than rounding."""
        return self.high - self.low > _LAST_DIGITS * max(abs(self.low), abs(self.high))

    @property
    def error(self) -> float | None:
        """The standard error; none where nothing is known, though the answer is open."""
        if not self.wide:
            return 0.0
        # No answer is further from the estimate than the bounds are.
        farthest = max(self.high - self.estimate, self.estimate - self.low)
        error = min(math.sqrt(max(self.variance, 0.0) + self.lean**2), farthest)
        return error if error and math.isfinite(error) else None


@dataclass(frozen=True, eq=False)
class Estimates:
    """One number of each kind for every condition that was asked about."""

    estimate: Floats
    """The expected answer, if values are spread evenly within what was published."""
    low: Floats
    """The smallest answer that is consistent with the release."""
    high: Floats
    """The largest one."""
    variance: Floats
    """Of the answer, in the model of the estimate."""
    cut: Floats
    """Rows of which it is open whether they count, because the condition cuts their groups."""
    counterfeits: Floats
    """Counterfeits in the groups that may count."""
    late: Floats
    """Rows that may count, or may not, because they can be published later than they happened."""
    lean: Floats
    """By how much the answer moves if no value is spread evenly, and all lean the same way; NaN if
    nobody knows. See :mod:`anachron.asking.doubt`."""
    candidates: Floats
    """People of whom it is open whether they count, because each has one of the values of a group
    of which the condition takes some."""

    @property
    def lines(self) -> list[Estimate]:
        """What is said about each of the conditions."""
        parts = (getattr(self, name).tolist() for name in Estimate._fields)
        return [Estimate(*line) for line in zip(*parts, strict=True)]


def nothing(conditions: int) -> Estimates:
    """The figures of conditions that no row meets."""
    return Estimates(*(np.zeros(conditions) for _ in fields(Estimates)))


def without_groups(
    estimate: Floats, low: Floats, high: Floats, variance: Floats, cut: Floats, lean: Floats
) -> Estimates:
    """What is said where no group has counterfeits, late rows or candidates."""
    none = np.zeros(len(low))
    return Estimates(estimate, low, high, variance, cut, none, none, lean, none)


def joined(parts: Iterable[Estimates]) -> Estimates:
    """Lay behind each other what is said of some conditions after others."""
    several = [nothing(0), *parts]
    return Estimates(
        *(np.concatenate([getattr(part, f.name) for part in several]) for f in fields(Estimates))
    )


def total(parts: Iterable[Estimates], conditions: int) -> Estimates:
    """Add up what independent parts say of the same conditions."""
    found = nothing(conditions)
    for part in parts:
        for field in fields(Estimates):
            getattr(found, field.name)[:] += getattr(part, field.name)
    return found
