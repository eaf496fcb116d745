"""Is the folder what was published, and is there nothing in it beside?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.parquet import Beside, walk
from anachron.auditing.verdict import Check
from anachron.auditing.verify.commas import comma_check
from anachron.ledger.entry import Entry
from anachron.release.read import Release
from anachron.release.tables import TableFile

__all__ = [
    "column_check",
    "content_checks",
    "digest_check",
    "folder_check",
    "hidden_check",
    "ledger_check",
    "package_check",
    "place_check",
    "size_check",
]

_DESCRIPTION = "datapackage.json"
_BLOCK = 1 << 20
_NUMBER = re.compile(r"\d{4,}", re.ASCII)


def folder_check(release: Release) -> Check:
    """Check that the folder holds the described files and no other: no folder, no link.

    What else is there is counted and not named: a name may be anything.
    """
    described = _described(release)
    there = {item.name: item for item in release.path.iterdir()}
    missing = len(described - set(there))
    more = len(set(there) - described)
    odd = [n for n, item in there.items() if n in described and not _is_plain(item)]
    problems = {
        f"{more:,} too many": more,
        f"{missing:,} missing": missing,
        f"no plain files: {', '.join(odd)}": odd,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "folder",
        not found,
        "the described files and no other",
        found or "as promised",
        "files in the folder",
    )


def _described(release: Release) -> set[str]:
    files = (name for table in release.tables.values() for name, _ in table.written.files)
    return {_DESCRIPTION, *files}


def _is_plain(item: Path) -> bool:
    return item.is_file() and not item.is_symlink()


def place_check(release: Release) -> Check:
    """Check that a folder with the number of a release holds that release."""
    name = release.path.resolve().name
    right = not _NUMBER.fullmatch(name) or int(name) == release.number
    return Check(
        "place",
        right,
        "that of the release it is named after",
        "as promised" if right else f"folder {name} holds release {release.number:04d}",
        "the folder of the release",
    )


def package_check(readable: bool) -> Check:
    """Say whether the description has all that a release of its method must state."""
    return Check(
        "package",
        readable,
        "a description that states the promise, and nothing else",
        "as promised" if readable else "something is missing or malformed",
        "description of the release",
    )


def digest_check(release: Release) -> Check:
    """Compare the digests of the files with those that the description records."""
    wrong = [
        name
        for table in release.tables.values()
        for name, stated in table.written.files
        if stated.sha256 != _digest(release.path / name)
    ]
    return Check("digests", not wrong, "as described", _altered(wrong), "digests of the files")


def size_check(release: Release) -> Check:
    """Compare the rows that each file says it has with those stated, before any is read."""
    wrong = [
        f"{table.parquet.name} {found}"
        for table in release.tables.values()
        if (found := _odd_rows(table))
    ]
    return Check(
        "size",
        not wrong,
        "as many as described",
        "; ".join(wrong) or "as promised",
        "rows of the files",
    )


def _odd_rows(table: TableFile) -> str:
    try:
        there = pq.read_metadata(table.parquet).num_rows
    except (pa.ArrowException, OSError):  # not quoted: it may hold cells
        return "cannot be read"
    return "" if there == table.rows else f"has {there:,}, not {table.rows:,}"


def ledger_check(release: Release, entry: Entry) -> Check:
    """Compare the files and the promise with what the ledger recorded."""
    wrong = [
        name
        for name in sorted(_described(release) | set(entry.files))
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


def hidden_check(table: TableFile) -> Check:
    """Account for every byte of a Parquet file: rows, and nothing beside them."""
    names = [field.name for field in table.written.fields]
    found = ""
    try:
        walk(table.parquet, names, table.rows)
    except Beside as beside:
        found = str(beside)
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        found = "it cannot be read"  # why is not quoted: it may hold cells
    return _of(
        table,
        Check(
            "hidden",
            not found,
            "nothing but the rows",
            found or "nothing",
            "what the file holds beside its rows",
        ),
    )


def content_checks(release: Release) -> list[Check]:
    """Check of every file that it holds the published rows, and nothing else."""
    checks = [hidden_check(table) for table in release.tables.values()]
    for table in release.tables.values():
        if table.csv is not None:
            checks.append(_of(table, comma_check(table.parquet, table.csv, table.written.fields)))
    return checks


def _of(table: TableFile, check: Check) -> Check:
    """Say which table a check is about, if not that of the rows."""
    return check if table.name == "data" else replace(check, about=f"{check.about} ({table.name})")


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _altered(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"not as published: {listed}" if listed else "as promised"
