"""Look at a table whose columns have no roles yet: counts only, never a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from anachron.database import connected
from anachron.errors import InternalError, TableError
from anachron.source.base import ColumnsNotFound, Source, quoted, reading
from anachron.source.read import open_source

__all__ = ["Column", "Look", "look"]

NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
           "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
WHOLE = NUMBERS[:9]
_UNITS = {"day": 86_400, "hour": 3_600, "quarter_hour": 900, "minute": 60, "second": 1}


@dataclass(frozen=True)
class Column:
    """What can be said of a column without repeating it."""

    name: str
    kind: str
    """``number``, ``whole``, ``text``, ``time``, ``zoned time``, ``time as text``,
    ``month as text``, ``year``, ``month``, ``s``, ``ms``, ``us`` or ``other``."""
    filled: int
    """Rows with a value."""
    different: int
    """Different values."""
    width: float = 0.0
    """For numbers: the largest less the smallest. For times: the same, in seconds."""
    recorded_by: str = "instant"
    """For times: the coarsest unit of the clock on which all of them lie."""


@dataclass(frozen=True)
class Look:
    """What can be said of a table."""

    name: str
    """How messages call it."""
    rows: int
    columns: tuple[Column, ...]
    unreadable: tuple[str, ...]
    """Columns that cannot have a role as they are."""
    subject: str | None
    """The column that is the person, if one was found."""
    varying: Mapping[str, int]
    """For each other column: how many people have several values in it."""

    @property
    def unread(self) -> dict[str, str]:
        """Why columns that cannot be read have no role."""
        return dict.fromkeys(self.unreadable, "left out: it cannot be read as it is")


def look(table: str, find_subject: Callable[[int, Sequence[Column]], str | None]) -> Look:
    """Look at all columns of a table, and then at each in the rows of one person."""
    names = _column_names(table)
    with connected() as con:
        source, unreadable = _open(table, con, list(dict.fromkeys(names)))
        with reading(source.name):
            rows = int(_one(con, f"SELECT count(*) FROM {source.relation}")[0])
            columns = tuple(
                _column(con, source.relation, name, kind) for name, kind in source.columns.items()
            )
            subject = find_subject(rows, columns)
            varying = _varying(con, source.relation, subject, columns) if subject else {}
    return Look(source.name, rows, columns, unreadable, subject, varying)


def _column_names(table: str) -> list[str]:
    """Name all columns of a table, in order, before any row is read; a name may stand twice."""
    # Every kind of source looks at its columns before its rows, and says which it has if
    # a wanted one is missing. No column is called NUL.
    with connected() as con:
        try:
            open_source(table, con, ["\0"])
        except ColumnsNotFound as missing:
            return missing.found
    raise InternalError("a table without the wanted column could be opened")


def _open(
    table: str, con: duckdb.DuckDBPyConnection, names: list[str]
) -> tuple[Source, tuple[str, ...]]:
    """Open the table without the columns that cannot be read."""
    try:
        return open_source(table, con, names), ()
    except TableError as error:
        bad = {problem.column for problem in error.problems}
        good = [name for name in names if name not in bad]
        if None in bad or not good or len(good) == len(names):
            raise
    # A fresh attempt needs a fresh connection, because the first may have left tables behind.
    for (left,) in con.execute("SELECT table_name FROM information_schema.tables").fetchall():
        con.execute(f"DROP TABLE IF EXISTS {quoted(left)}")
    return open_source(table, con, good), tuple(name for name in names if name in bad)


def _one(con: duckdb.DuckDBPyConnection, question: str) -> tuple[Any, ...]:
    return tuple(con.execute(question).fetchall()[0])


def _column(con: duckdb.DuckDBPyConnection, relation: str, name: str, of: str) -> Column:
    it = quoted(name)
    bare = of.partition("(")[0]
    if bare.startswith(("STRUCT", "MAP", "UNION", "BLOB")) or "[" in of:
        return Column(name, "other", 0, 0)
    filled, different = _one(con, f"SELECT count({it}), count(DISTINCT {it}) FROM {relation}")
    if bare.startswith(("DATE", "TIMESTAMP")):
        kind = "zoned time" if "ZONE" in of or "TZ" in of else "time"
        return _time(con, relation, name, kind, f"{it}::TIMESTAMP", filled, different)
    if bare in NUMBERS:
        ends = f"min({it}::DOUBLE) FILTER (f), max({it}::DOUBLE) FILTER (f)"
        finite = f"SELECT {it}, isfinite({it}::DOUBLE) AS f FROM {relation}"
        low, high = _one(con, f"SELECT {ends} FROM ({finite})")
        if low is None:
            return Column(name, "number", filled, different)
        kind = _counted(low, high) if bare in WHOLE else "number"
        if kind == "whole" and 190_001 <= low <= high <= 220_012:
            held = f"bool_and({it} % 100 BETWEEN 1 AND 12)"
            kind = "month" if _one(con, f"SELECT {held} FROM {relation}")[0] else kind
        return Column(name, kind, filled, different, high - low)
    if bare in ("VARCHAR", "ENUM"):
        read = f"TRY_CAST({it}::VARCHAR AS TIMESTAMP)"
        if filled and _one(con, f"SELECT count({read}) FROM {relation}")[0] == filled:
            return _time(con, relation, name, "time as text", read, filled, different)
        months = f"TRY_CAST({it}::VARCHAR || '-01' AS TIMESTAMP)"
        if filled and _one(con, f"SELECT count({months}) FROM {relation}")[0] == filled:
            return _time(con, relation, name, "month as text", months, filled, different)
        return Column(name, "text", filled, different)
    return Column(name, "other" if bare != "BOOLEAN" else "text", filled, different)


def _counted(low: float, high: float) -> str:
    """What whole numbers count, if all of them would be times of our days."""
    if 1900 <= low <= high <= 2200:
        return "year"
    for unit, per_second in (("s", 1), ("ms", 10**3), ("us", 10**6)):
        # From 1990 to 2100. Smaller numbers are more often something else.
        if 631_152_000 * per_second <= low <= high <= 4_102_444_800 * per_second:
            return unit
    return "whole"


def _time(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    name: str,
    kind: str,
    read: str,
    filled: int,
    different: int,
) -> Column:
    if not filled:
        return Column(name, kind, 0, 0)
    # Where days begin depends on the zone, so zoned times are looked at by the hour at most.
    units = {u: s for u, s in _UNITS.items() if u != "day" or kind != "zoned time"}
    tests = ", ".join(f"bool_and(epoch_us({read}) % {s * 10**6} = 0)" for s in units.values())
    span, *on = _one(
        con,
        f"SELECT (max(epoch_us({read})) - min(epoch_us({read}))) / 1e6, {tests} FROM {relation}",
    )
    recorded = next((unit for unit, lies in zip(units, on, strict=True) if lies), "instant")
    return Column(name, kind, filled, different, float(span), recorded)


def _varying(
    con: duckdb.DuckDBPyConnection, relation: str, subject: str, columns: Sequence[Column]
) -> dict[str, int]:
    others = [c.name for c in columns if c.name != subject and c.kind != "other"]
    if not others:
        return {}
    ends = ", ".join(
        f"min({quoted(name)}) AS low{i}, max({quoted(name)}) AS high{i}"
        for i, name in enumerate(others)
    )
    counts = ", ".join(
        f"count(*) FILTER (low{i} IS DISTINCT FROM high{i})" for i in range(len(others))
    )
    found = _one(
        con,
        f"SELECT {counts} FROM (SELECT {ends} FROM {relation} GROUP BY {quoted(subject)})",
    )
    return dict(zip(others, found, strict=True))
