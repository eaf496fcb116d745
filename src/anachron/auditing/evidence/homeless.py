"""People of the microdata whom no group could hold, where nobody knows who is in which."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, distinct
from anachron.auditing.evidence.apart import QuasiNumbers, without_row
from anachron.auditing.evidence.covering import Axes
from anachron.auditing.evidence.people import register_values
from anachron.auditing.evidence.roll import Roll
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups

__all__ = ["homeless_of"]


def homeless_of(form: Register, groups: RegisterGroups, roll: Roll) -> tuple[int, Array]:
    """How many people no group holds that has their value; and how many have each of these."""
    place = register_values(roll, groups)
    of_value = np.zeros(len(groups.domain), dtype=np.int64)
    for piece in roll:
        value = place[piece.value]
        of_value += np.bincount(value[value >= 0], minlength=len(of_value))
    if groups.apart is not None:
        numbers = QuasiNumbers(form, groups.apart, roll.quasi)
        people = ((numbers.of(piece.quasi), place[piece.value]) for piece in roll)
        return without_row(groups, groups.apart, numbers, people), of_value
    return _outside_all(Axes(form, groups, roll.quasi), groups, roll, place), of_value


def _outside_all(axes: Axes, groups: RegisterGroups, roll: Roll, place: Array) -> int:
    homeless = 0
    of_value: dict[int, Array] = {}
    for piece in roll:
        value = place[piece.value]
        homeless += int((value < 0).sum())
        # Boxes overlap: most pairs of a person and a group hold, and are only counted.
        for code in distinct(value[value >= 0]).tolist():
            if code not in of_value:
                of_value[code] = groups.owner[groups.value == code]
            rows = np.flatnonzero(value == code)
            homeless += int((~axes.any_of(piece.quasi, rows, of_value[code])).sum())
    return homeless
