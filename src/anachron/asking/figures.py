"""What a release says about some conditions: estimates, hard bounds, and why they are wide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from anachron.arrays import Floats

__all__ = ["Figures", "nothing", "total"]


@dataclass(frozen=True, eq=False)
class Figures:
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


def nothing(conditions: int) -> Figures:
    """The figures of conditions that no row meets."""
    return Figures(*(np.zeros(conditions) for _ in fields(Figures)))


def total(parts: Iterable[Figures], conditions: int) -> Figures:
    """Add up what independent parts say of the same conditions."""
    found = nothing(conditions)
    for part in parts:
        for field in fields(Figures):
            getattr(found, field.name)[:] += getattr(part, field.name)
    return found
