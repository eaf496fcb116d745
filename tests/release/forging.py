"""Releases written or changed by hand, whose descriptions agree with their files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.published.layouts import EVENTS, OF_FEEDS, REGISTER, SERIES
from anachron.published.strict import Misfit
from anachron.published.ways import Way
from anachron.release.describe import (
    DESCRIPTION,
    Written,
    WrittenFile,
    datapackage,
    fields_of,
    published_schema,
)
from anachron.release.parts import parts_of

LAYOUTS = (EVENTS, REGISTER, SERIES, *OF_FEEDS.values())
Said = dict[str, Any]


def said_by(folder: Path) -> Said:
    """What the description of a release says."""
    return dict(json.loads((folder / DESCRIPTION).read_bytes()))


def say(folder: Path, said: Mapping[str, Any]) -> None:
    """Describe a release in the spelling of every description."""
    text = json.dumps(said, indent=2, sort_keys=True, ensure_ascii=False)
    (folder / DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def restate(folder: Path, change: Callable[[Said], object]) -> None:
    """Change what a description says."""
    said = said_by(folder)
    change(said)
    say(folder, said)


def write_parquet(file: Path, table: pa.Table, note: str = "") -> None:
    """Write a table as releases have them; with a note that they do not have, if wanted."""
    with pq.ParquetWriter(
        file, table.schema, version="2.6", data_page_version="1.0", compression="zstd",
        compression_level=1, store_schema=False,
    ) as writer:  # fmt: skip
        writer.write_table(table, row_group_size=1 << 17)
        if note:
            writer.add_key_value_metadata({"source": note})


def reseal(folder: Path) -> None:
    """Put sizes, digests and numbers of rows right, as whoever alters a release would."""

    def right(said: Said) -> None:
        rows = 0
        for resource in said["resources"]:
            parts = resource.get("parts", [resource])
            for part in parts:
                file = folder / part["path"]
                part |= {"bytes": file.stat().st_size, "hash": f"sha256:{_digest(file)}"}
                # Of what nobody can read, they stay as stated.
                if resource["format"] == "parquet":
                    with suppress(pa.ArrowException, OSError, ValueError):
                        part["rows"] = pq.read_metadata(file).num_rows
            if resource["format"] == "parquet":
                rows = sum(part["rows"] for part in parts)
            resource |= {"bytes": sum(part["bytes"] for part in parts), "rows": rows}

    restate(folder, right)


def altered(file: Path) -> None:
    """Flip a bit in the middle of a file."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


@dataclass(frozen=True)
class Claim(Way):
    """Whatever somebody says of a column that no release would say."""

    claim: Mapping[str, Any]

    def said(self) -> dict[str, Any]:
        return dict(self.claim)

    def _names(self) -> tuple[str, ...]:
        return tuple(self.claim.get("published", ()))

    def _sentences(self, _zone: str) -> tuple[str, ...]:
        return ("Whatever.",) * len(self.names)


def claimed(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, Way]:
    """What is said of columns, as ways to publish them where it is one."""
    return {name: _way(name, said) for name, said in columns.items()}


def _way(name: str, said: Mapping[str, Any]) -> Way:
    for way in {way for layout in LAYOUTS for way in layout.ways}:
        with suppress(Misfit, TypeError):
            return way.taken(name, said, "")
    return Claim(name, said)


def describe(
    folder: Path, tables: Mapping[str, pa.Schema], rows: Mapping[str, int], **facts: Any
) -> None:
    """Describe the files of a folder: for each table its types and stated rows."""
    written = {}
    for name, schema in tables.items():
        files = [part.file for part in parts_of(folder, name, rows[name])]
        files.append(folder / f"{name}.csv")
        sizes = [
            (file.name, WrittenFile(_digest(file), file.stat().st_size))
            for file in files
            if file.exists()
        ]
        fields = fields_of(published_schema(schema))
        written[name] = Written(fields, rows[name], tuple(sizes))
    facts["columns"] = claimed(facts["columns"])
    say(folder, datapackage(resources=written, **facts))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
