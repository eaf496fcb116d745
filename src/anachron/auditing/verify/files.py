"""Is the folder what was published, and is there nothing in it beside?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.verdict import Check
from anachron.ledger.entry import Entry
from anachron.release.read import Release

__all__ = [
    "column_check",
    "digest_check",
    "folder_check",
    "hidden_check",
    "ledger_check",
    "package_check",
]

_DESCRIPTION = "datapackage.json"
_BLOCK = 1 << 20


def folder_check(release: Release) -> Check:
    """Check that the folder holds the described files and no other."""
    described = {_DESCRIPTION, *(r["path"] for r in release.description["resources"])}
    there = {item.name for item in release.path.iterdir()}
    more, missing = len(there - described), len(described - there)
    return Check(
        "folder",
        not more and not missing,
        "the described files and no other",
        f"{more:,} files too many, {missing:,} missing" if more or missing else "as promised",
        "files in the folder",
    )


def package_check(readable: bool) -> Check:
    """Say whether the description has all that a release of its method must state."""
    return Check(
        "package",
        readable,
        "a description that states the promise",
        "as promised" if readable else "something is missing or malformed",
        "description of the release",
    )


def digest_check(release: Release) -> Check:
    """Compare the digests of the files with those that the description records."""
    wrong = [
        resource["path"]
        for resource in release.description["resources"]
        if resource["hash"] != f"sha256:{_digest(release.path / resource['path'])}"
    ]
    return Check("digests", not wrong, "as described", _altered(wrong), "digests of the files")


def ledger_check(release: Release, entry: Entry) -> Check:
    """Compare the files and the promise with what the ledger recorded."""
    described = {_DESCRIPTION, *(r["path"] for r in release.description["resources"])}
    wrong = [
        name
        for name in sorted(described | set(entry.files))
        if not (release.path / name).is_file()
        or entry.files.get(name) != _digest(release.path / name)
    ]
    if entry.number != release.number:
        wrong.append("its number")
    if entry.plan.get("guarantee") != dict(release.guarantee):
        wrong.append("its guarantee")
    return Check("ledger", not wrong, "as recorded", _altered(wrong), "the ledger's record of it")


def column_check(file: Path, columns: Sequence[str], types: Mapping[str, pa.DataType]) -> Check:
    """Check that the file has the declared columns, in order, and no other."""
    there = pq.read_schema(file)
    more = len(set(there.names) - set(columns))
    missing = len(set(columns) - set(there.names))
    measured = "as promised"
    if more or missing:
        measured = f"{more:,} columns that are not declared, {missing:,} missing"
    elif list(columns) != there.names:
        measured = "in another order"
    elif any(there.field(name).type != kind for name, kind in types.items()):
        measured = "of other types"
    return Check(
        "columns",
        measured == "as promised",
        "the declared columns and no other",
        measured,
        "columns of the file",
    )


def hidden_check(file: Path) -> Check:
    """Look for what a Parquet file can hold beside its rows.

    A text column is stored with a dictionary of its values. One that was made before rows were
    left out still lists what they held.
    """
    with pq.ParquetFile(file) as plain:
        notes = len(plain.metadata.metadata or {})
        texts = [f.name for f in plain.schema_arrow if _is_text(f.type)]
    unused = 0
    with pq.ParquetFile(file, read_dictionary=texts) as coded:
        for group in range(coded.num_row_groups if texts else 0):
            columns = coded.read_row_group(group, columns=texts).columns
            unused += sum(_unused(chunk) for column in columns for chunk in column.chunks)
    return Check(
        "hidden",
        not notes and not unused,
        "nothing but the rows",
        f"{notes:,} notes, {unused:,} values that no row holds" if notes or unused else "nothing",
        "what the file holds beside its rows",
    )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _unused(chunk: pa.Array) -> int:
    if not pa.types.is_dictionary(chunk.type):
        return 0
    used = chunk.indices.unique().drop_null()
    return len(chunk.dictionary) - len(used)


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _altered(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"not as published: {listed}" if listed else "as promised"
