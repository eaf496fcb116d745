"""What can be said of each column without repeating it: one scan of one column at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import duckdb

from anachron.proposing.contents import PATTERNS, looks
from anachron.schema import TimeUnit
from anachron.source.base import few_at_a_time, literal, quoted

__all__ = ["COUNTED", "Facts", "evidence", "narrowed", "one", "written"]

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
            "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
_WHOLE = _NUMBERS[:9]
_WIDE = 100
"""Tables with more columns are looked at in parts."""
Form = Literal["text", "whole", "fraction", "other"]
_UNITS = {"day": 86_400, "hour": 3_600, "quarter_hour": 900, "minute": 60, "second": 1}
COUNTED: tuple[TimeUnit, ...] = ("year", "month", "s", "ms", "us")
"""Kinds of whole numbers that may be times."""
_TIMES = ("time", "zoned time", "time as text", "time as written", "month as text", *COUNTED)


@dataclass(frozen=True)
class Facts:
    """A column in numbers."""

    name: str
    kind: str
    """``number``, ``whole``, ``text``, ``flag``, ``time``, ``zoned time``, ``time as text``,
    ``time as written`` (by a format that was said), ``month as text``, ``year``, ``month``, ``s``,
    ``ms``, ``us`` or ``other``."""
    filled: int = 0
    """Rows with a value."""
    different: int = 0
    """Different values."""
    top: int = 0
    """Rows with the most frequent value."""
    width: float = 0.0
    """For numbers: the largest less the smallest. For times: the same, in seconds."""
    recorded_by: str = "instant"
    """For times: the coarsest unit of the clock on which all of them lie."""
    looks: str | None = None
    """For texts: what most cells look like, such as e-mail addresses."""
    form: Form = "other"
    """What the cells are, whatever they mean: a flag may be a text, a number or a truth value."""
    odd: int = 0
    """For numbers: rows that hold none, but infinity or NaN."""
    read: str = ""
    """For times: SQL for them as timestamps."""

    @property
    def is_number(self) -> bool:
        """Whether it can be put into intervals."""
        return self.kind in ("whole", "number", *COUNTED)

    @property
    def may_be_time(self) -> bool:
        """Whether all its cells can be read as times."""
        return self.kind in _TIMES and self.filled > 0

    @property
    def is_time(self) -> bool:
        """Whether its cells can hardly be anything but times."""
        return self.may_be_time and self.kind not in COUNTED


def one(con: duckdb.DuckDBPyConnection, question: str, given: Any = None) -> tuple[Any, ...]:
    """The first row of an answer."""
    return tuple(con.execute(question, given).fetchall()[0])


def evidence(
    con: duckdb.DuckDBPyConnection, relation: str, types: Mapping[str, str]
) -> tuple[Facts, ...]:
    """Look at every column of a relation."""
    return tuple(
        _column(con, narrow, name, types[name])
        for narrow, few in narrowed(con, relation, [*types])
        for name in few
    )


def narrowed(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    columns: Sequence[str],
    beside: Sequence[str] = (),
) -> Iterator[tuple[str, Sequence[str]]]:
    """Few columns at a time, each time in a relation that has no others but those ``beside``.

    Every question to a table takes as long as the table is wide, whatever it asks for.
    """
    if len(columns) <= _WIDE:
        yield relation, columns
        return
    for few in few_at_a_time(columns):
        chosen = ", ".join(map(quoted, dict.fromkeys((*beside, *few))))
        con.execute(f"CREATE OR REPLACE TEMP TABLE narrow AS SELECT {chosen} FROM {relation}")
        yield "narrow", few
    con.execute("DROP TABLE narrow")


def _column(con: duckdb.DuckDBPyConnection, relation: str, name: str, of: str) -> Facts:
    bare = of.partition("(")[0]
    if bare.startswith(("STRUCT", "MAP", "UNION", "BLOB")) or "[" in of:
        return Facts(name, "other")
    it = quoted(name)
    counts = f"SELECT {it} AS v, count(*) AS n FROM {relation} WHERE {it} IS NOT NULL GROUP BY 1"
    filled, different, top = one(
        con, f"SELECT coalesce(sum(n), 0)::BIGINT, count(*), coalesce(max(n), 0) FROM ({counts})"
    )
    held = (filled, different, top)
    if bare.startswith(("DATE", "TIMESTAMP")):
        kind = "zoned time" if "ZONE" in of or "TZ" in of else "time"
        return _time(con, relation, name, kind, f"{it}::TIMESTAMP", held)
    if bare in _NUMBERS:
        return _number(con, relation, name, bare, held)
    if bare == "BOOLEAN":
        return Facts(name, "flag", *held)
    if bare in ("VARCHAR", "ENUM"):
        return _text(con, relation, name, held)
    return Facts(name, "other", *held)


def _number(
    con: duckdb.DuckDBPyConnection, relation: str, name: str, of: str, held: tuple[int, int, int]
) -> Facts:
    it = quoted(name)
    low, high, odd = one(
        con,
        f"SELECT min({it}::DOUBLE) FILTER (f), max({it}::DOUBLE) FILTER (f), "
        f"count(*) FILTER (NOT f) FROM (SELECT {it}, isfinite({it}::DOUBLE) AS f FROM {relation})",
    )
    form: Form = "whole" if of in _WHOLE else "fraction"
    if low is None:
        return Facts(name, "number", *held, form=form, odd=odd)
    kind = _counted(low, high) if of in _WHOLE else "number"
    if kind == "whole" and 190_001 <= low <= high <= 220_012:
        months = one(con, f"SELECT bool_and({it} % 100 BETWEEN 1 AND 12) FROM {relation}")[0]
        kind = "month" if months else kind
    if held[1] <= 2:
        kind = "flag"
    return Facts(
        name, kind, *held, width=high - low, form=form, odd=odd, read=_READ.get(kind, "").format(it)
    )


_READ = {
    "year": "make_timestamp({0}, 1, 1, 0, 0, 0)",
    "month": "make_timestamp({0} // 100, {0} % 100, 1, 0, 0, 0)",
    "s": "make_timestamp({0} * 1000000)",
    "ms": "make_timestamp({0} * 1000)",
    "us": "make_timestamp({0})",
}
"""SQL for whole numbers as timestamps."""


def _counted(low: float, high: float) -> str:
    """What whole numbers count, if all of them would be times of our days."""
    if 1900 <= low <= high <= 2200:
        return "year"
    for unit, per_second in (("s", 1), ("ms", 10**3), ("us", 10**6)):
        # From 1990 to 2100. Smaller numbers are more often something else.
        if 631_152_000 * per_second <= low <= high <= 4_102_444_800 * per_second:
            return unit
    return "whole"


def _text(
    con: duckdb.DuckDBPyConnection, relation: str, name: str, held: tuple[int, int, int]
) -> Facts:
    filled, different, _ = held
    if not filled:
        return Facts(name, "text", *held, form="text")
    it = f"{quoted(name)}::VARCHAR"
    values = f"(SELECT DISTINCT {it} AS v FROM {relation} WHERE {it} IS NOT NULL)"
    for kind, read in (("time as text", "v"), ("month as text", "v || '-01'")):
        if one(con, f"SELECT bool_and(TRY_CAST({read} AS TIMESTAMP) IS NOT NULL) FROM {values}")[0]:
            read = f"TRY_CAST({read.replace('v', it, 1)} AS TIMESTAMP)"
            return replace(_time(con, relation, name, kind, read, held), form="text")
    found = ", ".join(
        f"count(*) FILTER (regexp_full_match(trim(v), {literal(pattern)}))"
        for pattern in PATTERNS.values()
    )
    counts = one(con, f"SELECT {found} FROM {values}")
    kind = "flag" if different <= 2 else "text"
    kinds = dict(zip(PATTERNS, counts, strict=True))
    return Facts(name, kind, *held, looks=looks(kinds, different), form="text")


def written(
    con: duckdb.DuckDBPyConnection, relation: str, column: Facts, time_format: str
) -> Facts | None:
    """Look at a column of texts as times that are written by a format; none if some are not."""
    it = f"{quoted(column.name)}::VARCHAR"
    read = f"try_strptime({it}, {literal(time_format)})"
    if column.form != "text" or not column.filled:
        return None
    if not one(con, f"SELECT count({it}) = count({read}) FROM {relation}")[0]:
        return None
    held = (column.filled, column.different, column.top)
    kind, read = "time as written", f"CAST({read} AS TIMESTAMP)"
    return replace(_time(con, relation, column.name, kind, read, held), form="text")


def _time(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    name: str,
    kind: str,
    read: str,
    held: tuple[int, int, int],
) -> Facts:
    if not held[0]:
        return Facts(name, kind)
    # Where days begin depends on the zone, so zoned times are looked at by the hour at most.
    units = {u: s for u, s in _UNITS.items() if u != "day" or kind != "zoned time"}
    tests = ", ".join(f"bool_and(epoch_us({read}) % {s * 10**6} = 0)" for s in units.values())
    span, *on = one(
        con,
        f"SELECT (max(epoch_us({read})) - min(epoch_us({read}))) / 1e6, {tests} FROM {relation}",
    )
    recorded = next((unit for unit, lies in zip(units, on, strict=True) if lies), "instant")
    return Facts(name, kind, *held, width=float(span), recorded_by=recorded, read=read)
