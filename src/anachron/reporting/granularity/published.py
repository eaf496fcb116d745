"""What a release holds, in numbers: never the content of a sensitive column.

Everything is an aggregate over the published columns ``group`` and time, so the cost
does not depend on how many columns there are, and no row passes through Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import duckdb
import pyarrow as pa

from anachron.database import connected
from anachron.reporting.sizes import Size, sizes

__all__ = ["Bar", "Published", "read"]

MOST_BARS = 300
"""As many as can be told apart on paper."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Bar:
    """Consecutive granules, and how many rows were published in them."""

    first: str
    last: str
    since: int
    """The clock of the release's time zone, in milliseconds, as if it were UTC."""
    until: int
    granules: int
    rows: int


@dataclass(frozen=True)
class Published:
    """A release in numbers."""

    time: str
    """The name of the time column."""
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    rows: int
    groups: int
    granules: int
    first: str
    last: str
    bars: tuple[Bar, ...]
    sizes: tuple[Size, ...]


def read(table: pa.Table, time_zone: str) -> Published:
    """Reduce the published table to what the report shows."""
    time, quasi, sensitive = roles(table.column_names)
    rows = pa.table(
        {
            "grp": table["group"],
            "label": table[time],
            "since": _microseconds(table[f"{time}_start"]),
            "until": _microseconds(table[f"{time}_end"]),
        }
    )
    with connected() as con:
        con.register("published", rows)
        con.execute(
            """CREATE TEMP TABLE granule AS
               SELECT since, max(until) AS until, min(label::VARCHAR) AS label, count(*) AS n
               FROM published GROUP BY since"""
        )
        found = con.execute(
            "SELECT count(*), min_by(label, since), max_by(label, since) FROM granule"
        ).fetchall()[0]
        granules, first, last = int(found[0]), str(found[1] or ""), str(found[2] or "")
        bars = _bars(con, granules, ZoneInfo(time_zone)) if granules else ()
        counted = con.execute(
            """SELECT n, count(*) FROM (SELECT count(*) AS n FROM published GROUP BY grp)
               GROUP BY n ORDER BY n"""
        ).fetchall()
    groups = sum(many for _, many in counted)
    return Published(
        time=time,
        quasi=quasi,
        sensitive=sensitive,
        rows=table.num_rows,
        groups=groups,
        granules=granules,
        first=first,
        last=last,
        bars=bars,
        sizes=sizes(counted),
    )


def roles(columns: list[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Tell time, quasi and sensitive columns by the fixed order of a release's columns."""
    at = next(
        i
        for i, column in enumerate(columns)
        if columns[i + 1 : i + 3] == [f"{column}_start", f"{column}_end"]
    )
    quasi: list[str] = []
    for column in columns[1:at]:
        stem = column.removesuffix("_high")
        if stem != column and f"{stem}_low" in quasi:
            quasi[quasi.index(f"{stem}_low")] = stem
        else:
            quasi.append(column)
    return columns[at], tuple(quasi), tuple(columns[at + 3 :])


def _microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())


def _bars(con: duckdb.DuckDBPyConnection, granules: int, zone: ZoneInfo) -> tuple[Bar, ...]:
    """One bar for each granule, or for each slice of time when there are too many."""
    low, high, length = con.execute(
        "SELECT min(since), max(until), median(until - since)::BIGINT FROM granule"
    ).fetchall()[0]
    width = length = max(int(length), 1)
    if granules > MOST_BARS:
        # Whole granules to a slice: else slices of two would stand beside slices of one.
        # Rounding to the nearest keeps days of 23 and 25 hours in their slice.
        width = length * -(-(high - low) // (MOST_BARS * length))
        slice_of = f"(since - {low} + {length // 2}) // {width}"
    else:
        slice_of = "since"
    found = con.execute(
        f"""SELECT min_by(label, since), max_by(label, since), min(since), max(until),
                   count(*), sum(n)::BIGINT
            FROM granule GROUP BY {slice_of} ORDER BY min(since)"""
    ).fetchall()
    return tuple(
        Bar(str(a), str(b), _wall(since, zone), _wall(until, zone), int(many), int(n))
        for a, b, since, until, many, n in found
    )


def _wall(microseconds: int, zone: ZoneInfo) -> int:
    """What the zone's clock shows, in milliseconds as if it were UTC."""
    try:
        moment = (EPOCH + microseconds * MICROSECOND).astimezone(zone)
    except OverflowError:  # the first and last year that a clock can show
        return microseconds // 1000
    return (moment.replace(tzinfo=UTC) - EPOCH) // (1000 * MICROSECOND)
