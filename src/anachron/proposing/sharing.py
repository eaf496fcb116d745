"""With which quasi columns enough people share each combination, if all else is at its coarsest.

What is counted is what the search would find at the end of all ladders: numbers in their widest
bins, what may be left out left out, and times by the coarsest granularity on offer. Times are taken
as they are written; a zone may move some of them across the end of a year.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from anachron.proposing.columns import Facts, one
from anachron.proposing.ladders import granularities, granule, ladder
from anachron.proposing.look import Look
from anachron.proposing.roles import Role, best_known
from anachron.proposing.uniqueness import People
from anachron.source.base import quoted

__all__ = ["LEFT_OUT", "lonely", "shared"]

LEFT_OUT = Fraction(1, 100)
"""So many of the rows are proposed to be left out, at most, for want of others like them."""


def shared(found: Look, k: int, said: Collection[str]) -> Look:
    """Leave quasi columns at home until nearly all rows can be published."""
    while found.time is not None:
        quasi = found.named("quasi")
        alone = lonely(found.who, quasi, found.time, k)
        free = [column.name for column in quasi if column.name not in said]
        if alone <= LEFT_OUT * found.rows / 2 or not free:
            break
        last = best_known(free, {column.name: column.different for column in quasi})[-1]
        reason = (
            f"with it, {alone:,} of {found.rows:,} rows would be shared by fewer than {k} people, "
            "however coarse all is"
        )
        found = replace(
            found,
            roles=tuple(
                Role(role.column, "home", reason, "doubtful") if role.column == last else role
                for role in found.roles
            ),
        )
    return found


def lonely(who: People, quasi: Sequence[Facts], time: Facts, k: int) -> int:
    """Count the rows that fewer than k people share, at the coarsest."""
    keys = [_coarsest(column) for column in quasi]
    keys.append(granule(time, granularities(time)[-1]))
    people = who.counted
    small = (
        f"SELECT count(*) AS n FROM {who.relation} GROUP BY {', '.join(keys)} HAVING {people} < {k}"
    )
    return int(one(who.con, f"SELECT coalesce(sum(n), 0) FROM ({small})")[0])


def _coarsest(column: Facts) -> str:
    """SQL for a column at the end of its ladder."""
    offered = ladder(column)
    if offered is None:
        return quoted(column.name)
    widths = offered.get("bins")
    return f"floor({quoted(column.name)} / {widths[-1]})" if widths else "true"
