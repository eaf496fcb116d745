"""The files that the rows of a table must stand in: the rule in the audit's own words.

A table of at most 8,388,608 rows is one file, ``data.parquet``. A longer one is
``data-0001.parquet``, ``data-0002.parquet`` and so on, each with 8,388,608 rows, and the rest in
the last. Nothing but the number of rows decides it: whoever divides them otherwise could say
something by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anachron.release.read import Release

__all__ = ["PART_ROWS", "DueFile", "files_of", "misparted", "parts_due"]

PART_ROWS = 8_388_608
_LAST_NUMBER = 9_999


@dataclass(frozen=True)
class DueFile:
    """A Parquet file, and how many rows it must have."""

    file: Path
    rows: int


def parts_due(release: Release, table: str) -> tuple[DueFile, ...]:
    """The files that a table must have, by the rows it is said to have; none if it has too many."""
    left, number, found = _resource(release, table)["rows"], 1, []
    if left <= PART_ROWS:
        return (DueFile(release.path / f"{table}.parquet", left),)
    while left > 0 and number <= _LAST_NUMBER:
        mine = min(left, PART_ROWS)
        found.append(DueFile(release.path / f"{table}-{number:04}.parquet", mine))
        left, number = left - mine, number + 1
    return () if left else tuple(found)


def misparted(release: Release, table: str) -> bool:
    """Whether a table is described as other files than it must be."""
    due = [part.file for part in parts_due(release, table)]
    said = _resource(release, table)
    one_by_one = said.get("parts")
    if one_by_one is None:
        return due != [*files_of(release, table)] or not isinstance(said["path"], str)
    rows = [part.rows for part in parts_due(release, table)]
    return (
        due != [*files_of(release, table)]
        or due != [release.path / part["path"] for part in one_by_one]
        or rows != [part["rows"] for part in one_by_one]
        or len(due) < 2
    )


def files_of(release: Release, table: str = "data") -> tuple[Path, ...]:
    """The Parquet files of a table as they are described, in that order."""
    path: str | Sequence[str] = _resource(release, table)["path"]
    return tuple(release.path / name for name in ([path] if isinstance(path, str) else path))


def _resource(release: Release, table: str) -> Mapping[str, Any]:
    resources: Sequence[Mapping[str, Any]] = release.description["resources"]
    return next(r for r in resources if r["name"] == table and r["format"] == "parquet")
