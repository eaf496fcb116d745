"""What a release of events holds, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import duckdb
import pyarrow as pa

from anachron.database import connected
from anachron.published.ways import Granules
from anachron.reporting import published
from anachron.reporting.charts import Chart
from anachron.reporting.words import digits

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Bar", "Published", "read", "rows_over_time"]

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


@dataclass(frozen=True, kw_only=True)
class Published(published.Published):
    """A release in numbers."""

    time: Granules
    granules: int
    bars: tuple[Bar, ...]

    @property
    def joined(self) -> int:
        """How many granules a bar stands for, at most."""
        return max(bar.granules for bar in self.bars)


def read(release: Release) -> Published:
    """Reduce the published table to what the report shows."""
    data = release.table("data")
    (time,) = (way for way in published.ways_of(release, "time") if isinstance(way, Granules))
    label, since, until = time.names
    rows = pa.table(
        {
            "grp": data["group"],
            "label": data[label],
            "since": _microseconds(data[since]),
            "until": _microseconds(data[until]),
        }
    )
    with connected() as con:
        con.register("published", rows)
        con.execute(
            """CREATE TEMP TABLE granule AS
               SELECT since, max(until) AS until, min(label::VARCHAR) AS label, count(*) AS n
               FROM published GROUP BY since"""
        )
        granules = int(con.execute("SELECT count(*) FROM granule").fetchall()[0][0])
        zone = ZoneInfo(release.description["anachron"]["time_zone"])
        return Published(
            quasi=tuple(way.column for way in published.ways_of(release, "quasi")),
            sensitive=tuple(way.column for way in published.ways_of(release, "sensitive")),
            rows=data.num_rows,
            sizes=published.group_sizes(con, "published"),
            time=time,
            granules=granules,
            bars=_bars(con, granules, zone) if granules else (),
        )


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


def rows_over_time(shown: Published) -> Chart:
    """Published rows in each granule, or slice of consecutive granules."""
    first, last = (shown.bars[0].first, shown.bars[-1].last) if shown.bars else ("", "")
    return Chart(
        name="rows_over_time",
        says=f"Published rows over time, from {first} to {last}.",
        records=tuple(
            {"since": bar.since, "until": bar.until, "rows": bar.rows} for bar in shown.bars
        ),
        head=("from", "to", "granules", "rows"),
        rows=tuple(
            (bar.first, bar.last, digits(bar.granules), digits(bar.rows)) for bar in shown.bars
        ),
        numeric=(2, 3),
    )
