"""A table that was looked at once, so that people can change its roles and see at once what for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anachron.proposing.columns import Facts
from anachron.proposing.look import Look
from anachron.proposing.numbered import Numbered, numbered
from anachron.proposing.proposal import Proposal
from anachron.proposing.propose import proposed
from anachron.proposing.roles import Name
from anachron.proposing.uniqueness import Identifying, Unique, identifying
from anachron.registry import MethodName

__all__ = ["Watched", "watched"]

_PATIENCE = 3.0
"""Sets of columns are searched for so many seconds: somebody waits for them."""


@dataclass(frozen=True, eq=False)
class Watched:
    """What is kept of a table: a proposal, its columns in numbers, and who shares what."""

    proposal: Proposal
    columns: Mapping[str, Facts]
    numbered: Numbered
    _known: dict[frozenset[str], Unique] = field(default_factory=dict)

    def unique(self, columns: Iterable[str]) -> Unique:
        """Count the people who are unique by these columns, before anything is made coarser."""
        some = [name for name in dict.fromkeys(columns) if name in self.numbered.columns]
        key = frozenset(some)
        if key not in self._known:
            self._known[key] = self.numbered.unique(sorted(some))
        found = self._known[key]
        return Unique(tuple(some), found.people, found.of)

    def identifying(self, columns: Sequence[str]) -> Identifying:
        """Find the smallest sets of these columns by which many people are unique."""
        return identifying(self.unique, self.proposal.people, columns, seconds=_PATIENCE)


def watched(
    table: Any,
    method: MethodName | None = None,
    subject: Iterable[str] = (),
    said: Mapping[str, Name] | None = None,
    time_zone: str = "UTC",
    k: int = 5,
    time_format: str | None = None,
    stored_zone: str | None = None,
) -> Watched:
    """Look at a table as :func:`anachron.propose` does, and keep what can be counted of it.

    ``said`` are the columns whose role is known; here a column can also be said to stay at home.
    """
    kept: list[tuple[Mapping[str, Facts], Numbered]] = []

    def keep(found: Look) -> None:
        readable = [name for name, facts in found.columns.items() if facts.kind != "other"]
        numbers = numbered(
            found.con, found.relation, readable, found.person.columns, found.person.count
        )
        kept.append((found.columns, numbers))

    proposal = proposed(
        table, method, tuple(subject), said or {}, time_zone, k, time_format, stored_zone, keep
    )
    return Watched(proposal, *kept[0])
