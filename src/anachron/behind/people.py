"""Who: a number for the person of each row, and what each person is called.

Somebody whom several columns tell apart together is called by the texts of all of them, in the
order of the columns' names, each as its length in bytes, a colon, and itself. Where each row is a
person, they are called by the first half of SHA-256 over the text of the row, and by how many rows
before it are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Codes
from anachron.behind.columns import Coded, coded
from anachron.behind.folding import folded_names
from anachron.behind.keys import row_keys
from anachron.behind.opened import Opened, quoted
from anachron.behind.refusing import refuse_marked
from anachron.schema import MERGE, Schema

__all__ = ["people"]

_SMALL = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
)


def people(opened: Opened, schema: Schema, told: str) -> Coded:
    """Give each person of a table a number and a name; ``told`` is what the time column tells."""
    columns = [_column(opened, name) for name in sorted(schema.subject_columns)]
    if not columns:
        return _each_row(opened, schema, told)
    who = columns[0] if len(columns) == 1 else _together(columns)
    if schema.spelling != MERGE or pa.types.is_integer(who.values.type):
        return who
    names = folded_names(who.values, exact=False).dictionary_encode()
    # One of the spellings stands for a person.
    first = np.unique(np.asarray(names.indices), return_index=True)[1]
    return Coded(np.asarray(names.indices)[who.codes], who.values.take(pa.array(first)))


def _column(opened: Opened, column: str) -> Coded:
    target = "BIGINT" if opened.types[column] in _SMALL else "VARCHAR"
    who = coded(opened.fetch(who=f"CAST({quoted(column)} AS {target})").column(0))
    remedy = "Every row needs its subject. Fill it in or leave the row out."
    refuse_marked(who.codes < 0, "is missing", remedy, column, opened.name)
    if target == "VARCHAR":
        empty = np.asarray(pc.equal(pc.utf8_trim_whitespace(who.values), ""))[who.codes]
        refuse_marked(empty, "is an empty text", remedy, column, opened.name)
    return who


def _together(columns: Sequence[Coded]) -> Coded:
    """One number for each combination, in the order in which they come."""
    number: dict[tuple[int, ...], int] = {}
    rows = zip(*(column.codes.tolist() for column in columns), strict=True)
    codes: Codes = np.array([number.setdefault(row, len(number)) for row in rows], dtype=np.int32)
    texts = [[str(value).encode() for value in column.values.to_pylist()] for column in columns]
    names = [
        b"".join(b"%d:%b" % (len(of[at]), of[at]) for of, at in zip(texts, row, strict=True))
        for row in number
    ]
    return Coded(codes, pa.array(names, pa.binary()))


def _each_row(opened: Opened, schema: Schema, told: str) -> Coded:
    seen: Counter[bytes] = Counter()
    names = []
    for one in row_keys(opened, schema, told, b"", None).astype(">u8"):
        key = one.tobytes()
        names.append(f"{key.hex()}-{seen[key]}")
        seen[key] += 1
    return Coded(np.arange(opened.rows, dtype=np.int32), pa.array(names, pa.string()))
