"""A proposal as a value: roles with reasons, what they leave open, and a plan."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, get_args

import pyarrow as pa

from anachron.errors import InputError
from anachron.guarantees import Guarantee
from anachron.notebook import Sheet
from anachron.plan import Plan, Source
from anachron.proposing.promises import Promising
from anachron.proposing.roles import Name, Role
from anachron.proposing.uniqueness import Identifying, Unique
from anachron.registry import METHODS
from anachron.schema import Schema
from anachron.tabular import Tabular, arrow_of

__all__ = ["Proposal"]


@dataclass(frozen=True, repr=False)
class Proposal(Tabular):
    """Roles for the columns of a table, each with its reason, and a plan to begin with.

    Made by :func:`anachron.propose`. Nothing is decided: a person who knows the table reads it,
    corrects it, and signs. As a table (``to_pandas()``, ``to_polars()``, ``to_arrow()``) it has a
    row for each column of yours.

    Example
    -------
    >>> import anachron as an
    >>> import pyarrow as pa
    >>> found = an.propose(pa.table({
    ...     "patient": [f"u{i % 40}" for i in range(120)],
    ...     "day": [f"2024-05-{1 + i % 28:02}" for i in range(120)],
    ...     "insured": ["yes", "no"] * 60,
    ...     "diagnosis": [("flu", "burn", "cold")[i % 3] for i in range(120)],
    ... }))
    >>> found
    Proposal for granularity: 120 rows of 40 people
    subject    patient    40 people, 3 rows each: the name says that it is the person
    time       day        28 different times, recorded by day: looks like the time of the event
    quasi      insured    2 different values, the same in all rows of a person: outsiders may ...
    sensitive  diagnosis  3 different values: the name says that it is what the table is about; ...
    >>> found.role("insured").confidence
    'doubtful'
    """

    table: str | Source | None
    """The address of the table; none for one in memory."""
    rows: int
    people: int
    method: str
    fits: str
    """Why this method."""
    roles: tuple[Role, ...]
    """One for each column, in the order of the table."""
    identifying: Identifying
    """The smallest sets of published columns by which people are unique."""
    content: Unique
    """Who is unique by all that would be published as it is, times and ladders apart."""
    warnings: tuple[str, ...]
    """What somebody should look at before signing."""
    schema: Schema | None
    """None if no column is the person."""
    guarantee: Guarantee | None
    """None if something is missing that only you can say."""
    missing: str = ""
    """What that is."""

    def __str__(self) -> str:
        return f"Proposal for {self.method}: {self.rows:,} rows of {self.people:,} people"

    def __repr__(self) -> str:
        wide = max((len(role.column) for role in self.roles), default=0)
        lines = (f"{r.name:9}  {r.column:{wide}}  {r.reason}" for r in self.ordered)
        asked = (f"Look: {text}" for text in (*self.warnings, self.missing) if text)
        return "\n".join((str(self), *lines, *asked))

    def to_arrow(self) -> pa.Table:
        """Give the roles as an Arrow table, as they are read."""
        return arrow_of(Role, self.ordered)

    def _sheet(self) -> Sheet:
        body = [[role.name, role.column, role.reason, role.confidence] for role in self.ordered]
        asked = [text for text in (*self.warnings, self.missing) if text]
        return Sheet(str(self), ["role", "column", "because", "confidence"], body, notes=asked)

    @property
    def ordered(self) -> tuple[Role, ...]:
        """The roles as they are read: the person first, what stays at home last."""
        names = get_args(Name)
        return tuple(sorted(self.roles, key=lambda role: names.index(role.name)))

    @property
    def promising(self) -> Promising:
        """How promises of this method are proposed."""
        promising: Promising = METHODS[self.method].proposal.load()
        return promising

    def columns(self, name: Name) -> tuple[str, ...]:
        """The columns with a role."""
        return tuple(role.column for role in self.roles if role.name == name)

    def role(self, column: str) -> Role:
        """The role of a column."""
        return next(role for role in self.roles if role.column == column)

    def plan(
        self,
        releases: str | os.PathLike[str] = "releases",
        ledger: str | os.PathLike[str] = "ledger",
    ) -> Plan:
        """Give the plan that this is a proposal for."""
        if self.table is None:
            raise InputError(
                "A plan names a file or the table of a database, and this table is in memory. "
                "Take schema and guarantee for an.publish, or save the table and propose again."
            )
        if self.schema is None or self.guarantee is None:
            raise InputError(self.missing)
        return Plan(self.table, self.schema, self.guarantee, releases=releases, ledger=ledger)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values."""
        return {
            "table": self.table.table if isinstance(self.table, Source) else self.table,
            "rows": self.rows,
            "people": self.people,
            "method": self.method,
            "fits": self.fits,
            "roles": {
                role.column: {
                    "role": role.name,
                    "reason": role.reason,
                    "confidence": role.confidence,
                }
                for role in self.roles
            },
            "identifying": [
                {"columns": list(one.columns), "people": one.people}
                for one in self.identifying.sets
            ],
            "identifying_complete": self.identifying.complete,
            "unique_by_content": self.content.people,
            "warnings": list(self.warnings),
            "schema": self.schema.to_dict() if self.schema else None,
            "guarantee": self.guarantee.to_dict() if self.guarantee else None,
            "missing": self.missing,
        }
