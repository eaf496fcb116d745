"""Columns that tell each other: each precinct has one place on the map, each day its year.

One column *tells* another if all rows with a value of the first have one value of the second: then
there are as many pairs of values as values of the first. That is counted exactly. A column of which
hardly any value comes again would tell every other, which says nothing; it is not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import duckdb

from anachron.proposing.columns import Facts, one
from anachron.source.base import quoted

__all__ = ["Telling", "part_of_time", "tellings"]

_AGAIN = 2
"""So many rows, on average, must have each value of a column that is to tell another."""


@dataclass(frozen=True)
class Telling:
    """A column that tells others."""

    column: str
    tells: tuple[str, ...]
    back: tuple[str, ...] = ()
    """Those of them that tell it in turn: the same, written in another way."""


def tellings(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    rows: int,
    columns: Sequence[Facts],
    most: int = 400,
    seconds: float = 10.0,
) -> tuple[Telling, ...]:
    """Find which of some columns tell which, within a budget of pairs and of time."""
    until = time.monotonic() + seconds
    told: dict[str, list[str]] = {}
    for looked_at, (first, other) in enumerate(_pairs(rows, columns)):
        if looked_at >= most or time.monotonic() > until:
            break
        if _tells(con, relation, first.name, other.name):
            told.setdefault(first.name, []).append(other.name)
    return tuple(
        Telling(name, tuple(some), tuple(other for other in some if name in told.get(other, ())))
        for name, some in told.items()
    )


def _pairs(rows: int, columns: Sequence[Facts]) -> Iterator[tuple[Facts, Facts]]:
    for first, other in permutations(columns, 2):
        # What has fewer values cannot tell what has more.
        if 1 < other.different <= first.different and _AGAIN * first.different <= rows:
            yield first, other


def _tells(con: duckdb.DuckDBPyConnection, relation: str, first: str, other: str) -> bool:
    """Whether there are as many pairs of values as values of the first; missing is one."""
    values, pairs = (
        f"(SELECT count(*) FROM (SELECT DISTINCT {', '.join(map(quoted, names))} FROM {relation}))"
        for names in ((first,), (first, other))
    )
    return bool(one(con, f"SELECT {values} = {pairs}")[0])


_PARTS = {
    "year": "year(t)", "month": "month(t)", "day": "day(t)", "hour": "hour(t)",
    "quarter": "quarter(t)", "week": "week(t)", "day of the week": "isodow(t)",
    "date": "strftime(t, '%Y-%m-%d')", "year and month": "strftime(t, '%Y-%m')",
    "year and month, as a number": "year(t) * 100 + month(t)",
}  # fmt: skip
"""What a column may be that a time was cut into."""


def part_of_time(
    con: duckdb.DuckDBPyConnection, relation: str, clock: Facts, column: Facts
) -> str | None:
    """Name what of a time a column is, in every row; none if it is nothing of it."""
    if not clock.is_time or column.kind == "other" or column.name == clock.name:
        return None
    # Numbers in the names of folders may have a zero before them.
    tests = ", ".join(
        f"bool_and(c = ltrim(CAST({sql} AS VARCHAR), '0'))" for sql in _PARTS.values()
    )
    found = one(
        con,
        f"SELECT {tests} FROM (SELECT ltrim(CAST({quoted(column.name)} AS VARCHAR), '0') AS c, "
        f"TRY_CAST({quoted(clock.name)} AS TIMESTAMP) AS t FROM {relation}) WHERE t IS NOT NULL",
    )
    return next((name for name, same in zip(_PARTS, found, strict=True) if same), None)
