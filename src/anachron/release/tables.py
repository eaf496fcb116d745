"""The tables of a release, as its description names them: each once, in files of its own name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import ReleaseError
from anachron.published.kinds import KINDS
from anachron.published.strict import Misfit, at, entries, items, text, whole
from anachron.release.describe import DESCRIPTION, Field, Written, WrittenFile, fields_of
from anachron.release.durable import failures_as
from anachron.release.parts import PartFile, parts_of

__all__ = ["TableFile", "altered", "check_files", "opened_parquet", "read_table",
           "read_tables"]  # fmt: skip

_HASH = r"sha256:[0-9a-f]{64}"


@dataclass(frozen=True)
class TableFile:
    """A published table: its columns and rows, and the files that hold it."""

    folder: Path
    name: str
    written: Written

    @property
    def parts(self) -> tuple[PartFile, ...]:
        """The Parquet files, in the order of their rows; mostly one."""
        return parts_of(self.folder, self.name, self.rows)

    @property
    def csv(self) -> Path | None:
        """The CSV file, if there is one."""
        return next((self.folder / name for name, _ in self.written.csv), None)

    @property
    def called(self) -> str:
        """The Parquet file, or the first and the last one, for messages."""
        first, last = self.parts[0].file, self.parts[-1].file
        return f"{first}" if first == last else f"{first} to {last.name}"

    @property
    def names(self) -> list[str]:
        """Its columns, in order."""
        return [field.name for field in self.written.fields]

    @property
    def rows(self) -> int:
        """How many rows are stated."""
        return self.written.rows


def read_tables(
    folder: Path, given: Any, expected: Mapping[str, Sequence[str]]
) -> dict[str, TableFile]:
    """Take the tables that a release must have, with their columns; as CSV all of them, or none."""
    resources = items(given, "resources")
    _check_paths(folder, resources)
    forms = ("parquet", "csv")[: len(resources) // len(expected)]
    named = [(name, form) for name in expected for form in forms]
    if not forms or len(named) != len(resources) or not all(map(_is_of, resources, named)):
        raise Misfit("resources", "they are not the tables of this method, each once and in order")
    found = {}
    for number, (name, columns) in enumerate(expected.items()):
        place = number * len(forms)
        part = resources[place : place + len(forms)]
        found[name] = TableFile(folder, name, _written(part, place, columns))
    return found


def _check_paths(folder: Path, resources: Sequence[Any]) -> None:
    # A release from elsewhere must not make us read outside its folder.
    for number, resource in enumerate(resources):
        place = at("resources", number)
        given = entries(resource, place).get("path")
        for path in given if isinstance(given, list) else [given]:
            path = text(path, at(place, "path"))
            if path != Path(path).name or path.startswith(".") or not path.isprintable():
                raise ReleaseError(
                    f"{folder / DESCRIPTION} names a file outside the release. Do not use it."
                )


def _is_of(resource: Mapping[str, Any], named: tuple[str, str]) -> bool:
    """Whether a resource names the files that a table must have, by the number of its rows."""
    (name, form), rows, path = named, resource.get("rows"), resource.get("path")
    if form == "csv" or not isinstance(rows, int):  # what is no number is told later
        return bool(path == f"{name}.{form}")
    files = [part.file.name for part in parts_of(Path(), name, rows)]
    return bool(path == (files[0] if len(files) == 1 else files))


def _written(resources: Sequence[Any], first: int, columns: Sequence[str]) -> Written:
    place = at("resources", first)
    fields = _fields(resources[0].get("schema"), at(place, "schema"))
    if sorted(field.name for field in fields) != sorted(columns):
        raise Misfit(at(place, "schema"), "its columns are not those that are described")
    files = []
    for number, resource in enumerate(resources, first):
        place = at("resources", number)
        path = resource["path"]
        if isinstance(path, list):
            place = at(place, "parts")
            parts = zip(path, items(resource.get("parts"), place), strict=True)
            files += [(name, _file(part, at(place, n))) for n, (name, part) in enumerate(parts)]
        else:
            files.append((str(path), _file(resource, place)))
    rows = whole(resources[0].get("rows"), at(at("resources", first), "rows"))
    return Written(fields, rows, tuple(files))


def _file(given: Any, place: str) -> WrittenFile:
    said = entries(given, place)
    digest = text(said.get("hash"), at(place, "hash"), _HASH).removeprefix("sha256:")
    return WrittenFile(digest, whole(said.get("bytes"), at(place, "bytes")))


def _fields(given: Any, place: str) -> tuple[Field, ...]:
    place = at(place, "fields")
    found = []
    for number, field in enumerate(items(entries(given, place).get("fields"), place)):
        where = at(place, number)
        said = entries(field, where)
        kind = text(said.get("type"), at(where, "type"))
        if kind not in KINDS:
            raise Misfit(at(where, "type"), "it is no type of a column")
        found.append(Field(text(said.get("name"), at(where, "name")), kind))
    return tuple(found)


def check_files(table: TableFile) -> None:
    """Refuse a table whose files are not there, or not plain files of the stated size."""
    for name, stated in table.written.files:
        file = table.folder / name
        if file.is_symlink():
            raise ReleaseError(f"{file} is a link, and a release has none. Do not use it.")
        if not file.is_file():
            raise ReleaseError(f"{file} is missing. Fetch the whole release again.")
        if file.stat().st_size != stated.bytes:
            raise altered(file)


@contextmanager
def opened_parquet(table: TableFile, number: int = 0) -> Iterator[pq.ParquetFile]:
    """Open a part of a table, if its file has its rows and columns; none is read yet."""
    part = table.parts[number]
    try:
        # Arrow's own file: a thread that lets go of a Python one after Python has ended aborts.
        with (
            failures_as(ReleaseError, f"Reading {part.file}"),
            pa.OSFile(str(part.file), "rb") as file,
        ):
            parquet = pq.ParquetFile(file)
            fields = fields_of(parquet.schema_arrow)
            if parquet.metadata.num_rows != part.rows or fields != table.written.fields:
                raise ReleaseError(
                    f"{part.file} has other rows or columns than the description states. "
                    "Do not use it; fetch the release again."
                )
            yield parquet
    except pa.ArrowException:
        raise altered(part.file) from None


def read_table(table: TableFile) -> pa.Table:
    """Read all rows of a table, part by part."""
    found = []
    for number in range(len(table.parts)):
        with opened_parquet(table, number) as file:
            found.append(file.read())
            if found[-1].schema != found[0].schema:
                raise altered(table.parts[number].file)
    return pa.concat_tables(found)


def altered(file: Path) -> ReleaseError:
    """The error that says that a file is not the one that was published."""
    return ReleaseError(f"{file} is not as it was published. Fetch the release again.")
