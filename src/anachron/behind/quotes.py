"""Where double quotes stand in a text file: around whole cells, or inside cells without any.

Readers differ in what they make of blanks or text between a quote and the end of its cell: Arrow's
keeps them as part of the value, others drop them. A table in which they occur is refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

from anachron.behind.decoding import opened_text
from anachron.behind.refusing import reading
from anachron.errors import TableError

__all__ = ["refuse_loose_quotes"]

_BLOCK = 1 << 24
_LONGEST = 1 << 26
"""Longer than any record of a table that can be published."""
_BOM = b"\xef\xbb\xbf"


def refuse_loose_quotes(file: Path, encoding: str, separator: str, columns: int) -> None:
    """Refuse a file in which something stands between a quote and the end of its cell."""
    mark = re.escape(separator.encode())
    cell = rb'(?:"(?:[^"]++|"")*+"|(?! *")[^%s\r\n]*+)' % mark
    record = rb"%s(?:%s%s)*+(?:\r\n?|\n)" % (cell, mark, cell)
    with reading(file.name), opened_text(file, encoding) as stream:
        good = _good_bytes(stream, re.compile(rb"(?:%s)*+" % record))
        if good is None:
            return
    with reading(file.name), opened_text(file, encoding) as stream:
        before = re.findall(record, stream.read(good).removeprefix(_BOM))
    # A line without a byte is a record only where there is one column.
    row = sum(columns == 1 or text.strip(b"\r\n") != b"" for text in before)
    raise TableError(
        f"{'the row' if row else 'the header'} has blanks or text between a double quote and "
        "the separator, or a double quote that is not closed.",
        file.name,
        row=row or None,
        remedy='Write a double quote inside a cell twice (""), and nothing between those '
        "around a cell and the separators.",
    )


def _good_bytes(stream: BinaryIO, records: re.Pattern[bytes]) -> int | None:
    """How many bytes stand before the first record that is not right; None if all are."""
    block = stream.read(_BLOCK)
    good = len(_BOM) if block.startswith(_BOM) else 0
    rest, block = b"", block[good:]
    while block and len(rest) <= _LONGEST:
        rest += block
        block = stream.read(_BLOCK)
        if not block:
            rest += b"\n"  # ends the last record, or is an empty line
        if b'"' in rest:
            end = records.match(rest).end()  # type: ignore[union-attr]
        else:
            end = max(rest.rfind(b"\n"), rest.rfind(b"\r")) + 1
        good, rest = good + end, rest[end:]
    return good if rest else None
