"""A view of a table of events, and what it comes to in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from anachron.arrays import Array
from anachron.calendar.granules import Granules

__all__ = ["Counts", "Recoding", "Tally", "View"]


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
class Tally:
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
    length: int
    """Sum over the rows in granules of the length of the granule, in microseconds."""

    @property
    def lost_rows(self) -> int:
        """Rows that could not be published under this view."""
        return self.outside + self.failing_rows


@dataclass(frozen=True)
class Counts(Tally):
    """A view in numbers, of people too."""

    failing_people: int
    """Different people with a row in a failing group."""
