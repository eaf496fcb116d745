"""The layouts of releases: which ways of publishing they have, which tables, and which facts.

A method has one layout; a feed has that of what becomes of its snapshots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from anachron.guarantees import Guarantee, MInvariance, Reposition
from anachron.published import ways
from anachron.published.margins import MARGINS
from anachron.published.strict import Misfit, at, decimal, entries, items, keys, text, texts, whole
from anachron.published.ways import Way, Word
from anachron.registry import METHODS

__all__ = [
    "AS_OF",
    "COUNT",
    "COUNTERFEITS",
    "DATA",
    "EVENTS",
    "FIRST",
    "GROUP",
    "LAST",
    "OF_FEEDS",
    "REGISTER",
    "SENSITIVE",
    "SERIES",
    "Layout",
    "layout_of",
    "of_feed",
    "of_register",
]

AS_OF = r"(?! )[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,80}(?<! )"
"""The name that an owner gives to a release: a short text in one line."""
DATA = "data"
"""The table of the rows, which all releases have."""
GROUP = "group"
"""The column of every table that numbers groups."""
COUNT, COUNTERFEITS = "count", "counterfeits"
SENSITIVE = "sensitive"
"""The table of the values of each group, where they stand apart from the rows."""
_SHAPE = ("level", "pattern")
_MANY = 2**31
_LABEL = r".{1,200}"
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The first and the last microsecond of the years 1 to 9999."""

Fact = Callable[[Any, str], object]


@dataclass(frozen=True)
class Layout:
    """What a release is made of."""

    ways: tuple[type[Way], ...]
    """How columns may be published."""
    how_many: Mapping[str, tuple[int, int]]
    """The fewest and the most columns of a role."""
    tables: Mapping[str, tuple[str, ...]]
    """The tables in order: columns of their own, and roles, as ``<role>``, of those beside."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """What is stated beside what all releases state, and how it is read. Of a feed, nothing: how
    many records were moved or left out would tell something of them."""
    own: Mapping[str, Fact] = field(default_factory=dict)
    """What is stated only if the owner says so."""

    @property
    def shapes(self) -> tuple[Word, ...]:
        """The columns that show the shape of series, which are of the layout and no schema's."""
        return tuple(Word(name) for name in _SHAPE if name in self.tables[DATA])

    @property
    def apart(self) -> bool:
        """Whether rows and sensitive values are two tables: quasi columns are as they are."""
        return SENSITIVE in self.tables

    def table_of(self, role: str) -> str:
        """The table that holds the columns of a role: names may be the same in two tables."""
        return next((n for n, parts in self.tables.items() if f"<{role}>" in parts), DATA)

    def columns_of(self, table: str, columns: Mapping[str, Way]) -> list[str]:
        """The published columns of a table, in any order."""
        found: list[str] = []
        for part in self.tables[table]:
            role = part.strip("<>")
            beside = [n for way in columns.values() if way.role == role for n in way.names]
            found += beside if part.startswith("<") else [part]
        return found

    def stated(self, ours: Mapping[str, Any]) -> dict[str, Fact]:
        """The facts that a release states: all that it must, and what it may."""
        return {**self.facts, **{name: take for name, take in self._own.items() if name in ours}}

    @property
    def _own(self) -> dict[str, Fact]:
        return {**_OF_ANY, **self.own}


_OF_ANY: dict[str, Fact] = {
    # Where it is exact, what differs in spelling counts as different.
    "spelling": lambda given, place: text(given, place, "exact"),
    # Where rows are counted, because their owner says that each is a person.
    "people": lambda given, place: text(given, place, "each row"),
}


def layout_of(guarantee: Guarantee) -> Layout:
    """How a release with this promise is laid out."""
    found: Layout | Callable[[Guarantee], Layout] = METHODS[guarantee.method].layout.load()
    return found if isinstance(found, Layout) else found(guarantee)


def of_feed(promise: Reposition) -> Layout:
    """How a release of a feed is laid out: as its snapshots are published."""
    if isinstance(promise.then, str):
        return OF_FEEDS[promise.then]
    layout = of_register(promise.then)
    return replace(layout, facts={**layout.facts, "snapshot": _snapshot}, own={})


def of_register(promise: MInvariance) -> Layout:
    """How a release of a register is laid out: with margins, if they are promised."""
    layout = OF_REGISTERS[promise.then]
    if promise.margins is None:
        return layout
    # What stands in them is looked at beside the columns (form.py).
    return replace(layout, facts={**layout.facts, MARGINS: entries})


def _times(given: Any, place: str) -> None:
    for name, times in keys(given, place, ("values", "patterns")).items():
        texts(times, at(place, name))


def _segments(given: Any, place: str) -> None:
    for number, length in enumerate(items(given, place)):
        whole(length, at(place, number), least=1)


def _snapshot(given: Any, place: str) -> None:
    found = keys(given, place, ("label", "start", "end"))
    text(found["label"], at(place, "label"), _LABEL)
    for name in ("start", "end"):
        if whole(found[name], at(place, name), least=FIRST) > LAST:
            raise Misfit(at(place, name), "it is no time that a calendar has")
    if found["start"] >= found["end"]:
        raise Misfit(place, "it ends before it begins")


_BOXES = (ways.Interval, ways.Ordered)
_COUNTED = (GROUP, "<sensitive>", COUNT)
EVENTS = Layout(
    (ways.AsItIs, ways.LeftOut, ways.Bins, ways.Prefix, ways.Parents, ways.Granules, ways.Content),
    {"time": (1, 1)},
    {DATA: (GROUP, "<quasi>", "<time>", "<sensitive>")},
    {"suppressed_rows": whole},
)
REGISTER = Layout(
    (*_BOXES, ways.Content),
    {"quasi": (1, _MANY), "sensitive": (1, 1)},
    {DATA: (GROUP, "<quasi>", "<sensitive>"), COUNTERFEITS: (GROUP, COUNTERFEITS)},
    {COUNTERFEITS: whole},
    {"as_of": lambda given, place: text(given, place, AS_OF)},
)
SERIES = Layout(
    (ways.Envelope, ways.Content),
    {"series": (2, _MANY)},
    {DATA: (GROUP, *_SHAPE, "<sensitive>"), "envelopes": (GROUP, "<series>")},
    {
        "times": _times,
        "precision": decimal,
        "break_points": whole,
        "highest_level": whole,
        "suppressed_series": whole,
        "dropped_series": whole,
    },
    # Where not every time has a letter: how many times share each.
    {"segments": _segments},
)
OF_REGISTERS = {
    "generalize": REGISTER,
    # Rows are of people only: a counterfeit has a value, and no quasi values.
    "anatomy": replace(
        REGISTER,
        ways=(ways.AsItIs, ways.Content),
        tables={
            DATA: (GROUP, "<quasi>"),
            SENSITIVE: _COUNTED,
            COUNTERFEITS: (GROUP, COUNTERFEITS),
        },
    ),
}
OF_FEEDS = {
    "anatomy": Layout(
        (ways.AsItIs, ways.Snapshots, ways.Content),
        {"time": (1, 1), "sensitive": (1, 1)},
        {DATA: (GROUP, "<quasi>", "<time>"), SENSITIVE: _COUNTED},
    ),
    "generalize": Layout(
        (*_BOXES, ways.Snapshots, ways.Content),
        {"time": (1, 1), "quasi": (1, _MANY), "sensitive": (1, 1)},
        {DATA: (GROUP, "<quasi>", "<time>", "<sensitive>")},
    ),
}
