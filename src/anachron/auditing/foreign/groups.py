"""Who stands in each group of a table: people where a column tells them apart, else rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from anachron.auditing.check import SHOWN, Found, check, fraction
from anachron.auditing.foreign.opened import Opened

__all__ = ["Groups", "group_figures", "groups_of", "k_anonymous", "witnesses_of"]


@dataclass(frozen=True)
class Groups:
    """What was counted. The table ``groups`` has a row for each: people, rows and largest."""

    groups: int
    rows: int
    people: int
    """In the smallest group."""
    largest: Fraction
    """Share of the person with the most rows, in the rows of a group."""
    unnamed: int
    """Rows that are about nobody who is named."""
    unit: str
    """What is counted: people, or rows."""


def groups_of(table: Opened) -> Groups:
    """Count who stands in each group, and keep it as the table ``groups``."""
    keys = table.keys
    counts = "count(*) AS size, count(*) AS people, 1::BIGINT AS largest, 0::BIGINT AS unnamed"
    each = table.judged
    if table.has_subject:
        each = f"(SELECT {keys}, who, count(*) AS n FROM {table.judged} GROUP BY {keys}, who)"
        counts = (
            "sum(n)::BIGINT AS size, count(who) AS people, "
            "coalesce(max(n) FILTER (who IS NOT NULL), 0) AS largest, "
            "coalesce(sum(n) FILTER (who IS NULL), 0)::BIGINT AS unnamed"
        )
    table.run(
        f"CREATE OR REPLACE TEMP TABLE groups AS SELECT {keys}, {counts} FROM {each} "
        f"GROUP BY {keys}"
    )
    counted = table.one("SELECT count(*), sum(size), min(people), sum(unnamed) FROM groups")
    groups, rows, people, unnamed = counted
    share = table.rows("SELECT largest, size FROM groups ORDER BY largest / size DESC LIMIT 1")
    return Groups(
        groups=groups,
        rows=rows,
        people=people,
        largest=Fraction(*map(int, share[0])) if share else Fraction(0),
        unnamed=unnamed,
        unit="people" if table.has_subject else "rows",
    )


@check("k-anonymous", "{groups.unit} in the smallest group")
def k_anonymous(table: Opened, groups: Groups, k: int) -> Found:
    """at least {k:,}"""
    small = table.one(f"SELECT count(*) FROM groups WHERE people < {k}")[0]
    text = f"{groups.people:,} ({small:,} of {groups.groups:,} groups are too small)"
    fine = f"{groups.people:,}, of {groups.groups:,} groups"
    where = witnesses_of(table, f"people < {k}", "people") if small else ()
    return Found({text if small else fine: groups.groups == 0 or small > 0}, fine, where=where)


def witnesses_of(table: Opened, wrong: str, worst: str, groups: str = "groups") -> tuple[str, ...]:
    """Name some groups by the first row of each, the worst ones first."""
    keys = table.keys
    table.run(
        "CREATE OR REPLACE TEMP TABLE shown AS SELECT row_number() OVER () AS place, * FROM "
        f"(SELECT {keys} FROM {groups} WHERE {wrong} ORDER BY {worst}, {keys} LIMIT {SHOWN})"
    )
    same = " AND ".join(f"every.{name} IS NOT DISTINCT FROM shown.{name}" for name in table.key)
    found = table.rows(
        f"SELECT min(nth) FROM {table.numbered} AS every JOIN shown ON {same} "
        "GROUP BY place ORDER BY place"
    )
    return tuple(f"group of row {int(row):,}" for (row,) in found)


def group_figures(table: Opened, found: Groups) -> dict[str, int | str]:
    """Counts and shares that say how safe a table is."""
    figures: dict[str, int | str] = {
        "rows": found.rows,
        "groups": found.groups,
        f"{found.unit}_in_smallest_group": found.people,
        "rows_suppressed": table.suppressed,
    }
    if table.has_subject:
        figures["largest_share_of_one_person"] = fraction(found.largest)
        figures["rows_without_a_person"] = found.unnamed
    return figures
