"""What a release holds, in numbers: never the content of a sensitive column.

A method whose releases show more has a class of its own beside its page, with what they show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.database import connected
from anachron.published.layouts import COUNT
from anachron.published.ways import Interval, Ordered, Way
from anachron.reporting.charts import Chart

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Breadth", "Draws", "Shown", "Size"]

MOST_SIZES = 40
Draws = Mapping[str, Callable[[], Chart]]
"""Charts by name, each drawn when it is asked for."""


@dataclass(frozen=True)
class Size:
    """How many groups have from ``low`` up to ``high`` rows."""

    low: int
    high: int
    groups: int
    rows: int


@dataclass(frozen=True)
class Breadth:
    """How wide the intervals of one column are, over the rows."""

    way: Interval | Ordered
    half: float
    """Half of the rows have an interval no wider than this."""
    most: float
    """Nine rows of ten do."""
    widest: float


@dataclass(frozen=True, eq=False)
class Shown:
    """A release in numbers, each counted when it is first asked for."""

    release: Release

    @cached_property
    def data(self) -> pa.Table:
        """The published rows."""
        return self.release.table("data")

    @property
    def rows(self) -> int:
        """How many rows are published."""
        return int(self.data.num_rows)

    @property
    def apart(self) -> bool:
        """Whether rows and sensitive values are two tables."""
        return self.release.form.layout.apart

    @property
    def value_count(self) -> int:
        """How many values are published, those of nobody among them: each row has one, or had."""
        return self.rows + (self.counterfeits if self.apart else 0)

    def ways(self, role: str) -> tuple[Way, ...]:
        """How the columns of a role are published, in the order of the files; those that are."""
        tables = self.release.tables.values()
        fields = [field for table in tables for field in table.written.fields]
        place = {field.name: i for i, field in reversed(list(enumerate(fields)))}
        ways = self.release.form.columns.values()
        there = [way for way in ways if way.role == role and way.names]
        return tuple(sorted(there, key=lambda way: place[way.names[0]]))

    @property
    def quasi(self) -> tuple[str, ...]:
        """The published columns that an outsider may know."""
        return tuple(way.column for way in self.ways("quasi"))

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The published columns with content."""
        return tuple(way.column for way in self.ways("sensitive"))

    @cached_property
    def sizes(self) -> tuple[Size, ...]:
        """How many groups have how many rows."""
        _, rows = np.unique(np.asarray(self.data["group"]), return_counts=True)
        n, groups = np.unique(rows, return_counts=True)
        return _sizes(list(zip(n.tolist(), groups.tolist(), strict=True)))

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

    @cached_property
    def breadths(self) -> tuple[Breadth, ...]:
        """How wide intervals are; nothing if no column is published as such."""
        wide = [way for way in self.ways("quasi") if isinstance(way, Interval | Ordered)]
        if not self.rows or not wide:
            return ()
        with connected() as con:
            widths = {f"w{i}": _widths(self.data, way) for i, way in enumerate(wide)}
            con.register("published", pa.table(widths))
            return tuple(_breadth(con, f"w{i}", way) for i, way in enumerate(wide))

    def held(self, column: str) -> pa.Table:
        """How often each value of a sensitive column stands in each group."""
        layout = self.release.form.layout
        name = layout.table_of("sensitive")
        table = self.release.table(name)
        one = pa.array([1] * len(table), pa.int64())
        n = table[COUNT] if COUNT in layout.tables[name] else one
        return pa.table({"grp": table["group"], "content": table[column], "n": n})

    @cached_property
    def signatures(self) -> int:
        """How many different sets of sensitive values groups have."""
        (content,) = self.sensitive
        with connected() as con:
            con.register("published", self.held(content))
            found = con.execute(
                """SELECT count(DISTINCT held) FROM (SELECT list_sort(list(content)) AS held
                   FROM published GROUP BY grp)"""
            ).fetchall()
        return int(found[0][0])

    @cached_property
    def counterfeits(self) -> int:
        """How many rows belong to nobody."""
        return int(pc.sum(self.release.table("counterfeits")["counterfeits"]).as_py() or 0)

    @property
    def touched(self) -> int:
        """How many groups have counterfeits."""
        return int(self.release.table("counterfeits").num_rows)

    def charts(self) -> Draws:
        """What can be drawn of releases of this method alone."""
        return {}


def _sizes(counted: Sequence[tuple[int, int]]) -> tuple[Size, ...]:
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


def _widths(data: pa.Table, way: Interval | Ordered) -> pa.ChunkedArray:
    """How many values an interval covers; for fractions, how wide it is."""
    low, high = (data[name] for name in way.names)
    if isinstance(way, Ordered):
        order = pa.array(way.order, pa.string())
        low, high = pc.index_in(low, order), pc.index_in(high, order)
    width = pc.subtract(high, low)
    return width if pa.types.is_floating(width.type) else pc.add(width, 1)


def _breadth(con: duckdb.DuckDBPyConnection, name: str, way: Interval | Ordered) -> Breadth:
    half, most, widest = con.execute(
        f"SELECT quantile_disc({name}, 0.5), quantile_disc({name}, 0.9), max({name}) FROM published"
    ).fetchall()[0]
    return Breadth(way, float(half), float(most), float(widest))
