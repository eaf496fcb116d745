"""Read the description of a release, with a parser of the audit's own.

It takes the description as it is written, and nothing of what made it: what is not exactly as it
must be makes it no description of the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from anachron.auditing.reading.form import (
    Events,
    Feed,
    Files,
    Interval,
    Meaning,
    Register,
    Series,
    bounds_at,
    times_of,
)
from anachron.auditing.reading.margins import margins_of
from anachron.auditing.reading.parts import files_of
from anachron.auditing.reading.spelled import exact_of
from anachron.calendar.definitions import Granularity
from anachron.errors import InputError
from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.release.read import Release

__all__ = ["Said", "described", "events_of", "feed_of", "register_of", "series_of"]

_STEPS = ("as it is", "bins", "prefix", "parents", "left out")
_OF_FEEDS = {"format", "release", "previous", "guarantee", "columns", "time_zone"}
"""What is said of a release of a feed: nothing that tells how many were moved or left out."""
_F = TypeVar("_F")


class Said:
    """A description, taken apart as far as all of them are alike."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.ours: Mapping[str, Any] = release.description["anachron"]
        self.columns: Mapping[str, Mapping[str, Any]] = self.ours["columns"]
        resources = release.description["resources"]
        self.tables = {r["name"]: r for r in resources if r["format"] == "parquet"}
        self.fields: list[str] = [f["name"] for f in self.tables["data"]["schema"]["fields"]]
        exact = exact_of(self.ours)
        self.shared: dict[str, Any] = {"files": self.files(), "rows": self.rows(), "exact": exact}

    def check_tables(self, *names: str) -> None:
        """Demand these tables, and no other."""
        _require(set(self.tables) == set(names))

    def files(self, table: str = "data") -> Files:
        """The Parquet file of a table, or its parts in order."""
        return files_of(self.release, table)

    def rows(self, table: str = "data") -> int:
        """How many rows a table is said to have."""
        return _count(self.tables[table]["rows"])

    def by_role(self, *roles: str) -> list[list[str]]:
        """The columns of each of these roles, and of no other; in the order of the file."""
        found: dict[str, list[str]] = {role: [] for role in roles}
        for name, meaning in self.columns.items():
            found[meaning["role"]].append(name)
        return [sorted(names, key=self._place) for names in found.values()]

    def published(self, column: str) -> list[str]:
        """The columns that a column of the schema is published as."""
        return list(self.columns[column]["published"])

    def as_they_are(self, columns: Sequence[str]) -> bool:
        """Whether columns of the schema are said to be published as they are."""
        return all(
            self.columns[n]["step"] == "as it is" and self.published(n) == [n] for n in columns
        )

    def zone(self) -> str:
        """The zone whose calendar the times follow."""
        zone: str = self.ours["time_zone"]
        ZoneInfo(zone)
        return zone

    def _place(self, column: str) -> int:
        """Where a column stands in the file; those that are left out or elsewhere come last."""
        there = self.published(column)
        elsewhere = self.columns[column]["role"] in ("series", "sensitive")
        if not there or (elsewhere and there[0] not in self.fields):
            return len(self.fields)
        return self.fields.index(there[0])


def described(release: Release, build: Callable[[Said], _F]) -> _F | None:
    """Read a description in the terms of a promise; None if it is none of that kind."""
    try:
        return build(Said(release))
    except (LookupError, TypeError, ValueError, AttributeError, InvalidOperation, InputError):
        # InputError: the guarantee or a granularity is not one.
        return None


def _read(build: Callable[[Said], _F]) -> Callable[[Release], _F | None]:
    """Read descriptions; give None for one that is none of the method."""
    return lambda release: described(release, build)


def _require(right: bool) -> None:
    if not right:
        raise ValueError


@_read
def events_of(said: Said) -> Events:
    """Read the description of a release by granularity; None if it is none."""
    said.check_tables("data")
    quasi, (time,), sensitive = said.by_role("quasi", "time", "sensitive")
    _require(said.published(time) == [*times_of(time)] and set(sensitive) <= set(said.fields))
    return Events(
        **said.shared,
        promise=TimeGranularity.from_dict(said.ours["guarantee"]),
        zone=said.zone(),
        time=time,
        granularity=Granularity.from_dict(said.columns[time]["granularity"]),
        quasi=tuple(_meaning(name, said.columns[name]) for name in quasi),
        sensitive=tuple(sorted(sensitive, key=said.fields.index)),
        suppressed=_count(said.ours["suppressed_rows"]),
    )


@_read
def register_of(said: Said) -> Register:
    """Read the description of a release of a register; None if it is none."""
    given = said.ours["guarantee"]
    # The snapshots of a feed may be published by this method: then it is named in there.
    given = given["then"] if isinstance(given.get("then"), Mapping) else given
    promise = MInvariance.from_dict(given)
    apart = promise.then == "anatomy"
    said.check_tables("data", "counterfeits", *(("sensitive",) if apart else ()))
    quasi, (sensitive,) = said.by_role("quasi", "sensitive")
    _require(said.published(sensitive) == [sensitive] and bool(quasi))
    _require(not apart or said.as_they_are(quasi))
    return Register(
        **said.shared,
        counterfeit_files=said.files("counterfeits"),
        value_files=said.files("sensitive") if apart else None,
        promise=promise,
        number=_count(said.ours["release"]),
        quasi=tuple(quasi) if apart else (),
        intervals=() if apart else tuple(_interval(n, said.columns[n]) for n in quasi),
        sensitive=sensitive,
        values=said.rows("sensitive" if apart else "data"),
        counterfeit_rows=said.rows("counterfeits"),
        counterfeits=_count(said.ours["counterfeits"]),
        margins=margins_of(said.ours.get("margins"), promise.margins, quasi),
    )


@_read
def feed_of(said: Said) -> Feed:
    """Read the description of a release of a feed; None if it is none."""
    _require(set(said.ours) - {"spelling", "people"} == _OF_FEEDS)
    promise = Reposition.from_dict(said.ours["guarantee"])
    anatomy = promise.then == "anatomy"
    said.check_tables(*(("data", "sensitive") if anatomy else ("data",)))
    quasi, (time,), (sensitive,) = said.by_role("quasi", "time", "sensitive")
    snapshot = said.columns[time]
    _require(snapshot["step"] == "snapshot" and isinstance(promise.then, str))
    _require(said.published(time) == [*times_of(time)])
    _require(Granularity.from_dict(snapshot["granularity"]) == promise.snapshot)
    _require(said.published(sensitive) == [sensitive])
    _require(not anatomy or said.as_they_are(quasi))
    return Feed(
        **said.shared,
        value_files=said.files("sensitive") if anatomy else None,
        promise=promise,
        zone=said.zone(),
        time=time,
        quasi=tuple(quasi) if anatomy else (),
        intervals=() if anatomy else tuple(_interval(n, said.columns[n]) for n in quasi),
        sensitive=sensitive,
        value_rows=said.rows("sensitive") if anatomy else 0,
    )


@_read
def series_of(said: Said) -> Series:
    """Read the description of a release of series; None if it is none."""
    said.check_tables("data", "envelopes")
    series, sensitive = said.by_role("series", "sensitive")
    _require(all(said.published(name) == [name] for name in sensitive))
    _require(set(sensitive) <= set(said.fields))
    values, patterns = (_names(said.ours["times"][of]) for of in ("values", "patterns"))
    for name in series:
        _require(said.published(name) == ([*bounds_at(name)] if name in values else []))
        _require(said.columns[name]["pattern"] is (name in patterns))
    _require(bool(values) and len(patterns) >= 2 and {*values, *patterns} <= {*series})
    promise = KPAnonymity.from_dict(said.ours["guarantee"])
    _require(said.ours["break_points"] == 1)
    sides = said.tables["envelopes"]["schema"]["fields"]
    return Series(
        **said.shared | {"exact": said.shared["exact"] or promise.l is None},
        envelope_files=said.files("envelopes"),
        promise=promise,
        zone=said.zone(),
        times=frozenset(series),
        values=values,
        patterns=patterns,
        segments=_segments(said.ours, len(patterns)),
        precision=Fraction(_width(said.ours["precision"])),
        sensitive=tuple(sensitive),
        groups=said.rows("envelopes"),
        highest_level=_count(said.ours["highest_level"]),
        suppressed=_count(said.ours["suppressed_series"]),
        dropped=_count(said.ours["dropped_series"]),
        whole=all(field["type"] == "integer" for field in sides),
    )


def _segments(ours: Mapping[str, Any], times: int) -> tuple[int, ...]:
    """How many times share each letter; nothing is said of it where each has one."""
    if "segments" not in ours:
        return (1,) * times
    found = tuple(_count(length) for length in ours["segments"])
    _require(sum(found) == times and min(found) > 0 and 2 <= len(found) < times)
    return found


def _meaning(column: str, given: Mapping[str, Any]) -> Meaning:
    step, published = given["step"], tuple(given["published"])
    allowed: dict[str, tuple[str, ...]] = dict.fromkeys(_STEPS, (column,))
    allowed |= {"bins": bounds_at(column), "left out": ()}
    _require(published == allowed[step])
    if step == "bins":
        width, origin = _width(given["width"]), Decimal(given["origin"])
        _require(origin.is_finite())
        return Meaning(column, step, published, width=width, origin=origin)
    if step == "prefix":
        return Meaning(column, step, published, length=_count(given["length"]))
    if step == "parents":
        covers = {label: frozenset(values) for label, values in given["covers"].items()}
        return Meaning(column, step, published, covers=covers)
    return Meaning(column, step, published)


def _interval(column: str, given: Mapping[str, Any]) -> Interval:
    _require(given["step"] == "interval" and ("width" in given) != ("order" in given))
    _require(tuple(given["published"]) == bounds_at(column))
    if "width" in given:
        return Interval(column, Fraction(_width(given["width"])), None)
    return Interval(column, None, _names(given["order"]))


def _width(given: Any) -> Decimal:
    width = Decimal(given)
    _require(width.is_finite() and width > 0)
    return width


def _names(given: Sequence[str]) -> tuple[str, ...]:
    """Different texts."""
    names = tuple(given)
    _require(len(set(names)) == len(names) and all(isinstance(name, str) for name in names))
    return names


def _count(given: object) -> int:
    """A number of rows or people."""
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ValueError
    return given
