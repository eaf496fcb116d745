"""JSON lines: one object on each line, its keys the columns, read by DuckDB.

A key that is not there is a missing value, and so is null. All values of a key are texts, truth
values or numbers; numbers are whole if all of them are written so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from anachron.errors import Problem, TableError
from anachron.source.base import (
    RELATION,
    Source,
    exactly,
    literal,
    quoted,
    reading,
    require_columns,
    types_of,
)
from anachron.source.folders import Piece
from anachron.source.numbers import type_columns
from anachron.source.unpacking import check_packed, packing, unpacked

__all__ = ["open_json_lines"]

_RAW = "source_as_json"
_EXACT = 2**53
_WHOLE = frozenset({"BIGINT", "UBIGINT"})
_WORDS = {"VARCHAR": "text", "BOOLEAN": "truth values", "DOUBLE": "numbers"} | dict.fromkeys(
    _WHOLE, "numbers"
)


def open_json_lines(
    parts: Sequence[Piece], name: str, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]
) -> Source:
    """Open a file, or several as one table. They are read once, and copied."""
    con.execute(f"CREATE TABLE {_RAW} (json JSON, part INTEGER, line BIGINT)")
    for number, part in enumerate(parts):
        _copy(part.file, number, con)
    keys = [row[0] for row in con.execute(_KEYS).fetchall()]
    require_columns([*keys, *parts[0].keys], wanted, name)
    kinds = {column: _kind(con, parts, column) for column in wanted if column not in parts[0].keys}
    with reading(name):
        columns = ", ".join(
            [f"{_value(column, kind)} AS {quoted(column)}" for column, kind in kinds.items()]
            + [
                f"{_by_part(parts, column)} AS {quoted(column)}"
                for column in wanted
                if column in parts[0].keys
            ]
        )
        con.execute(f"CREATE TABLE {_RAW}_columns AS SELECT {columns} FROM {_RAW} ORDER BY rowid")
        con.execute(f"DROP TABLE {_RAW}")
        told = [column for column in wanted if column not in parts[0].keys]
        if len(told) < len(wanted):
            types = type_columns(con, f"{_RAW}_columns", RELATION, wanted, told)
        else:
            con.execute(f"CREATE VIEW {RELATION} AS FROM {_RAW}_columns")
            types = types_of(con, RELATION)
    return Source(name, RELATION, types, one_pass=True)


_KEYS = (
    "SELECT key FROM (SELECT rowid AS nth, unnest(json_keys(json)) AS key, "
    f"generate_subscripts(json_keys(json), 1) AS place FROM {_RAW}) "
    "GROUP BY key ORDER BY min(nth), arg_min(place, nth)"
)


def _copy(file: Path, number: int, con: duckdb.DuckDBPyConnection) -> None:
    """Copy the objects of a file, all of them."""
    check_packed(file, file.name)
    packed = packing(file.name)
    con.execute("DROP SEQUENCE IF EXISTS line")
    con.execute("CREATE SEQUENCE line")
    try:
        con.execute(
            f"INSERT INTO {_RAW} SELECT json, {number}, nextval('line') FROM "
            f"read_json_objects({literal(exactly(file))}, "
            f"format = 'newline_delimited', compression = '{packed}')"
        )
    except duckdb.Error:
        line = _first_odd(file, packed)
        raise TableError(
            "the line is not JSON." if line else "is not JSON lines.",
            file.name,
            row=line,
            remedy="Write one object on each line, as UTF-8.",
        ) from None
    here = f"FROM {_RAW} WHERE part = {number}"
    odd = f"SELECT min(line) {here} AND json_type(json) <> 'OBJECT'"
    if (row := con.execute(odd).fetchall()[0][0]) is not None:
        raise TableError(
            "the line holds no object.", file.name, row=row, remedy='Write {"column": value, …}.'
        )
    with unpacked(file, packed) as stream:
        there = sum(1 for line in stream if line.strip())
    read = con.execute(f"SELECT count(*) {here}").fetchall()[0][0]
    if read != there:
        raise TableError(
            f"{there:,} lines stand in the file, and {read:,} objects can be read.",
            file.name,
            remedy="Write one object on each line.",
        )


def _first_odd(file: Path, packed: str) -> int | None:
    """The first line that is not JSON."""
    with unpacked(file, packed) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                json.loads(line.strip() or b"0")
            except (ValueError, RecursionError):
                return number
    return None


def _pointer(column: str) -> str:
    return literal("/" + column.replace("~", "~0").replace("/", "~1"))


def _kind(con: duckdb.DuckDBPyConnection, parts: Sequence[Piece], column: str) -> str:
    """The one kind of all values of a key."""
    found = con.execute(
        f"SELECT json_type(json, {_pointer(column)}) AS kind, min((part, line)), "
        f"max(abs(TRY_CAST(json_extract_string(json, {_pointer(column)}) AS DOUBLE))) "
        f"FROM {_RAW} WHERE kind <> 'NULL' GROUP BY kind ORDER BY 2"
    ).fetchall()
    kinds = {kind: _first(place) for kind, place, _ in found}
    nested = [kind for kind in kinds if kind not in _WORDS]
    if nested:
        part, line = kinds[nested[0]]
        _refuse(
            parts[part],
            column,
            line,
            "holds nested values.",
            "Write each of them under its own key.",
        )
    if len({_WORDS[kind] for kind in kinds}) > 1:
        first, *others = kinds
        part, line = next(kinds[kind] for kind in others if _WORDS[kind] != _WORDS[first])
        told = " and ".join(sorted({_WORDS[kind] for kind in kinds}))
        _refuse(parts[part], column, line, f"mixes {told}.", "Write all values in one way.")
    most = max((number for kind, _, number in found if kind in _WHOLE), default=0)
    if kinds.keys() <= _WHOLE and kinds:
        if most >= 2**63:
            part, line = kinds[next(iter(kinds))]
            _refuse(parts[part], column, line, "has whole numbers beyond 64 bits.", "Write text.")
        return "BIGINT"
    if _WHOLE & kinds.keys() and most > _EXACT:
        part, line = kinds[next(iter(kinds))]
        what = "mixes decimal numbers with whole ones that are too large for them."
        _refuse(parts[part], column, line, what, "Write all of them as text.")
    return next((kind for kind in ("DOUBLE", "BOOLEAN") if kind in kinds), "VARCHAR")


def _first(place: Any) -> tuple[int, int]:
    """A part and a line, as DuckDB gives a row."""
    part, line = place.values() if isinstance(place, Mapping) else place
    return int(part), int(line)


def _refuse(part: Piece, column: str, line: int, what: str, remedy: str) -> None:
    raise TableError(Problem(what, part.file.name, column, line, remedy))


def _value(column: str, kind: str) -> str:
    text = f"json_extract_string(json, {_pointer(column)})"
    return text if kind == "VARCHAR" else f"CAST({text} AS {kind})"


def _by_part(parts: Sequence[Piece], column: str) -> str:
    """SQL for what the folders of a file say."""
    cases = " ".join(
        f"WHEN {number} THEN {literal(value)}"
        for number, part in enumerate(parts)
        if (value := part.keys[column]) is not None
    )
    return f"CAST(CASE part {cases} ELSE NULL END AS VARCHAR)" if cases else "CAST(NULL AS VARCHAR)"
