"""What one release of a register holds, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from anachron.database import connected
from anachron.reporting import published
from anachron.reporting.published import Span

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Published", "read"]


@dataclass(frozen=True, kw_only=True)
class Published(published.Published):
    """A release in numbers."""

    signatures: int
    """How many different sets of sensitive values groups have."""
    counterfeits: int
    touched: int
    """How many groups have counterfeits."""
    spans: tuple[Span, ...]


def read(release: Release) -> Published:
    """Reduce the published tables to what the report shows."""
    data, fake = release.table("data"), release.table("counterfeits")
    ways = published.ways_of(release, "quasi")
    (content,) = published.ways_of(release, "sensitive")
    with connected() as con:
        rows = pa.table({"grp": data["group"], "content": data[content.column]})
        con.register("published", rows)
        sets = con.execute(
            """SELECT count(DISTINCT held) FROM (SELECT list_sort(list(content)) AS held
               FROM published GROUP BY grp)"""
        ).fetchall()[0][0]
        return Published(
            quasi=tuple(way.column for way in ways),
            sensitive=(content.column,),
            rows=data.num_rows,
            sizes=published.group_sizes(con, "published"),
            signatures=int(sets),
            counterfeits=int(pc.sum(fake["counterfeits"]).as_py() or 0),
            touched=fake.num_rows,
            spans=published.spans(data, ways),
        )
