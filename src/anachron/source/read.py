"""The one door for tables of every kind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from anachron import scratch
from anachron.errors import PlanError, TableError
from anachron.plan.source import Source as From
from anachron.plan.source import source_of
from anachron.source.arrow import open_arrow, open_arrow_file
from anachron.source.base import Source, check_opens, reading
from anachron.source.databases import SCHEMES, open_database
from anachron.source.delimited import open_delimited
from anachron.source.excel import read_excel
from anachron.source.folders import Piece, is_many, pieces_of
from anachron.source.frames import open_frame
from anachron.source.jsonlines import open_json_lines
from anachron.source.ods import read_ods
from anachron.source.parquet import open_parquet
from anachron.source.remote import REMOTE, fetch
from anachron.source.statistics import STATISTICS, read_statistics

__all__ = ["Source", "open_source"]

PACKED = ("", ".gz", ".zst")
DELIMITED = tuple(f"{end}{packed}" for end in (".csv", ".tsv", ".txt") for packed in PACKED)
JSON_LINES = tuple(f"{end}{packed}" for end in (".jsonl", ".ndjson") for packed in PACKED)
ARROW = (".arrow", ".feather", ".ipc")
PARQUET = (".parquet",)
SHEETS = (".xlsx", ".xlsm", ".ods")
SUFFIXES = (*DELIMITED, *PARQUET, *ARROW, *SHEETS, *JSON_LINES, *STATISTICS)
"""Endings of files that can be read."""


def open_source(
    table: object,
    con: duckdb.DuckDBPyConnection,
    columns: Sequence[str],
    as_written: Collection[str] = (),
) -> Source:
    """Open a table, with the given columns only and its rows in the order of the source.

    Parameters
    ----------
    table
        A path (CSV, TSV, JSON lines, Parquet, Arrow IPC, a spreadsheet; a folder or pattern of
        CSV, JSON lines or Parquet files), the address of a file of a server or of a database table
        (``duckdb:FILE#TABLE``, ``sqlite:FILE#TABLE``,
        ``postgresql://…#TABLE``), either in a ``Source``, which says how to read it; or a frame.
    con
        The connection on which the table is made known.
    columns
        The columns to read. A missing one is an error that names all missing ones.
    as_written
        Columns that a text file must not turn into numbers: ``007`` stays ``007``.
    """
    how = _source(table)
    if how is None:
        return open_frame(table, con, columns)
    text = how.table
    scheme, colon, _ = text.partition(":")
    if colon and scheme in SCHEMES:
        return open_database(text, con, columns)
    if "://" in text:
        if scheme not in REMOTE:
            raise TableError(
                "the table's address is of a kind that cannot be read.",
                remedy=f"Give a file, also of {', '.join(REMOTE)}, or one of: "
                f"{', '.join(SCHEMES.values())}.",
            )
        with scratch.folder() as aside:
            return _open_path(fetch(text, aside), how, con, columns, as_written, copy=True)
    if "\0" in text:
        raise TableError("the path holds a NUL character.", remedy="Check the path.")
    return _open_path(Path(text), how, con, columns, as_written)


def _source(table: object) -> From | None:
    """What was given as a place, with all that is said of how to read it."""
    try:
        return source_of(table)
    except PlanError as error:
        raise TableError(error.problems) from None


def _open_path(
    where: Path,
    how: From,
    con: duckdb.DuckDBPyConnection,
    wanted: Sequence[str],
    as_written: Collection[str],
    copy: bool = False,
) -> Source:
    """Open a file, or a folder or pattern of files."""
    where = where.expanduser()
    name = where.name or str(where)
    if is_many(where):
        parts = pieces_of(where, (PARQUET, DELIMITED, JSON_LINES))
    else:
        parts = [Piece(where)]
        if not where.name.lower().endswith(SUFFIXES):
            raise TableError(
                "is of a kind that cannot be read.",
                where.name,
                remedy=f"Known endings: {', '.join(SUFFIXES)}; or a folder of such files.",
            )
        _check_is_file(where)
    with reading(name):
        opened = _read(parts, name, how, con, wanted, as_written, copy)
    return replace(opened, of_folders=frozenset(parts[0].keys))


def _read(
    parts: list[Piece],
    name: str,
    how: From,
    con: duckdb.DuckDBPyConnection,
    wanted: Sequence[str],
    as_written: Collection[str],
    copy: bool,
) -> Source:
    """Read files by what their names end in."""
    where = parts[0].file
    lowered = where.name.lower()
    if lowered.endswith(DELIMITED):
        return open_delimited(parts, name, con, wanted, as_written, how)
    if lowered.endswith(JSON_LINES):
        return open_json_lines(parts, name, con, wanted)
    if lowered.endswith(SHEETS):
        read = read_ods if lowered.endswith(".ods") else read_excel
        rows = read(where, name, how, wanted)
        return open_arrow(rows, name, con, wanted, one_pass=True)
    if lowered.endswith(tuple(STATISTICS)):
        rows = read_statistics(where, name, how, wanted)
        return open_arrow(rows, name, con, wanted, one_pass=True)
    if lowered.endswith(ARROW):
        return open_arrow_file(where, name, con, wanted)
    return open_parquet(parts, name, con, wanted, copy)


def _check_is_file(where: Path) -> None:
    if not where.exists():
        what, remedy = "does not exist.", "Check the path."
    elif not where.is_file():
        what, remedy = "is not an ordinary file.", "Copy the table into a file and give that."
    elif where.stat().st_size == 0:
        what, remedy = "is empty.", "Check that the export that wrote it came to its end."
    else:
        return check_opens(where)
    raise TableError(what, where.name, remedy=remedy)
