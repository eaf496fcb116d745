"""Count the records of a text file without the reader that reads it.

DuckDB leaves out some records without a word, such as one of more than 32 MB, and drops blanks
beside quotes and an empty cell beyond the last name. So records are counted a second time, by the
bytes that end them, and so are cells and quotes.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from anachron.arrays import Array, Bytes, Flags
from anachron.source.unpacking import unpacked

__all__ = ["Tally", "count_records"]

_BLOCK = 1 << 22
_QUOTE, _LF, _CR = b'"\n\r'
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Tally:
    """How many records there are, the header among them.

    A line without a byte is none, or where there is one column, a record without a value.
    """

    records: int
    longest: int
    """The bytes of the longest record."""
    longest_at: int
    """Which one it is; the header is 0."""
    loose_at: int | None = None
    """The first with something between a quote and the end of its cell, if there is one."""
    wide_at: int | None = None
    """The first with more cells than the header, if there is one."""


def count_records(file: Path, packed: str, separator: str, columns: int) -> Tally:
    """Count the records of a file with a header, quotes and one separator."""
    with unpacked(file, packed) as stream:
        found = _by_bytes(stream, ord(separator), columns)
    if found is not None:
        return found
    # A quote stands inside a cell, or something beside one: what it means takes a closer look.
    with unpacked(file, packed) as stream:
        return _by_cells(stream, separator, columns)


def _by_bytes(stream: BinaryIO, separator: int, columns: int) -> Tally | None:
    """A line end ends a record if as many quotes as close stand before it.

    That is so if every quote that opens stands at the beginning of a cell, and every one that
    closes at the end; None if one does not, or if there are more or fewer cells than names.
    """
    beside_quotes = np.zeros(256, dtype=bool)
    beside_quotes[[separator, _LF, _CR, _QUOTE]] = True
    quotes = records = longest = longest_at = separators = 0
    at, start = 0, 0
    block = stream.read(_BLOCK).removeprefix(_BOM)
    before = _LF
    while block:
        # A CR or a quote at the very end is looked at with what follows it.
        while block.endswith((b"\r", b'"')) and (more := stream.read(1)):
            block += more
        seen = np.frombuffer(bytes([before]) + block + b"\n", dtype=np.uint8)
        quote = np.flatnonzero(seen == _QUOTE)
        opens, closes = quote[quotes % 2 :: 2], quote[1 - quotes % 2 :: 2]
        if not (beside_quotes[seen[opens - 1]].all() and beside_quotes[seen[closes + 1]].all()):
            return None
        seen = seen[:-1]
        marked = seen == separator
        marked[0] = False  # it was seen before
        separators += _outside(marked, quote, quotes)
        end = _ends(seen)
        end = end[(np.searchsorted(quote, end) + quotes) % 2 == 0]
        # Where records begin and how long they are, in bytes of the whole file.
        ends = at + end - 1
        begins = np.concatenate([[start], ends[:-1] + 1]) if len(ends) else ends
        lengths = ends - begins - ((seen[end] == _LF) & (seen[end - 1] == _CR) & (ends > begins))
        if len(ends):
            whole = np.flatnonzero(lengths) if columns > 1 else np.arange(len(lengths))
            if len(whole) and lengths.max() > longest:
                longest_at = records + int(np.searchsorted(whole, lengths.argmax()))
                longest = int(lengths.max())
            records, start = records + len(whole), int(ends[-1]) + 1
        quotes, at, before = quotes + len(quote), at + len(block), block[-1]
        block = stream.read(_BLOCK)
    if at > start:
        longest, longest_at = max((longest, longest_at), (at - start, records))
        records += 1
    if separators != records * (columns - 1):
        return None
    return Tally(records, longest, longest_at)


def _outside(marked: Flags, quote: Array, quotes: int) -> int:
    """How many marked bytes stand outside quotes, if so many quotes stood before."""
    inside = quotes % 2
    if not len(quote):
        return 0 if inside else int(np.count_nonzero(marked))
    upto = np.cumsum(marked, dtype=np.int32)
    outside = int(upto[quote[inside::2]].sum()) - int(upto[quote[1 - inside :: 2]].sum())
    return outside + (0 if (inside + len(quote)) % 2 else int(upto[-1]))


def _ends(seen: Bytes) -> Array:
    """Where lines end: at LF, and at CR unless LF follows. The first byte was seen before."""
    ends = seen == _LF
    ends[:-1] |= (seen[:-1] == _CR) & (seen[1:] != _LF)
    ends[-1] |= seen[-1] == _CR
    ends[0] = False
    return np.flatnonzero(ends)


def _by_cells(stream: BinaryIO, separator: str, columns: int) -> Tally:
    """The same, cell by cell and much slower."""
    records = longest = longest_at = 0
    loose_at = wide_at = None
    before = csv.field_size_limit(sys.maxsize)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    lines: list[str] = []
    try:
        for row in csv.reader(_kept(text, lines), delimiter=separator, strict=True):
            if not row and columns > 1:
                continue
            if loose_at is None and _opens_late(row, lines, separator):
                loose_at = records
            if wide_at is None and len(row) > columns:
                wide_at = records
            length = sum(map(len, row)) + len(row) - 1
            if length > longest:
                longest, longest_at = length, records
            records += 1
            lines.clear()
    except csv.Error:  # something stands behind a quote: no cell ends there
        loose_at = records if loose_at is None else loose_at
    finally:
        csv.field_size_limit(before)
        text.detach()
    return Tally(records, longest, longest_at, loose_at, wide_at)


def _kept(text: Iterator[str], lines: list[str]) -> Iterator[str]:
    """The lines of a text, each also kept."""
    for line in text:
        lines.append(line)
        yield line


def _opens_late(row: Sequence[str], lines: Sequence[str], separator: str) -> bool:
    """Whether blanks stand before a quote that would open a cell, if blanks were dropped."""
    late = [
        place for place, cell in enumerate(row) if cell[:1] == " " and cell.strip(" ")[:1] == '"'
    ]
    if not late:
        return False
    # The cell may also be in quotes as a whole: then it is the same with blanks dropped.
    again = next(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    return len(again) != len(row) or any(again[place] != row[place] for place in late)
