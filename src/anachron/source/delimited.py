"""Text files with one record on a line: CSV and its relatives.

Nothing is guessed from the cells. The separator is the one under which the header names the
wanted columns; every cell is first read as text; ``numbers`` then says which columns are numbers.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import duckdb

from anachron import scratch
from anachron.errors import Problem, TableError
from anachron.plan.source import Source as From
from anachron.source.base import (
    RELATION,
    Source,
    exactly,
    few_at_a_time,
    literal,
    quoted,
    reading,
    require_columns,
)
from anachron.source.folders import Piece
from anachron.source.numbers import type_columns
from anachron.source.records import Tally, count_records
from anachron.source.unpacking import check_packed, packing, transcode, unpacked

__all__ = ["open_delimited"]

SEPARATORS = (",", ";", "\t", "|")
HEADER_BYTES = 1_000_000
LINE_BYTES = 2_000_000
_RAW = "source_as_text"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"

# What DuckDB calls the faults of a line, and what they are; it takes no offence at blanks.
_FAULTS = {
    "MISSING COLUMNS": (
        "fewer cells than the header has names",
        "Check for line breaks in cells without quotes.",
    ),
    "TOO MANY COLUMNS": (
        "more cells than the header has names",
        "Put cells that hold the separator in double quotes.",
    ),
    "UNQUOTED VALUE": (
        "a double quote that is not closed, or text after a closing one",
        'Write a double quote inside a cell twice ("").',
    ),
    "BLANKS": (
        "blanks between a double quote and the separator",
        "Remove them, or put them inside the quotes.",
    ),
    "LINE SIZE OVER MAXIMUM": (
        "more than 2 MB",
        "Check for a double quote that is not closed, or leave the long column out.",
    ),
    "INVALID ENCODING": (
        "bytes that are not UTF-8",
        "Save the file as UTF-8, or say with encoding how it is written, such as cp1252.",
    ),
}


def open_delimited(
    parts: Sequence[Piece],
    name: str,
    con: duckdb.DuckDBPyConnection,
    wanted: Sequence[str],
    as_written: Collection[str],
    how: From,
) -> Source:
    """Open a CSV or TSV file, plain or packed, or several as one. It is read once, and copied."""
    for part in parts:
        check_packed(part.file, part.file.name)
        if how.encoding == "utf-8":
            _copy(part, part.file, packing(part.file.name), con, wanted)
            continue
        with scratch.folder() as aside:
            transcode(part.file, part.file.name, how.encoding, aside / "text")
            _copy(part, aside / "text", "none", con, wanted)
    _refuse_nul(con, name, wanted)
    with reading(name):
        types = type_columns(con, _RAW, RELATION, wanted, as_written, how.decimal)
    return Source(name, RELATION, types, one_pass=True)


def _copy(
    part: Piece, file: Path, packed: str, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]
) -> None:
    """Copy the wanted columns of a file of UTF-8 text, all of its records."""
    name = part.file.name
    start = _start(file, packed, name)
    separators = ("\t",) if ".tsv" in name.lower() else SEPARATORS
    inside = [column for column in wanted if column not in part.keys]
    header, separator = _header(start, name, inside, separators)
    require_columns([*header, *part.keys], wanted, name)
    values = [
        f"c{header.index(column)}" if column in inside else _told(part.keys[column])
        for column in wanted
    ]
    chosen = ", ".join(
        f"{value} AS {quoted(column)}" for value, column in zip(values, wanted, strict=True)
    )
    before = _rows(con)
    _read_as_text(file, packed, name, con, header, separator, chosen, before is not None)
    _refuse_faults(con, name, lambda: count_records(file, packed, separator, len(header)))
    read = (_rows(con) or 0) - (before or 0)
    _refuse_losses(read, file, packed, name, header, separator)


def _told(value: str | None) -> str:
    return "CAST(NULL AS VARCHAR)" if value is None else literal(value)


def _rows(con: duckdb.DuckDBPyConnection) -> int | None:
    """How many rows were copied so far; None if there is nothing yet."""
    there = f"SELECT count(*) FROM information_schema.tables WHERE table_name = '{_RAW}'"
    if not con.execute(there).fetchall()[0][0]:
        return None
    return int(con.execute(f"SELECT count(*) FROM {_RAW}").fetchall()[0][0])


def _start(file: Path, packed: str, name: str) -> str:
    """The beginning of the file as text; only the first line is sure to be whole."""
    try:
        with unpacked(file, packed) as stream:
            start = stream.read(HEADER_BYTES)
    except (OSError, EOFError, zlib.error):
        raise TableError(
            "cannot be unpacked or opened.",
            name,
            remedy="Check that the file is whole, and packed as its name says.",
        ) from None
    line, _, rest = start.removeprefix(_BOM).partition(b"\n")
    if start.startswith(_UTF16) or b"\0" in line:
        raise TableError(
            "is UTF-16 text, or no text at all.",
            name,
            remedy='Save it as CSV in UTF-8, or set encoding to "utf-16".',
        )
    try:
        # What follows the first line matters only if a name in it is broken over lines.
        return f"{line.decode()}\n{rest.decode(errors='replace')}"
    except UnicodeDecodeError:
        raise TableError(
            "the header is not UTF-8.", name, remedy=_FAULTS["INVALID ENCODING"][1]
        ) from None


def _header(
    start: str, name: str, wanted: Sequence[str], separators: Sequence[str]
) -> tuple[list[str], str]:
    """The names in the first line, under the separator that finds most wanted ones."""
    readings = []
    for separator in separators:
        try:
            lines = csv.reader(io.StringIO(start, newline=""), delimiter=separator, strict=True)
            names = next((line for line in lines), [])
        except csv.Error:
            continue
        found = sum(column in names for column in wanted)
        readings.append((found, len(names), -separators.index(separator), names))
    if not readings or not max(readings)[1]:
        raise TableError(
            "has no header: the first line must name the columns.",
            name,
            remedy="Add a first line with the names, quotes closed.",
        )
    _, _, place, names = max(readings)
    return names, separators[-place]


def _read_as_text(
    file: Path,
    packed: str,
    name: str,
    con: duckdb.DuckDBPyConnection,
    header: Sequence[str],
    separator: str,
    chosen: str,
    more: bool,
) -> None:
    """Copy the chosen columns into a table of texts; an empty cell is a missing value."""
    places = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    into = f"INSERT INTO {_RAW}" if more else f"CREATE TABLE {_RAW} AS"
    try:
        con.execute(
            f"{into} SELECT {chosen} FROM read_csv({literal(exactly(file))}, "
            f"auto_detect = false, columns = {{{places}}}, header = true, "
            f"delim = {literal(separator)}, quote = '\"', escape = '\"', nullstr = '', "
            f"strict_mode = true, null_padding = false, store_rejects = true, "
            f"compression = '{packed}')"
        )
    except duckdb.InvalidInputException:
        raise TableError(
            "mixes line ends (CR LF and LF), or has quotes that are not closed.",
            name,
            remedy="Save it again as CSV with one kind of line end.",
        ) from None
    except duckdb.IOException:
        raise TableError(
            "ends too early or cannot be unpacked.", name, remedy="Check that the file is whole."
        ) from None


def _refuse_faults(con: duckdb.DuckDBPyConnection, name: str, counted: Callable[[], Tally]) -> None:
    faults = con.execute(
        # The header is line 1, and a record with line breaks inside counts as one line.
        "SELECT error_type::VARCHAR, min(line) - 1, count(DISTINCT line) "
        "FROM reject_errors GROUP BY 1 ORDER BY 2, 1"
    ).fetchall()
    problems = []
    for fault, row, count in faults:
        # A quote that is not closed by the end of its buffer seems to be none that is.
        if fault == "UNQUOTED VALUE" and (tally := counted()).longest > LINE_BYTES:
            raise _fault("LINE SIZE OVER MAXIMUM", name, tally.longest_at)
        what, remedy = _FAULTS.get(fault, ("something that is not CSV", "Save the file again."))
        many = f" ({count:,} rows)" if count > 1 else ""
        problems.append(Problem(f"the row has {what}{many}.", name, row=int(row), remedy=remedy))
    if problems:
        raise TableError(problems)


def _refuse_losses(
    read: int,
    file: Path,
    packed: str,
    name: str,
    header: Sequence[str],
    separator: str,
) -> None:
    """Refuse a file of which not every record was read, or not as it stands there."""
    found = count_records(file, packed, separator, len(header))
    if found.loose_at is not None:
        raise _fault("BLANKS", name, found.loose_at)
    there = found.records - 1
    if read == there:
        if found.wide_at is not None:
            raise _fault("TOO MANY COLUMNS", name, found.wide_at)
        return
    if found.longest > LINE_BYTES and found.longest_at:
        raise _fault("LINE SIZE OVER MAXIMUM", name, found.longest_at)
    raise TableError(
        f"{there:,} records stand in the file, and {read:,} can be read.",
        name,
        remedy="Put cells that hold double quotes or line breaks in double quotes, and save "
        "the file again.",
    )


def _fault(kind: str, name: str, row: int) -> TableError:
    what, remedy = _FAULTS[kind]
    place = "the row" if row else "the header"
    return TableError(f"{place} has {what}.", name, row=row or None, remedy=remedy)


def _refuse_nul(con: duckdb.DuckDBPyConnection, name: str, wanted: Sequence[str]) -> None:
    first: dict[str, int | None] = {}
    for few in few_at_a_time(wanted):
        holds = (f"min(rowid) FILTER (contains({quoted(column)}, chr(0)))" for column in few)
        found = con.execute(f"SELECT {', '.join(holds)} FROM {_RAW}").fetchall()[0]
        first |= zip(few, found, strict=True)
    remedy = "Save the file as UTF-8 text, without binary content."
    problems = [
        Problem("holds a NUL character.", name, column, row + 1, remedy)
        for column, row in first.items()
        if row is not None
    ]
    if problems:
        raise TableError(problems)
