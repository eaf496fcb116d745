"""A proposal as a value: roles with reasons, what they leave open, and a plan."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anachron.guarantees import Guarantee
from anachron.errors import InputError
from anachron.plan import Plan
from anachron.proposing.roles import Name, Role
from anachron.proposing.uniqueness import Identifying, Unique
from anachron.schema import Schema

__all__ = ["Proposal"]


@dataclass(frozen=True)
class Proposal:
    """Roles for the columns of a table, each with its reason, and a plan to begin with.

    Made by :func:`anachron.propose`. Nothing is decided: a person who knows the table reads it,
    corrects it, and signs.
    """

    table: str | None
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
    schema: Schema
    guarantee: Guarantee | None
    """None if something is missing that only you can say."""
    missing: str = ""
    """What that is."""

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
        if self.guarantee is None:
            raise InputError(self.missing)
        return Plan(self.table, self.schema, self.guarantee, releases=releases, ledger=ledger)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values."""
        return {
            "table": self.table,
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
                {"columns": list(one.columns), "people": one.people} for one in self.identifying.sets
            ],
            "identifying_complete": self.identifying.complete,
            "unique_by_content": self.content.people,
            "warnings": list(self.warnings),
            "schema": self.schema.to_dict(),
            "guarantee": self.guarantee.to_dict() if self.guarantee else None,
            "missing": self.missing,
        }
