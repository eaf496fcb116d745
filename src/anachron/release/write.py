"""Write a release into a folder: the same rows always give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import InternalError, ReleaseError
from anachron.published.strict import canonical
from anachron.release.commas import CommaWriter
from anachron.release.describe import (
    DESCRIPTION,
    Written,
    WrittenFile,
    datapackage,
    fields_of,
    published_schema,
)
from anachron.release.durable import DurableFile, failures_as, sync_folder, write_file

__all__ = ["GROUP_ROWS", "MODIFIED", "write", "write_description"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
GROUP_ROWS = 1 << 17
"""Rows in a row group, however the rows arrive: it decides the bytes of the file."""
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
    files = {"parquet": DurableFile(folder / f"{name}.parquet", modified=MODIFIED)}
    try:
        if csv:
            files["csv"] = DurableFile(folder / f"{name}.csv", modified=MODIFIED)
        rows = _write_rows(files, schema, batches)
        for file in files.values():
            file.finish()
    finally:
        for file in files.values():
            file.close()
    sizes = tuple((f.path.name, WrittenFile(f.sha256, f.bytes)) for f in files.values())
    return Written(fields_of(schema), rows, sizes)


def _write_rows(
    files: Mapping[str, DurableFile], schema: pa.Schema, batches: Iterator[pa.RecordBatch]
) -> int:
    rows = 0
    commas = CommaWriter(files["csv"], schema) if "csv" in files else None
    parquet = pq.ParquetWriter(
        pa.PythonFile(files["parquet"], mode="w"),
        schema,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=1,
        store_schema=False,
    )
    try:
        for group in _groups(schema, batches):
            parquet.write_table(group, row_group_size=GROUP_ROWS)
            if commas is not None:
                commas.write(group)
            rows += group.num_rows
        parquet.close()
    except BaseException:
        # The Parquet writer ends its file when it is dropped, and would fail once more.
        files["parquet"].abandon()
        parquet.close()
        raise
    return rows


def _groups(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Cut the rows into groups of fixed size, whatever the size of the batches."""
    waiting: list[pa.Table] = []
    count = 0
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, GROUP_ROWS - count)
            waiting.append(pa.Table.from_batches([part]).cast(schema))
            count += part.num_rows
            batch = batch.slice(part.num_rows)
            if count == GROUP_ROWS:
                yield pa.concat_tables(waiting).combine_chunks()
                waiting, count = [], 0
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
