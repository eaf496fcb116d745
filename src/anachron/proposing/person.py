"""Who is the person: a column, two columns together, or each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import duckdb
import pyarrow.compute as pc

from anachron.proposing.columns import COUNTED, Facts, one
from anachron.proposing.words import says
from anachron.schema import EACH_ROW
from anachron.source.base import quoted
from anachron.spelling import foldings, joined

__all__ = ["Person", "find_person", "spelled_twice"]

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
    given: Sequence[str],
    taken: Sequence[str],
) -> Person:
    """Find who the rows are about.

    Parameters
    ----------
    con, relation, rows, columns
        The table, and what is known of its columns.
    given
        The columns that are said to be the person; or that each row is.
    taken
        Columns that are said to be something else.
    """
    if EACH_ROW in given:
        return Person((), rows, "as you said", True)
    if given:
        count = _people(con, relation, given)
        return Person(tuple(given), count, _each(count, rows, "as you said"), True)
    free = [c for c in columns if c.name not in taken]
    possible = [c for c in free if _possible(c, rows)]
    if not possible:
        nobody = Person((), rows, "no column tells people apart: each row is somebody", False)
        return _of_two(con, relation, rows, free) or nobody
    best = max(possible, key=lambda c: _rank(c, rows))
    further = _completed(con, relation, rows, best, columns)
    if further is not None:
        return further
    count, sure = _people(con, relation, (best.name,)), says(best.name, "person")
    why = "the name says that it is the person" if sure else "looks like the person"
    return Person((best.name,), count, _each(count, rows, why), sure)


def spelled_twice(con: duckdb.DuckDBPyConnection, relation: str, person: Person) -> int:
    """How many people differ from another in nothing but how they are spelled."""
    if not person.columns:
        return 0
    names = ", ".join(f"{quoted(c)}::VARCHAR AS {quoted(c)}" for c in person.columns)
    told = " AND ".join(f"{quoted(c)} IS NOT NULL" for c in person.columns)
    found = con.sql(f"SELECT DISTINCT {names} FROM {relation} WHERE {told}").to_arrow_table()
    parts = [column.combine_chunks() for column in found.columns]
    alike = foldings(parts[0] if len(parts) == 1 else joined(parts))
    return int(found.num_rows - pc.count_distinct(alike).as_py())


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


_FEW = 12
"""Of no more columns than this are pairs looked at."""


def _of_two(
    con: duckdb.DuckDBPyConnection, relation: str, rows: int, columns: Sequence[Facts]
) -> Person | None:
    """Two columns that are nobody alone, and somebody together: a class, and a number in it.

    Both names must say so, and nobody may have several of what stays with a person for life.
    """
    possible = [c for c in columns if _may_be_part(c, rows)][:_FEW]
    fixed = [c.name for c in columns if says(c.name, "fixed") and c.different > 1]
    found = []
    for pair in combinations(possible, 2):
        names = (pair[0].name, pair[1].name)
        if not any(says(name, "person", "id", "order") for name in names):
            continue
        count = _people(con, relation, names)
        people = max(_AT_LEAST, rows // 100) <= count
        if people and not (fixed and _contradicts(con, relation, names, fixed)):
            found.append((count < rows, count, names))
    if not found:
        return None
    _, count, names = max(found)
    agree = f", and nobody of them has several of {fixed[0]}" if fixed else ""
    why = f"{names[0]} and {names[1]} are nobody alone, and somebody together{agree}"
    return Person(names, count, _each(count, rows, why), False)


def _may_be_part(column: Facts, rows: int) -> bool:
    if column.kind not in ("text", "whole", *COUNTED) or column.filled < _FILLED * rows:
        return False
    if column.looks is not None or not 2 < column.different < rows / 2:
        return False
    if says(column.name, "secret", "direct", "birth", "count", "time"):
        return False
    return says(column.name, "person", "id", "order", "affair", "quasi")


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
