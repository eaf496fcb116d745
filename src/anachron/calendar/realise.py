"""From a definition to granules: the granularity over the years that a table spans.

Everything of a day and above is made of civil days, counted from 1970-01-01 and carried to
instants by the clock, so that days of 23, 24 and 25 hours, and days that a zone skipped, come
out right. Hours, quarter hours and minutes run on the wall clock too, and never across a
change of its offset, so that the hour shown twice in autumn is two granules.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np

from anachron.arrays import Array
from anachron.calendar import labels
from anachron.calendar.definitions import BusinessDays, Granularity, Grouped, Listed, Within
from anachron.calendar.granules import OUTSIDE, Granules, from_bounds
from anachron.calendar.order import cuts
from anachron.calendar.zones import DAY, HOUR, MINUTE, SECOND, Clock, clock, from_datetime
from anachron.errors import CalendarError, InternalError

__all__ = ["Span", "realise", "span"]


_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_MONTHS = {"month": 1, "quarter": 3, "half_year": 6, "year": 12, "decade": 120}
_FIRST_INSTANT, _LAST_INSTANT = -62_000_000_000 * SECOND, 252_000_000_000 * SECOND
_SCANNED, _KNOWN = 400 * DAY, 396 * DAY
_WALL_UNITS = {"minute": MINUTE, "quarter_hour": 15 * MINUTE, "hour": HOUR}


class Span:
    """The whole years, in one zone, around the first and the last instant of a table."""

    def __init__(self, zone: str, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.clock: Clock = clock(zone, first - _SCANNED, last + _SCANNED)
        ends = self.clock.wall(np.array([first, last]))
        years = [
            np.datetime64(int(wall), "us").astype("datetime64[Y]").astype(int) for wall in ends
        ]
        self.first_month = 12 * int(years[0])
        self.last_month = 12 * (int(years[1]) + 1)
        self.first_day = _days_of_months(np.array([self.first_month]))[0]
        self.last_day = _days_of_months(np.array([self.last_month]))[0]
        low, high = self.clock.reaches(np.array([self.first_day, self.last_day]) * DAY)
        self.low, self.high = int(low), int(high)

    def reaches(self, walls: Array) -> Array:
        """First instants at which the clock shows these times; right far from the table too."""
        reached = self.clock.reaches(walls)
        for i in np.flatnonzero((walls < self.first - _KNOWN) | (walls > self.last + _KNOWN)):
            wall = int(walls[i])
            near = clock(self.clock.zone, wall - 3 * DAY, wall + 3 * DAY)
            reached[i] = near.reaches(walls[i : i + 1])[0]
        return reached


def span(zone: str, first: int, last: int) -> Span:
    """The span of a table, given its first and last instant."""
    if not from_datetime_range(first) or not from_datetime_range(last):
        raise CalendarError("times must lie between the years 2 and 9980.")
    return Span(zone, first, last)


def from_datetime_range(instant: int) -> bool:
    """Whether calendars, with years of margin, can hold the instant."""
    return _FIRST_INSTANT <= instant <= _LAST_INSTANT


def realise(granularity: Granularity, over: Span) -> Granules:
    """The granules of a granularity that meet the whole years of a span."""
    rule = granularity.rule
    if rule is None:
        return _built_in(granularity.name, over)
    if isinstance(rule, Listed):
        return _listed(granularity.name, rule, over)
    if isinstance(rule, Grouped):
        return _grouped(granularity.name, rule, over)
    if isinstance(rule, Within):
        return _within(granularity.name, rule, over)
    return _business_days(granularity.name, rule, over)


def _built_in(name: str, over: Span) -> Granules:
    if name == "second":
        # Offsets are whole seconds, so seconds are the same on every clock.
        low, high = over.low // SECOND * SECOND, -(-over.high // SECOND) * SECOND
        count = np.array([(high - low) // SECOND])
        start, zero = np.array([low]), np.zeros(1, dtype=np.int64)
        return _with_clock_labels(name, over, start, np.array([SECOND]), count, zero)
    if name in _WALL_UNITS:
        return _on_the_wall(name, _WALL_UNITS[name], over)
    if name == "part_of_day":
        quarters = np.arange(over.first_day * 4, over.last_day * 4 + 1)
        return _civil(name, quarters * (DAY // 4), over, labels.part_of_day)
    days, label = _civil_days(name, over)
    return _civil(name, days * DAY, over, label)


def _on_the_wall(name: str, unit: int, over: Span) -> Granules:
    """Whole units of the wall clock, cut where its offset changes."""
    inside = (over.clock.start > over.low) & (over.clock.start < over.high)
    start = np.concatenate(([over.low], over.clock.start[inside]))
    end = np.append(start[1:], over.high)
    shift = over.clock.wall(start) - start
    # Each piece: a short granule up to the first whole unit, whole ones, a short last one.
    whole = np.minimum(-(-(start + shift) // unit) * unit - shift, end)
    until = np.maximum((end + shift) // unit * unit - shift, whole)
    pieces = np.stack([start, whole, until], axis=1).ravel()
    ends = np.stack([whole, until, end], axis=1).ravel()
    width = np.where(ends - pieces >= unit, unit, ends - pieces)
    real = ends > pieces
    pieces, width, ends = pieces[real], width[real], ends[real]
    count = (ends - pieces) // width
    first = np.cumsum(count) - count
    return _with_clock_labels(name, over, pieces, width, count, first)


def _with_clock_labels(
    name: str, over: Span, start: Array, width: Array, count: Array, first: Array
) -> Granules:
    bare: Callable[[Array], list[str]] = lambda _: []  # noqa: E731
    granules = Granules(name, start, width, count, first, bare)

    def label(index: Array) -> list[str]:
        return labels.wall_clock(name, granules.bounds(index)[0], over.clock)

    return Granules(name, start, width, count, first, label)


def _civil_days(name: str, over: Span) -> tuple[Array, Callable[[Array], list[str]]]:
    """Civil days at which the granules of a granularity begin, and how they are called."""
    if name == "day":
        return np.arange(over.first_day, over.last_day + 1), labels.day
    if name in ("week", "week_part"):
        # 1970-01-01 was a Thursday: day -3 is a Monday.
        monday = (over.first_day + 3) // 7 * 7 - 3
        mondays = np.arange(monday, over.last_day + 7, 7)
        if name == "week":
            return mondays, labels.week
        return np.sort(np.concatenate([mondays, mondays[:-1] + 5])), labels.week_part
    if name == "half_month":
        firsts = _days_of_months(np.arange(over.first_month, over.last_month + 1))
        return np.sort(np.concatenate([firsts, firsts[:-1] + 15])), labels.half_month
    if name in _MONTHS:
        step = _MONTHS[name]
        # Months count from January 1970, and decades from 1970 too.
        low, high = over.first_month // step * step, -(-over.last_month // step) * step
        return _days_of_months(np.arange(low, high + 1, step)), getattr(labels, name)
    raise InternalError(f"no rule for the built-in granularity {name!r}")


def _civil(name: str, walls: Array, over: Span, label: Callable[[Array], list[str]]) -> Granules:
    """Granules between consecutive wall times. A granule that the zone skipped is left out."""
    instants = over.reaches(walls)
    start, end = instants[:-1], instants[1:]
    index = np.flatnonzero((end > over.low) & (start < over.high))
    return from_bounds(name, start[index], end[index], index, lambda i: label(walls[i]))


def _listed(name: str, rule: Listed, over: Span) -> Granules:
    walls = np.array([(from_datetime(a), from_datetime(b)) for a, b, _ in rule.spans])
    titles = [title for _, _, title in rule.spans]
    start, end = over.reaches(walls[:, 0]), over.reaches(walls[:, 1])
    index = np.arange(len(titles))
    return from_bounds(name, start, end, index, lambda i: [titles[j] for j in i])


def _grouped(name: str, rule: Grouped, over: Span) -> Granules:
    """Groups of repeating sizes: their bounds are bounds of the underlying granules."""
    anchor = int(over.reaches(np.array([from_datetime(rule.anchor)]))[0])
    base = _with_room(rule, anchor, over)
    zero = int(base.index(np.array([anchor]))[0])
    if zero == OUTSIDE:
        raise CalendarError(f"granularity {name!r}: the anchor lies in no {rule.of.name}.")
    total = sum(rule.sizes)
    edges = np.concatenate(([0], np.cumsum(rule.sizes)))
    # One cycle more on each side: a cycle may begin before the span and end in it.
    low, high = base.next(over.low) - zero, base.next(over.high) - zero
    cycles = np.arange(low // total - 1, high // total + 2)
    heads = (zero + cycles[:, None] * total + edges[None, :-1]).ravel()
    tails = (zero + cycles[:, None] * total + edges[None, 1:]).ravel()
    whole = (heads >= 0) & (tails <= base.size)
    heads, tails = heads[whole], tails[whole]
    return _gathered(name, base, heads, tails, over, lambda i: base.label(heads[i]))


def _with_room(rule: Grouped, anchor: int, over: Span) -> Granules:
    """Granules that hold the anchor, and a whole cycle before and after the span if there is."""
    total, room = sum(rule.sizes), 366 * DAY
    while True:
        first = max(min(anchor, over.low - room), _FIRST_INSTANT)
        last = min(max(anchor, over.high + room), _LAST_INSTANT)
        base = realise(rule.of, Span(over.clock.zone, first, last))
        before, after = base.next(over.low), base.size - base.next(over.high)
        everything = first == _FIRST_INSTANT and last == _LAST_INSTANT
        if min(before, after) >= total or everything or not base.size or _ends(rule.of):
            return base
        room *= 2


def _ends(granularity: Granularity) -> bool:
    """Whether a granularity has a first and a last granule, because somebody listed them."""
    rule = granularity.rule
    if isinstance(rule, Within):
        return _ends(rule.of) or _ends(rule.by)
    return _ends(rule.of) if isinstance(rule, Grouped) else isinstance(rule, Listed)


def _gathered(
    name: str,
    base: Granules,
    heads: Array,
    tails: Array,
    over: Span,
    label: Callable[[Array], list[str]],
) -> Granules:
    """Granules that are the base granules from head up to but not including tail."""
    start, end = base.bounds(heads)[0], base.bounds(tails - 1)[1]
    inside = (end > over.low) & (start < over.high)
    index = np.arange(len(heads))[inside]
    start, end = start[inside], end[inside]
    gap = np.flatnonzero(base.start[1:] > base.end[:-1])
    # Cut every granule at the gaps of the base, so that what was in no granule stays so.
    for closed, opened in zip(base.end[gap], base.start[gap + 1], strict=True):
        cut = (start < closed) & (end > opened)
        start, end, index = (
            np.concatenate([start, np.full(cut.sum(), opened)]),
            np.concatenate([np.where(cut, closed, end), end[cut]]),
            np.concatenate([index, index[cut]]),
        )
    by_start = np.argsort(start, kind="stable")
    return from_bounds(name, start[by_start], end[by_start], index[by_start], label)


def _within(name: str, rule: Within, over: Span) -> Granules:
    by = realise(rule.by, over)
    low, high = _hull(by, over)
    # Granules at the edge reach out of the span: what they gather must not end with it.
    base = realise(rule.of, Span(over.clock.zone, low, high - 1))
    start, end = base.bounds(np.arange(base.size))
    near = np.flatnonzero((end > low) & (start < high))
    holder, last = by.index(start[near]), by.index(end[near] - 1)
    if cuts(by, base) or np.any((holder == OUTSIDE) | (holder != last)):
        raise CalendarError(
            f"granularity {name!r}: {rule.of.name!r} is not finer than {rule.by.name!r}, "
            "so its granules cannot be gathered by it."
        )
    change = np.flatnonzero(np.append(True, holder[1:] != holder[:-1])) if len(near) else near
    heads, tails = near[change], np.append(near[change[1:]], near[-1:] + 1)
    return _gathered(name, base, heads, tails, over, lambda i: by.label(holder[change[i]]))


def _hull(by: Granules, over: Span) -> tuple[int, int]:
    """The span, widened to the whole of the granules at its edges."""
    if not by.size:
        return over.low, over.high
    edges = np.minimum([by.next(over.low), by.next(over.high - 1)], by.size - 1)
    start, end = by.bounds(edges)
    return min(int(start[0]), over.low), max(int(end[1]), over.high)


def _business_days(name: str, rule: BusinessDays, over: Span) -> Granules:
    days = np.arange(over.first_day, over.last_day)
    free = np.isin((days + 3) % 7, rule.weekend)
    years = range(
        (date.fromordinal(int(over.first_day) + _EPOCH_ORDINAL)).year,
        (date.fromordinal(int(over.last_day) + _EPOCH_ORDINAL) - timedelta(1)).year + 1,
    )
    closed = [day.toordinal() - _EPOCH_ORDINAL for day in (*rule.holidays, *_country(rule, years))]
    open_days = days[~free & ~np.isin(days, closed)]
    start = over.reaches(open_days * DAY)
    end = over.reaches((open_days + 1) * DAY)
    label: Callable[[Array], list[str]] = lambda i: labels.day(open_days[i] * DAY)  # noqa: E731
    return from_bounds(name, start, end, np.arange(len(open_days)), label)


def _country(rule: BusinessDays, years: range) -> list[date]:
    if rule.country is None:
        return []
    try:
        import holidays
    except ImportError:
        raise CalendarError(
            "holidays of a country need the package 'holidays': pip install 'anachron[holidays]'."
        ) from None
    try:
        found = holidays.country_holidays(rule.country, subdiv=rule.subdivision, years=years)
    except NotImplementedError:
        raise CalendarError(
            "country or subdivision is not known to the package holidays."
        ) from None
    return list(found)


def _days_of_months(months: Array) -> Array:
    """Civil day of the first of each month, months counted from January 1970."""
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
