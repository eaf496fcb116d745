"""What a release of series holds, in numbers and in a few groups to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Floats
from anachron.database import connected
from anachron.published.ways import bounds
from anachron.reporting import published

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Panel", "Published", "Width", "Word", "read"]

PANELS = 3
"""So many groups are drawn: the one whose shapes are finest, one in the middle, the coarsest."""
MOST_WORDS = 6
"""So many patterns of a group are drawn, those of most people."""


@dataclass(frozen=True)
class Word:
    """A pattern of a group, and how many rows have it."""

    text: str
    level: int
    rows: int


@dataclass(frozen=True)
class Panel:
    """A group to look at."""

    group: int
    rows: int
    low: tuple[float, ...]
    high: tuple[float, ...]
    words: tuple[Word, ...]
    more: int
    """How many patterns of it are not drawn."""


@dataclass(frozen=True)
class Width:
    """How wide envelopes are, in the mean over their times; shares are of rows."""

    half: float
    most: float
    """Nine rows of ten have an envelope no wider than this."""
    widest: float
    whole: float
    """From the lowest bound of all to the highest, in the mean over the times."""


@dataclass(frozen=True, kw_only=True)
class Published(published.Published):
    """A release in numbers."""

    values: tuple[str, ...]
    patterns: tuple[str, ...]
    """The times whose values, and those whose shapes are published."""
    times: int
    """How many there are, with those of which nothing is."""
    subgroups: int
    smallest_subgroup: int
    levels: tuple[int, ...]
    """How many rows have a pattern of level 1, 2, …, to the highest that is allowed."""
    width: Width | None
    panels: tuple[Panel, ...]

    @property
    def mean_level(self) -> float:
        """The mean number of letters that a pattern may use, over the rows."""
        return sum(i * n for i, n in enumerate(self.levels, 1)) / max(self.rows, 1)


def read(release: Release) -> Published:
    """Reduce the published tables to what the report shows."""
    data, times = release.table("data"), release.form.facts["times"]
    low, high = _bounds(release.table("envelopes"), times["values"])
    with connected() as con:
        con.register("published", data.select(["group", "level", "pattern"]))
        con.execute(
            """CREATE TABLE words AS SELECT "group" AS g, level, pattern, count(*) AS n
               FROM published GROUP BY ALL"""
        )
        (subgroups, fewest), *_ = con.execute("SELECT count(*), min(n) FROM words").fetchall()
        counted = con.execute(
            """SELECT rows, count(*) FROM (SELECT sum(n)::BIGINT AS rows FROM words GROUP BY g)
               GROUP BY rows ORDER BY rows"""
        ).fetchall()
        return Published(
            quasi=(),
            sensitive=tuple(way.column for way in published.ways_of(release, "sensitive")),
            rows=data.num_rows,
            sizes=published.sizes(counted),
            values=tuple(times["values"]),
            patterns=tuple(times["patterns"]),
            times=sum(way.role == "series" for way in release.form.columns.values()),
            subgroups=subgroups,
            smallest_subgroup=fewest or 0,
            levels=_levels(con, int(release.guarantee["max_level"])),
            width=_width(con, low, high),
            panels=tuple(_panel(con, g, low, high) for g in _chosen(con)),
        )


def _bounds(envelopes: pa.Table, times: Sequence[str]) -> tuple[Floats, Floats]:
    """The lowest and the highest values, a row for each group."""
    if not times:
        return np.zeros((envelopes.num_rows, 0)), np.zeros((envelopes.num_rows, 0))
    sides = zip(*(bounds(time) for time in times), strict=True)
    low, high = (np.stack([envelopes[n].to_numpy() for n in side], axis=1) for side in sides)
    return low, high


def _levels(con: duckdb.DuckDBPyConnection, highest: int) -> tuple[int, ...]:
    found = dict(con.execute("SELECT level, sum(n)::BIGINT FROM words GROUP BY level").fetchall())
    return tuple(found.get(level, 0) for level in range(1, highest + 1))


def _width(con: duckdb.DuckDBPyConnection, low: Floats, high: Floats) -> Width | None:
    if not low.size:
        return None
    rows = con.execute("SELECT sum(n)::BIGINT FROM words GROUP BY g ORDER BY g").fetchnumpy()
    size = next(iter(rows.values()))
    mean = (high - low).mean(axis=1)
    order = np.argsort(mean, kind="stable")
    share = np.cumsum(size[order]) / size.sum()
    half, most = (float(mean[order[np.searchsorted(share, part)]]) for part in (0.5, 0.9))
    whole = float((high.max(axis=0) - low.min(axis=0)).mean())
    return Width(half, most, float(mean.max()), whole)


def _chosen(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Groups from the finest to the coarsest shapes, evenly, so that none is picked for looks."""
    ranked = [
        int(g)
        for (g,) in con.execute(
            "SELECT g FROM words GROUP BY g ORDER BY sum(n * level) / sum(n) DESC, g"
        ).fetchall()
    ]
    last = len(ranked) - 1
    places = {round(i * last / (PANELS - 1)) for i in range(PANELS)} if ranked else ()
    return [ranked[place] for place in sorted(places)]


def _panel(con: duckdb.DuckDBPyConnection, group: int, low: Floats, high: Floats) -> Panel:
    found = con.execute(
        "SELECT pattern, level, n FROM words WHERE g = ? ORDER BY n DESC, level DESC, pattern",
        [group],
    ).fetchall()
    return Panel(
        group=group,
        rows=sum(n for _, _, n in found),
        low=tuple(low[group - 1].tolist()),
        high=tuple(high[group - 1].tolist()),
        words=tuple(Word(*one) for one in found[:MOST_WORDS]),
        more=len(found[MOST_WORDS:]),
    )
