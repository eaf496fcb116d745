"""What a release of a feed holds, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pyarrow as pa

from anachron.database import connected
from anachron.reporting import published
from anachron.reporting.charts import together
from anachron.reporting.published import Span, ways_of
from anachron.reporting.reposition.record import MOST_BARS

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Published", "Shown", "read"]

_SNAPSHOTS = """
    SELECT label, n, most, n_values FROM
      (SELECT since, min(label) AS label, count(*) AS n FROM data GROUP BY since) JOIN
      (SELECT since, max(n) AS most, sum(n)::BIGINT AS n_values FROM
         (SELECT since, content, sum(n)::BIGINT AS n FROM cell
          JOIN (SELECT DISTINCT grp, since FROM data) USING (grp) GROUP BY since, content)
       GROUP BY since) USING (since)
    ORDER BY since"""
_GROUPS = """
    SELECT max(n), sum(n)::BIGINT AS size FROM
      (SELECT grp, content, sum(n)::BIGINT AS n FROM cell GROUP BY grp, content)
    GROUP BY grp ORDER BY max(n) / sum(n) DESC, size LIMIT 1"""


@dataclass(frozen=True)
class Shown:
    """One published snapshot."""

    label: str
    rows: int
    share: float
    """The largest share of one value in it."""


@dataclass(frozen=True, kw_only=True)
class Published(published.Published):
    """A release in numbers."""

    largest_share: Fraction
    """Of a group's rows that have the same value."""
    snapshots: tuple[Shown, ...]
    """Those that have rows, in order."""
    spans: tuple[Span, ...]
    """How wide the intervals are; empty if quasi columns are published as they are."""

    @property
    def each(self) -> int:
        """How many snapshots are drawn as one."""
        return together(len(self.snapshots), MOST_BARS)


def read(release: Release) -> Published:
    """Reduce the published tables to what the report shows."""
    data, ways = release.table("data"), ways_of(release, "quasi")
    (content,) = ways_of(release, "sensitive")
    with connected() as con:
        con.register("data", _rows(release, data))
        con.register("cell", _cells(release, data, content.column))
        groups = con.execute(_GROUPS).fetchall()
        snapshots = con.execute(_SNAPSHOTS).fetchall()
        return Published(
            quasi=tuple(way.column for way in ways),
            sensitive=(content.column,),
            rows=data.num_rows,
            sizes=published.group_sizes(con, "data"),
            largest_share=Fraction(*groups[0]) if groups else Fraction(0),
            snapshots=tuple(Shown(str(name), n, most / of) for name, n, most, of in snapshots),
            spans=published.spans(data, ways),
        )


def _rows(release: Release, data: pa.Table) -> pa.Table:
    """The group and the snapshot of each row."""
    times = ways_of(release, "time")
    if times:
        label, since, _ = (data[name] for name in times[0].names)
        since = since.cast(pa.int64())
    else:  # one snapshot, which the release names
        named = release.form.facts["snapshot"]["label"]
        label = pa.array([named] * data.num_rows, pa.string())
        since = pa.array([0] * data.num_rows, pa.int64())
    return pa.table({"grp": data["group"], "label": label, "since": since})


def _cells(release: Release, data: pa.Table, content: str) -> pa.Table:
    """How often each value stands in each group."""
    if content in data.column_names:
        one = pa.array([1] * data.num_rows, pa.int64())
        return pa.table({"grp": data["group"], "content": data[content], "n": one})
    beside = release.table("sensitive")
    return pa.table({"grp": beside["group"], "content": beside[content], "n": beside["count"]})
