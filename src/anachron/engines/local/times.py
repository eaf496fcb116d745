"""The column that says when: from dates, timestamps, texts and numbers to instants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from anachron.arrays import Array, Flags
from anachron.calendar.zones import DAY, SECOND, from_datetime
from anachron.engines.local.kinds import WHOLE, is_text
from anachron.engines.local.marked import problem_at
from anachron.engines.local.scan import Scan
from anachron.engines.local.time_formats import format_sql
from anachron.engines.local.time_text import MISSING, Kind, kind_problems, kinds_sql
from anachron.engines.local.walls import from_wall, recorded_by, twice_notes
from anachron.errors import Problem
from anachron.schema import CALENDAR_UNITS, Schema
from anachron.source.base import quoted

__all__ = ["Times", "doubts", "microseconds_sql", "read_times", "told_kind", "unread"]


# What timestamps in nanoseconds can hold; releases must be readable everywhere.
FIRST_YEAR, LAST_YEAR = 1678, 2261
# Whole numbers beyond this are in another unit than was said.
FIRST_PLAUSIBLE, LAST_PLAUSIBLE = 1900, 2200
_IN_WORDS = {
    "year": "years",
    "month": "months, as in 202403,",
    "s": "seconds since 1970",
    "ms": "milliseconds since 1970",
    "us": "microseconds since 1970",
}
_UNITS = {"s": SECOND, "ms": SECOND // 1000, "us": 1}


@dataclass(frozen=True, eq=False)
class Times:
    """The times of all rows."""

    instants: Array
    kind: Kind
    is_wall: bool
    """Whether the column tells what a clock on the wall showed, not an offset from UTC."""
    recorded_by: str
    """Observed, from ``day`` to ``instant``; or declared, ``month`` or ``year``."""
    notes: tuple[str, ...]


def read_times(scan: Scan, schema: Schema, problems: list[Problem]) -> Times | None:
    """Read the time column, or add to the problems why it cannot be read."""
    if not schema.time:
        # A register of people: all rows are of the moment of its release.
        return Times(np.zeros(scan.rows, dtype=np.int64), Kind.INSTANT, False, "instant", ())
    file, kind_of_column = scan.source.name, scan.source.columns[schema.time]
    kind = told_kind(scan, schema, kind_of_column, problems)
    if kind is None:
        return None
    read = scan.column(microseconds_sql(schema, kind_of_column, kind))
    if read.null_count:
        problems += unread(scan, schema, kind, read.is_null().to_numpy())
        return None
    told = np.asarray(read.to_numpy(), dtype=np.int64)
    found = doubts(told, schema, kind, file)
    notes: tuple[str, ...] = ()
    declared = schema.time_unit if kind is Kind.COUNTED or kind is Kind.MONTH else "auto"
    of_calendar = declared in CALENDAR_UNITS
    is_wall = kind is Kind.WALL or of_calendar
    if found or not is_wall:
        problems += found
        instants = told
    else:
        instants, twice = from_wall(told, schema, file, problems)
        notes = tuple(twice_notes(twice, schema))
    if problems:
        return None
    # A first of January may be a day like others; the year 1974 is none of its days.
    unit = declared if of_calendar else recorded_by(instants, schema.time_zone)
    return Times(instants, kind, is_wall, unit, notes)


def told_kind(scan: Scan, schema: Schema, of: str, problems: list[Problem]) -> Kind | None:
    """What the column tells, by its type, or for text by looking at every cell."""
    if of in WHOLE:
        kind, found = Kind.COUNTED, list(_unit_problems(schema, scan.source.name))
    elif is_text(of):
        kinds = scan.column(kinds_sql(schema)).to_numpy()
        kind, found = kind_problems(kinds, schema, scan.source.name)
        if kind is Kind.COUNTED or kind is Kind.MONTH:
            found += _unit_problems(schema, scan.source.name, kind)
    elif "TZ" in of or "TIME ZONE" in of:
        kind, found = Kind.INSTANT, []
    else:
        kind, found = Kind.WALL, []
    if schema.time_format is not None and not is_text(of):
        remedy = "Leave time_format out."
        what = "is not text: the table itself says what its times are."
        found = [Problem(what, scan.source.name, schema.time, remedy=remedy)]
    problems += found
    return None if found else kind


def microseconds_sql(schema: Schema, of: str, kind: Kind) -> str:
    """SQL for microseconds on the clock that the column tells; null where there are none."""
    name = quoted(schema.time)
    if kind is Kind.COUNTED:
        number = f"TRY_CAST({name} AS BIGINT)"
        if schema.time_unit == "year":
            within = f"{number} BETWEEN {FIRST_PLAUSIBLE} AND {LAST_PLAUSIBLE}"
            return f"CASE WHEN {within} THEN epoch_us(make_date({number}, 1, 1)) END"
        if schema.time_unit == "month":
            year, month = f"{number} // 100", f"{number} % 100"
            within = f"{year} BETWEEN {FIRST_PLAUSIBLE} AND {LAST_PLAUSIBLE}"
            within += f" AND {month} BETWEEN 1 AND 12"
            return f"CASE WHEN {within} THEN epoch_us(make_date({year}, {month}, 1)) END"
        unit = _UNITS[schema.time_unit]
        low, high = (_start(y) // unit for y in (FIRST_PLAUSIBLE, LAST_PLAUSIBLE + 1))
        return f"CASE WHEN {number} >= {low} AND {number} < {high} THEN {number} * {unit} END"
    if kind is Kind.MONTH:
        return f"epoch_us(TRY_CAST(CAST({name} AS VARCHAR) || '-01' AS DATE))"
    if is_text(of) and schema.time_format is not None:
        return format_sql(name, schema.time_format)
    if is_text(of):
        target = "TIMESTAMP" if kind is Kind.WALL else "TIMESTAMPTZ"
        return f"epoch_us(TRY_CAST(CAST({name} AS VARCHAR) AS {target}))"
    if of.endswith("_NS"):
        # DuckDB cuts nanoseconds towards 1970; instants are rounded down.
        return f"(epoch_ns({name}) - (epoch_ns({name}) % 1000 + 1000) % 1000) // 1000"
    return f"epoch_us({name})"


def doubts(told: Array, schema: Schema, kind: Kind, file: str) -> list[Problem]:
    """Times that were read, and cannot be what is meant."""
    ranged, stored = (of(told, schema, kind, file) for of in (_range_problems, _stored_problems))
    return [*ranged, *stored]


def _stored_problems(told: Array, schema: Schema, kind: Kind, file: str) -> Iterator[Problem]:
    """Times that no clock of another zone can have shown."""
    if schema.stored_zone is None or schema.stored_zone == schema.time_zone:
        return
    if kind is not Kind.WALL:
        what = "tells moments, which are the same in every zone."
    elif not np.any(told % DAY):
        what = "holds days without a time of day, which are not carried from zone to zone."
    else:
        return
    yield Problem(what, file, schema.time, remedy="Leave stored_zone out.")


def _unit_problems(schema: Schema, file: str, kind: Kind = Kind.COUNTED) -> Iterator[Problem]:
    if kind is Kind.MONTH and schema.time_unit != "month":
        yield Problem(
            "holds months without a day, and the schema does not say so.",
            file,
            schema.time,
            remedy='Set time_unit to "month".',
        )
    elif schema.time_unit == "auto":
        yield Problem(
            "holds whole numbers, and the schema does not say what they count.",
            file,
            schema.time,
            remedy='Set time_unit to "year", "month" (as in 202403), "s", "ms" or "us" (seconds, '
            "milliseconds or microseconds since 1970).",
        )


def unread(scan: Scan, schema: Schema, kind: Kind, null: Flags) -> Iterator[Problem]:
    """Say why times could not be read: missing, infinite, not plausible, or no such day."""
    name = quoted(schema.time)
    missing = scan.column(f"{name} IS NULL").to_numpy()
    if missing.any():
        yield problem_at(missing, *MISSING, schema.time, scan.source.name)
    rest = null & ~missing
    if not rest.any():
        return
    if kind is Kind.COUNTED:
        what = f"read as {_IN_WORDS[schema.time_unit]} lies outside {FIRST_PLAUSIBLE} to "
        what += f"{LAST_PLAUSIBLE} in {{n}}."
        if schema.time_unit == "month":
            what = what.replace(" in {n}", ", or has no such month, in {n}")
        remedy = f"Check time_unit, which is {schema.time_unit!r}."
    elif kind is Kind.MONTH:
        what, remedy = "is a month that does not exist in {n}.", "Correct it: 01 to 12."
    elif is_text(scan.source.columns[schema.time]):
        what, remedy = "is a day that does not exist in {n}.", "Correct the date."
    else:
        what, remedy = "is infinite in {n}.", "Give a time, or leave the row out."
    yield problem_at(rest, what, remedy, schema.time, scan.source.name)


def _range_problems(told: Array, schema: Schema, kind: Kind, file: str) -> Iterable[Problem]:
    low, high = _start(FIRST_YEAR), _start(LAST_YEAR + 1)
    outside = (told < low) | (told >= high)
    if outside.any():
        yield problem_at(
            outside,
            f"lies outside the years {FIRST_YEAR} to {LAST_YEAR} in {{n}}.",
            "Correct the times. If they stand for 'unknown' or 'never', leave the rows out.",
            schema.time,
            file,
        )
    # Seconds of this century, read as milliseconds, all fall into the first months of 1970.
    spring = from_datetime(datetime(1970, 4, 1))
    counted = kind is Kind.COUNTED and schema.time_unit in ("ms", "us")
    if counted and told.min() >= 0 and told.max() < spring:
        yield Problem(
            f"read as {_IN_WORDS[schema.time_unit]} lies in the first months of 1970 in every row.",
            file,
            schema.time,
            remedy="A coarser time_unit is probably meant.",
        )


def _start(year: int) -> int:
    return from_datetime(datetime(year, 1, 1))
