"""What a careful person should look at before they sign a proposal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anachron.proposing.columns import Facts
from anachron.proposing.person import Person
from anachron.proposing.roles import Role
from anachron.proposing.uniqueness import Unique
from anachron.proposing.words import says

__all__ = ["warnings_of"]

_WORTH = 0.05
"""From this share of people on, being unique by content is worth a warning."""


def warnings_of(
    rows: int,
    person: Person,
    columns: Mapping[str, Facts],
    roles: Sequence[Role],
    content: Unique,
) -> tuple[str, ...]:
    """Say what is doubtful, the gravest first."""
    return tuple(_warnings(rows, person, columns, roles, content))


def _warnings(
    rows: int,
    person: Person,
    columns: Mapping[str, Facts],
    roles: Sequence[Role],
    content: Unique,
) -> Iterator[str]:
    if content.share > _WORTH:
        yield (
            f"{content.people:,} of {content.of:,} people are unique by "
            f"{', '.join(content.columns)} together, before anything is made coarser."
        )
    for name in person.columns:
        if columns[name].filled < rows:
            yield (
                f"{rows - columns[name].filled:,} rows have no {name}. They will be refused: fill "
                "it in, or leave the rows out."
            )
    for name, column in columns.items():
        if says(name, "count") and column.kind == "whole":
            yield (
                f"{name} may say for how many people a row stands. A row counts as one: repeat it "
                "as often as it says."
            )
    doubtful = [
        role.column for role in roles if role.name == "home" and role.confidence == "doubtful"
    ]
    if doubtful:
        yield (
            f"At home for want of evidence: {', '.join(doubtful)}. Give them roles if they are to "
            "leave."
        )
