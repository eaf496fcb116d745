"""What a release of events holds, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

import duckdb
import pyarrow as pa

from anachron.database import connected
from anachron.published.ways import Granules
from anachron.reporting.charts import Chart
from anachron.reporting.shown import Draws, Shown
from anachron.reporting.words import digits

__all__ = ["Bar", "EventsShown"]

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


class EventsShown(Shown):
    """A release of events in numbers."""

    @cached_property
    def time(self) -> Granules:
        """How the time is published."""
        (time,) = (way for way in self.ways("time") if isinstance(way, Granules))
        return time

    @property
    def granules(self) -> int:
        """How many granules have rows."""
        return sum(bar.granules for bar in self.bars)

    @property
    def joined(self) -> int:
        """How many granules a bar stands for, at most."""
        return max(bar.granules for bar in self.bars)

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """Rows over time: a bar for each granule, or for a slice of time if there are too many."""
        if not self.rows:
            return ()
        label, since, until = self.time.names
        rows = {
            "label": self.data[label],
            "since": _microseconds(self.data[since]),
            "until": _microseconds(self.data[until]),
        }
        with connected() as con:
            con.register("published", pa.table(rows))
            con.execute(
                """CREATE TEMP TABLE granule AS
                   SELECT since, max(until) AS until, min(label::VARCHAR) AS label, count(*) AS n
                   FROM published GROUP BY since"""
            )
            return _bars(con, ZoneInfo(self.release.description["anachron"]["time_zone"]))

    def charts(self) -> Draws:
        """Rows over time."""
        return {"time": self.over_time}

    def over_time(self) -> Chart:
        """Published rows in each granule, or slice of consecutive granules."""
        bars = self.bars
        first, last = (bars[0].first, bars[-1].last) if bars else ("", "")
        return Chart(
            name="rows_over_time",
            says=f"Published rows over time, from {first} to {last}.",
            records=tuple({"since": b.since, "until": b.until, "rows": b.rows} for b in bars),
            head=("from", "to", "granules", "rows"),
            rows=tuple((b.first, b.last, digits(b.granules), digits(b.rows)) for b in bars),
            numeric=(2, 3),
        )


def _microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())


def _bars(con: duckdb.DuckDBPyConnection, zone: ZoneInfo) -> tuple[Bar, ...]:
    granules, low, high, length = con.execute(
        "SELECT count(*), min(since), max(until), median(until - since)::BIGINT FROM granule"
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
