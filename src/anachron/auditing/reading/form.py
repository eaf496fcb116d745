"""What descriptions say, in the terms of the promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.calendar.definitions import Granularity
from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity

__all__ = [
    "COUNT",
    "COUNTERFEITS",
    "Events",
    "Feed",
    "Form",
    "Interval",
    "Meaning",
    "Register",
    "Series",
    "Table",
    "Types",
    "bounds_at",
    "is_legible",
    "times_of",
]


COUNT = "count"
"""The column of a second table that says how often a value occurs in a group."""
COUNTERFEITS = ("group", "counterfeits")
"""The columns of the table of counterfeits."""
_INSTANT = pa.timestamp("us", "UTC")
Types = Mapping[str, pa.DataType]


@dataclass(frozen=True)
class Table:
    """One of the tables of a release: what columns it must have, in order, and of what types."""

    name: str
    file: Path
    columns: tuple[str, ...]
    types: Types

    @property
    def misfit(self) -> str:
        """How the columns of the file are not as they must be; nothing if they are."""
        there = pq.read_schema(self.file)
        more = len(set(there.names) - set(self.columns))
        missing = len(set(self.columns) - set(there.names))
        if more or missing:
            return f"{more:,} columns that are not declared, {missing:,} missing"
        if list(self.columns) != there.names:
            return "in another order"
        other = any(there.field(name).type != kind for name, kind in self.types.items())
        return "of other types" if other else ""


@dataclass(frozen=True)
class Meaning:
    """How a quasi column of events is said to be published."""

    column: str
    step: str
    published: tuple[str, ...]
    width: Decimal = Decimal(1)
    origin: Decimal = Decimal(0)
    length: int = 0
    covers: Mapping[str, frozenset[str]] | None = None


@dataclass(frozen=True)
class Interval:
    """How a quasi column is said to be published: on a grid, or by an order of its values."""

    column: str
    width: Fraction | None
    order: tuple[str, ...] | None

    @property
    def low(self) -> str:
        """The column with the lower bounds."""
        return f"{self.column}_low"

    @property
    def high(self) -> str:
        """The column with the upper bounds, which are included."""
        return f"{self.column}_high"

    def types(self, there: pa.Schema) -> Types:
        """The type of both bounds: text, or the kind of numbers that the lower ones are."""
        kind = pa.int64() if self.order is None else pa.string()
        if self.order is None and self.low in there.names:
            kind = pa.float64() if there.field(self.low).type == pa.float64() else kind
        return {self.low: kind, self.high: kind}


class Form(Protocol):
    """What a description says, whatever the method."""

    @property
    def promise(self) -> object:
        """The guarantee."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of the release, that of the rows first."""


def is_legible(form: Form) -> bool:
    """Whether all files have their columns: whatever else is read relies on it."""
    return not any(table.misfit for table in form.tables)


@dataclass(frozen=True)
class Events:
    """What the description of a release by granularity says."""

    file: Path
    promise: TimeGranularity
    zone: str
    time: str
    granularity: Granularity
    quasi: tuple[Meaning, ...]
    sensitive: tuple[str, ...]
    rows: int
    suppressed: int
    exact: bool
    """Whether spelling is said to be exact."""

    @property
    def times(self) -> tuple[str, str, str]:
        """The columns with label, first instant, and the instant after the last of a granule."""
        return times_of(self.time)

    @property
    def quasi_columns(self) -> tuple[str, ...]:
        """The published columns of all quasi columns."""
        return tuple(name for meaning in self.quasi for name in meaning.published)

    @property
    def tables(self) -> tuple[Table, ...]:
        """What columns may be published."""
        columns = ("group", *self.quasi_columns, *self.times, *self.sensitive)
        types = {"group": pa.int64(), **dict.fromkeys(self.times[1:], _INSTANT)}
        return (Table("data", self.file, columns, types),)


@dataclass(frozen=True)
class Register:
    """What the description of a release of a register says."""

    file: Path
    counterfeit_file: Path
    promise: MInvariance
    number: int
    quasi: tuple[Interval, ...]
    sensitive: str
    rows: int
    counterfeit_rows: int
    counterfeits: int
    exact: bool
    """Whether spelling is said to be exact."""

    @property
    def different(self) -> bool:
        """Whether the people of all groups must have different values."""
        return self.promise.exact(self.number)

    @property
    def tables(self) -> tuple[Table, ...]:
        """What columns may be published; both bounds of an interval have the same type."""
        bounds = _bounds(self.file, self.quasi)
        columns, types = ("group", *bounds, self.sensitive), {"group": pa.int64(), **bounds}
        fakes = dict.fromkeys(COUNTERFEITS, pa.int64())
        return (
            Table("data", self.file, columns, types),
            Table("counterfeits", self.counterfeit_file, COUNTERFEITS, fakes),
        )


@dataclass(frozen=True)
class Feed:
    """What the description of a release of a feed says."""

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
    def times(self) -> tuple[str, str, str]:
        """The columns with label, first instant, and the instant after the last of a snapshot."""
        return times_of(self.time)

    @property
    def earlier(self) -> int:
        """By how many snapshots a record may be older than that in which it is published."""
        return self.promise.window - 1

    @property
    def names(self) -> tuple[str, ...]:
        """All quasi columns."""
        return self.quasi or tuple(interval.column for interval in self.intervals)

    @property
    def tables(self) -> tuple[Table, ...]:
        """What columns may be published, with the types that are known."""
        bounds = _bounds(self.file, self.intervals)
        values = () if self.value_file else (self.sensitive,)
        columns = ("group", *self.times, *self.quasi, *bounds, *values)
        label, *instants = self.times
        types = {"group": pa.int64(), label: pa.string(), **dict.fromkeys(instants, _INSTANT)}
        found = (Table("data", self.file, columns, {**types, **bounds}),)
        if self.value_file is None:
            return found
        counts = ("group", self.sensitive, COUNT)
        types = {"group": pa.int64(), COUNT: pa.int64()}
        return (*found, Table("sensitive values", self.value_file, counts, types))


@dataclass(frozen=True)
class Series:
    """What the description of a release of series says."""

    file: Path
    envelope_file: Path
    promise: KPAnonymity
    zone: str
    times: frozenset[str]
    """All times of the series, whether anything is published of them or not."""
    values: tuple[str, ...]
    """The times whose values are published, in the order of time."""
    patterns: tuple[str, ...]
    """The times whose shape is published, in the order of time."""
    precision: Fraction
    sensitive: tuple[str, ...]
    rows: int
    groups: int
    highest_level: int
    suppressed: int
    dropped: int
    whole: bool
    """Whether the types of the envelopes say that all series are of whole numbers."""
    exact: bool
    """Whether values count as they are spelled: it is said so, or they are not counted."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """What columns may be published, with the types that are known."""
        columns = ("group", "level", "pattern", *self.sensitive)
        types = {"group": pa.int64(), "level": pa.int64(), "pattern": pa.string()}
        bounds = tuple(name for time in self.values for name in bounds_at(time))
        sides = dict.fromkeys(bounds, pa.int64() if self.whole else pa.float64())
        sides["group"] = pa.int64()
        return (
            Table("data", self.file, columns, types),
            Table("envelopes", self.envelope_file, ("group", *bounds), sides),
        )


def bounds_at(time: str) -> tuple[str, str]:
    """The columns with the bounds at a time."""
    return f"{time}_low", f"{time}_high"


def _bounds(file: Path, intervals: Sequence[Interval]) -> Types:
    """The columns of some intervals, in order, with their types."""
    there = pq.read_schema(file)
    return {n: kind for interval in intervals for n, kind in interval.types(there).items()}


def times_of(time: str) -> tuple[str, str, str]:
    """The columns with label, start and end of a time."""
    return time, f"{time}_start", f"{time}_end"
