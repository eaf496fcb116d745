"""Uniqueness: nobody else's row says the same.

k-anonymity speaks of quasi columns and times: five people share them. Beside them stand the columns
that are published as they are, and those count just as much to a neighbour who knows them. Five
women of one age were in one ward in one week; only one of them came by ambulance, for a broken
wrist, and paid herself. Whoever saw the ambulance finds her row, and reads the rest in it. The
promise is kept to the letter, and she is found.

Which column is the secret, nobody says of events: it is whichever one the adversary does not know
yet. So a person counts who is alone on all that is published *but one column*: who knows the others
finds the row, and learns that one. Where a promise hides the sensitive column, that is the secret,
and people count who are alone on all the rest.

===============  ===============================================================================
events           quasi columns as published, the granule, and all content but one column
registers        the box of the group; counterfeits do not count, since it is said how many
anatomy          quasi columns, which are as they are; of a feed, and the snapshot
feeds, boxes     the box and the snapshot of the group
series           the envelope, level and pattern, and all content but one; with ``l``, none of it
===============  ===============================================================================

Nothing is promised against it, and `publish` notes it where more than one in 20 are alone.

Measured
    people with a row that no other person shares; without the table, rows that are there once.
    Beside it: how many are alone on everything, and which column makes the most of them so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from anachron.arrays import Array, Flags, Numbers
from anachron.attacking.finding import Finding, percent
from anachron.attacking.known import Known
from anachron.auditing.reading.description import feed_of
from anachron.auditing.reading.pieces import published_of
from anachron.behind import Large, Members
from anachron.kernels.sorting import numbered
from anachron.placing.events import passing_members
from anachron.placing.settling import nth
from anachron.published.coded import same_codes
from anachron.published.ways import AsItIs
from anachron.release import Release

__all__ = [
    "NEEDS",
    "Alone",
    "By",
    "Laid",
    "alone",
    "alone_in_passing",
    "alone_in_snapshots",
    "attack",
    "found_alone",
    "joined",
    "without_each",
]

NEEDS = "release"

By = Literal["content", "quasi", "shape", "group"]


def alone(key: Array, person: Array) -> Flags:
    """Mark the rows whose key no other person has; both are numbers from 0, one for each row.

    >>> alone(np.array([0, 0, 1, 2, 2]), np.array([7, 8, 8, 9, 9])).tolist()
    [False, False, True, True, True]
    """
    somebody = np.zeros(int(key.max(initial=-1)) + 1, dtype=np.int64)
    somebody[key] = person
    shared = np.zeros(len(somebody), dtype=bool)
    shared[key[somebody[key] != person]] = True
    found: Flags = ~shared[key]
    return found


def joined(one: Array, other: Numbers) -> Array:
    """Number the different pairs of two numbers from 0."""
    return numbered(one * (int(other.max(initial=0)) + 1) + other)[1]


def without_each(fixed: Array, columns: Sequence[Numbers], person: Array) -> list[Flags]:
    """For each column: mark the rows that are alone on what is fixed and all the other columns."""
    before, behind = [fixed], [np.zeros_like(fixed)]
    for ahead, back in zip(columns[:-1], columns[:0:-1], strict=True):
        before.append(joined(before[-1], ahead))
        behind.append(joined(behind[-1], back))
    return [
        alone(joined(one, other), person)
        for one, other in zip(before, reversed(behind), strict=True)
    ][: len(columns)]


@dataclass(frozen=True, eq=False)
class Laid:
    """What is published in clear, row by row, as numbers from 0."""

    person: Array
    """Whose row it is; a number of its own for each, where nobody can tell."""
    fixed: Array
    """What is published of the row beside its content."""
    names: tuple[str, ...]
    """Columns of content that no promise hides,"""
    content: tuple[Numbers, ...]
    """and what each row has there."""
    counted: str
    """What is counted: people, or rows."""


@dataclass(frozen=True)
class Alone:
    """How many people are alone by what is published of them."""

    exposed: int
    """On all but one column of the content; on all that is not hidden, if none is open."""
    on_all: int
    """On all that is not hidden."""
    people: int
    counted: str
    by: By
    """What makes them so: content, quasi values as they are, shapes, or the group alone."""
    columns: tuple[str, ...]
    """The columns of content or of quasi values; of content, the most telling first."""
    timed: bool = False
    """Whether it takes to know when it happened, too."""

    @property
    def share(self) -> float:
        """Of the people who are published."""
        return self.exposed / max(self.people, 1)


def found_alone(known: Known) -> Alone | None:
    """Count who is alone by what is published; None if nothing is."""
    shown = _laid(known)
    if not len(shown.person):
        return None
    each = without_each(shown.fixed, shown.content, shown.person)
    on_all = alone(reduce(joined, shown.content, shown.fixed), shown.person)
    exposed = np.logical_or.reduce(each) if each else on_all
    by = _by(known, shown)
    columns = _as_they_are(known) if by == "quasi" else ()
    if by == "content":
        # The fewer are alone without a column, the more it tells.
        order = np.argsort([int(flags.sum()) for flags in each], kind="stable")
        columns = tuple(shown.names[at] for at in order)
    return Alone(
        exposed=_people(shown, exposed),
        on_all=_people(shown, on_all),
        people=_people(shown, np.ones(len(shown.person), dtype=bool)),
        counted=shown.counted,
        by=by,
        columns=columns,
        timed=any(way.role == "time" for way in known.groups.form.columns.values()),
    )


def alone_in_passing(release: Release, table: Large) -> Alone | None:
    """Count the same of events that are not held: who is alone in a group is so among its rows."""
    people = table.people
    exposed, on_all, there = (np.zeros(people, dtype=bool) for _ in range(3))
    names, tells = tuple(table.schema.sensitive), np.zeros(len(table.schema.sensitive), np.int64)
    for members in passing_members(release, table):
        content = [column.code for column in members.sensitive]
        each = without_each(members.group, content, members.person)
        tells += [int(flags.sum()) for flags in each]
        exposed[members.person[np.logical_or.reduce(each)]] = True
        on_all[members.person[alone(reduce(joined, content, members.group), members.person)]] = True
        there[members.person] = True
    if not there.any():
        return None
    order = np.argsort(tells, kind="stable")
    return Alone(
        exposed=int(exposed.sum()),
        on_all=int(on_all.sum()),
        people=int(there.sum()),
        counted="people",
        by="content",
        columns=tuple(names[at] for at in order),
        timed=True,
    )


def alone_in_snapshots(release: Release) -> Alone | None:
    """Count the same of a feed whose quasi values are as they are, some snapshots at a time.

    Nobody can tell whose row is whose: what is counted are rows.
    """
    form = feed_of(release)
    if form is None:
        return None
    found = rows = 0
    for piece in published_of(form):
        fixed = reduce(joined, (column.rank for column in piece.quasi), piece.row_snapshot)
        found += int(alone(fixed, np.arange(len(fixed))).sum())
        rows += len(fixed)
    if not rows:
        return None
    return Alone(found, found, rows, "rows", "quasi", form.quasi, timed=True)


def attack(known: Known) -> Finding | None:
    """Count who is alone by what is published."""
    found = found_alone(known)
    if found is None:
        return None
    hidden = known.value_share is not None
    most = f", by {found.columns[0]!r} above all" if found.by == "content" else ""
    return Finding(
        attack="uniqueness",
        title="Unique by all that is published",
        knows="all that is published of a person, but the value that is hidden"
        if hidden
        else "all that is published of a person, but one column",
        exposed=found.exposed,
        people=found.people,
        promised="nothing about who is found, only about the value"
        if hidden
        else "nothing about content, which is published as it is",
        measured=f"{found.exposed:,} {found.counted} are alone ({percent(found.share)}{most}); "
        f"{found.on_all:,} on all that is not hidden",
        holds=None,
        figures={
            "counted": found.counted,
            "alone": found.exposed,
            "alone_on_all": found.on_all,
            "share": round(found.share, 4),
            "columns": ", ".join(found.columns),
        },
        about="Looks for people whose row nobody else shares, by all that is published in clear.",
    )


def _laid(known: Known) -> Laid:
    """Read what is published in clear; with the table, of each person."""
    groups, form = known.groups, known.groups.form
    ways = [way for way in form.columns.values() if way.names]
    # By anatomy, quasi cells are a row's own; else they are the group's.
    apart = form.layout.apart
    own = [way for way in ways if apart and isinstance(way, AsItIs)]
    shared = [way for way in ways if way.role != "sensitive" and way not in own]
    group = same_codes(
        [np.zeros(len(groups), dtype=np.int64), *(groups.cells(way).codes for way in shared)]
    )
    fixed = group[groups.row]
    for way in (*own, *form.layout.shapes):
        fixed = joined(fixed, groups.rows(way).codes)
    # What a promise hides is no content in clear.
    clear = [way for way in ways if way.role == "sensitive" and known.value_share is None]
    several = any(way.role == "time" for way in ways)
    # Of registers and series everyone has one row: there is nobody to tell apart.
    members = known.members if several else None
    if members is not None and len(members.group) == len(groups.row):
        return _of_people(known, members, fixed, tuple(way.column for way in clear))
    real = apart | (nth(groups.row) >= groups.counterfeits[groups.row])
    return Laid(
        person=np.arange(int(real.sum())),
        fixed=fixed[real],
        names=tuple(way.column for way in clear),
        content=tuple(groups.rows(way).codes[real] for way in clear),
        counted="rows" if several else "people",
    )


def _of_people(known: Known, members: Members, fixed: Array, clear: tuple[str, ...]) -> Laid:
    """The same, as the table has it: whose row of a group is whose, only it can tell."""
    if known.groups.form.layout.apart:
        fixed = reduce(joined, (quasi.code for quasi in members.quasi), members.snapshot)
    else:
        of_group = np.zeros(members.groups, dtype=np.int64)
        of_group[known.groups.row] = fixed
        fixed = of_group[members.group]
    content = {column.name: column.code for column in members.sensitive}
    return Laid(members.person, fixed, clear, tuple(content[name] for name in clear), "people")


def _by(known: Known, shown: Laid) -> By:
    if len(shown.names) > 1:
        return "content"
    if known.groups.form.layout.apart:
        return "quasi"
    return "shape" if known.groups.form.layout.shapes else "group"


def _as_they_are(known: Known) -> tuple[str, ...]:
    """Quasi columns that are published as they are."""
    return tuple(n for n, way in known.groups.form.columns.items() if isinstance(way, AsItIs))


def _people(shown: Laid, rows: Flags) -> int:
    there = np.zeros(int(shown.person.max(initial=-1)) + 1, dtype=bool)
    there[shown.person[rows]] = True
    return int(there.sum())
