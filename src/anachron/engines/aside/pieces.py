"""Pieces of rows on a disk: dealt out by a hash of some columns, and read one after the other."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol

import duckdb
import numpy as np
import pyarrow as pa

from anachron import scratch
from anachron.arrays import Array
from anachron.database import cursor_of
from anachron.engines.base import Batch, Column
from anachron.engines.spark.columns import Carried

__all__ = ["Base", "Held", "Pieces", "Store", "laid_together", "taken"]

_WIDTHS = (np.int8, np.int16, np.int32)
_READ = 1 << 20


class Base(Protocol):
    """Where rows come from, some at a time."""

    @property
    def kinds(self) -> Mapping[str, Carried]:
        """The columns."""

    def batches(self, wanted: frozenset[str]) -> Iterator[Batch]:
        """Some columns of all rows; of pieces, one piece at a time."""


@dataclass(frozen=True, eq=False)
class Held:
    """A few rows, in memory."""

    kinds: Mapping[str, Carried]
    columns: Batch

    def batches(self, wanted: frozenset[str]) -> Iterator[Batch]:
        """All rows at once."""
        yield {name: self.columns[name] for name in self.columns if name in wanted}


@dataclass(frozen=True, eq=False)
class Pieces:
    """Rows on a disk. A file is a piece; it is removed when nobody wants it any more."""

    kinds: Mapping[str, Carried]
    files: Sequence[Path]

    def batches(self, wanted: frozenset[str]) -> Iterator[Batch]:
        """Read one piece after the other; those without rows are passed over."""
        for file in self.files:
            parts = list(_segments(file, wanted))
            if parts:
                yield {
                    name: _read([part.column(name) for part in parts], kind)
                    for name, kind in self.kinds.items()
                    if name in wanted
                }


class Store:
    """A private folder for pieces, and how large one may be."""

    def __init__(self, folder: Path, rows: int, con: duckdb.DuckDBPyConnection) -> None:
        self._folder, self._names, self._con = folder, count(), con
        self.rows = rows
        """So many rows may be held at a time."""

    @property
    def few(self) -> int:
        """So many rows may be held beside those of a piece."""
        return self.rows

    def parts(self, rows: int) -> int:
        """Into how many pieces so many rows are dealt."""
        return max(1, min(-(-rows // self.rows), _MOST_PARTS))

    def deal(
        self,
        batches: Iterable[Batch],
        kinds: Mapping[str, Carried],
        by: Sequence[str],
        parts: int,
    ) -> Pieces:
        """Bring together what has the same values in some columns."""

        def dealt() -> Iterator[tuple[int, pa.RecordBatch]]:
            for columns in batches:
                batch = _packed(columns, kinds)
                place = self._places(columns, by, parts)
                order = np.argsort(place, kind="stable")
                ends = np.cumsum(np.bincount(place, minlength=parts)).tolist()
                sorted_ = batch.take(pa.array(order))
                for part, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
                    if start < end:
                        yield part, sorted_.slice(start, end - start)

        return self._written(dealt(), kinds, parts)

    def keep(self, batches: Iterable[Batch], kinds: Mapping[str, Carried]) -> Pieces:
        """Keep batches as they are: each is a piece."""
        return self._written(
            ((part, _packed(columns, kinds)) for part, columns in enumerate(batches)), kinds, 0
        )

    def _places(self, columns: Batch, by: Sequence[str], parts: int) -> Array:
        """To which piece each row goes: the same for the same values, whatever column has them."""
        keys = [f"c{place}" for place in range(len(by))]
        batch = pa.Table.from_arrays([_hashable(columns[name]) for name in by], names=keys)
        with cursor_of(self._con) as cursor:
            cursor.register("batch", batch)
            found = cursor.sql(
                f"SELECT (hash({', '.join(keys)}) % {parts})::USMALLINT AS part FROM batch"
            ).to_arrow_table()
        place: Array = found.column(0).to_numpy()
        return place

    def _written(
        self, batches: Iterator[tuple[int, pa.RecordBatch]], kinds: Mapping[str, Carried], many: int
    ) -> Pieces:
        waiting: dict[int, list[pa.RecordBatch]] = {}
        rows = 0
        with scratch.working():
            folder = self._folder / f"{next(self._names)}"
            folder.mkdir(0o700)
        try:
            for part, batch in batches:
                waiting.setdefault(part, []).append(batch)
                rows += batch.num_rows
                many = max(many, part + 1)
                if rows >= self.rows:
                    self._flush(folder, waiting)
                    rows = 0
            self._flush(folder, waiting)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        pieces = Pieces(kinds, [folder / f"{part}" for part in range(many)])
        weakref.finalize(pieces, shutil.rmtree, folder, ignore_errors=True).atexit = False
        return pieces

    @staticmethod
    def _flush(folder: Path, waiting: dict[int, list[pa.RecordBatch]]) -> None:
        with scratch.working():
            for part, batches in waiting.items():
                _append(folder / f"{part}", batches)
        waiting.clear()


_MOST_PARTS = 512


def laid_together(parts: Sequence[Batch], kinds: Mapping[str, Carried]) -> dict[str, Column]:
    """Lay batches behind each other."""
    if not parts:
        return {name: kind.empty() for name, kind in kinds.items()}
    if len(parts) == 1:
        return dict(parts[0])
    return {name: _joined([part[name] for part in parts]) for name in kinds}


def _joined(columns: Sequence[Column]) -> Column:
    if isinstance(columns[0], np.ndarray):
        return np.concatenate(columns)
    return pa.concat_arrays([_plain(column) for column in columns])


def _plain(column: pa.Array) -> pa.Array:
    if not pa.types.is_dictionary(column.type):
        return column
    return column.dictionary.take(column.indices)


def taken(column: Column, rows: Array) -> Column:
    """Some rows of a column."""
    return column[rows] if isinstance(column, np.ndarray) else column.take(pa.array(rows))


def _hashable(column: Column) -> pa.Array:
    if isinstance(column, np.ndarray):
        if column.ndim > 1:
            return _rows_of(column).cast(pa.binary())
        return pa.array(column.astype(np.int64) if column.dtype.kind == "i" else column)
    return _plain(column)


def _rows_of(matrix: Array) -> pa.Array:
    """Lines of a matrix as bytes."""
    lines = np.ascontiguousarray(matrix)
    kind = pa.binary(lines.dtype.itemsize * lines.shape[1])
    return pa.Array.from_buffers(kind, len(lines), [None, pa.py_buffer(lines)])


def _packed(columns: Batch, kinds: Mapping[str, Carried]) -> pa.RecordBatch:
    arrays = [
        _narrow(columns[name]) if kind.coded or kind.dtype else _plain(columns[name])
        for name, kind in kinds.items()
    ]
    return pa.RecordBatch.from_arrays(arrays, names=list(kinds))


def _narrow(column: Column) -> pa.Array:
    """Whole numbers take as little room as they need."""
    if not isinstance(column, np.ndarray):
        return column
    if column.ndim > 1:
        return _rows_of(column)
    if column.dtype != np.int64 or not len(column):
        return pa.array(column)
    low, high = int(column.min()), int(column.max())
    for width in _WIDTHS:
        limits = np.iinfo(width)
        if limits.min <= low and high <= limits.max:
            return pa.array(column.astype(width))
    return pa.array(column)


def _append(file: Path, batches: Sequence[pa.RecordBatch]) -> None:
    """Write batches behind what is in a file; each group of one schema is a stream of its own."""
    with file.open("ab") as out:
        for batch in _merged(batches):
            with pa.ipc.new_stream(out, batch.schema) as stream:
                stream.write_batch(batch)


def _merged(batches: Sequence[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    first = batches[0].schema
    coded = any(pa.types.is_dictionary(field.type) for field in first)
    if coded or any(batch.schema != first for batch in batches):
        yield from batches
    else:
        yield pa.concat_batches(batches) if len(batches) > 1 else batches[0]


def _segments(file: Path, wanted: frozenset[str]) -> Iterator[pa.Table]:
    with scratch.working():
        if not file.exists():
            if not file.parent.exists():
                raise FileNotFoundError(2, os.strerror(2))
            return
        with pa.OSFile(str(file), "rb") as source:
            size = source.size()
            while source.tell() < size:
                with pa.ipc.open_stream(source) as stream:
                    yield stream.read_all().select([n for n in stream.schema.names if n in wanted])


def _read(parts: Sequence[pa.ChunkedArray], kind: Carried) -> Column:
    if kind.dtype is None:
        chunks = [chunk for part in parts for chunk in part.chunks]
        if len(chunks) == 1:
            return chunks[0]
        whole = pa.chunked_array(chunks)
        if pa.types.is_dictionary(whole.type):
            whole = whole.unify_dictionaries()
        return whole.combine_chunks()
    arrays = [_numbers(chunk, kind) for part in parts for chunk in part.chunks]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _numbers(chunk: pa.Array, kind: Carried) -> Array:
    if kind.width is None:
        found: Array = chunk.to_numpy(zero_copy_only=False).astype(str(kind.dtype), copy=False)
        return found
    content = chunk.buffers()[1]
    lines: Array = np.frombuffer(content, str(kind.dtype)).reshape(-1, kind.width)
    return lines[chunk.offset : chunk.offset + len(chunk)]
