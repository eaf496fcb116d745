"""What one release of a register holds, in numbers: never the content of the sensitive column.

Everything is an aggregate over the published files, so that no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from anachron.database import connected
from anachron.reporting.sizes import Size, sizes

__all__ = ["Published", "Span", "quasi_columns", "read", "spans"]


@dataclass(frozen=True)
class Span:
    """How wide the intervals of one column are, over the rows."""

    column: str
    grid: str
    """What the ends of an interval are multiples of; empty for an order of texts."""
    half: float
    """Half of the rows have an interval no wider than this."""
    most: float
    """Nine rows of ten do."""
    widest: float


@dataclass(frozen=True)
class Published:
    """A release in numbers."""

    quasi: tuple[str, ...]
    sensitive: str
    rows: int
    groups: int
    signatures: int
    """How many different sets of sensitive values groups have."""
    counterfeits: int
    touched: int
    """How many groups have counterfeits."""
    sizes: tuple[Size, ...]
    spans: tuple[Span, ...]


def read(
    data: pa.Table, counterfeits: pa.Table, columns: Mapping[str, Mapping[str, Any]]
) -> Published:
    """Reduce the published tables to what the report shows."""
    roles = {name: meaning["role"] for name, meaning in columns.items()}
    sensitive = next(name for name, role in roles.items() if role == "sensitive")
    rows = pa.table({"grp": data["group"], "content": data[sensitive]})
    with connected() as con:
        con.register("published", rows)
        counted = con.execute(
            """SELECT n, count(*) FROM (SELECT count(*) AS n FROM published GROUP BY grp)
               GROUP BY n ORDER BY n"""
        ).fetchall()
        sets = con.execute(
            """SELECT count(DISTINCT held) FROM (SELECT list_sort(list(content)) AS held
               FROM published GROUP BY grp)"""
        ).fetchall()[0][0]
    return Published(
        quasi=quasi_columns(data, columns),
        sensitive=sensitive,
        rows=data.num_rows,
        groups=sum(many for _, many in counted),
        signatures=int(sets),
        counterfeits=int(pc.sum(counterfeits["counterfeits"]).as_py() or 0),
        touched=counterfeits.num_rows,
        sizes=sizes(counted),
        spans=spans(data, columns),
    )


def quasi_columns(data: pa.Table, columns: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Name the columns that are published as intervals, in the order of the file.

    The description sorts its keys.
    """
    stems = [name.removesuffix("_low") for name in data.column_names if name.endswith("_low")]
    return tuple(c for c in stems if columns.get(c, {}).get("role") == "quasi")


def spans(data: pa.Table, columns: Mapping[str, Mapping[str, Any]]) -> tuple[Span, ...]:
    """Say how wide the intervals of each quasi column are."""
    quasi = quasi_columns(data, columns)
    if not data.num_rows or not quasi:
        return ()
    widths = {f"w{i}": _widths(data, column, columns[column]) for i, column in enumerate(quasi)}
    with connected() as con:
        con.register("published", pa.table(widths))
        return tuple(_span(con, f"w{i}", c, columns[c]) for i, c in enumerate(quasi))


def _widths(data: pa.Table, column: str, meaning: Mapping[str, Any]) -> pa.ChunkedArray:
    """How many values an interval covers; for fractions, how wide it is."""
    low, high = data[f"{column}_low"], data[f"{column}_high"]
    if "order" in meaning:
        order = pa.array(meaning["order"], pa.string())
        low, high = pc.index_in(low, order), pc.index_in(high, order)
    width = pc.subtract(high, low)
    return width if pa.types.is_floating(width.type) else pc.add(width, 1)


def _span(
    con: duckdb.DuckDBPyConnection, name: str, column: str, meaning: Mapping[str, Any]
) -> Span:
    half, most, widest = con.execute(
        f"SELECT quantile_disc({name}, 0.5), quantile_disc({name}, 0.9), max({name}) FROM published"
    ).fetchall()[0]
    return Span(column, str(meaning.get("width", "")), float(half), float(most), float(widest))
