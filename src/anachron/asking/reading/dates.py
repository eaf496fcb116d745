"""Dates, times and labels of granules in a question, as windows of instants.

A date is the whole day by the clock of the release, a label the whole granule, a time its
microsecond. So ``BETWEEN`` two dates covers the second day, and ``<`` a date ends before it.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache

import numpy as np

from anachron.asking.catalogue import Catalogue, Column
from anachron.calendar.definitions import Granularity, Listed
from anachron.calendar.realise import from_datetime_range, realise, span
from anachron.calendar.zones import DAY, clock, from_datetime

__all__ = ["date_of", "day_of", "moment_of", "time_of"]

Window = tuple[int, int]
"""Microseconds since 1970 UTC, from the first up to before the second."""

# Other ways to write a date are either labels of granules, or left to those who mean them.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}.*")
_YEAR = re.compile(r"\d{4}")
_BY_THE_CLOCK = ("second", "minute", "quarter_hour", "hour")


def day_of(text: str) -> int | None:
    """The days since 1970 of a date, or None if the text is none."""
    try:
        day = date.fromisoformat(text.strip()) if _DATE.fullmatch(text.strip()) else None
    except ValueError:
        return None
    return None if day is None else day.toordinal() - date(1970, 1, 1).toordinal()


def date_of(text: str, column: Column, catalogue: Catalogue) -> Window | None:
    """The day that a date means, by the clock of the release."""
    day, zone = day_of(text), _zone(column, catalogue)
    if day is None:
        return None
    return _instant(day * DAY, zone), _instant((day + 1) * DAY, zone)


def time_of(text: str, column: Column, catalogue: Catalogue) -> Window | None:
    """The microsecond that a time means; that of a date is its first."""
    day = date_of(text, column, catalogue)
    moment = _moment(text.strip(), _zone(column, catalogue)) if day is None else day[0]
    return None if moment is None else (moment, moment + 1)


def moment_of(
    text: str, column: Column, catalogue: Catalogue, granularity: Granularity | None = None
) -> Window | None:
    """The window that a text in a question means, or None if it means none.

    Parameters
    ----------
    text
        A date, a time or, of the time column, the label of a granule.
    column
        The column it is compared with.
    catalogue
        What was published; its zone tells when days begin.
    granularity
        Read labels of this granularity alone.
    """
    text = text.strip()
    zone = _zone(column, catalogue)
    if granularity is not None:
        return _labelled(text, granularity, zone)
    if column.role == "time" and column.granularity is not None:
        # What was published is meant first: a term may be called after its first day.
        own = _labelled(text, column.granularity, zone)
        if own is not None:
            return own
    window = date_of(text, column, catalogue) or time_of(text, column, catalogue)
    if window is not None or column.role != "time":
        return window
    found = (_labelled(text, each, zone) for each in catalogue.granularities.values())
    return next((each for each in found if each is not None), None)


def _zone(column: Column, catalogue: Catalogue) -> str:
    """The clock of the release; a column without a zone of its own is read as it stands."""
    plain = column.role != "time" and getattr(column.storage, "tz", None) is None
    return "UTC" if plain else catalogue.time_zone


def _instant(wall: int, zone: str) -> int:
    near = clock(zone, wall - 3 * DAY, wall + 3 * DAY)
    return int(near.reaches(np.array([wall]))[0])


def _moment(text: str, zone: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
        if moment is None or moment.tzinfo is None:
            return None if moment is None else _instant(from_datetime(moment), zone)
        return from_datetime(moment.astimezone(UTC).replace(tzinfo=None))
    except (ValueError, OverflowError):
        return None


def _labelled(text: str, granularity: Granularity, zone: str) -> Window | None:
    """The granule of that label."""
    if granularity.name in _BY_THE_CLOCK:
        return _on_the_clock(text, granularity, zone)
    if isinstance(granularity.rule, Listed):
        return _labels(granularity, zone, granularity.rule.spans[0][0].year).get(text)
    year = _YEAR.match(text)
    if year is None or not 2 <= int(year[0]) <= 9900:
        return None
    return _labels(granularity, zone, int(year[0])).get(text)


@lru_cache(maxsize=256)
def _labels(granularity: Granularity, zone: str, year: int) -> dict[str, Window]:
    """The granules that meet a year, by label; of listed granules, all."""
    first = from_datetime(datetime(year, 2, 1))
    granules = realise(granularity, span(zone, first, first + 300 * DAY))
    index = np.arange(granules.size)
    start, end = granules.bounds(index)
    windows = zip(start.tolist(), end.tolist(), strict=True)
    return dict(zip(granules.label(index), windows, strict=True))


def _on_the_clock(text: str, granularity: Granularity, zone: str) -> Window | None:
    moment = _moment(text, zone)
    # A date alone is a day, also where granules are hours.
    if moment is None or ":" not in text or not from_datetime_range(moment):
        return None
    granules = realise(granularity, span(zone, moment, moment))
    index = granules.index(np.array([moment]))
    if granules.label(index) != [text.replace("T", " ")]:
        return None
    start, end = granules.bounds(index)
    return int(start[0]), int(end[0])
