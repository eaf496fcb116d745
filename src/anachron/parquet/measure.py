"""How much a Parquet file is once it is unpacked, found out before anything of it is.

A page states its size, and a dictionary lets a long text stand in any number of rows: a few
kilobytes can be gigabytes to whoever reads them. Here the heads of pages are read first, which
costs next to nothing, and then the codes of texts, never the texts that they stand for.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.errors import PlanError
from anachron.parquet.footer import BYTES, FIXED, Chunk, laid_out
from anachron.parquet.thrift import PAGE, Beside, Unfit, read

__all__ = ["DATA", "DICTIONARY", "VARIABLE", "allowed", "bytes_of", "check_size", "head_of",
           "in_pages"]  # fmt: skip

DATA, DICTIONARY = 0, 2
"""Kinds of pages."""

VARIABLE = "ANACHRON_UNPACKED"
"""The environment variable that says how much a table from elsewhere may unpack to."""
_ALWAYS, _TIMES = 128 << 20, 200
"""Bytes that every table may unpack to, and how many times its file, if that is more."""
_UNITS = {"MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_NUMBER, _OFFSET = 8, 4
"""Bytes that a number or a time takes at most in memory, and a text beside its letters."""
_ROWS_IN_PAGE = 64
"""No page but the last ones has so few rows: there are not more heads than this allows."""


def allowed(size: int) -> int:
    """Say to how many bytes a file of some bytes may unpack, if nobody vouches for it."""
    given = os.environ.get(VARIABLE)
    if given is None:
        return max(_ALWAYS, _TIMES * size)
    said = re.fullmatch(r"(\d{1,6}) ?([MGT]B)", given.strip(), re.ASCII)
    if said is None:
        raise PlanError(f"the environment variable {VARIABLE} is not a size. Write it like '2GB'.")
    return int(said[1]) * _UNITS[said[2]]


@contextmanager
def bytes_of(file: Path) -> Iterator[memoryview]:
    """The bytes of a file, where they lie."""
    try:
        mapped = pa.memory_map(str(file))
    except OSError as error:
        if error.errno is None:  # Arrow does not tell the number with which a map was refused
            raise OSError(errno.EIO, str(error), str(file)) from None
        raise
    with mapped:
        yield memoryview(mapped.read_buffer()).cast("B")


def check_size(
    file: Path, names: Sequence[str], rows: int, most: int | None, before: int = 0
) -> int:
    """Refuse a file that would unpack to more than some bytes, or does not tell; give how many.

    Parameters
    ----------
    file, names, rows
        As for :func:`anachron.parquet.walk`.
    most
        How many bytes it may unpack to; None if it may be any number.
    before
        How many bytes other parts of the same table unpack to, which count as well.
    """
    with bytes_of(file) as data:
        chunks = laid_out(data, names, rows, measured=True)
        size = before + sum(in_pages(data, chunk) + chunk.rows * _width(chunk) for chunk in chunks)
        _check(size, most)
        texts = [chunk for chunk in chunks if chunk.said[1] == BYTES]
        with pq.ParquetFile(file, read_dictionary=list({one.name for one in texts})) as parquet:
            for chunk in texts:
                size += _letters(parquet, chunk)
                _check(size, most)
    return size


def _check(size: int, most: int | None) -> None:
    if most is not None and size > most:
        remedy = f"to allow it, set {VARIABLE}, such as to 8GB"
        raise Unfit(f"would unpack to more than {most >> 20:,} MB ({remedy})")


def head_of(data: memoryview, at: int, chunk: Chunk) -> tuple[dict[int, Any], int]:
    """Read the head of a page; give it, and where the page begins, which ends with its chunk."""
    head, start = read(data[: chunk.end], at, PAGE)
    of_kind = {DATA: 5, DICTIONARY: 7}.get(head[1], -1)
    fits = min(head[2], head[3]) >= 0 and start + head[3] <= chunk.end
    if set(head) != {1, 2, 3, of_kind} or not fits:
        raise Beside("no page of data, and no dictionary")
    return head, start


def in_pages(data: memoryview, chunk: Chunk) -> int:
    """How many bytes the pages of a column unpack to, as they state it."""
    at, size, rows, pages = chunk.start, 0, 0, 0
    try:
        while at < chunk.end:
            pages += 1
            head, start = head_of(data, at, chunk)
            size += start - at + head[2]
            at = start + head[3]
            if head[1] == DICTIONARY and not 0 <= head[7][1] <= head[2]:
                raise Beside("a dictionary of more values than it can have")
            rows += head[5][1] if head[1] == DATA else 0
            if rows > chunk.rows or pages > 2 + chunk.rows // _ROWS_IN_PAGE:
                raise Beside("more pages or values than its rows need")
    except Beside as finding:
        raise Beside(f"{chunk.place}, page {pages}: {finding}") from None
    except KeyError:
        raise Beside(f"{chunk.place}, page {pages}: something is missing") from None
    if size != chunk.said[6]:
        raise Beside(f"{chunk.place}: its pages do not make up what is stated of it")
    return size


def _width(chunk: Chunk) -> int:
    """How many bytes a value takes in memory, without its letters."""
    if chunk.said[1] == BYTES:
        return _OFFSET
    return max(chunk.length, 2 * _NUMBER) if chunk.said[1] == FIXED else _NUMBER


def _letters(parquet: pq.ParquetFile, chunk: Chunk) -> int:
    """How many bytes the texts of a column have, each counted as often as it stands in a row."""
    size = 0
    # Several may have that name, in a file that is none of ours.
    found = parquet.read_row_group(chunk.group, columns=[chunk.name])
    parts = [part for column in found.columns for part in column.chunks]
    for part in parts:
        part.dictionary.validate(full=True)  # its letters are letters
        lengths = pc.fill_null(pc.binary_length(part.dictionary), 0)
        size += pc.sum(lengths.take(part.indices)).as_py() or 0
    return size
