"""The groups of a release, and what can be said about them from the release alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.database import quoted
from anachron.auditing.verify.granules import wrong_granules
from anachron.auditing.verify.shape import Shape
from anachron.auditing.verify.values import Published, wrong_values
from anachron.ladders import Bins, Drop, Parents, Prefix, Raw, Step

__all__ = [
    "Groups",
    "granule_check",
    "groups_of",
    "largest_share",
    "offer_check",
    "value_check",
]


@dataclass(frozen=True, eq=False)
class Groups:
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


def groups_of(con: duckdb.DuckDBPyConnection, shape: Shape) -> Groups:
    """Gather the groups of a release."""
    whole = (*shape.quasi_columns, shape.time, shape.start, shape.end)
    names = ", ".join(quoted(name) for name in whole)
    alike = " OR ".join(
        f"(min({c}) IS NOT DISTINCT FROM max({c}) AND count({c}) IN (0, count(*)))"
        for c in map(quoted, shape.sensitive)
    )
    con.execute(
        f'CREATE OR REPLACE TEMP TABLE groups AS SELECT "group", {names}, count(*) AS "rows of", '
        f'{alike or "false"} AS "is alike" FROM data GROUP BY "group", {names}'
    )
    times = [shape.start, shape.end, shape.time]
    ranked = [[*meaning.published] for meaning in shape.quasi] + [times]
    codes = ", ".join(f"{_rank(columns)} AS c{i}" for i, columns in enumerate(ranked))
    found = con.execute(
        f'SELECT "group", "rows of", "is alike", {codes} FROM groups ORDER BY "group"'
    ).fetchnumpy()
    published = [_distinct(con, columns) for columns in ranked]
    quasi = tuple(np.asarray(found[f"c{i}"], np.int64) for i in range(len(shape.quasi)))
    return Groups(
        number=np.ma.filled(np.ma.asarray(found["group"]), 0).astype(np.int64),
        rows=np.asarray(found["rows of"], np.int64),
        alike=np.asarray(found["is alike"], bool),
        quasi=quasi,
        granule=np.asarray(found[f"c{len(shape.quasi)}"], np.int64),
        published=tuple(_tuples(table) for table in published[:-1]),
        label=published[-1].column(2).to_pylist(),
        start=_instants(published[-1].column(0)),
        end=_instants(published[-1].column(1)),
    )


def largest_share(con: duckdb.DuckDBPyConnection, shape: Shape) -> Fraction:
    """The share of the most frequent sensitive value in the rows of a group, at most."""
    share = Fraction(0)
    for column in map(quoted, shape.sensitive):
        found = con.execute(
            'SELECT max(n) AS most, sum(n) AS size FROM (SELECT "group", count(*) AS n FROM data '
            f'GROUP BY "group", {column}) GROUP BY "group" ORDER BY most / size DESC LIMIT 1'
        ).fetchall()
        share = max([share, *(Fraction(int(most), int(size)) for most, size in found)])
    return share


def granule_check(shape: Shape, groups: Groups) -> Check:
    """Check that times are granules of one granularity, each with one name, none overlapping."""
    start, end = groups.start, groups.end
    unnamed = len(groups.label) - len(set(groups.label))
    empty = int((start >= end).sum())
    overlapping = int((end[:-1] > start[1:]).sum())
    wrong = int(wrong_granules(shape.granularity, shape.zone, start, end, groups.label).sum())
    problems = {
        f"{wrong:,} not granules of it, or under another label": wrong,
        f"{overlapping:,} overlap": overlapping,
        f"{empty:,} are empty": empty,
        f"{unnamed:,} share a label": unnamed,
    }
    found = ", ".join(text for text, count in problems.items() if count)
    return Check(
        "granules",
        not found,
        f"granules of {shape.granularity.name} by the clock of {shape.zone}",
        found or f"{len(start):,} granules as promised",
        "published times",
    )


def value_check(shape: Shape, groups: Groups) -> Check:
    """Check that quasi values are on their grid, of their length, or among their classes."""
    wrong = {
        meaning.column: wrong_values(meaning, published)
        for meaning, published in zip(shape.quasi, groups.published, strict=True)
    }
    found = ", ".join(f"{count:,} in {column!r}" for column, count in wrong.items() if count)
    return Check(
        "values",
        not found,
        "bins on the declared grid, prefixes no longer than declared, declared classes",
        f"not so: {found}" if found else "as promised",
        "published quasi values",
    )


def offer_check(shape: Shape) -> Check:
    """Check that granularity and steps are among those that the guarantee offers."""
    ladders = dict(shape.promise.ladders)
    wrong = [
        meaning.column
        for meaning in shape.quasi
        if _step(shape, meaning.column)
        not in (ladders[meaning.column].steps if meaning.column in ladders else (Raw(),))
    ]
    if shape.granularity not in shape.promise.granularities:
        wrong.append(shape.time)
    return Check(
        "offer",
        not wrong,
        "a granularity and steps of the guarantee",
        f"not offered: {', '.join(map(repr, wrong))}" if wrong else "as promised",
        "how columns were generalised",
    )


def _step(shape: Shape, column: str) -> Step:
    meaning = next(m for m in shape.quasi if m.column == column)
    if meaning.step == "bins":
        return Bins(meaning.width, meaning.origin)
    if meaning.step == "prefix":
        return Prefix(meaning.length)
    if meaning.step == "parents":
        covers = (meaning.covers or {}).items()
        return Parents(tuple(sorted((value, label) for label, held in covers for value in held)))
    return Drop() if meaning.step == "left out" else Raw()


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
