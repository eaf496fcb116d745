"""Files by their names: which reader opens which."""

from __future__ import annotations

import glob
from collections.abc import Collection, Sequence
from pathlib import Path

import duckdb

from anachron.errors import TableError
from anachron.source.arrow import open_arrow_file
from anachron.source.base import Source
from anachron.source.delimited import open_delimited
from anachron.source.parquet import open_parquet

__all__ = ["SUFFIXES", "open_path"]

DELIMITED = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
ARROW = (".arrow", ".feather", ".ipc")
PARQUET = (".parquet",)
SUFFIXES = (*DELIMITED, *PARQUET, *ARROW)
"""Endings of files that can be read."""


def open_path(
    path: str | Path,
    con: duckdb.DuckDBPyConnection,
    wanted: Sequence[str],
    as_written: Collection[str],
) -> Source:
    """Open a file, or a folder or pattern of Parquet files."""
    where = Path(path).expanduser()
    lowered = where.name.lower()
    if where.is_dir() or (not where.exists() and glob.has_magic(str(where))):
        return open_parquet(_parquet_files(where), where.name or str(where), con, wanted)
    if not lowered.endswith(SUFFIXES):
        raise TableError(
            "is of a kind that cannot be read.",
            where.name,
            remedy=f"Known endings: {', '.join(SUFFIXES)}; or a folder of Parquet files.",
        )
    _check_is_file(where)
    if lowered.endswith(DELIMITED):
        return open_delimited(where, where.name, con, wanted, as_written)
    if lowered.endswith(ARROW):
        return open_arrow_file(where, where.name, con, wanted)
    return open_parquet([where], where.name, con, wanted)


def _parquet_files(where: Path) -> list[Path]:
    """The files of a folder or pattern, in the order of their names."""
    if where.is_dir():
        found = sorted(where.rglob("*"))
    else:
        root = Path(where.anchor)
        found = sorted(root.glob(str(where.relative_to(root))))
    files = [file for file in found if file.is_file() and file.suffix.lower() in PARQUET]
    if not files:
        raise TableError(
            "holds no Parquet file." if where.is_dir() else "matches no Parquet file.",
            where.name,
            remedy="Give one file, or a folder or pattern of files that end in .parquet.",
        )
    return files


def _check_is_file(where: Path) -> None:
    if not where.exists():
        what, remedy = "does not exist.", "Check the path."
    elif not where.is_file():
        what, remedy = "is not an ordinary file.", "Copy the table into a file and give that."
    elif where.stat().st_size == 0:
        what, remedy = "is empty.", "Check that the export that wrote it came to its end."
    else:
        return
    raise TableError(what, where.name, remedy=remedy)
