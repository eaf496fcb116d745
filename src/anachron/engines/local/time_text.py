"""Times written as text: ISO 8601, read strictly."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from anachron.arrays import Bytes
from anachron.engines.local.marked import problem_at
from anachron.engines.local.time_formats import format_pattern
from anachron.errors import Problem
from anachron.schema import Schema
from anachron.source.base import literal, quoted

__all__ = ["MISSING", "Kind", "kind_problems", "kinds_sql"]


class Kind(IntEnum):
    """What a time tells, or why it tells none."""

    WALL = 1
    """What a clock on the wall showed."""
    INSTANT = 2
    """An instant: the offset from UTC is known."""
    COUNTED = 3
    """A whole number, to be read by the schema's time_unit."""
    MONTH = 4
    """A month of a year, without a day."""
    MISSING = 10
    HOUR_24 = 11
    LEAP_SECOND = 12
    UNREADABLE = 13


MISSING = ("is missing in {n}.", "Every row needs its time. Fill it in or leave the row out.")
"""What is said of rows without a time, and what to do about them."""

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?"
_OFFSET = r"(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
_PATTERNS = {
    Kind.WALL: f"{_DAY}([T ]{_CLOCK})?",
    Kind.INSTANT: f"{_DAY}[T ]{_CLOCK}{_OFFSET}",
    Kind.COUNTED: "[+-]?[0-9]+",
    Kind.MONTH: "[0-9]{4}-[0-9]{2}",
    Kind.HOUR_24: f"{_DAY}[T ]24:.*",
    Kind.LEAP_SECOND: f"{_DAY}[T ][0-9]{{2}}:[0-9]{{2}}:60.*",
}
_FAULTS = {
    Kind.MISSING: MISSING,
    Kind.HOUR_24: (
        "is written with hour 24 in {n}.",
        "Write midnight as 00:00 of the following day.",
    ),
    Kind.LEAP_SECOND: (
        "is written with second 60 (a leap second) in {n}.",
        "Write second 59, or 00 of the following minute.",
    ),
    Kind.UNREADABLE: (
        "is not a time that can be read without a doubt in {n}.",
        "Write times as 2006-01-31, 2006-01-31T23:59:59 or 2006-01-31T23:59:59+01:00.",
    ),
}


def kinds_sql(schema: Schema) -> str:
    """SQL for the kind of every cell of the time column, which is text."""
    name = f"CAST({quoted(schema.time)} AS VARCHAR)"
    patterns = {kind: literal(pattern) for kind, pattern in _PATTERNS.items()}
    if schema.time_format is not None:
        kind = Kind.INSTANT if "%z" in schema.time_format else Kind.WALL
        patterns = {kind: literal(format_pattern(schema.time_format))}
    cases = " ".join(
        f"WHEN regexp_full_match({name}, {pattern}) THEN {kind.value}"
        for kind, pattern in patterns.items()
    )
    return (
        f"CAST(CASE WHEN {name} IS NULL THEN {Kind.MISSING.value} {cases} "
        f"ELSE {Kind.UNREADABLE.value} END AS UTINYINT)"
    )


def kind_problems(kinds: Bytes, schema: Schema, file: str) -> tuple[Kind, list[Problem]]:
    """The one kind of all cells, and what stands against it."""
    there = [Kind(kind) for kind in np.unique(kinds)]
    problems = []
    for kind in there:
        if kind in _FAULTS:
            told = _FAULTS[kind]
            if kind is Kind.UNREADABLE and schema.time_format is not None:
                told = ("is not written as time_format says in {n}.", "Correct one of them.")
            problems.append(problem_at(kinds == kind, *told, schema.time, file))
    good = [kind for kind in there if kind not in _FAULTS]
    if len(good) > 1:
        first = kinds[np.isin(kinds, good)][0]
        other = np.flatnonzero(np.isin(kinds, good) & (kinds != first))[0]
        problems.append(
            Problem(
                "mixes times with and without an offset from UTC, or times, months and whole "
                "numbers.",
                file,
                schema.time,
                int(other) + 1,
                remedy="Write all times in one way.",
            )
        )
    return (good or [Kind.UNREADABLE])[0], problems
