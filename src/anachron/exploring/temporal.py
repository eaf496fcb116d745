"""Temporal questions: what a release still tells of windows, trends, weekdays and lags.

All of them are answered from rows by day (by week or hour, where a table is very long or short):
as the table has them, and as the release answers. The pieces of time follow from the table alone,
so that candidates are asked the same, however coarse they are.

===========  ===========================================================================
windows      rows in a window of 1, 7, 30 or 90 days, anywhere: |told − true| / true
trends       how rows change from a window to the next: |told − true| / rows of both
weekdays     the share of each weekday: half the sum of all differences
lags         how days resemble those 1 to 14 before (autocorrelation): mean difference
===========  ===========================================================================

A release tells rows by its own granules, and answers no question that cuts one; a reader who asks
for a day of a month takes its rows to lie evenly in it, and so does this.

Each is asked of all rows, and of those with one of the most frequent values of a sensitive column
of texts; told is the median.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from anachron.arrays import Array, Floats
from anachron.asking.published import Published
from anachron.asking.question import Aggregate, All, Among, Condition, Ranges, Span
from anachron.behind import Microdata
from anachron.calendar.definitions import Granularity
from anachron.calendar.granules import Granules
from anachron.calendar.realise import realise, span
from anachron.calendar.zones import DAY
from anachron.measuring.tables import columns_asked
from anachron.measuring.truth import PlainColumn
from anachron.release import Release

if TYPE_CHECKING:
    from anachron.exploring.rehearsal import Rehearsal

__all__ = ["Curves", "curves_of", "lags", "trends", "weekdays", "windows"]

T = TypeVar("T")
_LENGTHS = (1, 7, 30, 90)
_WINDOWS = 250
"""So many windows of each length are drawn."""
_LAGS = 14
_VALUES = 5
"""So many of the most frequent values are asked about,"""
_OFTEN = 50
"""and none that fewer rows have."""
_MOST, _FEWEST = 1500, 4
"""Pieces of time: no more than that, and no fewer if there are finer ones."""
_PIECES = ("hour", "day", "week", "month", "year")
_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Curves:
    """Rows by piece of time: a line for all rows, and for each value that is asked about."""

    name: str
    """The granularity of the pieces."""
    start: Array
    end: Array
    label: tuple[str, ...]
    truth: Floats
    told: Floats
    weekday: Array | None
    """Monday is 0; None if the pieces are no days."""

    @cached_property
    def _drawn(self) -> tuple[tuple[int, Array], ...]:
        """Windows by length, and where they begin: with room for another one behind."""
        rng, many = np.random.default_rng(0), len(self.start)
        lengths = [length for length in _LENGTHS if 2 * length <= many]
        return tuple((n, rng.integers(many - 2 * n + 1, size=_WINDOWS)) for n in lengths)

    def windows(self) -> float | None:
        """The median error of rows in windows."""
        errors = []
        for true, told in self._sums():
            there = true[0] > 0
            errors.append(np.abs(told[0] - true[0])[there] / true[0][there])
        return _median(errors)

    def trends(self) -> float | None:
        """The median error of changes from a window to the next."""
        errors = []
        for true, told in self._sums():
            rows = true[0] + true[1]
            off = np.abs((told[1] - told[0]) - (true[1] - true[0]))
            errors.append(off[rows > 0] / rows[rows > 0])
        return _median(errors)

    def weekdays(self) -> float | None:
        """How far the profile of weekdays is off, from 0 to 1."""
        if self.weekday is None:
            return None
        profiles = [
            [np.bincount(self.weekday, line, 7) for line in lines]
            for lines in zip(self.truth, self.told, strict=True)
        ]
        off = [
            np.abs(one / one.sum() - (other / other.sum() if other.sum() else 0)).sum() / 2
            for one, other in profiles
            if one.sum()
        ]
        return _median([np.array(off)])

    def lags(self) -> float | None:
        """How far autocorrelations are off."""
        many = min(_LAGS, len(self.start) // 4)
        off = [
            np.abs(_autocorrelation(told, many) - _autocorrelation(true, many)).mean()
            for true, told in zip(self.truth, self.told, strict=True)
            if many and np.ptp(true)
        ]
        return _median([np.array(off)])

    def _sums(self) -> Iterator[tuple[tuple[Floats, Floats], tuple[Floats, Floats]]]:
        """In truth and as told: rows of windows, and of those directly behind them."""
        for lines in zip(self.truth, self.told, strict=True):
            upto = [np.concatenate([[0.0], np.cumsum(line)]) for line in lines]
            for length, first in self._drawn:
                true, told = (
                    (one[first + length] - one[first],
                     one[first + 2 * length] - one[first + length])
                    for one in upto
                )  # fmt: skip
                yield true, told


def curves_of(
    published: Published, releases: Sequence[Release], microdata: Microdata
) -> Curves | None:
    """Count rows over time, in the table and by asking; None without a time to ask about."""
    time = published.catalogue.time
    if time is None or not microdata.rows:
        return None
    if time.granularity is None:
        return None
    granules, index = _pieces(microdata)
    start, end = granules.bounds(index)
    columns = columns_asked(published.catalogue, releases, microdata)
    values = _values(columns, microdata.schema.sensitive)
    cuts = _cuts(time.granularity, microdata.schema.time_zone, start, end)
    when = [Ranges(time.name, (Span(low, high, True, False),))
            for low, high in pairwise(cuts.tolist())]  # fmt: skip
    conditions: list[Condition] = list(when)
    for column, value, _ in values:
        which = Among(column, frozenset([value]))
        conditions += [All((which, one)) for one in when]
    answers = np.concatenate([
        published.figures(conditions[at : at + _BLOCK], Aggregate("count")).estimate
        for at in range(0, len(conditions), _BLOCK)
    ])  # fmt: skip
    told = [_spread(line, cuts, start, end) for line in answers.reshape(-1, len(when))]
    piece = granules.index(microdata.instants) - index[0]
    rows = [np.ones(microdata.rows, dtype=np.bool_), *(there for _, _, there in values)]
    truth = [np.bincount(piece[there], minlength=len(index)) for there in rows]
    return Curves(
        granules.name,
        start,
        end,
        tuple(granules.label(index)),
        np.stack(truth).astype(np.float64),
        np.stack(told),
        _weekdays(granules, start, microdata.schema.time_zone),
    )


def _cuts(granularity: Granularity, zone: str, start: Array, end: Array) -> Array:
    """Where published granules begin that hold the beginnings of pieces, and where the last ends.

    A release answers no question that cuts a granule. Between two of these are whole ones.
    """
    granules = realise(granularity, span(zone, int(start[0]), int(end[-1]) - 1))
    at = {granules.next(instant) for instant in (*start.tolist(), int(end[-1]) - 1)}
    begins, ends = granules.bounds(np.array(sorted(at - {granules.size}), dtype=np.int64))
    return np.append(begins, ends[-1])


def _spread(rows: Floats, cuts: Array, start: Array, end: Array) -> Floats:
    """Rows by piece of time, if those of each granule lie evenly in it."""
    upto = np.concatenate([[0.0], np.cumsum(rows)])
    low, high = (np.interp(at, cuts, upto) for at in (start, end))
    spread: Floats = high - low
    return spread


def _pieces(microdata: Microdata) -> tuple[Granules, Array]:
    """Days; weeks, months or years of a long table, hours of a short one."""
    first, last = int(microdata.instants.min()), int(microdata.instants.max())
    over = span(microdata.schema.time_zone, first, last)
    coarse = microdata.recorded_by if microdata.recorded_by in _PIECES else "hour"
    names = _PIECES[_PIECES.index(coarse) :]
    found = []
    for name in names:
        granules = realise(Granularity.named(name), over)
        index = granules.index(np.array([first, last]))
        found.append((granules, np.arange(index[0], index[1] + 1)))
    few = [one for one in found if len(one[1]) <= _MOST] or found[-1:]
    # Days are what people think in: hours only where days would be hardly any.
    days = [one for one in few if one[0].name != "hour"]
    return days[0] if days and len(days[0][1]) >= _FEWEST else few[0]


def _values(
    columns: dict[str, PlainColumn], sensitive: Sequence[str]
) -> list[tuple[str, object, Array]]:
    """The most frequent values of the first sensitive column of texts, and the rows of each."""
    for name in sensitive:
        column = columns.get(name)
        if column is None or not all(isinstance(value, str) for value in column.values):
            continue
        many = np.bincount(column.codes, minlength=len(column.values))[: len(column.values)]
        most = np.argsort(-many, kind="stable")[:_VALUES]
        return [
            (name, column.values[at], column.codes == at)
            for at in most.tolist()
            if many[at] >= _OFTEN
        ]
    return []


def _weekdays(granules: Granules, start: Array, zone: str) -> Array | None:
    if granules.name != "day":
        return None
    # The middle of the day is on its date, whatever the clock of the zone does.
    noon = span(zone, int(start[0]), int(start[-1])).clock.wall(start + DAY // 2)
    weekday: Array = (noon // DAY + 3) % 7  # 1970-01-01 was a Thursday
    return weekday


def _autocorrelation(line: Floats, lags: int) -> Floats:
    """Of lags 1 up to some; 0 where nothing varies."""
    off = line - line.mean()
    spread = float(off @ off)
    if spread <= 1e-12 * float(line @ line):
        return np.zeros(lags)
    return np.array([float(off[lag:] @ off[:-lag]) / spread for lag in range(1, lags + 1)])


def _median(errors: Sequence[Floats]) -> float | None:
    found = np.concatenate([np.zeros(0), *errors])
    return float(np.median(found)) if len(found) else None


def _of(measure: Callable[[Curves], T]) -> Callable[[Rehearsal], T | None]:
    def find(rehearsal: Rehearsal) -> T | None:
        return None if rehearsal.curves is None else measure(rehearsal.curves)

    return find


windows, trends, weekdays, lags = (
    _of(one) for one in (Curves.windows, Curves.trends, Curves.weekdays, Curves.lags)
)
