"""Time for the oracle: a list of small cells, and granularities as a label for each cell.

A cell is a day or an hour of a local calendar. Nothing is clever here: a granularity is the
list of its labels, one per cell, ``None`` where it has a gap, and everything about it is found
by looking at all cells. Cells far from the years of the table are months, so that decades fit.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo

Labels = tuple[Any, ...]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FAR_YEARS = 12
DAYS_AROUND = timedelta(days=400)
HOURS_AROUND = timedelta(days=15)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells around the whole local years of a table."""

    zone: str
    start: tuple[int, ...]
    """Microseconds since 1970."""
    length: tuple[int, ...]
    local: tuple[datetime, ...]
    """What the clock shows as the cell begins."""
    offset: tuple[timedelta | None, ...]
    in_years: frozenset[int]


class Refused(Exception):
    """The granularities cannot be offered together."""


def instant(local: datetime, zone: str) -> int:
    moment = local.replace(tzinfo=ZoneInfo(zone))
    return (moment - EPOCH) // timedelta(microseconds=1)


@cache
def cells(zone: str, first_year: int, last_year: int, hourly: bool) -> Cells:
    """Days of the years and around them; in the middle hours if asked for, far away months."""
    info = ZoneInfo(zone)
    low, high = datetime(first_year, 1, 1), datetime(last_year + 1, 1, 1)
    moments: list[datetime] = []
    local = datetime(first_year - FAR_YEARS, 1, 1)
    while local < datetime(last_year + FAR_YEARS, 1, 1):
        distance = max(low - local, local - high)
        if distance > DAYS_AROUND and local.day == 1:
            following = (local + timedelta(days=31)).replace(day=1)
        else:
            following = local + timedelta(days=1)
        moment = local.replace(tzinfo=info).astimezone(UTC)
        moments.append(moment)
        if hourly and distance < HOURS_AROUND:
            # Hours elapse: a day of 23 or 25 hours gets 23 or 25 cells.
            end = following.replace(tzinfo=info).astimezone(UTC)
            hours = (end - moment) // timedelta(hours=1)
            moments += [moment + timedelta(hours=n) for n in range(1, hours)]
        local = following
    instants = [(moment - EPOCH) // timedelta(microseconds=1) for moment in moments]
    shown = [moment.astimezone(info) for moment in moments[:-1]]
    clock = [t.replace(tzinfo=None, fold=0) for t in shown]
    return Cells(
        zone,
        tuple(instants[:-1]),
        tuple(b - a for a, b in itertools.pairwise(instants)),
        tuple(clock),
        tuple(t.utcoffset() for t in shown),
        frozenset(i for i, t in enumerate(clock) if low <= t < high),
    )


def built_in(name: str, t: datetime, offset: timedelta | None) -> Any:  # noqa: C901
    """What a built-in granularity calls the cell that begins at a local time."""
    week = t.isocalendar()[:2]
    if name in ("second", "minute", "quarter_hour"):
        return (t, offset)
    if name == "hour":
        return (t.date(), t.hour, offset)
    if name == "part_of_day":
        return (t.date(), ["night", "morning", "afternoon", "evening"][t.hour // 6])
    if name == "day":
        return t.date()
    if name == "week_part":
        return (*week, t.weekday() >= 5)
    if name == "week":
        return week
    if name == "half_month":
        return (t.year, t.month, t.day > 15)
    if name == "month":
        return (t.year, t.month)
    if name == "quarter":
        return (t.year, (t.month - 1) // 3)
    if name == "half_year":
        return (t.year, t.month > 6)
    if name == "year":
        return t.year
    assert name == "decade"
    return t.year // 10


SUB_HOUR = {"second": 1_000_000, "minute": 60_000_000, "quarter_hour": 900_000_000}


@lru_cache(maxsize=4096)
def labels(spec: Any, over: Cells) -> Labels:
    """The label of every cell in a granularity given as plain nested tuples, by number."""
    numbers: dict[Any, int] = {}
    named = _named(spec, over)
    return tuple(None if a is None else numbers.setdefault(a, len(numbers)) for a in named)


def _named(spec: Any, over: Cells) -> Labels:
    kind, name, *rest = spec
    if kind == "built_in":
        return tuple(built_in(name, t, o) for t, o in zip(over.local, over.offset, strict=True))
    if kind == "spans":
        return tuple(_span_of(t, rest[0]) for t in over.local)
    if kind == "business_days":
        holidays, weekend = rest
        return tuple(_open_day(t.date(), holidays, weekend) for t in over.local)
    if kind == "group":
        return _groups(labels(rest[0], over), rest[1], rest[2], over)
    assert kind == "within"
    of, by = labels(rest[0], over), labels(rest[1], over)
    _check_within(of, by, over)
    return tuple(None if a is None else b for a, b in zip(of, by, strict=True))


def _span_of(t: datetime, spans: Any) -> str | None:
    for start, end, label in spans:
        if start <= t < end:
            return label
    return None


def _open_day(day: date, holidays: Any, weekend: Any) -> date | None:
    return None if day.weekday() in weekend or day in holidays else day


def _groups(of: Labels, sizes: tuple[int, ...], anchor: datetime, over: Cells) -> Labels:
    """Number the granules from the one that holds the anchor, then share them out."""
    granules = list(dict.fromkeys(label for label in of if label is not None))
    held = [a for a, t in zip(of, over.local, strict=True) if t <= anchor][-1]
    if held is None:
        raise Refused("anchor in a gap")
    zero = granules.index(held)
    group_of = {}
    for place, granule in enumerate(granules):
        cycle, rest = divmod(place - zero, sum(sizes))
        number = 0
        while rest >= sizes[number]:
            rest -= sizes[number]
            number += 1
        group_of[granule] = (cycle, number)
    members: dict[Any, int] = {}
    for group in group_of.values():
        members[group] = members.get(group, 0) + 1
    whole = {g: g for g in members if members[g] == sizes[g[1]]}
    return tuple(None if a is None else whole.get(group_of[a]) for a in of)


def _check_within(of: Labels, by: Labels, over: Cells) -> None:
    met = {by[i] for i in over.in_years} - {None}
    near = [i for i, b in enumerate(by) if i in over.in_years or b in met]
    here = {of[i] for i in near} - {None}
    holders: dict[Any, set[Any]] = {}
    for a, b in zip(of, by, strict=True):
        if a in here:
            holders.setdefault(a, set()).add(b)
    if any(len(found) > 1 or None in found for found in holders.values()):
        raise Refused("within: not finer")
