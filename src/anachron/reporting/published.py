"""What any release holds, in numbers: never the content of a sensitive column.

Everything is an aggregate over the published files, so that no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from anachron.database import connected
from anachron.published.ways import Interval, Ordered, Way

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Published", "Size", "Span", "group_sizes", "read", "sizes", "spans", "ways_of"]

MOST_SIZES = 40


@dataclass(frozen=True)
class Size:
    """How many groups have from ``low`` up to ``high`` rows."""

    low: int
    high: int
    groups: int
    rows: int


@dataclass(frozen=True, kw_only=True)
class Published:
    """A release in numbers."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    rows: int
    sizes: tuple[Size, ...]

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return sum(size.groups for size in self.sizes)

    @property
    def smallest(self) -> int:
        """How many rows the smallest group has."""
        return self.sizes[0].low

    @property
    def largest(self) -> int:
        """The most rows that a group may have, where sizes are in bins; else what it has."""
        return self.sizes[-1].high

    @property
    def in_bins(self) -> bool:
        """Whether there are too many sizes to show them one by one."""
        return any(size.low < size.high for size in self.sizes)


@dataclass(frozen=True)
class Span:
    """How wide the intervals of one column are, over the rows."""

    way: Interval | Ordered
    half: float
    """Half of the rows have an interval no wider than this."""
    most: float
    """Nine rows of ten do."""
    widest: float


def read(release: Release) -> Published:
    """Reduce a release to what all of them show."""
    with connected() as con:
        con.register("published", release.table("data").select(["group"]).rename_columns(["grp"]))
        return Published(
            quasi=tuple(way.column for way in ways_of(release, "quasi")),
            sensitive=tuple(way.column for way in ways_of(release, "sensitive")),
            rows=release.rows,
            sizes=group_sizes(con, "published"),
        )


def ways_of(release: Release, role: str) -> tuple[Way, ...]:
    """How the columns of a role are published, in the order of the files; those that are."""
    fields = [field for table in release.tables.values() for field in table.written.fields]
    place = {field.name: i for i, field in reversed(list(enumerate(fields)))}
    ways = [way for way in release.form.columns.values() if way.role == role and way.names]
    return tuple(sorted(ways, key=lambda way: place[way.names[0]]))


def group_sizes(con: duckdb.DuckDBPyConnection, table: str) -> tuple[Size, ...]:
    """How large the groups are whose numbers stand in the column grp of a table."""
    counted = con.execute(
        f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM {table} GROUP BY grp) "
        "GROUP BY n ORDER BY n"
    ).fetchall()
    return sizes(counted)


def sizes(counted: Sequence[tuple[int, int]]) -> tuple[Size, ...]:
    """Join group sizes into bins that grow, where there are too many to show one by one."""
    if not counted:
        return ()
    smallest, largest = counted[0][0], counted[-1][0]
    edges = list(range(smallest, largest + 2))
    if len(edges) > MOST_SIZES + 1:
        edges = [e for e in _growing(largest) if e > smallest]
        edges.insert(0, smallest)
    found = []
    for low, high in pairwise(edges):
        inside = [(n, many) for n, many in counted if low <= n < high]
        groups = sum(many for _, many in inside)
        found.append(Size(low, high - 1, groups, sum(n * many for n, many in inside)))
    return tuple(found)


def _growing(largest: int) -> list[int]:
    """Round numbers, each about one and a half times the one before, beyond the largest."""
    edges = [1, 2, 3, 5, 7]
    scale = 10
    while edges[-1] <= largest:
        edges += [scale, scale * 3 // 2, scale * 2, scale * 3, scale * 5, scale * 7]
        scale *= 10
    return edges[: next(i for i, e in enumerate(edges) if e > largest) + 1]


def spans(data: pa.Table, ways: Sequence[Way]) -> tuple[Span, ...]:
    """Say how wide the intervals of each column are that is published as such."""
    wide = [way for way in ways if isinstance(way, Interval | Ordered)]
    if not data.num_rows or not wide:
        return ()
    with connected() as con:
        con.register("published", pa.table({f"w{i}": _widths(data, w) for i, w in enumerate(wide)}))
        return tuple(_span(con, f"w{i}", way) for i, way in enumerate(wide))


def _widths(data: pa.Table, way: Interval | Ordered) -> pa.ChunkedArray:
    """How many values an interval covers; for fractions, how wide it is."""
    low, high = (data[name] for name in way.names)
    if isinstance(way, Ordered):
        order = pa.array(way.order, pa.string())
        low, high = pc.index_in(low, order), pc.index_in(high, order)
    width = pc.subtract(high, low)
    return width if pa.types.is_floating(width.type) else pc.add(width, 1)


def _span(con: duckdb.DuckDBPyConnection, name: str, way: Interval | Ordered) -> Span:
    half, most, widest = con.execute(
        f"SELECT quantile_disc({name}, 0.5), quantile_disc({name}, 0.9), max({name}) FROM published"
    ).fetchall()[0]
    return Span(way, float(half), float(most), float(widest))
