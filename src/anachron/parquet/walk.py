"""Walk over a whole Parquet file: rows, and nothing before, between or behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.parquet.footer import BYTES, Chunk, laid_out
from anachron.parquet.measure import DATA, DICTIONARY, bytes_of, head_of, in_pages
from anachron.parquet.packed import unpacked, walk_runs
from anachron.parquet.thrift import Beside
from anachron.parquet.values import check_sizes, check_statistics, different, plain

__all__ = ["walk"]

_PLAIN, _OLD_CODES, _RUNS, _CODES = 0, 2, 3, 8
_WIDEST = 32


def walk(file: Path, names: Sequence[str], rows: int) -> None:
    """Account for every byte of a file, or raise :class:`Beside`, which says where that fails.

    Parameters
    ----------
    file
        The Parquet file.
    names
        The columns it must have, in order.
    rows
        How many rows it must have.
    """
    with bytes_of(file) as data:
        _walk(data, file, names, rows)


def _walk(data: memoryview, file: Path, names: Sequence[str], rows: int) -> None:
    chunks = laid_out(data, names, rows)
    for chunk in chunks:
        in_pages(data, chunk)  # no reader may see a page that lies about its size
    with pq.ParquetFile(file) as parquet:
        for chunk in chunks:
            _walk_chunk(data, chunk, _values(parquet, chunk))


def _values(parquet: pq.ParquetFile, chunk: Chunk) -> pa.Array:
    found = parquet.read_row_group(chunk.group, columns=[chunk.name]).column(chunk.name)
    values = found.combine_chunks()
    return values if isinstance(values, pa.Array) else pa.concat_arrays(values.chunks)


@dataclass(frozen=True, eq=False)
class _Page:
    """A page: its head, by the fields of the format, and what it holds."""

    number: int
    head: dict[int, Any]
    body: memoryview

    @property
    def is_dictionary(self) -> bool:
        return bool(self.head[1] == DICTIONARY)

    @property
    def about(self) -> dict[int, Any]:
        """What is said of its values."""
        found: dict[int, Any] = self.head[7 if self.is_dictionary else 5]
        return found


@dataclass
class _Walked:
    """What was seen of a chunk so far."""

    uncompressed: int = 0
    rows: int = 0
    coded: int = 0
    """Rows that are given by codes of the dictionary: those come first."""
    kinds: Counter[tuple[int, int]] = field(default_factory=Counter)


def _walk_chunk(data: memoryview, chunk: Chunk, values: pa.Array) -> None:
    """Check that the pages of a column are its rows, and that nothing stands between them."""
    at, number, seen = chunk.start, 0, _Walked()
    dictionary = None
    while at < chunk.end:
        number += 1
        try:
            page, at = _page(data, at, chunk, number, seen)
            if page.is_dictionary:
                dictionary = page
            else:
                _check_data(page, chunk, dictionary, values, seen)
        except Beside as finding:
            raise Beside(f"{chunk.place}, page {number}: {finding}") from None
        except KeyError:
            raise Beside(f"{chunk.place}, page {number}: something is missing") from None
    try:
        if dictionary is not None:
            _check_dictionary(dictionary, values.slice(0, seen.coded))
        _check_totals(chunk, seen, at)
    except Beside as finding:
        raise Beside(f"{chunk.place}: {finding}") from None
    check_statistics(chunk.said.get(12), values, chunk.place)
    check_sizes(chunk.said.get(16), values, chunk.place)


def _page(data: memoryview, at: int, chunk: Chunk, number: int, seen: _Walked) -> tuple[_Page, int]:
    head, start = head_of(data, at, chunk)
    end = start + head[3]
    kind = head[1]
    if (kind == DICTIONARY) != (number == 1 and 11 in chunk.said):
        raise Beside("a dictionary that is not the first page")
    if kind == DATA and not seen.rows and chunk.said[9] != at:
        raise Beside("the first page is said to be elsewhere")
    page = _Page(number, head, unpacked(data[start:end], head[2]))
    seen.uncompressed += start - at + head[2]
    seen.kinds[kind, page.about[2]] += 1
    return page, end


def _check_data(
    page: _Page, chunk: Chunk, dictionary: _Page | None, values: pa.Array, seen: _Walked
) -> None:
    rows, encoding = page.about[1], page.about[2]
    if rows < 1 or seen.rows + rows > len(values) or (page.about[3], page.about[4]) != (_RUNS,) * 2:
        raise Beside("another number of values than the rows have")
    mine = values.slice(seen.rows, rows)
    levels = int.from_bytes(page.body[:4], "little") + 4
    walk_runs(page.body[4:levels], 1, rows)
    rest = page.body[levels:]
    there = rows - mine.null_count
    if encoding in (_CODES, _OLD_CODES) and dictionary is not None and seen.coded == seen.rows:
        _check_codes(rest, dictionary.about[1], there)
        seen.coded += rows
    elif encoding == _PLAIN:
        _check_plain(rest, chunk, mine.drop_null())
    elif encoding == _RUNS and pa.types.is_boolean(values.type):
        if int.from_bytes(rest[:4], "little") + 4 != len(rest):
            raise Beside("another size of its values than stated")
        walk_runs(rest[4:], 1, there)
    else:
        raise Beside("values in a form that Anachron does not write")
    check_statistics(page.about.get(5), mine, "statistics")
    seen.rows += rows


def _check_codes(rest: memoryview, entries: int, there: int) -> None:
    width = rest[0] if len(rest) else 0
    if width > max((entries - 1).bit_length(), 1) or width > _WIDEST:
        raise Beside("codes that are wider than the dictionary needs")
    if not there and len(rest) <= 1:
        return
    walk_runs(rest[1:], width, there)


def _check_plain(rest: memoryview, chunk: Chunk, there: pa.Array) -> None:
    if chunk.said[1] != BYTES:
        if bytes(rest) != plain(there):
            raise Beside("values that are not those of the rows")
        return
    # Each text stands behind its length, in four bytes.
    size = 4 * len(there) + (pc.sum(pc.binary_length(there)).as_py() or 0)
    if size != len(rest):
        raise Beside(f"{len(rest) - size:,} bytes behind the values of a page")


def _check_dictionary(page: _Page, coded: pa.Array) -> None:
    """A dictionary lists the values of the rows, each once, in the order of the rows."""
    held = different(coded)
    if page.about[2] not in (_PLAIN, _OLD_CODES) or page.about.get(3):
        raise Beside("a dictionary in a form that Anachron does not write")
    if page.about[1] != len(held):
        raise Beside(f"a dictionary of {page.about[1]:,} values, of which rows hold {len(held):,}")
    if bytes(page.body) != plain(held):
        raise Beside("a dictionary with other values than its rows, or in another order")


def _check_totals(chunk: Chunk, seen: _Walked, at: int) -> None:
    said = chunk.said
    if at != chunk.end or seen.rows != chunk.rows or seen.uncompressed != said[6]:
        raise Beside("its pages do not make up what is stated of it")
    pages = [(one[1], one[2], one[3]) for one in said.get(13, ())]
    if pages and sorted(pages) != sorted((*kind, n) for kind, n in seen.kinds.items()):
        raise Beside("it states other pages than it has")
    known = {encoding for _, encoding in seen.kinds} | {_PLAIN, _RUNS}
    if len(set(said[2])) != len(said[2]) or not set(said[2]) <= known:
        raise Beside("it states other encodings than it has")
