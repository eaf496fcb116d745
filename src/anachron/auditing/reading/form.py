"""What descriptions say, in the terms of the promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.reading.margins import Margin
from anachron.calendar.definitions import Granularity
from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity

__all__ = [
    "COUNT",
    "Events",
    "Feed",
    "Files",
    "Form",
    "Interval",
    "Meaning",
    "Register",
    "Series",
    "TableForm",
    "Types",
    "bounds_at",
    "is_legible",
    "times_of",
]

COUNT = "count"
"""The column of a second table that says how often a value occurs in a group."""
_WHOLE, _INSTANT = pa.int64(), pa.timestamp("us", "UTC")
Types = Mapping[str, pa.DataType]
Files = tuple[Path, ...]
"""A table: one Parquet file, or its parts in order."""


@dataclass(frozen=True)
class TableForm:
    """One of the tables of a release: what columns it must have, in order, and of what types."""

    name: str
    files: Files
    columns: tuple[str, ...]
    types: Types

    @property
    def misfit(self) -> str:
        """How the columns of the file are not as they must be; nothing if they are."""
        there = pq.read_schema(self.files[0])
        more = len(set(there.names) - set(self.columns))
        missing = len(set(self.columns) - set(there.names))
        if more or missing:
            return f"{more:,} columns that are not declared, {missing:,} missing"
        if list(self.columns) != there.names:
            return "in another order"
        other = any(there.field(name).type != kind for name, kind in self.types.items())
        if other:
            return "of other types"
        parts = map(pq.read_schema, self.files[1:])
        return "" if all(map(there.equals, parts)) else "others in a further part"


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
        kind = _WHOLE if self.order is None else pa.string()
        if self.order is None and self.low in there.names:
            kind = pa.float64() if there.field(self.low).type == pa.float64() else kind
        return {self.low: kind, self.high: kind}


@dataclass(frozen=True, kw_only=True)
class Form:
    """What a description says, whatever the method."""

    files: Files
    """The table of the rows."""
    rows: int
    exact: bool
    """Whether values count as they are spelled."""

    @property
    def tables(self) -> tuple[TableForm, ...]:
        """The tables of the release with all their columns, that of the rows first."""
        raise NotImplementedError


def is_legible(form: Form) -> bool:
    """Whether all files have their columns: whatever else is read relies on it."""
    return not any(table.misfit for table in form.tables)


@dataclass(frozen=True, kw_only=True)
class _Timed(Form):
    """What the description of a release with a column of times says."""

    zone: str
    time: str

    @property
    def times(self) -> tuple[str, str, str]:
        """The columns with label, first instant, and the instant after the last of a time."""
        return times_of(self.time)


@dataclass(frozen=True, kw_only=True)
class Events(_Timed):
    """What the description of a release by granularity says."""

    promise: TimeGranularity
    granularity: Granularity
    quasi: tuple[Meaning, ...]
    sensitive: tuple[str, ...]
    suppressed: int

    @property
    def quasi_columns(self) -> tuple[str, ...]:
        """The published columns of all quasi columns."""
        return tuple(name for meaning in self.quasi for name in meaning.published)

    @property
    def tables(self) -> tuple[TableForm, ...]:
        """The one table of the rows."""
        columns = ("group", *self.quasi_columns, *self.times, *self.sensitive)
        types = {"group": _WHOLE, **dict.fromkeys(self.times[1:], _INSTANT)}
        return (TableForm("data", self.files, columns, types),)


@dataclass(frozen=True, kw_only=True)
class Register(Form):
    """What the description of a release of a register says."""

    counterfeit_files: Files
    value_files: Files | None
    """The table of sensitive values; None if they stand in the rows."""
    promise: MInvariance
    number: int
    quasi: tuple[str, ...]
    """Quasi columns that are published as they are."""
    intervals: tuple[Interval, ...]
    """Quasi columns that are published as intervals."""
    sensitive: str
    values: int
    """How many values of groups there are said to be: one in each row, or in a table beside."""
    counterfeit_rows: int
    counterfeits: int
    margins: Mapping[str, Margin] | None
    """Of each quasi column, if they are promised."""

    @property
    def names(self) -> tuple[str, ...]:
        """All quasi columns."""
        return _names(self)

    def kind(self, column: str) -> pa.DataType:
        """The type of a published column."""
        return pq.read_schema(self.files[0]).field(column).type

    @property
    def different(self) -> bool:
        """Whether the people of all groups must have different values."""
        return self.promise.exact(self.number)

    @property
    def tables(self) -> tuple[TableForm, ...]:
        """The rows, the values if they stand apart, and how many are counterfeits.

        Both bounds of an interval have one type.
        """
        bounds = _bounds(self.files, self.intervals)
        fakes = dict.fromkeys(("group", "counterfeits"), _WHOLE)
        last = TableForm("counterfeits", self.counterfeit_files, (*fakes,), fakes)
        types = {"group": _WHOLE, **bounds}
        if self.value_files is None:
            columns = ("group", *bounds, self.sensitive)
            return TableForm("data", self.files, columns, types), last
        rows = TableForm("data", self.files, ("group", *self.quasi), types)
        return rows, _counts(self.value_files, self.sensitive), last


@dataclass(frozen=True, kw_only=True)
class Feed(_Timed):
    """What the description of a release of a feed says."""

    value_files: Files | None
    """The table of sensitive values; None if they stand in the rows."""
    promise: Reposition
    quasi: tuple[str, ...]
    """Quasi columns that are published as they are."""
    intervals: tuple[Interval, ...]
    """Quasi columns that are published as intervals."""
    sensitive: str
    value_rows: int

    @property
    def earlier(self) -> int:
        """By how many snapshots a record may be older than that in which it is published."""
        return self.promise.window - 1

    @property
    def names(self) -> tuple[str, ...]:
        """All quasi columns."""
        return _names(self)

    @property
    def tables(self) -> tuple[TableForm, ...]:
        """The rows, and the values if they stand apart."""
        label, *instants = self.times
        bounds = _bounds(self.files, self.intervals)
        types = {"group": _WHOLE, label: pa.string(), **dict.fromkeys(instants, _INSTANT), **bounds}
        columns = ("group", *self.times, *self.quasi, *bounds)
        if self.value_files is None:
            return (TableForm("data", self.files, (*columns, self.sensitive), types),)
        rows = TableForm("data", self.files, columns, types)
        return rows, _counts(self.value_files, self.sensitive)


@dataclass(frozen=True, kw_only=True)
class Series(Form):
    """What the description of a release of series says.

    It is exact, too, where its values are not counted.
    """

    envelope_files: Files
    promise: KPAnonymity
    zone: str
    times: frozenset[str]
    """All times of the series, whether anything is published of them or not."""
    values: tuple[str, ...]
    """The times whose values are published, in the order of time."""
    patterns: tuple[str, ...]
    """The times whose shape is published, in the order of time."""
    segments: tuple[int, ...]
    """How many of these share each letter of a pattern."""
    precision: Fraction
    sensitive: tuple[str, ...]
    groups: int
    highest_level: int
    suppressed: int
    dropped: int
    whole: bool
    """Whether the types of the envelopes say that all series are of whole numbers."""

    @property
    def lettered(self) -> str:
        """What has a letter of its own in a pattern."""
        return "time" if len(self.segments) == len(self.patterns) else "segment"

    @property
    def tables(self) -> tuple[TableForm, ...]:
        """The rows, and an envelope for each group."""
        types = {"group": _WHOLE, "level": _WHOLE, "pattern": pa.string()}
        bounds = tuple(name for time in self.values for name in bounds_at(time))
        sides = dict.fromkeys(bounds, _WHOLE if self.whole else pa.float64())
        return (
            TableForm("data", self.files, (*types, *self.sensitive), types),
            TableForm(
                "envelopes", self.envelope_files, ("group", *bounds), {**sides, "group": _WHOLE}
            ),
        )


def _names(form: Register | Feed) -> tuple[str, ...]:
    return form.quasi or tuple(interval.column for interval in form.intervals)


def _counts(files: Files, sensitive: str) -> TableForm:
    """The table that says how often each value occurs in each group."""
    columns = ("group", sensitive, COUNT)
    return TableForm("sensitive values", files, columns, {"group": _WHOLE, COUNT: _WHOLE})


def bounds_at(time: str) -> tuple[str, str]:
    """The columns with the bounds at a time."""
    return f"{time}_low", f"{time}_high"


def _bounds(files: Files, intervals: Sequence[Interval]) -> Types:
    """The columns of some intervals, in order, with their types."""
    there = pq.read_schema(files[0])
    return {n: kind for interval in intervals for n, kind in interval.types(there).items()}


def times_of(time: str) -> tuple[str, str, str]:
    """The columns with label, start and end of a time."""
    return time, f"{time}_start", f"{time}_end"
