"""How coarse times and numbers may become, by what they are."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from anachron.calendar.definitions import BUILT_IN
from anachron.proposing.columns import COUNTED, Facts
from anachron.proposing.words import says
from anachron.schema import CALENDAR_UNITS, TimeUnit

__all__ = ["DAYS", "days", "granularities", "granule", "ladder", "recorded_by", "unit_of"]

DAYS = dict(zip(BUILT_IN, (1 / 86_400, 1 / 1_440, 1 / 96, 1 / 24, 1 / 4, 1, 3.5, 7, 15, 30, 91, 182,
                           365, 3_652), strict=True))  # fmt: skip
"""About how many days a granule of each built-in granularity lasts."""


def unit_of(clock: Facts | None) -> TimeUnit:
    """The time_unit by which a column is read."""
    kind = clock.kind.removesuffix(" as text") if clock else ""
    return next((unit for unit in COUNTED if unit == kind), "auto")


def recorded_by(clock: Facts) -> str:
    """The finest built-in granularity by which times are recorded."""
    unit = unit_of(clock)
    if unit in CALENDAR_UNITS:
        return unit
    return "second" if clock.recorded_by == "instant" else clock.recorded_by


def days(clock: Facts) -> float:
    """How long the times span."""
    if clock.kind == "year":
        return clock.width * 365
    if clock.kind == "month":
        # 202401 less 202311 is 90: a year forth, ten months back.
        years = round(clock.width / 100)
        return (12 * years + clock.width - 100 * years) * DAYS["month"]
    per_second = {"ms": 1_000, "us": 1_000_000}.get(clock.kind, 1)
    return clock.width / per_second / 86_400


def granularities(clock: Facts) -> tuple[str, ...]:
    """Built-in granularities not finer than recorded, and not coarser than twice the span."""
    names = BUILT_IN[BUILT_IN.index(recorded_by(clock)) :]
    return tuple(n for n in names if DAYS[n] <= 2 * days(clock)) or names[:1]


def granule(time: Facts, name: str) -> str:
    """SQL for the granule of a time; where databases know none, of the next finer kind."""
    coarser = {"quarter_hour": "minute", "part_of_day": "hour", "week_part": "day",
               "half_month": "week", "half_year": "quarter"}  # fmt: skip
    return f"date_trunc('{coarser.get(name, name)}', {time.read})"


def ladder(column: Facts) -> dict[str, Any] | None:
    """Bins for numbers; for many texts, as they are or left out; for a few values nothing.

    Numbers and few values are not offered to be left out: with time to be kept fine, they would
    be the first to go.
    """
    if says(column.name, "place") and column.kind == "number":
        return {"bins": ["0.01", "0.1", "1"], "raw": False, "drop": False}
    if column.different <= 10:
        return None
    if not column.is_number:
        return {}
    if column.kind != "number" and column.width < 20:
        return {"bins": [2, 10], "drop": False}
    # 5, 10, 20 for ages; the same digits, with as many zeros as the numbers are large.
    size = floor(log10(column.width / 20)) if column.width > 0 else 0
    return {"bins": [f"{width}e{size}" for width in (5, 10, 20)], "drop": False}
