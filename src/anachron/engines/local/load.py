"""Read a table into codes and instants, and refuse what cannot be read without a doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes, Floats, Words
from anachron.engines.local.coded import Coded, encode, in_order, quasi_problems
from anachron.engines.local.digest import digest, row_keys
from anachron.engines.local.kinds import is_text, is_whole, plain, type_problems
from anachron.engines.local.scan import Scan, open_scan
from anachron.engines.local.series import read_series
from anachron.engines.local.subjects import merged, spelling_twins, subject_problems, subject_sql
from anachron.engines.local.times import Times, read_times
from anachron.errors import TableError
from anachron.schema import MERGE, REFUSE, Schema
from anachron.source.base import quoted
from anachron.spelling import SPELT

__all__ = ["Coded", "Loaded", "load", "quoted"]


@dataclass(frozen=True, eq=False)
class Loaded:
    """A table that was read and checked. Arrays are in the order of the source's rows."""

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
    _keyed: dict[bytes, Words] = field(default_factory=dict, repr=False)
    series: Floats = field(default_factory=lambda: np.empty((0, 0)), repr=False)
    """The columns of a series side by side, in the order of the schema; NaN where missing."""

    @cached_property
    def sensitive_schema(self) -> pa.Schema:
        """Names and types of the sensitive columns."""
        return self.scan.schema(self._sensitive) if self._sensitive else pa.schema([])

    def sensitive(self, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Give the sensitive columns in the order of the source; nothing if there are none."""
        return self.scan.batches(self._sensitive, batch_rows) if self._sensitive else iter(())

    def digest(self) -> str:
        """Digest the columns with a role, whatever the order of the rows."""
        return digest(self.scan, self.schema, self.times)

    def row_keys(self, secret: bytes) -> Words:
        """Two keyed hashes of each row; the method and the audit after it ask for the same."""
        if secret not in self._keyed:
            self._keyed[secret] = row_keys(self.scan, self.schema, self.times, secret)
        return self._keyed[secret]

    def has_row_keys(self, secret: bytes) -> bool:
        """Whether all rows were hashed already."""
        return secret in self._keyed

    def some_row_keys(self, secret: bytes, values: Sequence[str]) -> Words:
        """The same of rows with some sensitive values, as texts; zeros for others."""
        only = (self.schema.sensitive[0], values)
        return row_keys(self.scan, self.schema, self.times, secret, only)

    @property
    def whole_series(self) -> bool:
        """Whether all columns of the series hold whole numbers, by their types."""
        types = (self.scan.source.columns[column] for column in self.schema.series)
        # A column of text that was accepted is empty.
        return all(is_whole(kind) or is_text(kind) for kind in types)

    def cursor(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A DuckDB connection with the memory limit and the private folder of this table."""
        return self.scan.cursor()

    def close(self) -> None:
        """Let go of the connection, and remove what it spilled."""
        self.scan.close()

    @cached_property
    def _sensitive(self) -> dict[str, str]:
        types = self.scan.source.columns
        return {column: plain(column, types[column]) for column in self.schema.sensitive}


def load(table: object, schema: Schema) -> Loaded:
    """Read a table of any accepted kind; all problems found are raised as one error."""
    scan = open_scan(table, schema)
    try:
        return _load(scan, schema, table)
    except BaseException:
        scan.close()
        raise


def _load(scan: Scan, schema: Schema, table: object) -> Loaded:
    file, types = scan.source.name, dict(scan.source.columns)
    problems = list(type_problems(schema, types, file))
    if problems:
        raise TableError(problems)
    who = scan.column(subject_sql(schema.subject, types[schema.subject]))
    quasi = {}
    # Telling subjects apart takes as long as all the rest, so it is done beside it.
    with ThreadPoolExecutor(max_workers=1) as beside:
        telling = beside.submit(encode, who)
        del who
        times = read_times(scan, schema, problems)
        for column in schema.quasi:
            coded = encode(scan.column(plain(column, types[column])))
            problems += quasi_problems(coded, column, file)
            quasi[column] = in_order(coded)
        series = read_series(scan, schema, problems)
        subject = telling.result()
    problems[:0] = subject_problems(subject, schema.subject, file, schema.spelling)
    if problems or times is None:
        raise TableError(problems)
    notes = list(_subject_notes(subject, schema))
    if schema.spelling == MERGE:
        subject = merged(subject)
    return Loaded(
        schema=schema,
        given=scan.source.held if scan.source.is_gone else table,
        file=file,
        rows=scan.rows,
        subject=subject.codes,
        subject_values=subject.values,
        instants=times.instants,
        quasi=quasi,
        series=series,
        recorded_by=times.recorded_by,
        notes=(*notes, *times.notes),
        scan=scan,
        times=times,
    )


def _subject_notes(subject: Coded, schema: Schema) -> Iterator[str]:
    twins = 0 if schema.spelling == REFUSE else spelling_twins(subject.values)
    if not twins:
        return
    many = f"{twins:,} of {len(subject.values):,} subjects in column {schema.subject!r}"
    if schema.spelling == MERGE:
        yield f"{many} are another one, spelled differently, and were merged with it."
    else:
        yield (
            f"{many} differ from another only in {SPELT}. They count as different people, because "
            "spelling is exact; if they are not, groups are smaller than they seem."
        )
