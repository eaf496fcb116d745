"""What a release of a feed says about itself, read once and checked for its form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import InvalidOperation
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.verify.invariance_shape import Interval, interval_of
from anachron.auditing.verify.shape import count
from anachron.auditing.verify.spelled import exact_of
from anachron.calendar.definitions import Granularity
from anachron.errors import InputError
from anachron.guarantees import Reposition
from anachron.release.read import Release

__all__ = ["COUNT", "Feed", "feed_of"]

COUNT = "count"
"""The column of the second table that says how often a value occurs in a group."""
_INSTANT = pa.timestamp("us", "UTC")
_AS_IT_IS = "as it is"
_SAID = {"format", "release", "previous", "guarantee", "columns", "time_zone"}
"""What is said of a release: nothing that tells how many were moved or left out."""


@dataclass(frozen=True)
class Feed:
    """What the description of a release says, in the terms of the promise."""

    file: Path
    value_file: Path | None
    """The table of sensitive values; None if they stand in the rows."""
    promise: Reposition
    zone: str
    time: str
    quasi: tuple[str, ...]
    """Quasi columns that are published as they are."""
    intervals: tuple[Interval, ...]
    """Quasi columns that are published as intervals."""
    sensitive: str
    rows: int
    value_rows: int
    exact: bool
    """Whether spelling is said to be exact."""

    @property
    def start(self) -> str:
        """The column with the first instant of each snapshot."""
        return f"{self.time}_start"

    @property
    def end(self) -> str:
        """The column with the instant after the last of each snapshot."""
        return f"{self.time}_end"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that may be published with the rows, in order."""
        bounds = (name for interval in self.intervals for name in (interval.low, interval.high))
        values = () if self.value_file else (self.sensitive,)
        return ("group", self.time, self.start, self.end, *self.quasi, *bounds, *values)

    @property
    def value_columns(self) -> tuple[str, ...]:
        """The columns of the table of sensitive values."""
        return ("group", self.sensitive, COUNT)

    def types(self) -> dict[str, pa.DataType]:
        """The type that each column must have, as far as it is known."""
        there = pq.read_schema(self.file)
        types = {
            "group": pa.int64(),
            self.time: pa.string(),
            self.start: _INSTANT,
            self.end: _INSTANT,
        }
        for interval in self.intervals:
            types |= interval.types(there)
        return types


def feed_of(release: Release) -> Feed | None:
    """Read the description of a release; None if it is not one of this method."""
    try:
        return _feed(release.path, release.description)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation, InputError):
        # InputError: the guarantee or a granularity is not one.
        return None


def _feed(folder: Path, description: Mapping[str, Any]) -> Feed:
    ours = description["anachron"]
    if set(ours) - {"spelling"} != _SAID:
        raise ValueError
    promise = Reposition.from_dict(ours["guarantee"])
    tables = {r["name"]: r for r in description["resources"] if r["format"] == "parquet"}
    anatomy = promise.then == "anatomy"
    if set(tables) != ({"data", "sensitive"} if anatomy else {"data"}):
        raise ValueError
    by_role: dict[str, list[str]] = {"quasi": [], "time": [], "sensitive": []}
    columns = ours["columns"]
    for name, meaning in columns.items():
        by_role[meaning["role"]].append(name)
    (time,), (sensitive,) = by_role["time"], by_role["sensitive"]
    ZoneInfo(ours["time_zone"])
    _check_time(time, columns[time], promise)
    if list(columns[sensitive]["published"]) != [sensitive]:
        raise ValueError
    data = tables["data"]
    place = {field["name"]: i for i, field in enumerate(data["schema"]["fields"])}
    quasi = sorted(by_role["quasi"], key=lambda name: place[columns[name]["published"][0]])
    intervals = () if anatomy else tuple(interval_of(name, columns[name]) for name in quasi)
    if anatomy and any(not _is_plain(name, columns[name]) for name in quasi):
        raise ValueError
    return Feed(
        file=folder / data["path"],
        value_file=folder / tables["sensitive"]["path"] if anatomy else None,
        promise=promise,
        zone=ours["time_zone"],
        time=time,
        quasi=tuple(quasi) if anatomy else (),
        intervals=intervals,
        sensitive=sensitive,
        rows=count(data["rows"]),
        value_rows=count(tables["sensitive"]["rows"]) if anatomy else 0,
        exact=exact_of(ours),
    )


def _check_time(time: str, given: Mapping[str, Any], promise: Reposition) -> None:
    """Times are published as snapshots of the promised granularity."""
    if given["step"] != "snapshot" or not isinstance(promise.then, str):
        raise ValueError
    if list(given["published"]) != [time, f"{time}_start", f"{time}_end"]:
        raise ValueError
    if Granularity.from_dict(given["granularity"]) != promise.snapshot:
        raise ValueError


def _is_plain(name: str, given: Mapping[str, Any]) -> bool:
    return given["step"] == _AS_IT_IS and list(given["published"]) == [name]
