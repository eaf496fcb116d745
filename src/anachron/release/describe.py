"""Describe a release as a Frictionless data package that states what is promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.published.kinds import kind_of
from anachron.published.ways import Way
from anachron.release.commas import RULES
from anachron.release.parts import parts_of

__all__ = [
    "DESCRIPTION",
    "FORMAT",
    "Field",
    "Written",
    "WrittenFile",
    "comma_resource",
    "datapackage",
    "fields_of",
    "published_schema",
]

DESCRIPTION = "datapackage.json"
FORMAT = 1
"""The number of the format of releases, to be raised when readers must change."""


@dataclass(frozen=True)
class WrittenFile:
    """What is known of a file once it is written."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class Field:
    """A published column: its name, and its type in the words of data packages."""

    name: str
    kind: str


@dataclass(frozen=True)
class Written:
    """A table of a release once it is written."""

    fields: tuple[Field, ...]
    rows: int
    files: tuple[tuple[str, WrittenFile], ...]
    """By name: its Parquet file, or its parts in order; and its CSV file if wanted, last."""

    @property
    def parquet(self) -> tuple[tuple[str, WrittenFile], ...]:
        """Its Parquet file, or its parts in order."""
        return tuple(file for file in self.files if not file[0].endswith(".csv"))

    @property
    def csv(self) -> tuple[tuple[str, WrittenFile], ...]:
        """Its CSV file, if there is one: always one, however many parts there are."""
        return self.files[len(self.parquet) :]


def datapackage(
    *,
    number: int,
    previous: str | None,
    resources: Mapping[str, Written],
    guarantee: Mapping[str, Any],
    columns: Mapping[str, Way],
    time_zone: str,
    **facts: Any,
) -> dict[str, Any]:
    """Describe a release.

    It says nothing that does not follow from the published rows and the promise: no subject
    column, no name of an input, no time of creation.

    Parameters
    ----------
    number
        The number of the release.
    previous
        The digest of the description of the release before it, or None.
    resources
        The published tables.
    guarantee
        What is promised, as plain values.
    columns
        For each column of the schema, but not the subject: the way in which it was published.
    time_zone
        The zone whose calendar the times follow.
    facts
        Further plain values for the property ``anachron``.
    """
    # In one order, so that who reads the description finds the same words.
    ways = [way for _, way in sorted(columns.items())]
    words = {name: way.words(name, time_zone) for way in ways for name in way.names}
    return {
        "profile": "tabular-data-package",
        "name": f"release-{number:04d}",
        "title": f"Release {number}",
        "resources": [
            resource
            for name, table in resources.items()
            for resource in _resources(name, table, words)
        ],
        "anachron": {
            **facts,
            "format": FORMAT,
            "release": number,
            "previous": previous,
            "guarantee": dict(guarantee),
            "columns": {name: way.said() for name, way in columns.items()},
            "time_zone": time_zone,
        },
    }


def published_schema(schema: pa.Schema) -> pa.Schema:
    """Give the schema that readers see: no encodings, no metadata, nothing of the engine."""
    return pa.schema([pa.field(field.name, _plain(field.type)) for field in schema])


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_timestamp(kind) and kind.unit == "s":
        return pa.timestamp("ms", kind.tz)  # Parquet has no seconds
    return kind


def _resources(name: str, table: Written, words: Mapping[str, str]) -> list[dict[str, Any]]:
    """Describe the Parquet files of a table, and its CSV file if there is one."""
    parquet = {
        "profile": "tabular-data-resource",
        **(_file(*table.parquet[0]) if len(table.parquet) == 1 else _parts(name, table)),
        "rows": table.rows,
        "name": name,
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "schema": {"fields": [_field(field, words) for field in table.fields]},
    }
    return [parquet, *(comma_resource(parquet, path, file) for path, file in table.csv)]


def _file(path: str, file: WrittenFile) -> dict[str, Any]:
    return {"path": path, "bytes": file.bytes, "hash": f"sha256:{file.sha256}"}


def _parts(name: str, table: Written) -> dict[str, Any]:
    """Data packages name one path after the other; here each part has its digest, too."""
    rows = [part.rows for part in parts_of(Path(), name, table.rows)]
    return {
        "path": [path for path, _ in table.parquet],
        "bytes": sum(file.bytes for _, file in table.parquet),
        "parts": [
            {**_file(path, file), "rows": count}
            for (path, file), count in zip(table.parquet, rows, strict=True)
        ],
    }


def comma_resource(parquet: Mapping[str, Any], path: str, file: WrittenFile) -> dict[str, Any]:
    """Describe the CSV file of a table, given what is said of its Parquet file."""
    return {
        **{said: how for said, how in parquet.items() if said != "parts"},
        **_file(path, file),
        "name": f"{parquet['name']}-csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {"delimiter": ",", "header": True, "lineTerminator": "\n", "quoteChar": '"'},
        "description": RULES,
        "schema": {**parquet["schema"], "missingValues": [""]},
    }


def _field(field: Field, words: Mapping[str, str]) -> dict[str, str]:
    described = {"name": field.name, "type": field.kind, "format": "default"}
    if field.name in words:
        described["description"] = words[field.name]
    return described


def fields_of(schema: pa.Schema) -> tuple[Field, ...]:
    """Give the columns of a table as a description names them."""
    return tuple(Field(field.name, kind_of(field.type)) for field in schema)
