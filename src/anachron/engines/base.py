"""What a method may ask of an engine, whatever engine it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import pyarrow as pa

from anachron.arrays import Array, Codes, Floats, Words
from anachron.calendar.granules import Granules
from anachron.schema import Schema

__all__ = ["Counts", "Recoding", "Rule", "Spans", "Table", "View"]


@dataclass(frozen=True, eq=False)
class Recoding:
    """How one quasi column is published: every distinct value gets a published one."""

    column: str
    codes: Array
    """For the i-th of the column's distinct values: the number of its published value."""
    published: pa.Table
    """One row for each published value, in order; no columns if the column is left out."""


@dataclass(frozen=True, eq=False)
class View:
    """One way to look at the table: a granularity, and a recoding of each quasi column."""

    time: Granules
    quasi: tuple[Recoding, ...]


@dataclass(frozen=True)
class Rule:
    """When a group of rows may be published."""

    k: int
    max_share: Fraction | None = None


@dataclass(frozen=True)
class Counts:
    """A view in numbers. A *group* is one combination of published quasi values and granule."""

    rows: int
    """All rows of the table."""
    outside: int
    """Rows in no granule."""
    groups: int
    """Groups that obey the rule."""
    smallest: int
    """People in the smallest group that obeys the rule; 0 if there is none."""
    people: int
    """Sum over those groups of the people in each."""
    failing_groups: int
    failing_rows: int
    failing_people: int
    """Different people with a row in a failing group."""
    length: int
    """Sum over the rows in granules of the length of the granule, in microseconds."""

    @property
    def lost_rows(self) -> int:
        """Rows that could not be published under this view."""
        return self.outside + self.failing_rows


@dataclass(frozen=True, eq=False)
class Spans:
    """From when to when each subject appears in a release."""

    subject: pa.Array
    first: Array
    until: Array


class Table(Protocol):
    """A table that was read and checked against its schema, held by an engine."""

    @property
    def schema(self) -> Schema:
        """The roles of its columns."""

    @property
    def rows(self) -> int:
        """How many rows it has."""

    @property
    def subjects(self) -> int:
        """How many different subjects it has."""

    @property
    def first(self) -> int:
        """The first instant, in microseconds since 1970."""

    @property
    def last(self) -> int:
        """The last instant."""

    @property
    def recorded_by(self) -> str:
        """The built-in granularity in which the times are recorded, or ``"instant"``."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about how the table was read; counts only."""

    def digest(self) -> str:
        """A digest of the rows and roles, whatever their order."""

    def people(self) -> pa.Array:
        """The subject of each row."""

    def column(self, name: str) -> pa.Array:
        """A quasi or sensitive column, as it is worked with and published."""

    @property
    def instants(self) -> Array:
        """The instant of each row, in microseconds since 1970."""

    def codes(self, column: str) -> Codes:
        """Of each row, the place of its quasi value among the distinct ones."""

    def series(self) -> Floats:
        """The columns of a series side by side; NaN where a value is missing."""

    @property
    def whole_series(self) -> bool:
        """Whether all columns of the series hold whole numbers, by their types."""

    def row_keys(self, secret: bytes) -> Words:
        """Two keyed hashes of each row, whatever the order of the rows."""

    def values(self, column: str) -> pa.Array:
        """The distinct values of a quasi column, in ascending order, null last."""

    def frequencies(self, column: str) -> Array:
        """How many rows hold each of them."""

    def counts(self, view: View, rule: Rule) -> Counts:
        """Reduce the table to counts."""

    def publish(self, view: View, rule: Rule) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Carry out a view: the rows of groups that obey the rule, in canonical order."""

    def spans(self, view: View, rule: Rule) -> Spans:
        """The subjects with published rows, and the hull of their granules."""

    def close(self) -> None:
        """Let go of what the engine holds."""


Resources = Mapping[str, tuple[pa.Schema, Iterator[pa.RecordBatch]]]
"""What a release consists of: named tables."""
