"""Write the CSV files of a release that was published without them, as if it had been with them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import ReleaseError
from anachron.release.commas import CommaWriter
from anachron.release.describe import DESCRIPTION, WrittenFile, comma_resource, published_schema
from anachron.release.durable import DurableFile, digest_of, failures_as, sync_folder
from anachron.release.parts import GROUP_ROWS
from anachron.release.read import Release
from anachron.release.write import MODIFIED, write_description

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
            files = [part.file for part in release.tables[resource["name"]].parts]
            for file in files:
                _link(file, folder / file.name)
            name = f"{resource['name']}.csv"
            written = _commas(files, folder / name)
            resources += [resource, comma_resource(resource, name, written)]
            digests |= {file.name: digest_of(file) for file in files} | {name: written.sha256}
        digests[DESCRIPTION] = write_description(folder, {**package, "resources": resources})
        sync_folder(folder)
    return digests


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copy2(source, target)


def _commas(sources: Sequence[Path], target: Path) -> WrittenFile:
    file = DurableFile(target, modified=MODIFIED)
    schema = published_schema(pq.read_schema(sources[0]))
    try:
        commas = CommaWriter(file, schema)
        for source in sources:
            with pq.ParquetFile(source) as rows:
                for batch in rows.iter_batches(GROUP_ROWS):
                    commas.write(pa.Table.from_batches([batch]).cast(schema))
        file.finish()
    finally:
        file.close()
    return WrittenFile(file.sha256, file.bytes)
