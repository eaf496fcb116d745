"""Granules one after the other: how many snapshots lie between two?

A feed counts delays in granules, empty ones included. They are told off here a second time, by
walking through the calendar, and not with the code that published.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from anachron.arrays import Array
from anachron.auditing.reading.granules import CIVIL, CLOCK_UNITS, EARLIEST, LATEST, is_closed
from anachron.behind.clock import first_instant, offsets, wall_time
from anachron.calendar.definitions import BusinessDays, Granularity, Grouped, Listed, Within

__all__ = ["Spans", "longest", "succession"]

Spans = tuple[Array, Array]
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_MANY = 1 << 25
"""Granules that are not walked through any more."""


def succession(granularity: Granularity, zone: str, low: int, high: int) -> Spans | None:
    """Give start and end of all granules that meet the time from ``low`` to ``high``, excluded.

    None if they are too many to be walked through, or not defined there.
    """
    low, high = max(low, EARLIEST), min(high, LATEST)
    clock, rule = ZoneInfo(zone), granularity.rule
    if isinstance(rule, Grouped):
        found = _grouped(rule, zone, low, high)
    elif isinstance(rule, Within):
        found = _within(rule, zone, low, high)
    elif granularity.name in CLOCK_UNITS:
        found = _clock_units(CLOCK_UNITS[granularity.name] * _SECOND, clock, low, high)
    else:
        pairs = sorted({(a, b) for a, b in _walked(granularity, clock, low, high) if a < b})
        found = _spans(np.array(pairs, dtype=np.int64).reshape(-1, 2))
    if found is None:
        return None
    start, end = found
    here = (end > low) & (start < high)
    return start[here], end[here]


def longest(granularity: Granularity) -> int | None:
    """How long a granule can be at most, if it is one of the wall clock or made of such."""
    if isinstance(granularity.rule, Grouped):
        of = longest(granularity.rule.of)
        return None if of is None else of * max(granularity.rule.sizes)
    unit = CLOCK_UNITS.get(granularity.name) if granularity.rule is None else None
    return None if unit is None else unit * _SECOND


def _spans(pairs: Array) -> Spans:
    return pairs[:, 0], pairs[:, 1]


def _walked(
    granularity: Granularity, clock: ZoneInfo, low: int, high: int
) -> Iterator[tuple[int, int]]:
    """Granules of wall times. What a zone skipped has the same start and end."""
    rule = granularity.rule
    if isinstance(rule, Listed):
        for opens, closes, _ in rule.spans:
            yield first_instant(opens, clock), first_instant(closes, clock)
        return
    civil = CIVIL["day" if isinstance(rule, BusinessDays) else granularity.name]
    wall: datetime = civil(wall_time(low, clock))[0]
    start = first_instant(wall, clock)
    while start < high:
        following = civil(wall)[1]
        end = first_instant(following, clock)
        if not (isinstance(rule, BusinessDays) and is_closed(rule, wall.date())):
            yield start, end
        wall, start = following, end


def _clock_units(unit: int, clock: ZoneInfo, low: int, high: int) -> Spans | None:
    """Whole units of the wall clock, cut where its offset changes."""
    if (high - low) // unit > _MANY:
        return None
    since, ahead = offsets(clock, low - unit, high + unit)
    first = np.maximum(since, low - 2 * unit)
    last = np.append(since[1:], high + 2 * unit)
    pieces = []
    for opens, closes, shift in zip(first.tolist(), last.tolist(), ahead.tolist(), strict=True):
        whole = -(-(opens + shift) // unit) * unit - shift
        pieces += [np.array([opens]), np.arange(whole, closes, unit)] if opens < closes else []
    start = np.unique(np.concatenate(pieces))
    # The first may be no whole unit, and the last has no end: both lie outside.
    return start[1:-1], start[2:]


def _grouped(rule: Grouped, zone: str, low: int, high: int) -> Spans | None:
    anchor = first_instant(rule.anchor, ZoneInfo(zone))
    near, far = min(anchor, low), max(anchor, high)
    total, room = sum(rule.sizes), 2 * _DAY
    while True:
        base = succession(rule.of, zone, near - room, far + room)
        if base is None:
            return None
        start, end = base
        before = int(np.searchsorted(start, near))
        after = len(start) - int(np.searchsorted(start, far))
        if min(before, after) > total or room > LATEST - EARLIEST:
            break
        room *= 8
    zero = int(np.searchsorted(start, anchor, side="right")) - 1
    if zero < 0 or anchor >= end[zero]:
        return None
    edges = np.cumsum((0, *rule.sizes))
    place = (np.arange(len(start)) - zero) % total
    heads = np.flatnonzero(np.isin(place, edges[:-1]))
    tails = heads + np.array(rule.sizes)[np.searchsorted(edges, place[heads])]
    whole = tails <= len(start)
    return start[heads[whole]], end[tails[whole] - 1]


def _within(rule: Within, zone: str, low: int, high: int) -> Spans | None:
    room = 2 * _DAY
    while True:
        holders = succession(rule.by, zone, low - room, high)
        if holders is None:
            return None
        if room > LATEST - EARLIEST or (len(holders[0]) and holders[0][0] <= low):
            break
        room *= 8
    if not len(holders[0]):
        return holders
    base = succession(rule.of, zone, int(holders[0][0]), int(holders[1][-1]))
    if base is None:
        return None
    start, end = base
    holder = np.searchsorted(holders[0], start, side="right") - 1
    heads = np.flatnonzero(np.append(True, holder[1:] != holder[:-1])) if len(start) else holder
    tails = np.append(heads[1:], len(start))
    return start[heads], end[tails - 1] if len(heads) else end
