"""Count the records of a text file without the reader that reads it.

DuckDB leaves out some records without a word, such as one of more than 32 MB. So records are
counted a second time, by the bytes that end them.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from anachron.arrays import Array, Bytes

__all__ = ["Records", "count_records"]

_BLOCK = 1 << 22
_QUOTE, _LF, _CR = b'"\n\r'
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Records:
    """How many records there are, the header among them; lines without a byte are none."""

    records: int
    empty: int
    """Lines without a byte. Where there is one column, each is a record without a value."""
    longest: int
    """The bytes of the longest record."""
    longest_at: int
    """Which one it is; the header is 0."""


def count_records(file: Path, packed: bool, separator: str) -> Records:
    """Count the records of a file with a header, quotes and one separator."""
    with _opened(file, packed) as stream:
        found = _by_bytes(stream, ord(separator))
    if found is not None:
        return found
    # A quote stands inside a cell without quotes: what it means takes a closer look.
    with _opened(file, packed) as stream:
        return _by_cells(stream, separator)


def _opened(file: Path, packed: bool) -> BinaryIO:
    return gzip.open(file) if packed else file.open("rb")  # type: ignore[return-value]


def _by_bytes(stream: BinaryIO, separator: int) -> Records | None:
    """A line end ends a record if as many quotes as close stand before it.

    That is so if every quote that opens stands at the beginning of a cell; None if one does not.
    """
    may_stand_before = np.zeros(256, dtype=bool)
    may_stand_before[[separator, _LF, _CR, _QUOTE]] = True
    quotes = records = empty = longest = longest_at = 0
    at, start = 0, 0
    block = stream.read(_BLOCK).removeprefix(_BOM)
    before = _LF
    while block:
        # A CR at the very end is looked at with what follows it.
        while block.endswith(b"\r") and (more := stream.read(1)):
            block += more
        seen = np.frombuffer(bytes([before]) + block, dtype=np.uint8)
        quote = np.flatnonzero(seen[1:] == _QUOTE) + 1
        if not may_stand_before[seen[quote[quotes % 2 :: 2] - 1]].all():
            return None
        end = _ends(seen)
        end = end[(np.searchsorted(quote, end) + quotes) % 2 == 0]
        # Where records begin and how long they are, in bytes of the whole file.
        ends = at + end - 1
        begins = np.concatenate([[start], ends[:-1] + 1]) if len(ends) else ends
        lengths = ends - begins - ((seen[end] == _LF) & (seen[end - 1] == _CR) & (ends > begins))
        if len(ends):
            whole = np.flatnonzero(lengths)
            if len(whole) and lengths.max() > longest:
                longest_at = records + int(np.searchsorted(whole, lengths.argmax()))
                longest = int(lengths.max())
            records, empty = records + len(whole), empty + len(ends) - len(whole)
            start = int(ends[-1]) + 1
        quotes, at, before = quotes + len(quote), at + len(block), block[-1]
        block = stream.read(_BLOCK)
    if at > start:
        longest, longest_at = max((longest, longest_at), (at - start, records))
        records += 1
    return Records(records, empty, longest, longest_at)


def _ends(seen: Bytes) -> Array:
    """Where lines end: at LF, and at CR unless LF follows. The first byte was seen before."""
    ends = seen == _LF
    ends[:-1] |= (seen[:-1] == _CR) & (seen[1:] != _LF)
    ends[-1] |= seen[-1] == _CR
    ends[0] = False
    return np.flatnonzero(ends)


def _by_cells(stream: BinaryIO, separator: str) -> Records:
    """The same, cell by cell and much slower."""
    records = empty = longest = longest_at = 0
    before = csv.field_size_limit(sys.maxsize)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    try:
        for row in csv.reader(text, delimiter=separator, skipinitialspace=True):
            if not row:
                empty += 1
                continue
            length = sum(map(len, row)) + len(row) - 1
            if length > longest:
                longest, longest_at = length, records
            records += 1
    finally:
        csv.field_size_limit(before)
        text.detach()
    return Records(records, empty, longest, longest_at)
