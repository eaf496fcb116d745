"""A table held in this process: coded columns for counting, DuckDB for moving rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes, Floats, Words
from anachron.engines.base import KEY, ROW, SUBJECT, TIME, Column, quasi, sensitive
from anachron.engines.local.coded import Coded
from anachron.engines.local.digest import digest, row_keys, told_apart
from anachron.engines.local.kinds import is_text, is_whole, plain
from anachron.engines.local.rows import LocalRows
from anachron.engines.local.scan import Scan
from anachron.engines.local.series import read_series
from anachron.engines.local.times import Times
from anachron.schema import Schema
from anachron.source.base import quoted

__all__ = ["LocalTable", "sorted_by"]

_BATCH = 1 << 17


@dataclass(frozen=True, eq=False)
class LocalTable:
    """A table that was read and checked. Arrays are in the order of the source's rows.

    See :class:`anachron.engines.base.Table`.
    """

    schema: Schema
    given: object
    """The table as it was given, to be read once more; or a copy, if that is all there is."""
    file: str
    """How messages call the table."""
    rows: int
    subject: Codes
    """The code of each row's subject."""
    subject_values: pa.Array
    """The subjects, text or whole numbers, by code; in no particular order."""
    instants: Array
    """Microseconds since 1970 UTC."""
    quasi: Mapping[str, Coded]
    """Values ascending, missing last."""
    recorded_by: str
    """The coarsest of day … second at the start of whose granules all times lie, or instant;
    month or year if that is what the column holds."""
    notes: tuple[str, ...]
    scan: Scan = field(repr=False)
    times: Times = field(repr=False)
    matrix: Floats = field(default_factory=lambda: np.empty((0, 0)), repr=False)
    """The columns of a series side by side, in the order of the schema; NaN where missing."""
    _keyed: dict[bytes, Words] = field(default_factory=dict, repr=False)

    @property
    def subjects(self) -> int:
        """How many different subjects it has."""
        return len(self.subject_values)

    @cached_property
    def first(self) -> int:
        """The first instant, in microseconds since 1970."""
        return int(self.instants.min())

    @cached_property
    def last(self) -> int:
        """The last instant."""
        return int(self.instants.max())

    @cached_property
    def unit(self) -> int:
        """The largest unit in which all times since the first can be told, in microseconds."""
        return max(int(np.gcd.reduce(self.instants - self.first)), 1)

    def digest(self) -> str:
        """A digest of the columns with a role, whatever the order of the rows."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return digest(self.scan, self.schema, self.times)

    def people(self) -> pa.Array:
        """The subject of each row."""
        return pa.DictionaryArray.from_arrays(self.subject, self.subject_values)

    def column(self, name: str) -> pa.Array:
        """A quasi or sensitive column, as it is worked with and published."""
        if name in self.quasi:
            coded = self.quasi[name]
            return coded.values.take(pa.array(coded.codes))
        return pa.Table.from_batches(list(self.sensitive(1 << 17))).column(name).combine_chunks()

    def codes(self, column: str) -> Codes:
        """Of each row, the place of its quasi value among the distinct ones."""
        return self.quasi[column].codes

    def series(self) -> Floats:
        """The columns of a series side by side; NaN where a value is missing."""
        if len(self.matrix) < self.rows:
            object.__setattr__(self, "matrix", read_series(self.scan, self.schema, []))
        return self.matrix

    def forget(self) -> None:
        """Let go of the columns of a series: they are read again, should anybody ask."""
        object.__setattr__(self, "matrix", np.empty((0, len(self.schema.series))))

    @property
    def whole_series(self) -> bool:
        """Whether all columns of the series hold whole numbers, by their types."""
        types = (self.scan.source.columns[column] for column in self.schema.series)
        # A column of text that was accepted is empty.
        return all(is_whole(kind) or is_text(kind) for kind in types)

    def row_keys(self, secret: bytes) -> Words:
        """Two keyed hashes of each row, whatever the order of the rows."""
        if secret not in self._keyed:
            keys = row_keys(self.scan, self.schema, self.times, secret)
            is_each = self.schema.each_row
            self._keyed[secret] = told_apart(keys, self.subject_values, secret) if is_each else keys
        return self._keyed[secret]

    def values(self, column: str) -> pa.Array:
        """The distinct values of a quasi column, in ascending order, null last."""
        return self.quasi[column].values

    def held(self, secret: bytes | None = None) -> LocalRows:
        """The rows, and how each of their columns is fetched or made."""
        later: dict[str, Callable[[], Column]] = {
            ROW: partial(np.arange, self.rows, dtype=np.int64),
            SUBJECT: self.people,
            TIME: partial(getattr, self, "instants"),
            **{quasi(name): partial(self.codes, name) for name in self.schema.quasi},
            **{sensitive(name): partial(self.column, name) for name in self.schema.sensitive},
        }
        if secret is not None:
            later[KEY] = partial(self.row_keys, secret)
        return LocalRows(self.rows, later, self)

    def streams(self, name: str) -> bool:
        """Whether a column stays in the source until rows are sorted."""
        return name in self._sensitive

    def stream(self, names: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """Give sensitive columns in the order of the source."""
        expressions = {name: self._sensitive[name] for name in names}
        return self.scan.schema(expressions), self.scan.batches(expressions, _BATCH)

    def sort(
        self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """Sort rows by all their columns, spilling to disk where it must be."""
        return sorted_by(self.scan, schema, batches)

    def sensitive(self, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Give the sensitive columns in the order of the source; nothing if there are none."""
        named = {name: self._sensitive[sensitive(name)] for name in self.schema.sensitive}
        return self.scan.batches(named, batch_rows) if named else iter(())

    def close(self) -> None:
        """Let go of what the engine holds."""
        self.scan.close()

    @cached_property
    def _sensitive(self) -> dict[str, str]:
        types = self.scan.source.columns
        return {sensitive(name): plain(name, types[name]) for name in self.schema.sensitive}


def sorted_by(
    scan: Scan, schema: pa.Schema, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Sort rows by all their columns, spilling to disk where it must be."""
    picked = ", ".join(_positive_zero(column) for column in schema)
    keys = ", ".join(f"{quoted(name)} ASC NULLS LAST" for name in schema.names)
    with scan.cursor() as cursor, _handed(cursor, schema, batches) as given:
        query = f"SELECT {picked} FROM {given} ORDER BY {keys}"
        for batch in cursor.sql(query).to_arrow_reader(_BATCH):
            yield batch.cast(schema)


@contextmanager
def _handed(
    cursor: duckdb.DuckDBPyConnection, schema: pa.Schema, batches: Iterator[pa.RecordBatch]
) -> Iterator[str]:
    """Let DuckDB take rows as they are made; what breaks while they are leaves as what it is."""
    failed: list[BaseException] = []

    def made() -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except BaseException as error:
            failed.append(error)
            raise

    cursor.register("given", pa.RecordBatchReader.from_batches(schema, made()))
    try:
        yield "given"
    except duckdb.Error:
        if failed:
            raise failed[0] from None
        raise


def _positive_zero(field: pa.Field) -> str:
    """Zeros of both signs compare equal; publish one of them, or ties would show input order."""
    name = quoted(field.name)
    return f"{name} + 0.0 AS {name}" if pa.types.is_floating(field.type) else name
