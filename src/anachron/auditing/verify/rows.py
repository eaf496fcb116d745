"""Do rows and group numbers tell nothing but what is published?

Rows must stand in the order of the published columns, and groups be numbered in that order:
then neither betrays the order of the input or of the computation.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from anachron.auditing.verdict import Check
from anachron.auditing.verify.database import quoted
from anachron.auditing.verify.findings import groups_named
from anachron.auditing.verify.shape import Shape

__all__ = ["row_checks"]


def row_checks(con: duckdb.DuckDBPyConnection, shape: Shape) -> list[Check]:
    """Check the order of the rows and the numbers of the groups."""
    combination = (*shape.quasi_columns, shape.time, shape.start, shape.end)
    order = (*shape.quasi_columns, shape.start, *shape.sensitive)
    names = dict.fromkeys(("group", *combination, *shape.sensitive))
    # Row by row, in the order of the file: "p…" is the row before.
    before = ", ".join(f"lag({quoted(n)}) OVER () AS {_before(n)}" for n in names)
    here = ", ".join(quoted(name) for name in names)
    same = " AND ".join(f"{quoted(n)} IS NOT DISTINCT FROM {_before(n)}" for n in combination)
    found = con.execute(
        f"""
        SELECT
            count(*) FILTER (pgroup IS NOT NULL AND {_descends(order)}),
            min(g) FILTER (pgroup IS NOT NULL AND {_descends(order)}),
            count(*) FILTER (g IS DISTINCT FROM coalesce(pgroup, 0) + (NOT same)::BIGINT),
            min(g) FILTER (g IS DISTINCT FROM coalesce(pgroup, 0) + (NOT same)::BIGINT)
        FROM (
            SELECT *, "group" AS g, {_before("group")} AS pgroup,
                {_before("group")} IS NOT NULL AND {same} AS same
            FROM (SELECT {here}, {before} FROM data)
        )
        """
    ).fetchall()
    late, late_group, odd, odd_group = found[0]
    return [
        Check(
            "order",
            late == 0,
            "rows sorted by what is published, and by nothing else",
            "as promised" if late == 0 else f"{late:,} rows out of order, as in group {late_group}",
            "order of the rows",
            groups_named([late_group] if late_group is not None else []),
        ),
        Check(
            "groups",
            odd == 0,
            "1, 2, 3, … in the order of the rows, one for each published combination",
            "as promised"
            if odd == 0
            else f"{odd:,} rows with another number, as in group {odd_group}",
            "group numbers",
            groups_named([odd_group] if odd_group is not None else []),
        ),
    ]


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
