"""Is the folder what was published, and is there nothing in it beside?"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from anachron.auditing.check import Found, check
from anachron.auditing.reading.database import literal, pattern, quoted, reading
from anachron.auditing.reading.parts import misparted, parts_due
from anachron.auditing.verdict import Check
from anachron.errors import ReleaseError
from anachron.ledger.entry import Entry
from anachron.parquet import Beside, Unfit, allowed, check_size, walk
from anachron.release.commas import first_odd_byte
from anachron.release.describe import Field
from anachron.release.durable import failures_as
from anachron.release.read import Release
from anachron.release.tables import TableFile

_DESCRIPTION = "datapackage.json"
_BLOCK = 1 << 20
_NUMBER = re.compile(r"\d{4,}", re.ASCII)


@check("folder", "files in the folder")
def folder(release: Release) -> Found:
    """the described files and no other

    What else is there is counted and not named: a name may be anything.
    """
    described = _described(release)
    there = {item.name: item for item in release.path.iterdir()}
    missing = len(described - set(there))
    more = len(set(there) - described)
    odd = [n for n, item in there.items() if n in described and not _is_plain(item)]
    return Found(
        {
            "too many": more,
            "missing": missing,
            f"no plain files: {', '.join(odd)}": bool(odd),
        }
    )


def _described(release: Release) -> set[str]:
    files = (name for table in release.tables.values() for name, _ in table.written.files)
    return {_DESCRIPTION, *files}


def _is_plain(item: Path) -> bool:
    return item.is_file() and not item.is_symlink()


@check("place", "the folder of the release")
def place(release: Release) -> Found:
    """that of the release it is named after"""
    name = release.path.resolve().name
    wrong = bool(_NUMBER.fullmatch(name)) and int(name) != release.number
    return Found({f"folder {name} holds release {release.number:04d}": wrong})


@check("digests", "digests of the files")
def digests(release: Release) -> Found:
    """as described"""
    return _altered(
        name
        for table in release.tables.values()
        for name, stated in table.written.files
        if stated.sha256 != _digest(release.path / name)
    )


@check("size", "rows of the files")
def size(odd: Mapping[str, Beside | None]) -> Found:
    """as many as described"""
    return Found({f"{n} {how}": True for n, how in odd.items() if isinstance(how, Unfit)})


def odd_files(release: Release, *, trusted: bool) -> dict[str, Beside | None]:
    """Say of each Parquet file what keeps us from reading it.

    A few bytes can be made to unpack to any number of them: they must not be more than can be held.
    Whoever published it, or whose ledger has it, is trusted.
    """
    found: dict[str, Beside | None] = {}
    for table in release.tables.values():
        if misparted(release, table.name):
            found[table.name] = Unfit("is not divided as its rows demand")
        else:
            found |= _odd_parts(release, table, trusted)
    return found


def raise_if_of_the_machine(error: Exception, doing: str) -> None:
    """Tell what the operating system could not do, of which no file is to blame.

    Such failures have a number; what Arrow finds wrong in a file has none.
    """
    if isinstance(error, OSError) and error.errno is not None:
        with failures_as(ReleaseError, doing):
            raise error


def _odd_parts(release: Release, table: TableFile, trusted: bool) -> dict[str, Beside | None]:
    parts = parts_due(release, table.name)
    most = None if trusted else allowed(sum(part.file.stat().st_size for part in parts))
    found: dict[str, Beside | None] = {}
    size = 0
    for part in parts:
        how: Beside | None = None
        try:
            size = check_size(part.file, table.names, part.rows, most, size)
        except Beside as beside:
            how = beside
        except (pa.ArrowException, OSError, ValueError, OverflowError, AttributeError) as error:
            raise_if_of_the_machine(error, f"Reading {part.file}")
            how = Unfit("cannot be read")  # why is not quoted: it may hold cells
        found[part.file.name] = how
    return found


@check("ledger", "the ledger's record of it")
def ledger(release: Release, entry: Entry) -> Found:
    """as recorded"""
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
    return _altered(wrong)


@check("hidden", "what the file holds beside its rows")
def hidden(release: Release, table: TableFile) -> Found:
    """nothing but the rows"""
    parts = parts_due(release, table.name)
    one, found = len(parts) == 1, ""
    for number, part in enumerate(parts, 1):
        try:
            walk(part.file, table.names, part.rows)
        except Beside as beside:
            found = str(beside) if one else f"part {number:,}: {beside}"
        except (pa.ArrowException, OSError, ValueError, OverflowError) as odd:
            raise_if_of_the_machine(odd, f"Reading {part.file}")
            # Why is not quoted: it may hold cells.
            found = "it cannot be read" if one else f"part {number:,}: it cannot be read"
        if found:
            break
    return Found({found: bool(found)}, "nothing", about=_of(table, hidden.about))


@check("csv", "the CSV file")
def commas(release: Release, table: TableFile) -> Found | None:
    """the same rows as the Parquet file, and nothing else"""
    if table.csv is None:
        return None
    parts = [part.file for part in parts_due(release, table.name)]
    found = unlike(parts, table.csv, table.written.fields)
    return Found({found: bool(found)}, about=_of(table, commas.about))


def content_checks(release: Release) -> list[Check]:
    """Check of every file that it holds the published rows, and nothing else."""
    tables = release.tables.values()
    found = [one.ask(release, table) for one in (hidden, commas) for table in tables]
    return [answer for answer in found if answer is not None]


def _of(table: TableFile, about: str) -> str:
    """Say which table a check is about, if not that of the rows."""
    return about if table.name == "data" else f"{about} ({table.name})"


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _altered(names: Iterable[str]) -> Found:
    listed = ", ".join(names)
    return Found({f"not as published: {listed}": bool(listed)})


_FORMULA = "=+-@\t\r\n"


def unlike(parquet: Sequence[Path], file: Path, fields: Sequence[Field]) -> str:
    """Say how a CSV differs from the Parquet file, as a reader sees it or byte by byte."""
    columns = tuple(field.name for field in fields)
    try:
        odd = _unlike(parquet, file, columns)
        at = None if odd else first_odd_byte(parquet, file)
        return odd if at is None else f"other bytes than the rows, from {at:,} on"
    except (
        pa.ArrowException,
        duckdb.Error,
        csv.Error,
        OSError,
        ValueError,
        OverflowError,
    ) as error:
        raise_if_of_the_machine(error, f"Reading {file}")
        return "it cannot be read"  # why is not quoted: it may hold cells


def _unlike(parquet: Sequence[Path], file: Path, columns: tuple[str, ...]) -> str:
    """Say how what a reader sees in the CSV differs from the Parquet file."""
    with file.open(encoding="utf-8", newline="") as text:
        heads = next(csv.reader(text), [])
    if heads != [_guarded(name) for name in columns]:
        return "other columns"
    with reading(parquet) as con:
        types = dict(row[:2] for row in con.execute("DESCRIBE data").fetchall())
        if not types.keys() >= set(columns):
            return "other columns"
        differing = _differing_rows(con, file, {name: types[name] for name in columns})
    return f"{differing:,} rows differ" if differing else ""


def _differing_rows(con: duckdb.DuckDBPyConnection, file: Path, columns: Mapping[str, str]) -> int:
    texts = ", ".join(f"{literal(f'csv {name}')}: 'VARCHAR'" for name in columns)
    differs = " OR ".join(_differs(name, kind) for name, kind in columns.items())
    found = con.execute(
        f"""
        SELECT count(*) FROM data POSITIONAL JOIN read_csv(
            {pattern(file)}, auto_detect = false, header = true, columns = {{{texts}}},
            delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
            parallel = false, max_line_size = 33554432
        ) AS commas
        WHERE {differs}
        """
    ).fetchall()
    return int(found[0][0])


def _differs(name: str, kind: str) -> str:
    """SQL: a cell of the CSV is not the cell of the Parquet file."""
    here, there = quoted(name), f"commas.{quoted(f'csv {name}')}"
    if kind == "VARCHAR":
        starts = " OR ".join(f"starts_with({here}, chr({ord(c)}))" for c in _FORMULA)
        return f"({there} IS DISTINCT FROM CASE WHEN {starts} THEN '''' || {here} ELSE {here} END)"
    if kind == "BLOB":
        return f"({there} IS DISTINCT FROM lower(hex({here})))"
    # A cell that cannot be read as the type becomes null, and must not pass for one.
    unlike = f"TRY_CAST({there} AS {kind}) IS DISTINCT FROM {here}"
    return f"({unlike} OR ({there} IS NULL) <> ({here} IS NULL))"


def _guarded(name: str) -> str:
    return f"'{name}" if name.startswith(tuple(_FORMULA)) else name
