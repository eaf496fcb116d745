"""When each row happened: what clocks showed, carried to instants by ``zoneinfo`` alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.behind.clock import offsets
from anachron.behind.refusing import Refuse, refuse_marked
from anachron.errors import Problem, TableError
from anachron.schema import CALENDAR_UNITS, Schema

__all__ = ["DAY", "UNITS", "Moments", "moments"]

DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_NUMBER = r"^[+-]?[0-9]+$"
_MONTH = r"^[0-9]{4}-[0-9]{2}$"
_OFFSET = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"
_CLOCK = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)?"
_WRONG = "is not a time that can be read without a doubt"
_REMEDY = "Write times as 2006-01-31, 2006-01-31T23:59:59 or 2006-01-31T23:59:59+01:00."


@dataclass(frozen=True, eq=False)
class Moments:
    """The times of all rows."""

    instants: Array
    """In microseconds since 1970."""
    unit: str
    """``month`` or ``year`` where rows name whole ones, else ``instant``."""
    told: str
    """What a row tells: a ``wall`` clock, an ``instant``, a ``number`` or a ``month``."""
    shown: Array
    """What was told, each of it once or more, in microseconds on its clock."""


def moments(
    column: pa.ChunkedArray | None,
    rows: int,
    schema: Schema,
    table: str,
    *,
    days: bool | None = None,
    refuse: Refuse = refuse_marked,
) -> Moments:
    """Read the column that says when; without one, all rows are of one moment.

    ``days`` says whether a table has days alone, of which these are some rows; ``refuse`` hears of
    rows that are wrong.
    """
    if column is None:
        none = np.zeros(rows, dtype=np.int64)
        return Moments(none, "instant", "instant", none)
    kind = column.type
    absent = np.asarray(column.is_null())
    refuse(
        absent,
        "is missing",
        "Every row needs its time. Fill it in or leave the row out.",
        schema.time,
        table,
    )
    values = column.combine_chunks()
    code: Array | slice = slice(None)
    if pa.types.is_string(kind) or pa.types.is_integer(kind):
        # Few are different, and what must be read with care is read once.
        different = values.dictionary_encode()
        values, code = different.dictionary, np.asarray(different.indices)
    if pa.types.is_string(kind):
        told, micros = _from_texts(values, schema)
    elif pa.types.is_integer(kind):
        told, micros = "number", _from_numbers(values, schema)
    else:
        told = "wall" if pa.types.is_date(kind) or kind.tz is None else "instant"
        micros = _from_stamps(values)
    wrong = micros.is_null() if len(micros) else pa.array([], pa.bool_())
    refuse(np.asarray(wrong)[code], _WRONG, _REMEDY, schema.time, table)
    shown = np.asarray(micros, dtype=np.int64)
    of_calendar = told in ("number", "month") and schema.time_unit in CALENDAR_UNITS
    low, high = (_start_of(year) for year in (1678, 2262))
    outside = (shown < low) | (shown >= high)
    micros_shown = shown
    refuse(outside[code], "lies outside the years 1678 to 2261", _REMEDY, schema.time, table)
    if told == "wall" or of_calendar:
        zone = schema.stored_zone or schema.time_zone
        shown, skipped = _instants(shown, zone, days)
        what = f"was never shown by the clocks of {zone}"
        refuse(skipped[code], what, "Check time_zone.", schema.time, table)
    unit = schema.time_unit if of_calendar else "instant"
    return Moments(shown[code], unit, told, micros_shown)


def _from_texts(texts: pa.Array, schema: Schema) -> tuple[str, pa.Array]:
    """What texts tell, all of them alike, in microseconds; null where one tells nothing."""
    if schema.time_format is not None:
        told = "instant" if "%z" in schema.time_format else "wall"
        return told, pa.array([_read(t, schema.time_format) for t in texts.to_pylist()], pa.int64())
    if _all(texts, _NUMBER):
        # Arrow knows no plus signs.
        return "number", _from_numbers(_cast(pc.utf8_ltrim(texts, "+"), pa.int64()), schema)
    if _all(texts, _MONTH):
        days = pc.binary_join_element_wise(texts, "01", "-")
        return "month", _micros(days, None)
    if _all(texts, _CLOCK + _OFFSET):
        return "instant", _micros(texts, "UTC")
    if _all(texts, _CLOCK + "$"):
        return "wall", _micros(texts, None)
    fits = pc.or_(
        pc.match_substring_regex(texts, _CLOCK + "$"),
        pc.match_substring_regex(texts, _CLOCK + _OFFSET),
    )
    if pc.all(fits).as_py():
        raise TableError(
            Problem(
                "mixes times with and without an offset from UTC.",
                column=schema.time,
                remedy="Write all times in one way.",
            )
        )
    return "wall", _micros(pc.if_else(fits, texts, None), None)


def _read(text: str, written: str) -> int | None:
    """A time as Python reads it by a format; None if it is not written so."""
    try:
        found = datetime.strptime(text, written)
    except ValueError:
        return None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    return (found - _EPOCH) // timedelta(microseconds=1)


def _all(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _micros(texts: pa.Array, zone: str | None) -> pa.Array:
    """Microseconds since 1970 on the clock that is told; null where there is no such time."""
    micros = _cast(texts, pa.timestamp("us", zone)).cast(pa.int64())
    if not micros.null_count:
        return micros
    # Some have more digits, or do not exist.
    return pc.coalesce(micros, _thousandth(_cast(texts, pa.timestamp("ns", zone)).cast(pa.int64())))


def _thousandth(nanoseconds: pa.Array) -> pa.Array:
    """Whole microseconds, rounded down, before 1970 too."""
    down = np.asarray(nanoseconds.fill_null(0)) // 1000
    return pc.if_else(nanoseconds.is_valid(), pa.array(down), None)


def _cast(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast what can be; null for the rest."""
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return pa.array([_one(text, kind) for text in texts.to_pylist()], kind)


def _one(text: str | None, kind: pa.DataType) -> pa.Scalar | None:
    try:
        return pa.scalar(text, pa.string()).cast(kind)
    except pa.ArrowInvalid:
        return None


def _from_numbers(numbers: pa.Array, schema: Schema) -> pa.Array:
    """Years, months as in 202403, or a count since 1970; null for what is not plausible."""
    found: list[int | None] = []
    for number in numbers.to_pylist():
        found.append(None if number is None else _counted(int(number), schema.time_unit))
    return pa.array(found, pa.int64())


def _counted(number: int, unit: str) -> int | None:
    if unit in UNITS:
        micros = number * UNITS[unit]
        return micros if _start_of(1900) <= micros < _start_of(2201) else None
    year, month = divmod(number, 100) if unit == "month" else (number, 1)
    return _start_of(year, month) if 1900 <= year <= 2200 and 1 <= month <= 12 else None


def _from_stamps(stamps: pa.Array) -> pa.Array:
    if pa.types.is_date(stamps.type):
        return pc.multiply(stamps.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()), DAY)
    numbers = stamps.cast(pa.int64())
    if stamps.type.unit == "ns":
        return _thousandth(numbers)
    return pc.multiply(numbers, UNITS[stamps.type.unit])


def _start_of(year: int, month: int = 1) -> int:
    return (datetime(year, month, 1, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def _instants(walls: Array, zone: str, days: bool | None) -> tuple[Array, Flags]:
    """When clocks of a zone first showed each time, and which times they never showed.

    A day begins when the clock reaches it, also if midnight itself was skipped.
    """
    since, ahead = offsets(ZoneInfo(zone), int(walls.min()) - 2 * DAY, int(walls.max()) + 2 * DAY)
    until = np.append(since[1:], 2**62)
    opens, closes = since + ahead, until + ahead
    # What was shown twice was shown first before the clock was put back.
    opens[1:] = np.maximum(opens[1:], np.maximum.accumulate(closes)[:-1])
    at = np.searchsorted(opens, walls, side="right") - 1
    shown = walls < closes[at]
    instants: Array = walls - ahead[at]
    if not days if days is not None else (walls % DAY).any():
        return instants, ~shown
    reached = until[at[~shown]]
    instants[~shown] = reached
    same_day = (reached + ahead[at[~shown] + 1]) // DAY == walls[~shown] // DAY
    skipped = ~shown
    skipped[~shown] = ~same_day
    return instants, skipped
