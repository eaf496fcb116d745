"""The groups of a release of events, gathered by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.reading.database import quoted
from anachron.auditing.reading.form import Events
from anachron.auditing.reading.runs import longest_run
from anachron.auditing.reading.values import Published

__all__ = ["Disorder", "EventGroups", "disorder", "event_groups", "most_frequent"]


@dataclass(frozen=True, eq=False)
class EventGroups:
    """One place in each array for each group: number, rows, and codes of what is published."""

    number: Array
    rows: Array
    alike: Flags
    """Whether all rows of the group hold one value in some sensitive column."""
    quasi: tuple[Array, ...]
    """For each quasi column the published value, as a place in ``published``."""
    granule: Array
    """As a place in ``start``, ``end`` and ``label``."""
    published: tuple[list[Published], ...]
    label: list[str]
    start: Array
    end: Array


@dataclass(frozen=True)
class Disorder:
    """Rows that do not stand where they should, and the first group in which it is so."""

    late: int
    """Rows that should stand before the row above."""
    late_group: int | None
    odd: int
    """Rows whose group has another number than it should."""
    odd_group: int | None


def event_groups(con: duckdb.DuckDBPyConnection, form: Events) -> EventGroups:
    """Gather the groups of a release."""
    label, start, end = form.times
    names = ", ".join(quoted(name) for name in (*form.quasi_columns, *form.times))
    alike = " OR ".join(
        f"(min({c}) IS NOT DISTINCT FROM max({c}) AND count({c}) IN (0, count(*)))"
        for c in map(quoted, form.sensitive)
    )
    con.execute(
        f'CREATE OR REPLACE TEMP TABLE groups AS SELECT "group", {names}, count(*) AS "rows of", '
        f'{alike or "false"} AS "is alike" FROM data GROUP BY "group", {names}'
    )
    ranked = [[*meaning.published] for meaning in form.quasi] + [[start, end, label]]
    codes = ", ".join(f"{_rank(columns)} AS c{i}" for i, columns in enumerate(ranked))
    found = con.execute(
        f'SELECT "group", "rows of", "is alike", {codes} FROM groups ORDER BY "group"'
    ).fetchnumpy()
    published = [_distinct(con, columns) for columns in ranked]
    quasi = tuple(np.asarray(found[f"c{i}"], np.int64) for i in range(len(form.quasi)))
    return EventGroups(
        number=np.ma.filled(np.ma.asarray(found["group"]), 0).astype(np.int64),
        rows=np.asarray(found["rows of"], np.int64),
        alike=np.asarray(found["is alike"], bool),
        quasi=quasi,
        granule=np.asarray(found[f"c{len(form.quasi)}"], np.int64),
        published=tuple(_tuples(table) for table in published[:-1]),
        label=published[-1].column(2).to_pylist(),
        start=_instants(published[-1].column(0)),
        end=_instants(published[-1].column(1)),
    )


def disorder(con: duckdb.DuckDBPyConnection, form: Events) -> Disorder:
    """Look at the order of rows and the numbers of groups, row by row as they stand in the file.

    Rows must stand in the order of the published columns, and groups be numbered in that order:
    then neither betrays the order of the input or of the computation.
    """
    combination = (*form.quasi_columns, *form.times)
    order = (*form.quasi_columns, form.times[1], *form.sensitive)
    names = dict.fromkeys(("group", *combination, *form.sensitive))
    before = ", ".join(f"lag({quoted(n)}) OVER () AS {_before(n)}" for n in names)
    here = ", ".join(quoted(name) for name in names)
    same = " AND ".join(f"{quoted(n)} IS NOT DISTINCT FROM {_before(n)}" for n in combination)
    late = f"pgroup IS NOT NULL AND {_descends(order)}"
    odd = "g IS DISTINCT FROM coalesce(pgroup, 0) + (NOT same)::BIGINT"
    found = con.execute(
        f"""
        SELECT count(*) FILTER ({late}), min(g) FILTER ({late}),
            count(*) FILTER ({odd}), min(g) FILTER ({odd})
        FROM (
            SELECT *, "group" AS g, {_before("group")} AS pgroup,
                {_before("group")} IS NOT NULL AND {same} AS same
            FROM (SELECT {here}, {before} FROM data)
        )
        """
    ).fetchall()
    return Disorder(*found[0])


def most_frequent(con: duckdb.DuckDBPyConnection, form: Events, order: Disorder) -> Fraction:
    """The share of the most frequent sensitive value in the rows of a group, at most.

    In rows that stand as they should, equal values of the first column stand together in a group:
    of that one nothing is gathered.
    """
    names, share = list(form.sensitive), Fraction(0)
    if names and not (order.late or order.odd):
        share = longest_run(form.files, names.pop(0))
    for column in map(quoted, names):
        found = con.execute(
            'SELECT max(n) AS most, sum(n) AS size FROM (SELECT "group", count(*) AS n FROM data '
            f'GROUP BY "group", {column}) GROUP BY "group" ORDER BY most / size DESC LIMIT 1'
        ).fetchall()
        share = max([share, *(Fraction(int(most), int(size)) for most, size in found)])
    return share


def _rank(columns: list[str]) -> str:
    """SQL: the place of a row's values among all values of these columns."""
    return f"dense_rank() OVER (ORDER BY {_ascending(columns)}) - 1" if columns else "0"


def _ascending(columns: list[str]) -> str:
    return ", ".join(f"{quoted(name)} ASC NULLS LAST" for name in columns)


def _distinct(con: duckdb.DuckDBPyConnection, columns: list[str]) -> pa.Table:
    if not columns:
        return pa.table({"none": pa.nulls(1)})
    names = ", ".join(quoted(name) for name in columns)
    query = f"SELECT DISTINCT {names} FROM groups ORDER BY {_ascending(columns)}"
    return con.sql(query).to_arrow_table()


def _tuples(table: pa.Table) -> list[Published]:
    if table.column_names == ["none"]:
        return [()]
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _instants(column: pa.ChunkedArray) -> Array:
    # A missing bound becomes one that no granule has.
    numbers = column.cast(pa.int64()).fill_null(np.iinfo(np.int64).max)
    instants: Array = numbers.to_numpy()
    return instants


def _before(name: str) -> str:
    return quoted(f"before {name}")


def _descends(names: Sequence[str]) -> str:
    """SQL: the row comes before the one above it, by these columns, nulls last."""
    text = "false"
    for name in reversed(names):
        here, above = quoted(name), _before(name)
        less = f"coalesce({here} < {above}, {above} IS NULL AND {here} IS NOT NULL)"
        text = f"({less} OR ({here} IS NOT DISTINCT FROM {above} AND {text}))"
    return text
