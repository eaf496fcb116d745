"""Write a release into a folder: the same rows always give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import InternalError, ReleaseError
from anachron.published.strict import canonical
from anachron.release import parts
from anachron.release.commas import CommaWriter
from anachron.release.describe import (
    DESCRIPTION,
    Written,
    WrittenFile,
    datapackage,
    fields_of,
    published_schema,
)
from anachron.release.durable import DurableFile, failures_as, move, sync_folder, write_file

__all__ = ["MODIFIED", "write", "write_description"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
MODIFIED = 315_532_800
"""1980-01-01: what every published file says of its last change (the clock must not leak)."""


def write(
    folder: Path,
    resources: Mapping[str, tuple[pa.Schema, Iterator[pa.RecordBatch]]],
    description: Mapping[str, Any],
    csv: bool,
) -> dict[str, str]:
    """Write the tables and the description of a release, and put them on disk.

    Parameters
    ----------
    folder
        An existing, empty folder.
    resources
        For each table its name, schema and batches of rows, in the order of publication.
    description
        The promise and what the columns mean: the arguments of
        :func:`anachron.release.describe.datapackage` that the caller knows. Any other plain
        values are published as further facts.
    csv
        Whether to write each table as CSV too.

    Returns
    -------
    dict
        The SHA-256 digest of each file, by file name.
    """
    written: dict[str, Written] = {}
    with failures_as(ReleaseError, "Writing the release"):
        for name, (schema, batches) in resources.items():
            if not _NAME.fullmatch(name):
                raise InternalError("A table of a release has a name that is not a file name.")
            written[name] = _write_table(folder, name, published_schema(schema), batches, csv)
        package = datapackage(resources=written, **description)
        described = write_description(folder, package)
        sync_folder(folder)
    digests = {name: file.sha256 for table in written.values() for name, file in table.files}
    return digests | {DESCRIPTION: described}


def write_description(folder: Path, package: Mapping[str, Any]) -> str:
    """Write the description of a release, and return its digest."""
    return write_file(folder / DESCRIPTION, canonical(package), modified=MODIFIED)


def _write_table(
    folder: Path, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch], csv: bool
) -> Written:
    with ExitStack() as until:
        rows = until.enter_context(closing(_Parquet(folder, name, schema)))
        commas = None
        if csv:
            file = DurableFile(folder / f"{name}.csv", modified=MODIFIED)
            commas = CommaWriter(until.enter_context(closing(file)), schema)
        for group in _groups(schema, batches):
            rows.write(group)
            if commas is not None:
                commas.write(group)
        files = rows.finish()
        if csv:
            file.finish()
            files.append((file.path.name, WrittenFile(file.sha256, file.bytes)))
    return Written(fields_of(schema), rows.count, tuple(files))


class _Parquet:
    """Writes the rows of a table into a Parquet file, or into as many as it has parts."""

    def __init__(self, folder: Path, table: str, schema: pa.Schema) -> None:
        self.count = 0
        self._folder = folder
        self._table = table
        self._schema = schema
        self._done: list[tuple[str, WrittenFile]] = []
        self._begin(f"{table}.parquet")

    def write(self, group: pa.Table) -> None:
        """Write a row group, in a further part where the last one is full."""
        if self.count and self.count % parts.PART_ROWS == 0:
            if self.count >= parts.most_rows():
                raise ReleaseError(
                    f"A table of a release has at most {self.count:,} rows. Publish fewer at once."
                )
            self._end()
            if self.count == parts.PART_ROWS:
                self._rename_first()
            self._begin(parts.name_of_part(self._table, len(self._done) + 1))
        self._parquet.write_table(group, row_group_size=parts.GROUP_ROWS)
        self.count += group.num_rows

    def finish(self) -> list[tuple[str, WrittenFile]]:
        """Put everything on disk, and give the files by name."""
        self._end()
        return self._done

    def close(self) -> None:
        """Let go of a file that was not finished."""
        if not self._file.closed:
            # The Parquet writer ends its file when it is dropped, and would fail once more.
            self._file.abandon()
            self._parquet.close()
            self._file.close()

    def _begin(self, name: str) -> None:
        self._file = DurableFile(self._folder / name, modified=MODIFIED)
        self._parquet = pq.ParquetWriter(
            pa.PythonFile(self._file, mode="w"),
            self._schema,
            version="2.6",
            data_page_version="1.0",
            compression="zstd",
            compression_level=1,
            store_schema=False,
        )

    def _end(self) -> None:
        self._parquet.close()
        self._file.finish()
        self._done.append((self._file.path.name, WrittenFile(self._file.sha256, self._file.bytes)))

    def _rename_first(self) -> None:
        """There are more rows than one file may have: it is but the first of several."""
        [(name, written)] = self._done
        first = parts.name_of_part(self._table, 1)
        move(self._folder / name, self._folder / first)
        self._done = [(first, written)]


def _groups(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Cut the rows into groups of fixed size, whatever the size of the batches."""
    full = min(parts.GROUP_ROWS, parts.PART_ROWS)
    waiting: list[pa.Table] = []
    count = 0
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, full - count)
            waiting.append(pa.Table.from_batches([part]).cast(schema))
            count += part.num_rows
            batch = batch.slice(part.num_rows)
            if count == full:
                yield pa.concat_tables(waiting).combine_chunks()
                waiting, count = [], 0
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
