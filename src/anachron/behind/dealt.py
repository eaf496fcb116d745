"""Rows dealt out into files: each file has all rows of some keys, and is small enough to be held.

What must be compared row by row, and does not fit into memory, is put aside so: by ranges of a
digest, by snapshots, or by groups. Each file is then judged as a small table would be.
"""

from __future__ import annotations

import os
import secrets
import shutil
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from anachron import memory, scratch
from anachron.arrays import Array, Words

__all__ = ["MOST", "Dealt", "dealt", "leading", "ranges", "ways"]

MOST = 400
"""So many files at the most."""
_SHORT = 1 << 16


@dataclass(frozen=True, eq=False)
class Dealt:
    """Rows in numbered files, which are gone when nobody holds this any more."""

    folder: Path
    schema: pa.Schema
    rows: Array
    """How many each file has."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[pa.Table]:
        return map(self.read, range(len(self)))

    def read(self, number: int) -> pa.Table:
        """The rows of one file, in the order in which they came."""
        if not self.rows[number]:
            return self.schema.empty_table()
        path = self.folder / f"{number}"
        parts: list[pa.Table] = []
        memory.given_back()
        with scratch.working(), pa.OSFile(str(path), "rb") as source:
            size = source.size()
            while source.tell() < size:
                with pa.ipc.open_stream(source) as stream:
                    parts.append(stream.read_all())
            if sum(part.num_rows for part in parts) != self.rows[number]:
                raise OSError(None, os.strerror(5))
        return pa.concat_tables(parts).combine_chunks()


def dealt(
    several: Iterable[tuple[Array, pa.Table]],
    schema: pa.Schema,
    parts: int,
    aside: Path,
    at_once: int,
) -> Dealt:
    """Put each row into the file of its number: ``several`` are rows, and the number of each.

    They are in a folder of their own in ``aside``; ``at_once`` rows wait before they are written.
    """
    rows = np.zeros(parts, dtype=np.int64)
    waiting: list[tuple[Array, pa.Table]] = []
    many, folder = 0, aside / secrets.token_hex(8)
    with scratch.working():
        folder.mkdir(0o700)
    for numbers, batch in several:
        waiting.append((numbers, batch.select(schema.names).cast(schema)))
        many += len(numbers)
        if many >= at_once:
            rows += _written(waiting, parts, folder)
            waiting, many = [], 0
    rows += _written(waiting, parts, folder)
    found = Dealt(folder, schema, rows)
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True).atexit = False
    return found


def _written(waiting: list[tuple[Array, pa.Table]], parts: int, folder: Path) -> Array:
    """Write rows behind those of each file; a stream for each time."""
    if not waiting:
        return np.zeros(parts, dtype=np.int64)
    number = np.concatenate([numbers for numbers, _ in waiting])
    table = pa.concat_tables([batch for _, batch in waiting])
    # Of numbers of 16 bits, numpy counts how many there are, and compares none.
    short = number.astype(np.uint16) if parts <= _SHORT else number
    sorted_ = table.take(pa.array(np.argsort(short, kind="stable"))).combine_chunks()
    rows = np.bincount(number, minlength=parts)
    ends = np.cumsum(rows)
    with scratch.working():
        for part in np.flatnonzero(rows):
            start = int(ends[part] - rows[part])
            _added(folder / f"{part}", sorted_.slice(start, int(rows[part])))
    return rows


def _added(file: Path, rows: pa.Table) -> None:
    with file.open("ab") as out, pa.ipc.new_stream(out, rows.schema) as stream:
        stream.write_table(rows)


def ways(rows: int, at_once: int) -> int:
    """Into how many files so many rows are dealt, if so many may be held."""
    return max(1, min(-(-rows // max(at_once, 1)), MOST))


def leading(digests: pa.Array | pa.ChunkedArray) -> Words:
    """The first eight bytes of each digest, as a number: in the order of the digests."""
    if isinstance(digests, pa.ChunkedArray):
        digests = digests.combine_chunks()
    width = digests.type.byte_width
    whole = np.frombuffer(digests.buffers()[1], np.uint8).reshape(-1, width)
    some = whole[digests.offset : digests.offset + len(digests), :8]
    found: Words = np.ascontiguousarray(some).view(">u8").ravel().astype(np.uint64)
    return found


def ranges(words: Words, parts: int) -> Array:
    """The range of each number, of so many that ascend and are equally wide.

    >>> ranges(np.array([0, 2**63 - 1, 2**63, 2**64 - 1], dtype=np.uint64), 2).tolist()
    [0, 0, 1, 1]
    """
    high = words >> np.uint64(32)
    return ((high * np.uint64(parts)) >> np.uint64(32)).astype(np.int64)
