"""Wall clocks: from what they showed to instants, and how finely times were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from anachron.arrays import Array, Flags
from anachron.calendar.definitions import Granularity
from anachron.calendar.realise import realise, span
from anachron.calendar.zones import DAY, SECOND, Clock, clock
from anachron.engines.local.marked import problem_at
from anachron.errors import Problem
from anachron.schema import Schema

__all__ = ["RECORDED_BY", "from_wall", "only_days", "recorded_by", "twice_notes"]


RECORDED_BY = ("day", "hour", "quarter_hour", "minute")
_CHUNK = 1 << 16
_GLANCE = 1 << 8
"""So many times mostly tell that not all begin a granule."""


def from_wall(
    walls: Array, schema: Schema, file: str, problems: list[Problem], all_days: bool | None = None
) -> tuple[Array, int]:
    """Carry what a wall clock showed to instants; days begin when the clock reaches them.

    And how many times were shown twice. ``all_days`` says of a whole table, of which these are some
    rows, whether it has days alone.
    """
    on = clock(schema.clock_zone, int(walls.min()) - 2 * DAY, int(walls.max()) + 2 * DAY)
    whole_days = only_days(walls) if all_days is None else all_days
    if len(on.start) == 1:
        return walls - on.offset[0], 0
    instants = np.empty_like(walls)
    skipped, twice = np.zeros(len(walls), dtype=bool), np.zeros(len(walls), dtype=bool)
    for at, part in zip(range(0, len(walls), _CHUNK), _parts(walls), strict=True):
        here = slice(at, at + len(part))
        if whole_days:
            instants[here], skipped[here] = _days(on, part)
        else:
            instants[here], skipped[here], twice[here] = on.read(part)
    if skipped.any():
        problems.append(
            problem_at(
                skipped,
                f"was never shown by the clocks of {schema.clock_zone} (they were put forward) "
                "in {n}.",
                "Check time_zone, or give the times with their offset from UTC.",
                schema.time,
                file,
            )
        )
    return instants, int(twice.sum())


def only_days(walls: Array) -> bool:
    """Whether all times are midnights."""
    return all(not np.any(part % DAY) for part in _parts(walls))


def _days(on: Clock, walls: Array) -> tuple[Array, Flags]:
    """The first instant of each day, and which days the zone left out altogether."""
    instants = on.reaches(walls)
    return instants, on.wall(instants) // DAY != walls // DAY


def twice_notes(count: int, schema: Schema) -> Iterator[str]:
    """What is to be known of times that were shown twice."""
    if count:
        yield (
            f"{count:,} time{'s' * (count > 1)} in column {schema.time!r} fall in an hour that "
            f"the clocks of {schema.clock_zone} showed twice, and were read as the first."
        )


def recorded_by(instants: Array, zone: str) -> str:
    """The coarsest of day, hour, quarter hour, minute and second that starts at every time."""
    # Offsets are whole seconds, so seconds are the same on every clock.
    if any(np.any(part % SECOND) for part in _parts(instants)):
        return "instant"
    over = span(zone, int(instants.min()), int(instants.max()))
    for name in RECORDED_BY:
        granules = realise(Granularity(name), over)
        if all(
            np.array_equal(granules.bounds(granules.index(part))[0], part)
            for part in chain([instants[:_GLANCE]], _parts(instants))
        ):
            return name
    return "second"


def _parts(values: Array) -> Iterator[Array]:
    """Pieces that fit the processor's cache, and let a test stop early."""
    for at in range(0, len(values), _CHUNK):
        yield values[at : at + _CHUNK]
