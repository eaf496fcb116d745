"""Rows and tables by their hashes, as a ledger remembers them: the same definitions, written again.

A row is written as one text: the columns of the subject, the quasi columns and the sensitive ones,
each in the order of their names, the columns of a series, and the time, each as its length, a colon
and its text, a missing one as a colon alone. Equal numbers have equal texts, whatever their type,
and so have equal moments. A feed knows a record by SHA-256 over a secret and this text; where each
row is a person, and several are alike, it knows all but one by a hash of that. A ledger knows a
table by the sum of the MD5 hashes of its rows, under the roles of its columns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anachron.arrays import Words
from anachron.behind.moments import UNITS
from anachron.behind.opened import Opened, is_text, quoted
from anachron.database import connected
from anachron.schema import CALENDAR_UNITS, Schema

__all__ = ["double", "of_repeated", "row_key_sql", "row_keys", "table_digest", "words_of"]

_LISTED = "\x1f"
_HASH = 32
_DAY = 86_400_000_000


def row_keys(
    opened: Opened, schema: Schema, told: str, secret: bytes, some: Sequence[str] | None
) -> Words:
    """Two numbers for each row: the first half of its hash.

    ``told`` says what the time column tells. With ``some``, rows that have none of these sensitive
    values, as texts, get zeros.
    """
    sql = row_key_sql(opened, schema, told, secret, some)
    return words_of(opened.fetch(key=sql).column(0).combine_chunks())


def row_key_sql(
    opened: Opened, schema: Schema, told: str, secret: bytes, some: Sequence[str] | None = None
) -> str:
    """SQL for the same, as 16 bytes."""
    hashed = f"left(sha256('{secret[:16].hex()}' || {_row(opened, schema, told)}), 32)"
    if some is not None:
        listed = _LISTED.join(["", *some, ""]).replace("'", "''")
        own = f"CAST({quoted(schema.sensitive[0])} AS VARCHAR)"
        is_listed = f"contains('{listed}', '{_LISTED}' || {own} || '{_LISTED}')"
        hashed = f"CASE WHEN {is_listed} THEN {hashed} ELSE '{'0' * 32}' END"
    return f"unhex({hashed})"


def words_of(digits: pa.Array) -> Words:
    """Two numbers for each 16 bytes."""
    start = 2 * digits.offset
    words = np.frombuffer(digits.buffers()[2], dtype=">u8")[start : start + 2 * len(digits)]
    return words.reshape(-1, 2).astype(np.uint64)


def of_repeated(keys: Words, names: pa.Array, secret: bytes) -> Words:
    """The same where each row is a person: of rows that are alike, all but one get another key.

    It is the hash of the secret, the key in hexadecimal digits, and the end of the name, which says
    how many such rows came before. Zeros stay.
    """
    held = pa.table({"high": keys[:, 0], "low": keys[:, 1], "name": names})
    digits = f"'{secret[:16].hex()}' || printf('%016x%016x', high, low) || right(name, -{_HASH})"
    with connected() as con:
        con.register("held", held.append_column("row", [np.arange(len(keys))]))
        again = con.sql(
            f"SELECT row, unhex(left(sha256({digits}), 32)) AS key FROM held "
            "WHERE NOT ends_with(name, '-0') AND (high, low) != (0, 0)"
        ).to_arrow_table()
    found = keys.copy()
    words = np.frombuffer(b"".join(again["key"].to_pylist()), dtype=">u8").reshape(-1, 2)
    found[again["row"].to_numpy()] = words
    return found


def table_digest(opened: Opened, schema: Schema, told: str) -> str:
    """One text for roles and rows, whatever their order."""
    number = f"md5_number({_row(opened, schema, told)})"
    words = opened.total(f"CAST({number} & {2**64 - 1} AS UBIGINT)", f"({number} >> 64)::UBIGINT")
    who = schema.subject_columns
    roles: dict[str, object] = {
        "subject": sorted(who) if len(who) > 1 else schema.person,
        "time": schema.time,
        "quasi": sorted(schema.quasi),
        "sensitive": sorted(schema.sensitive),
        **({"series": list(schema.series)} if schema.series else {}),
    }
    of_calendar = told in ("number", "month") and schema.time_unit in CALENDAR_UNITS
    content = {
        "roles": roles,
        "clock": (schema.stored_zone or schema.time_zone)
        if told == "wall" or of_calendar
        else "UTC",
        "rows": opened.rows,
        "sums": [word % 2**64 for word in words],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _row(opened: Opened, schema: Schema, told: str) -> str:
    """SQL for the text of a row."""
    names = [*sorted(schema.subject_columns), *sorted(schema.quasi), *sorted(schema.sensitive)]
    texts = [_text(quoted(name), opened.types[name]) for name in names]
    texts += [_bits(double(name, opened.types[name])) for name in schema.series]
    if schema.time:
        texts.append(f"CAST({_micros(opened, schema, told)} AS VARCHAR)")
    return " || ".join(f"coalesce(strlen({text}) || ':' || {text}, ':')" for text in texts)


def _text(name: str, kind: str) -> str:
    """SQL for the one text of a value."""
    if kind.startswith("DECIMAL("):
        digits, after_point = map(int, kind[8:-1].split(","))
        if not after_point:
            return f"CAST({name} AS VARCHAR)"
        if digits <= 15:
            return _number(f"CAST({name} AS DOUBLE)")
        exact = f"regexp_replace(CAST({name} AS VARCHAR), '\\.?0+$', '')"
        few = f"strlen({_significant(name)}) <= 15"
        return f"CASE WHEN {few} THEN {_number(f'CAST({exact} AS DOUBLE)')} ELSE {exact} END"
    if kind in ("FLOAT", "DOUBLE"):
        return _number(f"CAST({name} AS DOUBLE)")
    if kind.startswith("TIMESTAMP"):
        return _moment(name, kind)
    return f"hex({name})" if kind == "BLOB" else f"CAST({name} AS VARCHAR)"


def _significant(name: str) -> str:
    """SQL for the digits of a decimal that tell anything."""
    return f"trim(regexp_replace(CAST({name} AS VARCHAR), '[-.]', '', 'g'), '0')"


def _number(double: str) -> str:
    """SQL for the text of a floating-point number: of a whole one, its digits."""
    is_whole = f"floor({double}) = {double} AND {double} > -9e18 AND {double} < 9e18"
    return f"if({is_whole}, CAST({double} AS BIGINT) || '', printf('%.17e', {double}))"


def _moment(name: str, kind: str) -> str:
    """SQL for the text of a moment: of midnight, the date."""
    fine = f"epoch_ns({name})" if kind.endswith("_NS") else f"epoch_us({name}) * 1000::HUGEINT"
    micros = f"({fine} // 1000)"
    day = f"CAST(DATE '1970-01-01' + CAST({micros} // {_DAY} AS INTEGER) AS VARCHAR)"
    rest = f"if({fine} % 1000 = 0, {micros} || '', {fine} || 'ns')"
    return f"if({micros} % {_DAY} = 0, {day}, {rest})"


def double(column: str, kind: str) -> str:
    """SQL for a number of a series; far beyond all limits where it would not be exact."""
    name = quoted(column)
    if is_text(kind):  # a column without any number
        return "CAST(NULL AS DOUBLE)"
    if kind.startswith("DECIMAL(") and int(kind[8:].split(",")[0]) > 15:
        exact = f"CAST(CAST({name} AS VARCHAR) AS DOUBLE)"
        return f"if({name} IS NULL, NULL, if(strlen({_significant(name)}) <= 15, {exact}, 1e300))"
    return f"CAST({name} AS DOUBLE)"


def _bits(number: str) -> str:
    """SQL for the bits of a floating-point number, as a whole one; zeros of both signs are one."""
    return f"CAST(CAST(CAST({number} + 0.0 AS BIT) AS BIGINT) AS VARCHAR)"


def _micros(opened: Opened, schema: Schema, told: str) -> str:
    """SQL for the microseconds since 1970 that the time column tells, on its clock."""
    name, kind = quoted(schema.time), opened.types[schema.time]
    if told == "number":
        number = f"CAST({name} AS BIGINT)"
        if schema.time_unit == "year":
            return f"epoch_us(make_date({number}, 1, 1))"
        if schema.time_unit == "month":
            return f"epoch_us(make_date({number} // 100, {number} % 100, 1))"
        return f"{number} * {UNITS[schema.time_unit]}"
    if kind.endswith("_NS"):
        return f"(epoch_ns({name}) // 1000 - if(epoch_ns({name}) % 1000 < 0, 1, 0))"
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        return f"epoch_us({name})"
    text = f"CAST({name} AS VARCHAR)"
    if schema.time_format is not None:
        return f"epoch_us(strptime({text}, '{schema.time_format}'))"
    if told == "month":
        return f"epoch_us(CAST({text} || '-01' AS DATE))"
    return f"epoch_us(CAST({text} AS {'TIMESTAMP' if told == 'wall' else 'TIMESTAMPTZ'}))"
