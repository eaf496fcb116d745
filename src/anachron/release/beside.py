"""Write the CSV files of a release that was published without them, as if it had been with them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import ReleaseError
from anachron.release.commas import CommaWriter
from anachron.release.describe import DESCRIPTION, WrittenFile, comma_resource, published_schema
from anachron.release.durable import DurableFile, digest_of, failures_as, sync_folder
from anachron.release.read import Release
from anachron.release.write import GROUP_ROWS, MODIFIED, write_description

__all__ = ["has_commas", "with_commas"]


def has_commas(release: Release) -> bool:
    """Whether a release has CSV files."""
    return any(resource["format"] == "csv" for resource in release.description["resources"])


def with_commas(release: Release, folder: Path) -> dict[str, str]:
    """Write a release once more, with CSV files, into an empty folder beside it.

    The Parquet files are the very same. Gives the SHA-256 digest of each file, by file name.
    """
    package: dict[str, Any] = json.loads((release.path / DESCRIPTION).read_bytes())
    resources: list[dict[str, Any]] = []
    digests: dict[str, str] = {}
    with failures_as(ReleaseError, "Writing the release as CSV"):
        for resource in package["resources"]:
            file = release.path / resource["path"]
            _link(file, folder / file.name)
            written = _commas(file, folder / f"{file.stem}.csv")
            resources += [resource, comma_resource(resource, f"{file.stem}.csv", written)]
            digests |= {file.name: digest_of(file), f"{file.stem}.csv": written.sha256}
        digests[DESCRIPTION] = write_description(folder, {**package, "resources": resources})
        sync_folder(folder)
    return digests


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copy2(source, target)


def _commas(source: Path, target: Path) -> WrittenFile:
    file = DurableFile(target, modified=MODIFIED)
    try:
        with pq.ParquetFile(source) as rows:
            schema = published_schema(rows.schema_arrow)
            commas = CommaWriter(file, schema)
            for batch in rows.iter_batches(GROUP_ROWS):
                commas.write(pa.Table.from_batches([batch]).cast(schema))
        file.finish()
    finally:
        file.close()
    return WrittenFile(file.sha256, file.bytes)
