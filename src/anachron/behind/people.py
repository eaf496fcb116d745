"""Who: a number for the person of each row, and what each person is called.

Somebody whom several columns tell apart together is called by the texts of all of them, in the
order of the columns' names, each as its length in bytes, a colon, and itself. Where each row is a
person, they are called by the first half of SHA-256 over the text of the row, and by how many rows
before it are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Codes
from anachron.behind.columns import Coded, coded, coded_texts
from anachron.behind.folding import folded_names
from anachron.behind.keys import row_keys
from anachron.behind.opened import Opened, quoted
from anachron.behind.refusing import refuse_marked
from anachron.database import connected
from anachron.schema import MERGE, Schema

__all__ = ["named_sql", "people"]

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


def named_sql(opened: Opened, column: str) -> str:
    """SQL for the name of the person of each row, by one column."""
    target = "BIGINT" if opened.types[column] in _SMALL else "VARCHAR"
    return f"CAST({quoted(column)} AS {target})"


def _column(opened: Opened, column: str) -> Coded:
    name = named_sql(opened, column)
    is_text = name.endswith("VARCHAR)")
    if is_text:
        who = coded_texts(*opened.fetch(who=name, hash=f"hash({name})").columns)
    else:
        who = coded(opened.fetch(who=name).column(0))
    remedy = "Every row needs its subject. Fill it in or leave the row out."
    refuse_marked(who.codes < 0, "is missing", remedy, column, opened.name)
    if is_text:
        empty = np.asarray(pc.equal(pc.utf8_trim_whitespace(who.values), ""))[who.codes]
        refuse_marked(empty, "is an empty text", remedy, column, opened.name)
    return who


def _together(columns: Sequence[Coded]) -> Coded:
    """One number for each combination, in the order in which they come."""
    by = {f"c{place}": column.codes for place, column in enumerate(columns)}
    first = _numbered(by, f"min(row) OVER (PARTITION BY {', '.join(by)})")
    rows, codes = np.unique(np.asarray(first), return_inverse=True)
    parts = [_measured(column.values.take(pa.array(column.codes[rows]))) for column in columns]
    names = pc.binary_join_element_wise(*parts, "")
    return Coded(codes.astype(np.int32), names.cast(pa.binary()))


def _measured(values: pa.Array) -> pa.Array:
    """Texts, each after its length in bytes and a colon."""
    texts = values.cast(pa.string())
    return pc.binary_join_element_wise(pc.binary_length(texts).cast(pa.string()), texts, ":")


def _each_row(opened: Opened, schema: Schema, told: str) -> Coded:
    keys = row_keys(opened, schema, told, b"", None).astype(">u8")
    key = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(16), len(keys), [None, pa.py_buffer(np.ascontiguousarray(keys))]
    )
    before = "row_number() OVER (PARTITION BY key ORDER BY row) - 1"
    names = _numbered({"key": key.cast(pa.binary())}, f"lower(hex(key)) || '-' || ({before})")
    return Coded(np.arange(opened.rows, dtype=np.int32), names.cast(pa.string()))


def _numbered(columns: Mapping[str, Codes | pa.Array], expression: str) -> pa.Array:
    """The values of an SQL expression on columns and the number of the row, row by row."""
    rows = len(next(iter(columns.values())))
    held = pa.table({"row": np.arange(rows), **columns})
    with connected() as con:
        con.register("held", held)
        asked = f"SELECT {expression} AS found FROM held ORDER BY row"
        return con.sql(asked).to_arrow_table().column(0).combine_chunks()
