"""Is nothing told of times that their owner did not know: a day of what is recorded by the year?"""

from __future__ import annotations

from zoneinfo import ZoneInfo

import numpy as np

from anachron.arrays import Array
from anachron.auditing.verdict import Check
from anachron.auditing.verify.clock import first_instant, wall_time
from anachron.auditing.verify.granules import CIVIL
from anachron.engines.local.load import Loaded

__all__ = ["recorded_checks"]


_WHOLE = ("month", "year")
"""Units of which a row names a whole one. Finer ones are those that all times happen to lie on."""


def recorded_checks(loaded: Loaded, zone: str, start: Array, end: Array) -> tuple[Check, ...]:
    """Check that published granules hold whole months or years, where rows name whole ones."""
    unit = loaded.recorded_by
    if unit not in _WHOLE:
        return ()
    wrong = _cut(unit, zone, start, end)
    return (
        Check(
            "recorded times",
            not wrong,
            f"whole {unit}s: times are recorded by {unit}",
            f"{wrong:,} published times that begin or end inside a {unit}"
            if wrong
            else "as promised",
            "published times against how finely they are recorded",
        ),
    )


def _cut(unit: str, zone: str, start: Array, end: Array) -> int:
    """How many granules begin or end inside a unit of the calendar."""
    clock, granule = ZoneInfo(zone), CIVIL[unit]
    bounds = np.unique(np.stack([start, end], axis=1), axis=0).tolist()
    return sum(
        first_instant(granule(wall_time(low, clock))[0], clock) != low
        or first_instant(granule(wall_time(high - 1, clock))[1], clock) != high
        for low, high in bounds
    )
