"""What a careful person should look at before they sign a proposal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anachron.proposing.columns import Facts
from anachron.proposing.look import Look
from anachron.proposing.person import spelled_twice
from anachron.proposing.roles import Role
from anachron.proposing.uniqueness import Unique
from anachron.proposing.words import says
from anachron.spelling import SETTING, SPELT

__all__ = ["warnings_of"]

_WORTH = 0.05
"""From this share of people on, being unique by content is worth a warning."""


def warnings_of(found: Look, content: Unique) -> tuple[str, ...]:
    """Say what is doubtful, the gravest first."""
    return (
        *_of_person(found),
        *_of_content(content),
        *_of_tellings(found),
        *_of_columns(found.columns, found.roles),
    )


def _of_person(found: Look) -> Iterator[str]:
    person, rows = found.person, found.rows
    if not person.columns:
        why = "You said so" if person.sure else "No column tells people apart"
        yield (
            f"{why}: each of the {rows:,} rows counts as a person. If somebody has several, they "
            "are protected less than is promised, and nobody is known again in a later release. "
            "Name the column of the person with --subject, if there is one."
        )
    if len(person.columns) > 1 and not person.sure:
        yield (
            f"{' and '.join(person.columns)} are taken for one person together. If one of them is "
            "the person, name it with --subject: too many people are counted now."
        )
    if twins := spelled_twice(found.con, found.relation, person):
        yield (
            f"{twins:,} {'person differs' if twins == 1 else 'people differ'} from another only in "
            f"{SPELT}. Publishing refuses that: write everybody in one way; or {SETTING}."
        )


def _of_content(content: Unique) -> Iterator[str]:
    if content.share > _WORTH:
        yield (
            f"{content.people:,} of {content.of:,} people are unique by "
            f"{', '.join(content.columns)} together, before anything is made coarser."
        )


def _of_tellings(found: Look) -> Iterator[str]:
    """Where a column is made coarser, or kept secret, and another tells it as it is."""
    quasi = {column.name for column in found.named("quasi")}
    said: set[frozenset[str]] = set()
    for one in found.tellings:
        for other in one.tells:
            pair = frozenset((one.column, other))
            if pair in said:
                continue
            said.add(pair)
            if other in quasi:
                back = " and the other way round" if other in one.back else ""
                yield (
                    f"{one.column} tells {other}{back}: "
                    f"making {other} coarser hides nothing while {one.column} is published finer. "
                    "Leave one of them at home."
                )
            elif one.column in quasi:
                yield f"Whoever knows {one.column} knows {other}, in every row."


def _of_columns(columns: Mapping[str, Facts], roles: Sequence[Role]) -> Iterator[str]:
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
