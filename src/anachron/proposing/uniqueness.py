"""How many people become unique by what is known of them: exact counts, and the smallest sets.

Somebody is *unique by* some columns if a combination of values in one of their rows is nobody
else's. A further column can only make more people unique, so a set is looked at only while none of
its parts is *identifying* already (the search of Apriori): what is found are the minimal ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import duckdb

from anachron.proposing.columns import one
from anachron.source.base import quoted

__all__ = ["Identifying", "People", "Unique", "identifying"]


@dataclass(frozen=True)
class Unique:
    """How many people are unique by some columns."""

    columns: tuple[str, ...]
    people: int
    of: int

    @property
    def share(self) -> float:
        """Of all people."""
        return self.people / self.of if self.of else 0.0


@dataclass(frozen=True)
class Identifying:
    """The smallest sets of columns by which more than a share of the people are unique."""

    sets: tuple[Unique, ...]
    """From the smallest set to the largest, the most telling first."""
    looked_at: int
    """How many sets were counted."""
    complete: bool
    """Whether no further set can be identifying, up to the size that was asked for."""
    size: int
    """The largest size that was looked at."""


@dataclass(frozen=True, eq=False)
class People:
    """Who is counted: whoever shares a subject, or each row."""

    con: duckdb.DuckDBPyConnection
    relation: str
    subject: tuple[str, ...]
    """The columns that are the person together; none if each row is somebody."""
    count: int

    @property
    def counted(self) -> str:
        """SQL for how many people there are in a group of rows."""
        return f"count(DISTINCT {_together(self.subject)})" if self.subject else "count(*)"

    def unique(self, columns: Sequence[str]) -> Unique:
        """Count who is unique by these columns."""
        if not columns:
            return Unique((), 0, self.count)
        by = ", ".join(map(quoted, columns))
        if not self.subject:
            alone = f"SELECT 1 FROM {self.relation} GROUP BY {by} HAVING count(*) = 1"
            return Unique(
                tuple(columns), one(self.con, f"SELECT count(*) FROM ({alone})")[0], self.count
            )
        who = _together(self.subject)
        alone = (
            f"SELECT min({who}) AS who FROM {self.relation} GROUP BY {by} "
            f"HAVING min({who}) IS NOT DISTINCT FROM max({who})"
        )
        found = one(self.con, f"SELECT count(DISTINCT who) FROM ({alone})")[0]
        return Unique(tuple(columns), found, self.count)


def identifying(
    unique: Callable[[Sequence[str]], Unique],
    people: int,
    columns: Sequence[str],
    share: Fraction = Fraction(1, 20),
    size: int = 3,
    most: int = 300,
    seconds: float = 20.0,
) -> Identifying:
    """Find the minimal sets by which more than a share of the people are unique.

    Parameters
    ----------
    unique
        Counts who is unique by some columns.
    people
        How many there are.
    columns
        Of which sets are made.
    share
        From when on a set counts as identifying.
    size
        The largest sets that are looked at.
    most
        How many sets are counted at most.
    seconds
        How long it may take.
    """
    until = time.monotonic() + seconds
    found: list[Unique] = []
    looked_at = 0
    candidates: list[tuple[str, ...]] = [(column,) for column in columns]
    for length in range(1, size + 1):
        harmless: list[tuple[str, ...]] = []
        for candidate in candidates:
            if looked_at >= most or time.monotonic() > until:
                return Identifying(_ranked(found), looked_at, False, length)
            alone = unique(candidate)
            looked_at += 1
            if alone.people > share * people:
                found.append(alone)
            else:
                harmless.append(candidate)
        candidates = _joined(harmless)
    return Identifying(_ranked(found), looked_at, True, size)


def _joined(harmless: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Sets with one column more, all of whose parts are harmless."""
    known = set(harmless)
    return [
        (*one_set, other[-1])
        for place, one_set in enumerate(harmless)
        for other in harmless[place + 1 :]
        if other[:-1] == one_set[:-1]
        if all(part in known for part in combinations((*one_set, other[-1]), len(one_set)))
    ]


def _ranked(found: list[Unique]) -> tuple[Unique, ...]:
    return tuple(sorted(found, key=lambda unique: (len(unique.columns), -unique.people)))


def _together(columns: Sequence[str]) -> str:
    """SQL for the person that several columns are together."""
    if len(columns) == 1:
        return quoted(columns[0])
    return f"row({', '.join(map(quoted, columns))})"
