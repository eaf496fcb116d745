"""What a method may ask of an engine: a handful of verbs on rows that it never sees.

An engine holds :class:`Rows`: named columns, in no order that anybody may rely on, in as many
pieces as it likes. A method says in *kernels* what is to be computed: pure functions from the
columns of a batch to further columns. What comes back to the method is small: dictionaries, counts,
groups, and the few rows about which something has to be decided one by one.

A second engine is a second implementation of :class:`Rows` and :class:`Table`, and nothing else;
``tests/engines/pieces.py`` is one, slow and simple, by which the seam is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from anachron.arrays import Array, Floats
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = [
    "ABSENT",
    "COUNT",
    "KEY",
    "ROW",
    "SUBJECT",
    "TIME",
    "Batch",
    "Column",
    "Kernel",
    "Resources",
    "Rows",
    "Summary",
    "Table",
    "quasi",
    "sensitive",
]

Column: TypeAlias = Any
"""One element for each row, or one line of a matrix: numbers and flags are numpy arrays, all others
Arrow arrays. Both ways of access are typed where they are used."""
Batch = Mapping[str, Column]
"""Columns of some rows, by name."""
Kernel = Callable[[Batch], Batch]
"""Columns to columns: the same for the same rows, whatever other rows are in the batch."""
Summary = Mapping[str, tuple[str, str]]
"""New columns of rows that are added up: ``sum``, ``least`` or ``most``, and of which column."""
Resources = Mapping[str, tuple[pa.Schema, Iterator[pa.RecordBatch]]]
"""What a release consists of: named tables."""

ABSENT = -1
"""Stands in columns of whole numbers where a join or a deal found nothing."""
COUNT = "count"
"""The column that says how many rows were counted."""

ROW, SUBJECT, TIME, KEY = "row", "subject", "time", "key"
"""Columns of a table: its rows, numbered from 0, which is what messages name; who, and when, in
microseconds since 1970; and two keyed hashes of each row, whatever the order of the rows."""


def quasi(column: str) -> str:
    """Name a quasi column among the rows: the place of each value among the distinct ones."""
    return f"quasi {column}"


def sensitive(column: str) -> str:
    """Name a sensitive column among the rows: its values as they are."""
    return f"sensitive {column}"


class Rows(Protocol):
    """Rows that an engine holds. Every verb gives new rows, and leaves these as they are."""

    def __len__(self) -> int:
        """How many there are."""

    def map(self, kernel: Kernel, together: str | None = None) -> Rows:
        """Add columns, or replace them.

        A batch is any rows; with ``together``, all rows that have some values of that column.
        """

    def by(self, key: str, kernel: Kernel) -> Rows:
        """Put what a kernel makes of all rows of some keys in their place.

        What it made is handed as it is, in its order, to a following ``by`` of the same key.
        """

    def kept(self) -> Rows:
        """Make all columns once: they will be asked for again and again."""

    def where(self, flag: str) -> Rows:
        """Keep the rows of which a column is true."""

    def only(self, *columns: str) -> Rows:
        """Keep some columns: what nobody asks for any more need not be moved about."""

    def counts(self, keys: Sequence[str], summary: Summary | None = None) -> Rows:
        """Give one row for each combination of keys: how many there are, as ``count``, and sums."""

    def join(self, other: Rows | Batch, on: Sequence[str]) -> Rows:
        """Add the columns of other rows, of which no two have the same keys, by equal keys.

        What is not found there has ``ABSENT`` in columns of numbers, false and zero in others.
        """

    def recall(self, table: Streamed, read: Kernel, on: Sequence[str]) -> Rows:
        """Join what a kernel reads in the batches of a table that nobody holds.

        If the first key is a digest, the table ascends by it.
        """

    def numbered(self, keys: Sequence[str], name: str) -> Rows:
        """Add the place of each row, from 0, in the order of columns in which no two agree."""

    def dealt(self, cell: str, lot: str, parts: Batch, name: str) -> Rows:
        """Add where each row goes: in a cell, the smallest lots to its first part, and so on.

        ``parts`` has the columns ``cell``, ``count`` and ``to``. Who is left over gets ``ABSENT``.
        Lots are uniform and secret numbers, of one or two words: an engine need not sort them to
        find the one at which a part ends.
        """

    def ordered(self, keys: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Give these columns, sorted by all of them, missing values last."""

    def listed(self, keys: Sequence[str], rows: int) -> Streamed:
        """Give the same as often as it is asked for; there are so many rows."""

    def collect(self, *columns: str) -> Batch:
        """Give columns of all rows, in any order: for few rows, or few for each person."""


class Table(Protocol):
    """A table that was read and checked against its schema, held by an engine."""

    @property
    def schema(self) -> Schema:
        """The roles of its columns."""

    @property
    def given(self) -> object:
        """The table as it was given, to be read once more; or a copy, if that is all there is."""

    @property
    def file(self) -> str:
        """How messages call it."""

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
    def unit(self) -> int:
        """The largest unit in which all times since the first can be told, in microseconds."""

    @property
    def recorded_by(self) -> str:
        """The built-in granularity in which the times are recorded, or ``"instant"``."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about how the table was read; counts only."""

    def digest(self) -> str:
        """A digest of the rows and roles, whatever their order."""

    def values(self, column: str) -> pa.Array:
        """The distinct values of a quasi column, in ascending order, null last."""

    def held(self, secret: bytes | None = None) -> Rows:
        """The rows, with ``ROW``, ``SUBJECT``, ``TIME``, and quasi and sensitive columns.

        With a secret for their hashes, ``KEY`` beside.
        """

    def close(self) -> None:
        """Let go of what the engine holds."""

    # Series are planned as one matrix, and keep it.

    def people(self) -> pa.Array:
        """The subject of each row."""

    def column(self, name: str) -> pa.Array:
        """A quasi or sensitive column, as it is worked with and published."""

    @property
    def instants(self) -> Array:
        """The instant of each row, in microseconds since 1970."""

    def series(self) -> Floats:
        """The columns of a series side by side; NaN where a value is missing."""

    def forget(self) -> None:
        """Let go of the columns of a series: they are read again, should anybody ask."""

    @property
    def whole_series(self) -> bool:
        """Whether all columns of the series hold whole numbers, by their types."""
