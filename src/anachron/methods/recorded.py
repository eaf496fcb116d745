"""How finely times are recorded, and which granularities are too fine for them.

Units up to the day are *observed*: all times of this table lie on whole ones. Months and years are
*declared*, by the schema's ``time_unit``: a row names a whole one, and that holds for every table.
"""

from __future__ import annotations

from zoneinfo import ZoneInfo

import numpy as np

from anachron.calendar.definitions import Granularity
from anachron.calendar.granules import OUTSIDE, Granules
from anachron.calendar.order import cuts
from anachron.calendar.realise import Span, realise, span
from anachron.calendar.zones import to_datetime
from anachron.engines.base import Table
from anachron.errors import Problem, TableError
from anachron.schema import CALENDAR_UNITS

__all__ = ["coarse_enough", "cutting", "day_or_unit", "refuse_cutting"]


def cutting(granules: Granules, table: Table, over: Span) -> str | None:
    """Why a granularity cannot tell apart times that are recorded by a unit, if so."""
    unit = table.recorded_by
    if unit == "instant":
        return None
    recorded = realise(Granularity.named(unit), over)
    if not cuts(granules, recorded):
        return None
    if granules.width.max() < recorded.width.min():
        return f"it is finer than the times are recorded, by {unit}"
    bounds = np.sort(np.concatenate([granules.start, granules.end]))
    start, _ = recorded.bounds(recorded.index(bounds))
    off = bounds[(recorded.index(bounds) != OUTSIDE) & (start != bounds)]
    zone = ZoneInfo(table.schema.time_zone)
    where = (
        f", at {to_datetime(int(off[0])).astimezone(zone):%Y-%m-%d %H:%M:%S}" if len(off) else ""
    )
    return (
        f"a granule of it begins or ends inside one {unit}{where}, and times are recorded by "
        f"{unit}: on which side an event of that {unit} lies is not known"
    )


def refuse_cutting(granularity: Granularity, table: Table, what: str) -> None:
    """Refuse snapshots, or times of series, that cut a month or year that rows name as a whole.

    Observed units are no reason: the next push may hold times that are finer.
    """
    if table.recorded_by not in CALENDAR_UNITS:
        return
    over = span(table.schema.time_zone, table.first, table.last)
    reason = cutting(realise(granularity, over), table, over)
    if reason is not None:
        raise TableError(
            Problem(
                f"{what} by {granularity.name} do not fit its times, which are recorded by "
                f"{table.recorded_by}: {reason}.",
                column=table.schema.time,
                remedy=coarse_enough(f"Choose {what} by {{}}.", table),
            )
        )


def day_or_unit(table: Table, instant: int) -> str:
    """The date of an instant in UTC, or the month or year that a row names."""
    if table.recorded_by not in CALENDAR_UNITS:
        return to_datetime(instant).date().isoformat()
    over = span(table.schema.time_zone, instant, instant)
    granules = realise(Granularity.named(table.recorded_by), over)
    return granules.label(granules.index(np.array([instant])))[0]


def coarse_enough(advice: str, table: Table) -> str:
    """Fill in which granularities fit a declared unit; nothing for observed ones."""
    unit = table.recorded_by
    return advice.format(f"{unit!r} or granules of whole {unit}s") if unit in CALENDAR_UNITS else ""
