"""Text files with a header, read by Arrow's parser; numbers are told from texts afterwards."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from anachron.behind.decoding import opened_text
from anachron.behind.quotes import refuse_loose_quotes
from anachron.behind.refusing import reading
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["read_texts", "typed_texts"]

_SEPARATORS = ",;\t|"
_HEADER = 1 << 20
_BLOCK = 1 << 26
"""Longer than any line of a table that can be published."""
_WHOLE = r"^(0|-?[1-9][0-9]{0,18})$"
_DECIMAL = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"
_NOT_FINITE = r"^[+-]?(nan|inf|infinity)$"


def read_texts(file: Path, how: Source, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns as texts; an empty cell is a missing value."""
    separator, names = _header(file, how.encoding, wanted)
    refuse_loose_quotes(file, how.encoding, separator, len(names))
    places = [f"{place}" for place in range(len(names))]
    chosen = [places[names.index(column)] for column in wanted]
    with reading(file.name), opened_text(file, how.encoding) as stream:
        table = arrow_csv.read_csv(
            stream,
            arrow_csv.ReadOptions(column_names=places, skip_rows_after_names=1, block_size=_BLOCK),
            arrow_csv.ParseOptions(
                delimiter=separator,
                newlines_in_values=True,
                ignore_empty_lines=len(names) > 1,
            ),
            arrow_csv.ConvertOptions(
                include_columns=chosen,
                column_types=dict.fromkeys(chosen, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    return pa.table(table.columns, names=list(wanted))


def _header(file: Path, encoding: str, wanted: Sequence[str]) -> tuple[str, list[str]]:
    """The separator under which the first record names all wanted columns, and all names."""
    with reading(file.name), opened_text(file, encoding) as stream:
        start = stream.read(_HEADER).decode("utf-8-sig", errors="replace")
    for separator in "\t" if ".tsv" in file.name.lower() else _SEPARATORS:
        lines = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
        names = next(lines, [])
        if set(wanted) <= set(names):
            return separator, names
    raise TableError(
        Problem(
            "the first line does not name all columns of the schema.",
            file.name,
            remedy="Give the table that was published, and the schema that it was published with.",
        )
    )


def typed_texts(texts: pa.ChunkedArray, point: str) -> pa.ChunkedArray:
    """Whole or decimal numbers, if every cell is written as one and some is finite."""
    if _all(texts, _WHOLE):
        try:
            return texts.cast(pa.int64())
        except pa.ArrowInvalid:  # beyond 64 bits
            return texts
    decimal = pc.match_substring_regex(texts, _DECIMAL.replace(r"\.", f"[{point}]"))
    other = pc.match_substring_regex(texts, _NOT_FINITE, ignore_case=True)
    finite = pc.any(decimal).as_py()
    if finite and pc.all(pc.or_(decimal, other)).as_py():
        return pc.replace_substring(pc.ascii_lower(texts), point, ".").cast(pa.float64())
    return texts


def _all(texts: pa.ChunkedArray, pattern: str) -> bool:
    """Whether all cells that are not missing match, and there are any."""
    return texts.null_count < len(texts) and bool(
        pc.all(pc.match_substring_regex(texts, pattern)).as_py()
    )
