"""DuckDB's types, and what each may be used for."""

from __future__ import annotations

from collections.abc import Iterable

from anachron.errors import Problem
from anachron.schema import Schema
from anachron.source.base import quoted

__all__ = [
    "WHOLE",
    "canonical",
    "canonical_number",
    "is_text",
    "is_whole",
    "limit",
    "number",
    "plain",
    "type_problems",
]

_SIGNED = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"})
WHOLE = _SIGNED | {f"U{kind}" for kind in _SIGNED}
_FLOATING = frozenset({"FLOAT", "DOUBLE"})
_TEXT = frozenset({"VARCHAR", "UUID", "JSON", '"NULL"', "NULL"})
_OTHERS = frozenset({"TIME", "TIME_NS", "BOOLEAN"})
_TIMES = "Use dates, timestamps, ISO 8601 text, or whole numbers with a time_unit."
_SCALARS = "Use text, numbers, truth values, dates or times; take nested values apart."


def _decimals(kind: str) -> tuple[int, int] | None:
    """Digits, and digits after the point, of a decimal type."""
    if not (kind.startswith("DECIMAL(") and kind.endswith(")")):
        return None
    width, scale = kind[len("DECIMAL(") : -1].split(",")
    return int(width), int(scale)


def type_problems(schema: Schema, types: dict[str, str], file: str) -> Iterable[Problem]:
    """Say which columns have a type that does not fit their role."""
    for column in schema.subject_columns:
        kind = types[column]
        if not (is_whole(kind) or kind == "DATE" or is_text(kind)):
            yield _unfit(file, column, kind, "a subject", "Use text or whole numbers.")
    kind = types[schema.time] if schema.time else "DATE"
    if not (is_text(kind) or kind in WHOLE or _is_stamp(kind)):
        yield _unfit(file, schema.time, kind, "a time", _TIMES)
    for column in schema.quasi:
        if not _is_scalar(types[column]):
            yield _unfit(file, column, types[column], "a quasi column", _SCALARS)
    for column in schema.sensitive:
        if not _is_scalar(types[column]) and types[column] != "BLOB":
            yield _unfit(file, column, types[column], "a sensitive column", _SCALARS)
    for column in schema.series:
        # Text is looked at cell by cell, to say where it is no number.
        if not (limit(types[column]) or is_text(types[column])):
            yield _unfit(file, column, types[column], "a series", "Use numbers.")


def _unfit(file: str, column: str, kind: str, role: str, remedy: str) -> Problem:
    # The type of a nested column, or of an enumeration, spells out names and values.
    name = kind.partition("(")[0] if kind.endswith(")") else kind
    name = "list" if kind.endswith("]") else name
    return Problem(f"is of the type {name}, which cannot be {role}.", file, column, remedy=remedy)


def is_text(kind: str) -> bool:
    """Whether values of this type are worked with as text."""
    return kind in _TEXT or (kind.startswith("ENUM(") and kind.endswith(")"))


def is_whole(kind: str) -> bool:
    """Whether values of this type are whole numbers."""
    return kind in WHOLE or (_decimals(kind) or (0, 1))[1] == 0


def limit(kind: str) -> float:
    """The number from which on those of a type cannot be computed with; 0 if they are none."""
    if kind in WHOLE:
        # Floating-point numbers tell smaller ones apart.
        return 2.0**53
    # Beyond it, squares would be infinite.
    return 1e150 if kind in _FLOATING or _decimals(kind) else 0.0


def _is_stamp(kind: str) -> bool:
    return kind == "DATE" or (kind.startswith("TIMESTAMP") and not kind.endswith("]"))


def _is_scalar(kind: str) -> bool:
    simple = kind in WHOLE or kind in _FLOATING or kind in _OTHERS or is_text(kind)
    return simple or _decimals(kind) is not None or _is_stamp(kind)


def plain(column: str, kind: str) -> str:
    """SQL for a column as it is worked with and published: enumerations and UUIDs as text."""
    name = quoted(column)
    if is_text(kind):
        return f"CAST({name} AS VARCHAR)"
    if kind in _FLOATING:
        # Zeros of both signs are one value.
        return f"CASE WHEN {name} = 0 THEN 0 ELSE {name} END"
    return name


def canonical(column: str, kind: str) -> str:
    """SQL for a text of each value that no version of an engine writes differently.

    Numbers that are equal are written alike, whatever their type.
    """
    name = quoted(column)
    digits, after_point = _decimals(kind) or (0, 0)
    if kind in _FLOATING or (after_point > 0 and digits <= 15):
        return _written(f"CAST({name} AS DOUBLE)")
    if after_point > 0:
        text = f"rtrim(rtrim(CAST({name} AS VARCHAR), '0'), '.')"
        # What has no more digits is told as the floating-point number nearest to it would be.
        return (
            f"CASE WHEN strlen({_told(name)}) <= 15 THEN {_written(f'CAST({text} AS DOUBLE)')} "
            f"ELSE {text} END"
        )
    if kind.startswith("TIMESTAMP"):
        return _moment(name, kind)
    return f"hex({name})" if kind == "BLOB" else f"CAST({name} AS VARCHAR)"


def _written(number: str) -> str:
    """SQL for the text of a floating-point number; of whole ones, as of those of whole types."""
    return (
        f"CASE WHEN {number} = trunc({number}) AND abs({number}) < 9e18 "
        f"THEN CAST(CAST({number} AS BIGINT) AS VARCHAR) "
        f"ELSE format('{{:.17e}}', {number}) END"
    )


def _moment(name: str, kind: str) -> str:
    """SQL for the text of a time: midnight is the date, whatever the unit."""
    if kind.endswith("_NS"):
        fine = f"epoch_ns({name})"
        us = f"({fine} // 1000)"
        rest = (
            f"CASE WHEN {fine} % 1000 = 0 THEN CAST({us} AS VARCHAR) ELSE concat({fine}, 'ns') END"
        )
    else:
        us, rest = f"epoch_us({name})", f"CAST(epoch_us({name}) AS VARCHAR)"
    day = f"CAST(CAST(make_timestamp({us}) AS DATE) AS VARCHAR)"
    return f"CASE WHEN {us} % 86400000000 = 0 THEN {day} ELSE {rest} END"


def _told(name: str) -> str:
    """SQL for the digits of a decimal that tell anything."""
    return f"trim(replace(replace(CAST({name} AS VARCHAR), '.', ''), '-', ''), '0')"


def number(column: str, kind: str) -> str:
    """SQL for numbers as floating-point ones; above all limits where they would not be exact."""
    name = quoted(column)
    digits, _ = _decimals(kind) or (0, 0)
    if digits <= 15:
        return f"CAST({name} AS DOUBLE)"
    text = f"CAST({name} AS VARCHAR)"
    # Only from text is the nearest floating-point number found for so many digits.
    return (
        f"CASE WHEN strlen({_told(name)}) <= 15 THEN CAST({text} AS DOUBLE) "
        f"WHEN {name} IS NOT NULL THEN 1e300 END"
    )


def canonical_number(column: str, kind: str) -> str:
    """SQL for a text of each value that :func:`number` gives exactly: the bits of it."""
    if is_text(kind):
        return "NULL"
    # Zeros of both signs are one value.
    return f"CAST(CAST(CAST({number(column, kind)} + 0.0 AS BIT) AS BIGINT) AS VARCHAR)"
