"""Who is the person: a column, two columns together, or each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from anachron.proposing.columns import COUNTED, Facts, one
from anachron.proposing.words import says
from anachron.source.base import quoted

__all__ = ["Person", "find_person"]

_AT_LEAST = 20
"""Fewer different values are no people, in a table that has more rows than three times that."""
_FILLED = 0.9
"""Rows without a subject are refused later, and somebody has to see to them; so a few may be."""


@dataclass(frozen=True)
class Person:
    """The columns that are the person together, and why."""

    columns: tuple[str, ...]
    """None if each row is somebody else."""
    count: int
    reason: str
    sure: bool


def find_person(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    rows: int,
    columns: Sequence[Facts],
    given: str | None,
    taken: Sequence[str],
) -> Person:
    """Find who the rows are about.

    Parameters
    ----------
    con, relation, rows, columns
        The table, and what is known of its columns.
    given
        The column that is said to be the person.
    taken
        Columns that are said to be something else.
    """
    if given is not None:
        count = _people(con, relation, (given,))
        return Person((given,), count, _each(count, rows, "as you said"), True)
    possible = [c for c in columns if c.name not in taken and _possible(c, rows)]
    if not possible:
        return Person((), rows, "no column tells people apart: each row is somebody", False)
    best = max(possible, key=lambda c: _rank(c, rows))
    further = _completed(con, relation, rows, best, columns)
    if further is not None:
        return further
    count, sure = _people(con, relation, (best.name,)), says(best.name, "person")
    why = "the name says that it is the person" if sure else "looks like the person"
    return Person((best.name,), count, _each(count, rows, why), sure)


def _possible(column: Facts, rows: int) -> bool:
    """A column with few values is never a person, whatever it is called."""
    if column.kind not in ("text", "whole", *COUNTED) or column.filled < _FILLED * rows:
        return False
    if column.different < max(2, min(_AT_LEAST, rows // 3)):
        return False
    if says(column.name, "quasi", "secret", "direct", "affair", "place", "birth", "order", "count"):
        return False
    if column.looks is not None and column.looks != "long keys":
        return False
    named = says(column.name, "person", "id")
    return named or (not says(column.name, "time") and _returning(column, rows))


def _returning(column: Facts, rows: int) -> bool:
    """Whether, name apart, there are about as many values as there would be people."""
    return max(50, rows // 100) <= column.different and 1.2 * column.different < rows


def _rank(column: Facts, rows: int) -> tuple[bool, bool, bool, int]:
    return (
        says(column.name, "person"),
        says(column.name, "id"),
        column.different < rows,
        column.different,
    )


def _each(count: int, rows: int, why: str) -> str:
    mean = f"{rows / max(count, 1):,.1f}".removesuffix(".0")
    return f"{count:,} people, {mean} row{'' if mean == '1' else 's'} each: {why}"


def _people(con: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[str]) -> int:
    by = ", ".join(map(quoted, columns))
    return int(one(con, f"SELECT count(*) FROM (SELECT DISTINCT {by} FROM {relation})")[0])


def _completed(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    rows: int,
    best: Facts,
    columns: Sequence[Facts],
) -> Person | None:
    """A second column that the first needs to be one person: a line, or a year."""
    for column in columns:
        pair = (best.name, column.name)
        if (
            says(column.name, "order")
            and column.different * 3 < rows
            and best.different < rows
            and _people(con, relation, pair) == rows
        ):
            why = f"a number of {best.name}, and who of it {column.name} says"
            return Person(pair, rows, _each(rows, rows, why), False)
    fixed = [c.name for c in columns if says(c.name, "fixed") and c.different > 1]
    if not fixed or not _contradicts(con, relation, (best.name,), fixed):
        return None
    for column in columns:
        if column.name == best.name or column.name in fixed or not 1 < column.different < rows / 2:
            continue
        pair = (best.name, column.name)
        if says(column.name, "time", "affair", "quasi", "id") and not _contradicts(
            con, relation, pair, fixed
        ):
            count = _people(con, relation, pair)
            why = (
                f"{best.name} alone has people of several {fixed[0]}; with {column.name} they agree"
            )
            return Person(pair, count, _each(count, rows, why), False)
    return None


def _contradicts(
    con: duckdb.DuckDBPyConnection, relation: str, person: Sequence[str], fixed: Sequence[str]
) -> bool:
    """Whether what nobody changes differs between the rows of more than one person in twenty."""
    by = ", ".join(map(quoted, person))
    differs = " OR ".join(f"min({quoted(f)}) <> max({quoted(f)})" for f in fixed)
    found, several = one(
        con,
        "SELECT count(*) FILTER (differs), count(*) FROM "
        f"(SELECT {differs} AS differs FROM {relation} GROUP BY {by} HAVING count(*) > 1)",
    )
    return bool(several) and 20 * found > several
