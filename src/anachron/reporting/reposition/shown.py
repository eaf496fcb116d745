"""What a release of a feed holds, in numbers and drawings."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import pyarrow as pa

from anachron.database import connected
from anachron.guarantees import Reposition
from anachron.reporting.charts import Chart, together
from anachron.reporting.reposition.record import MOST_BARS, shares
from anachron.reporting.shown import Draws, Shown
from anachron.reporting.words import digits

__all__ = ["FeedShown", "ShownSnapshot"]

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
class ShownSnapshot:
    """One published snapshot."""

    label: str
    rows: int
    share: float
    """The largest share of one value in it."""


class FeedShown(Shown):
    """A release of a feed in numbers."""

    @cached_property
    def promise(self) -> Reposition:
        """What is promised."""
        return Reposition.from_dict(self.release.guarantee)

    @property
    def largest_share(self) -> Fraction:
        """Of a group's rows that have the same value."""
        return self._counted[0]

    @property
    def snapshots(self) -> tuple[ShownSnapshot, ...]:
        """Those that have rows, in order."""
        return self._counted[1]

    @cached_property
    def _counted(self) -> tuple[Fraction, tuple[ShownSnapshot, ...]]:
        with connected() as con:
            con.register("data", self._rows())
            con.register("cell", self.held(*self.sensitive))
            groups = con.execute(_GROUPS).fetchall()
            snapshots = con.execute(_SNAPSHOTS).fetchall()
        return Fraction(*groups[0]) if groups else Fraction(0), tuple(
            ShownSnapshot(str(name), n, most / of) for name, n, most, of in snapshots
        )

    def _rows(self) -> pa.Table:
        """The group and the snapshot of each row."""
        data, times = self.data, self.ways("time")
        if times:
            label, since, _ = (data[name] for name in times[0].names)
            since = since.cast(pa.int64())
        else:  # one snapshot, which the release names
            named = self.release.form.facts["snapshot"]["label"]
            label = pa.array([named] * self.rows, pa.string())
            since = pa.array([0] * self.rows, pa.int64())
        return pa.table({"grp": data["group"], "label": label, "since": since})

    @property
    def each(self) -> int:
        """How many snapshots are drawn as one."""
        return together(len(self.snapshots), MOST_BARS)

    @property
    def bars(self) -> list[ShownSnapshot]:
        """Snapshots to draw, neighbours together if there are too many; of shares, the largest."""
        some = [
            self.snapshots[at : at + self.each] for at in range(0, len(self.snapshots), self.each)
        ]
        return [
            ShownSnapshot(s[0].label, sum(o.rows for o in s), max(o.share for o in s)) for s in some
        ]

    def charts(self) -> Draws:
        """Snapshots and shares of values; nothing of a feed that is published as a register."""
        if not isinstance(self.promise.then, str):
            return {}
        return {"time": self.over_time, "shares": self.shares}

    def over_time(self) -> Chart:
        """Published records by snapshot."""
        return Chart(
            name="feed_published",
            says="Published records by snapshot.",
            records=tuple({"snapshot": s.label, "published": s.rows} for s in self.bars),
            head=("snapshot", "published"),
            rows=tuple((s.label, digits(s.rows)) for s in self.bars),
            numeric=(1,),
        )

    def shares(self) -> Chart:
        """The largest share of one value by snapshot, as anybody can see it."""
        return shares([(bar.label, None, bar.share) for bar in self.bars], self.promise.l)
