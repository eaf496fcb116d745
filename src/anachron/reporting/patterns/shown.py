"""What a release of series holds, in numbers and in a few groups to look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats
from anachron.published.ways import bounds
from anachron.reporting.charts import Chart, together
from anachron.reporting.shown import Draws, Shown
from anachron.reporting.words import digits, plural

__all__ = ["GroupWord", "Panel", "SeriesShown", "Width"]

MOST_TIMES = 200
"""As many can be told apart in a drawing."""
PANELS = 3
"""So many groups are drawn: the one whose shapes are finest, one in the middle, the coarsest."""
MOST_WORDS = 6
"""So many patterns of a group are drawn, those of most people."""


@dataclass(frozen=True)
class GroupWord:
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
    words: tuple[GroupWord, ...]
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


class SeriesShown(Shown):
    """A release of series in numbers."""

    @property
    def values(self) -> tuple[str, ...]:
        """The times whose values are published,"""
        return tuple(self.release.form.facts["times"]["values"])

    @property
    def patterns(self) -> tuple[str, ...]:
        """and those whose shapes are."""
        return tuple(self.release.form.facts["times"]["patterns"])

    @cached_property
    def segments(self) -> tuple[int, ...]:
        """How many of these share each letter of a pattern."""
        found = self.release.form.facts.get("segments", (1,) * len(self.patterns))
        return tuple(int(length) for length in found)

    @property
    def averaged(self) -> bool:
        """Whether letters are those of segments of several times."""
        return len(self.segments) < len(self.patterns)

    @property
    def times(self) -> int:
        """How many there are, with those of which nothing is."""
        return sum(way.role == "series" for way in self.release.form.columns.values())

    @cached_property
    def words(self) -> pa.Table:
        """Group, level and pattern of each subgroup, and how many rows it has."""
        found = self.data.group_by(["group", "level", "pattern"]).aggregate([([], "count_all")])
        return found.rename_columns({"count_all": "n"})

    @property
    def subgroups(self) -> int:
        """How many there are."""
        return len(self.words)

    @property
    def smallest_subgroup(self) -> int:
        """How many rows the smallest has."""
        return int(pc.min(self.words["n"]).as_py() or 0)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """How many rows have a pattern of level 1, 2, …, to the highest that is allowed."""
        highest = int(self.release.guarantee["max_level"])
        level = np.clip(self._column("level"), 0, highest + 1)
        found = np.bincount(level, self._column("n"), highest + 2)[1:-1]
        return tuple(found.astype(int).tolist())

    @property
    def mean_level(self) -> float:
        """The mean number of letters that a pattern may use, over the rows."""
        return sum(i * n for i, n in enumerate(self.levels, 1)) / max(self.rows, 1)

    @cached_property
    def width(self) -> Width | None:
        """How wide envelopes are; None if no values are published."""
        low, high = self._envelopes
        if not low.size:
            return None
        _, place = np.unique(self._column("group"), return_inverse=True)
        size = np.bincount(place, self._column("n"))
        mean = (high - low).mean(axis=1)
        order = np.argsort(mean, kind="stable")
        share = np.cumsum(size[order]) / size.sum()
        half, most = (float(mean[order[np.searchsorted(share, part)]]) for part in (0.5, 0.9))
        whole = float((high.max(axis=0) - low.min(axis=0)).mean())
        return Width(half, most, float(mean.max()), whole)

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Groups from the finest to the coarsest shapes, evenly: none is picked for its looks."""
        group, place = np.unique(self._column("group"), return_inverse=True)
        n, level = self._column("n"), self._column("level")
        mean = np.bincount(place, n * level) / np.bincount(place, n)
        ranked = group[np.lexsort((group, -mean))].tolist()
        last = len(ranked) - 1
        chosen = {round(i * last / (PANELS - 1)) for i in range(PANELS)} if ranked else ()
        return tuple(self._panel(ranked[at]) for at in sorted(chosen))

    def _panel(self, group: int) -> Panel:
        low, high = self._envelopes
        here = self.words.filter(pc.equal(self.words["group"], group))
        order = [("n", "descending"), ("level", "descending"), ("pattern", "ascending")]
        found = here.sort_by(order).select(["pattern", "level", "n"]).to_pylist()
        return Panel(
            group=group,
            rows=sum(word["n"] for word in found),
            low=tuple(low[group - 1].tolist()),
            high=tuple(high[group - 1].tolist()),
            words=tuple(GroupWord(*word.values()) for word in found[:MOST_WORDS]),
            more=len(found[MOST_WORDS:]),
        )

    def _column(self, name: str) -> Array:
        return np.asarray(self.words[name].fill_null(0), dtype=np.int64)

    @cached_property
    def _envelopes(self) -> tuple[Floats, Floats]:
        """The lowest and the highest values, a row for each group."""
        table = self.release.table("envelopes")
        if not self.values:
            return np.zeros((len(table), 0)), np.zeros((len(table), 0))
        sides = zip(*(bounds(time) for time in self.values), strict=True)
        low, high = (np.stack([table[n].to_numpy() for n in side], axis=1) for side in sides)
        return low, high

    @property
    def each_value(self) -> int:
        """How many neighbouring times of envelopes are drawn as one,"""
        return together(len(self.values), MOST_TIMES)

    @property
    def each_letter(self) -> int:
        """and of patterns."""
        return together(len(self.patterns), MOST_TIMES)

    def charts(self) -> Draws:
        """Envelopes and shapes."""
        return {
            "envelopes": self.envelopes,
            "shapes": self.shapes,
            "levels": self.levels_drawn,
        }

    def envelopes(self) -> Chart:
        """The lowest and the highest value of a few groups at each time."""
        step = self.each_value
        points = [
            (order, panel, time, min(panel.low[at : at + step]), max(panel.high[at : at + step]))
            for order, panel in enumerate(self.panels)
            for at, time in list(enumerate(self.values))[::step]
        ]
        return Chart(
            name="envelopes",
            says="The lowest and the highest published value at each time, of a few groups.",
            records=tuple(
                {"group": _title(panel), "order": order, "time": time, "low": low, "high": high}
                for order, panel, time, low, high in points
            ),
            head=("group", "time", "low", "high"),
            rows=tuple(
                (digits(panel.group), time, f"{low:,g}", f"{high:,g}")
                for _, panel, time, low, high in points
            ),
            numeric=(0, 2, 3),
            worded=("group",),
        )

    def shapes(self) -> Chart:
        """The patterns of a few groups, one below the other."""
        deepest = max((len(panel.words) for panel in self.panels), default=0)
        return Chart(
            name="shapes",
            says="The patterns of a few groups, with the number of people who have each.",
            records=tuple(
                {"group": _title(panel), "order": order, "place": place, **point}
                for order, panel in enumerate(self.panels)
                for place in range(deepest)
                for point in self._points(panel, place)
            ),
            head=("group", "rows", "level", "pattern"),
            rows=tuple(
                (digits(panel.group), digits(word.rows), str(word.level), word.text)
                for panel in self.panels
                for word in panel.words
            ),
            numeric=(0, 1, 2),
            worded=("group", "label"),
        )

    def _points(self, panel: Panel, place: int) -> Iterator[dict[str, str | float]]:
        """The letters of the pattern in a place; an empty place needs a point too, to stay free."""
        if place >= len(panel.words):
            yield {"time": self.patterns[0]}
            return
        word, times, step = panel.words[place], self.patterns, self.each_letter
        label = f"{plural(word.rows, 'row')}, level {word.level}"
        # A segment is drawn at each of its times.
        letters = "".join(
            letter * length for letter, length in zip(word.text, self.segments, strict=True)
        )
        for time, letter in zip(times[::step], letters[::step], strict=True):
            # Where a letter stands between the lowest and the highest that the level has.
            height = (ord(letter) - ord("a") + 0.5) / word.level
            named = {"label": label} if time == times[0] else {}
            yield {"time": time, "height": height, **named}

    def levels_drawn(self) -> Chart:
        """How many people have a pattern of each level."""
        pairs = list(enumerate(self.levels, 1))
        return Chart(
            name="levels",
            says="How many people have a pattern of each level.",
            records=tuple({"level": level, "people": n} for level, n in pairs),
            head=("level", "people"),
            rows=tuple((str(level), digits(n)) for level, n in pairs),
            numeric=(0, 1),
        )


def _title(panel: Panel) -> str:
    return f"group {digits(panel.group)}, {plural(panel.rows, 'row')}"
