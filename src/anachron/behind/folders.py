"""Several files that are one table, and columns that only the names of their folders tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.behind.jsonlines import json_columns, typed_json
from anachron.behind.refusing import reading
from anachron.behind.texts import read_texts, typed_texts
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["files_of", "keys_of", "read_many"]

_JSON = (".jsonl", ".ndjson")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


def files_of(place: Path, endings: tuple[str, ...]) -> list[Path]:
    """The file, or all files with such endings of a folder or pattern."""
    found: Iterable[Path] = [place]
    if place.is_dir():
        with reading(place.name):
            found = [*_below(place)]
    elif not place.exists() and has_magic(str(place)):
        found = Path(place.anchor).glob(str(place.relative_to(place.anchor)))
    return sorted(f for f in found if f.is_file() and f.name.lower().endswith(endings))


def _below(folder: Path) -> Iterable[Path]:
    """All that lies in a folder and in those in it; what cannot be listed, or is a link, raises."""
    for path in [*folder.iterdir()]:
        if not path.is_dir():
            yield path
        elif path.is_symlink():
            raise OSError
        else:
            yield from _below(path)


def keys_of(file: Path, place: Path) -> dict[str, str | None]:
    """What the folders between a place and a file say: ``year=2024`` is a year."""
    if place.is_file():
        return {}
    inside = file.relative_to(place) if place.is_dir() else file
    told = re.findall(r"(?:^|/)([^/=]+)=([^/]*)(?=/)", inside.as_posix())
    nothing = "__HIVE_DEFAULT_PARTITION__"
    return {unquote(k): None if v == nothing else unquote(v) for k, v in told}


def read_many(
    files: Sequence[Path], how: Source, wanted: Sequence[str], as_written: Collection[str]
) -> pa.Table:
    """Read files of one kind one after the other, and tell types from all of them together."""
    place = Path(how.table).expanduser()
    lowered = files[0].name.lower()
    keys = [keys_of(file, place) for file in files]
    inside = [column for column in wanted if column not in keys[0]]
    read, typed = _readers(lowered, how, as_written, place.name)
    pieces = [read(file, inside) for file in files]
    columns = {}
    for column in wanted:
        if column in inside:
            columns[column] = typed(column, [piece[column] for piece in pieces])
        else:
            sizes = [len(next(iter(piece.values()), ())) for piece in pieces]
            texts = [k[column] for k, n in zip(keys, sizes, strict=True) for _ in range(n)]
            # Only text files leave something as it is written.
            is_text = not any(end in lowered for end in (".parquet", *_JSON))
            columns[column] = _of_folders(texts, is_text and column in as_written)
    return pa.table(columns)


Pieces = dict[str, Any]
"""What was read of one file, by column."""


def _readers(
    lowered: str, how: Source, as_written: Collection[str], name: str
) -> tuple[Callable[[Path, Sequence[str]], Pieces], Callable[[str, list[Any]], pa.Array]]:
    """How files of a kind are read, and how what was read of one column is put together."""

    def joined(column: str, parts: list[Any]) -> pa.Array:
        if len({str(part.type) for part in parts}) > 1:
            raise TableError(Problem("has several types in the files of the table.", name, column))
        return pa.chunked_array([chunk for part in parts for chunk in part.chunks])

    def texts(column: str, parts: list[Any]) -> pa.Array:
        whole = joined(column, parts)
        return whole if column in as_written else typed_texts(whole, how.decimal)

    def values(column: str, parts: list[Any]) -> pa.Array:
        return typed_json([value for part in parts for value in part], column, name)

    if ".parquet" in lowered:
        return _parquet, joined
    if any(end in lowered for end in _JSON):
        return json_columns, values
    return partial(_texts, how=how), texts


def _parquet(file: Path, wanted: Sequence[str]) -> Pieces:
    with reading(file.name):
        found = pq.ParquetFile(file).read(columns=list(wanted) or None)
        return dict(zip(found.column_names, found.columns, strict=True))


def _texts(file: Path, wanted: Sequence[str], how: Source) -> Pieces:
    found = read_texts(file, how, wanted)
    return dict(zip(found.column_names, found.columns, strict=True))


def _of_folders(texts: list[str | None], as_written: bool) -> pa.Array:
    told = [text for text in texts if text is not None]
    if not as_written and told and all(map(_WHOLE.fullmatch, told)):
        return pa.array([None if text is None else int(text) for text in texts], pa.int64())
    return pa.array(texts, pa.string())
