"""A table, seen: its columns in numbers, who is the person, and a role for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from anachron.errors import InputError, Problem, TableError
from anachron.proposing.columns import COUNTED, Facts, evidence, narrowed, one, written
from anachron.proposing.determined import Telling, part_of_time, tellings
from anachron.proposing.person import Person, find_person
from anachron.proposing.roles import (
    Name,
    Role,
    Weighed,
    few_quasi,
    few_sensitive,
    find_time,
    role_of,
)
from anachron.proposing.shape import side_by_side
from anachron.proposing.uniqueness import People
from anachron.proposing.words import says
from anachron.schema import EACH_ROW, ambiguous
from anachron.source.base import Source, quoted

__all__ = ["Look", "compared", "look"]

_MOST = 0.6
"""If one value has a larger share of the records, too many of them would be left out of a feed."""


@dataclass(frozen=True, eq=False)
class Look:
    """Everything that a proposal is made from."""

    con: duckdb.DuckDBPyConnection
    relation: str
    name: str
    """How messages call the table."""
    rows: int
    columns: Mapping[str, Facts]
    person: Person
    who: People
    varying: Mapping[str, int]
    """For each column: how many people have several values in it."""
    roles: tuple[Role, ...] = ()
    tellings: tuple[Telling, ...] = ()
    """Which of the columns to be published tell which others of them."""

    def named(self, name: Name) -> tuple[Facts, ...]:
        """The columns with a role."""
        return tuple(self.columns[role.column] for role in self.roles if role.name == name)

    def empty(self, column: Facts) -> int:
        """In how many rows a column is empty."""
        return 0 if column.kind == "other" else self.rows - column.filled

    def even(self, column: Facts) -> bool:
        """Whether a column can be the one sensitive one: no empty cells, and no value in most."""
        return not self.empty(column) and column.top <= _MOST * self.rows

    @property
    def time(self) -> Facts | None:
        """The column with the time of the event."""
        return next(iter(self.named("time")), None)


def look(
    con: duckdb.DuckDBPyConnection,
    source: Source,
    said: Mapping[str, Name],
    subject: Sequence[str],
    time_format: str | None = None,
) -> Look:
    """Look at all columns of a table, and then at each in the rows of one person.

    Columns by which a folder is divided are nobody. Texts that are written by ``time_format`` are
    times.
    """
    # One copy in columns: a text file would be parsed again for every column.
    con.execute(f"CREATE TABLE looked AS SELECT * FROM {source.relation}")
    rows = int(one(con, "SELECT count(*) FROM looked")[0])
    if not rows:
        raise TableError("has no rows.", source.name, remedy="Give the whole table.")
    columns = {column.name: column for column in evidence(con, "looked", source.columns)}
    problems = [
        Problem("is not in the table, or cannot be read.", source.name, name)
        for name in (*subject, *said)
        if name not in columns and name != EACH_ROW
    ]
    problems += [ambiguous(source.name) for name in subject if name == EACH_ROW and name in columns]
    if problems:
        raise InputError(problems)
    if time_format is not None:
        columns = _written(con, source.name, columns, said, time_format)
    nobody = [*said, *source.of_folders]
    person = find_person(con, "looked", rows, [*columns.values()], subject, nobody)
    who = People(con, "looked", person.columns, person.count)
    varying = _varying(con, columns, person) if person.count < rows else {}
    found = Look(con, "looked", source.name, rows, columns, person, who, varying)
    return replace(found, roles=_roles(found, said))


def _written(
    con: duckdb.DuckDBPyConnection,
    name: str,
    columns: Mapping[str, Facts],
    said: Mapping[str, Name],
    time_format: str,
) -> dict[str, Facts]:
    """The columns as they are where texts that are written by a format are the only times."""
    told = [column for column, role in said.items() if role == "time"]
    found = {column: written(con, "looked", columns[column], time_format) for column in columns}
    times = {column: facts for column, facts in found.items() if facts is not None}
    if not times or any(column not in times for column in told):
        raise InputError(
            "is no column of texts that are all written so." if told else
            "there is no column of texts that are all written so.",
            name,
            next(iter(told), None),
            remedy=f"Write --time-format as the times are, or leave it out: it is {time_format}.",
        )  # fmt: skip
    return {column: times.get(column, facts) for column, facts in columns.items()}


def _varying(
    con: duckdb.DuckDBPyConnection, columns: Mapping[str, Facts], person: Person
) -> dict[str, int]:
    names = [name for name, column in columns.items() if column.kind != "other"]
    by = ", ".join(map(quoted, person.columns))
    varying: dict[str, int] = {}
    for relation, few in narrowed(con, "looked", names, person.columns):
        ends = ", ".join(
            f"min({quoted(name)}) IS DISTINCT FROM max({quoted(name)}) AS v{i}"
            for i, name in enumerate(few)
        )
        counts = ", ".join(f"count(*) FILTER (v{i})" for i in range(len(few)))
        found = one(con, f"SELECT {counts} FROM (SELECT {ends} FROM {relation} GROUP BY {by})")
        varying |= zip(few, found, strict=True)
    return varying


def compared(found: Look) -> Look:
    """Look which of the columns to be published tell which, and say so where they are told."""
    published = [*found.named("quasi"), *found.named("sensitive")]
    told = tellings(found.con, found.relation, found.rows, published)
    by = {name: [one.column for one in told if name in one.tells] for name in found.columns}
    roles = (
        replace(role, reason=f"{role.reason}; told by {' and by '.join(by[role.column])}")
        if by[role.column]
        else role
        for role in found.roles
    )
    return replace(found, roles=tuple(roles), tellings=told)


def _roles(found: Look, said: Mapping[str, Name]) -> tuple[Role, ...]:
    """A role for each column, before a method is chosen."""
    columns = [*found.columns.values()]
    taken = [*found.person.columns, *said]
    formed = [column for column in columns if column.kind == "time as written"]
    clock = None if "time" in said.values() else find_time(formed or columns, taken)
    series = side_by_side([column for column in columns if column.name not in taken])
    beside = [*found.person.columns, *([clock.name] if clock else [])]
    roles = [
        _role(_within(found, narrow), found.columns[name], said, clock, series)
        for narrow, few in narrowed(found.con, found.relation, [*found.columns], beside)
        for name in few
    ]
    different = {column.name: column.different for column in columns}
    return few_sensitive(found.who, few_quasi(roles, different))


def _within(found: Look, relation: str) -> Look:
    """The same look, at a relation that has some of its columns."""
    return replace(found, relation=relation, who=replace(found.who, relation=relation))


def _role(
    found: Look,
    column: Facts,
    said: Mapping[str, Name],
    clock: Facts | None,
    series: tuple[str, ...],
) -> Role:
    name, person = column.name, found.person
    if name in person.columns:
        return Role(name, "subject", person.reason, "sure" if person.sure else "doubtful")
    if name in said:
        how = f"{_about_times(column)}: " if said[name] == "time" else ""
        return Role(name, said[name], f"{how}as you said", "sure")
    if column is clock:
        return Role(name, "time", f"{_about_times(column)}: looks like the time of the event")
    if clock is not None and (says(name, "time") or column.may_be_time):
        part = part_of_time(found.con, found.relation, clock, column)
        if part is not None:
            return Role(name, "home", f"the {part} of {clock.name}: it would undo the granularity")
    if name in series:
        reason = f"numbers, {column.different:,} different values, beside others of the kind"
        return Role(name, "series", reason)
    alone = 0.0 if column.kind == "other" else found.who.unique([name]).share
    return role_of(Weighed(column, found.varying.get(name), alone))


def _about_times(column: Facts) -> str:
    """How the times of a column are told, since whole numbers may be meant in several ways."""
    if column.kind in ("year", "month"):
        return f"whole numbers that look like {column.kind}s"
    if column.kind in COUNTED:
        return f"whole numbers that look like times in {column.kind} since 1970"
    by = "" if column.recorded_by == "instant" else f", recorded by {column.recorded_by}"
    return f"{column.different:,} different times{by}"
