"""Look at a table and propose a role for each column, and a plan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from anachron.database import connected
from anachron.errors import InputError, Problem, TableError
from anachron.guarantees import Guarantee
from anachron.proposing.columns import Evidence, evidence, one
from anachron.proposing.person import Person, find_person
from anachron.proposing.promises import Draft, Promising, unit_of
from anachron.proposing.proposal import Proposal
from anachron.proposing.roles import Confidence, Name, Role, Seen, few_quasi, find_time, role_of
from anachron.proposing.shape import fitting, side_by_side
from anachron.proposing.uniqueness import People
from anachron.proposing.warnings import warnings_of
from anachron.registry import METHODS
from anachron.schema import EACH_ROW, Schema
from anachron.source.base import Source, quoted, reading
from anachron.source.names import column_names
from anachron.source.read import open_source

__all__ = ["propose"]

TELLING_TOGETHER = 0.05
"""By all sensitive columns together, no more than this share of the people may be unique."""


def propose(
    table: Any,
    method: str | None = None,
    subject: str | Sequence[str] | None = None,
    time: str | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    time_zone: str = "UTC",
    k: int = 5,
) -> Proposal:
    """Look at a table and propose a role for each column, with the reason.

    What is in doubt is proposed as quasi, or stays home; nothing is published as it is unless its
    name says that the table is about it and hardly anybody is unique by it. No value of the table
    is repeated, but for those that a plan for a register declares.

    Parameters
    ----------
    table
        A file, a folder, the table of a database, or a table in memory.
    method
        ``"granularity"``, ``"invariance"``, ``"reposition"`` or ``"patterns"``; if not given, the
        one that fits the table.
    subject, time, quasi, sensitive
        Columns whose role you know.
    time_zone
        The zone whose clock and calendar are meant.
    k
        How many people must share what is published, where the promise is one of k.

    Example
    -------
    >>> import anachron as an
    >>> import pyarrow as pa
    >>> visits = pa.table({
    ...     "patient": [f"u{i % 40}" for i in range(120)],
    ...     "day": [f"2024-05-{1 + i % 28:02}" for i in range(120)],
    ...     "age": [20 + i % 40 for i in range(120)],
    ...     "diagnosis": [("flu", "burn", "cold")[i % 3] for i in range(120)],
    ...     "phone": [f"+49 30 {100_000 + i % 40}" for i in range(120)],
    ... })
    >>> found = an.propose(visits)
    >>> for role in found.roles:
    ...     print(f"{role.name:9} {role.column:9} {role.confidence}")
    subject   patient   sure
    time      day       likely
    quasi     age       likely
    sensitive diagnosis likely
    home      phone     sure
    >>> found.method, found.people
    ('granularity', 40)
    """
    said: dict[str, Name] = {
        **dict.fromkeys(_several(quasi), "quasi"),
        **dict.fromkeys(_several(sensitive), "sensitive"),
        **({time: "time"} if time else {}),
    }
    given = None if subject is None else () if subject == EACH_ROW else _several(subject)
    with connected() as con:
        source, unreadable = _opened(table, con)
        with reading(source.name):
            look = _look(con, source, said, given)
            name, fits = _method(look, method)
            look = _fitted(look, name)
            schema = _schema(look, time_zone)
            published = [*schema.quasi, *schema.sensitive]
            content = look.who.unique(published)
            return Proposal(
                os.fspath(table) if isinstance(table, str | os.PathLike) else None,
                look.rows,
                look.person.count,
                name,
                fits,
                (*look.roles, *(Role(c, "home", "cannot be read as it is", "sure") for c in unreadable)),
                look.who.identifying(published),
                content,
                warnings_of(look.rows, look.person, look.columns, look.roles, content),
                schema,
                *_promised(name, k, _draft(look)),
            )


@dataclass(frozen=True, eq=False)
class _Look:
    """A table, seen: everything that a proposal is made from."""

    con: duckdb.DuckDBPyConnection
    source: Source
    rows: int
    columns: Mapping[str, Evidence]
    person: Person
    who: People
    roles: tuple[Role, ...]

    def named(self, name: Name) -> tuple[Evidence, ...]:
        return tuple(self.columns[role.column] for role in self.roles if role.name == name)


def _several(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _opened(table: Any, con: duckdb.DuckDBPyConnection) -> tuple[Source, tuple[str, ...]]:
    """Open the table without the columns that cannot be read."""
    names = list(dict.fromkeys(column_names(table)))
    try:
        return open_source(table, con, names), ()
    except TableError as error:
        bad = {problem.column for problem in error.problems}
        good = [name for name in names if name not in bad]
        if None in bad or not good or len(good) == len(names):
            raise
    # A fresh attempt needs a fresh connection, because the first may have left tables behind.
    for (left,) in con.execute("SELECT table_name FROM information_schema.tables").fetchall():
        con.execute(f"DROP TABLE IF EXISTS {quoted(left)}")
    return open_source(table, con, good), tuple(name for name in names if name in bad)


def _look(
    con: duckdb.DuckDBPyConnection,
    source: Source,
    said: Mapping[str, Name],
    given: Sequence[str] | None,
) -> _Look:
    # One copy in columns: a text file would be parsed again for every column.
    con.execute(f"CREATE TABLE looked AS SELECT * FROM {source.relation}")
    rows = int(one(con, "SELECT count(*) FROM looked")[0])
    columns = {column.name: column for column in evidence(con, "looked", source.columns)}
    problems = [
        Problem("is not in the table, or cannot be read.", source.name, name)
        for name in (*(given or ()), *said)
        if name not in columns
    ]
    if problems:
        raise InputError(problems)
    person = find_person(con, "looked", rows, [*columns.values()], given, [*said])
    who = People(con, "looked", person.columns, person.count)
    look = _Look(con, source, rows, columns, person, who, ())
    return replace(look, roles=_roles(look, said, given is not None))


def _roles(look: _Look, said: Mapping[str, Name], person_said: bool) -> tuple[Role, ...]:
    """A role for each column, before a method is chosen."""
    person, columns = look.person, look.columns
    clock = next((name for name, role in said.items() if role == "time"), None)
    if clock is None:
        found = find_time([*columns.values()], [*person.columns, *said])
        clock = found.name if found else None
    series = side_by_side([*columns.values()])
    varying = _varying(look) if person.count < look.rows else {}
    roles = []
    for name, column in columns.items():
        if name in person.columns:
            sure: Confidence = "sure" if person_said or person.sure else "doubtful"
            roles.append(Role(name, "subject", person.reason, sure))
        elif name in said:
            roles.append(Role(name, said[name], "as you said", "sure"))
        elif name == clock:
            roles.append(Role(name, "time", _about_time(column), "likely"))
        elif name in series:
            reason = f"numbers, {column.different:,} different values, beside others of the kind"
            roles.append(Role(name, "series", reason))
        elif column.kind == "other":
            roles.append(Role(name, "home", "cannot be published as it is", "sure"))
        else:
            alone = look.who.unique([name]).share
            roles.append(role_of(Seen(column, varying.get(name), alone)))
    kept = few_quasi(roles, {name: column.different for name, column in columns.items()})
    return _together(look.who, kept)


def _about_time(column: Evidence) -> str:
    recorded = "" if column.recorded_by == "instant" else f", recorded by {column.recorded_by}"
    return f"{column.different:,} different times{recorded}: looks like the time of the event"


def _varying(look: _Look) -> dict[str, int]:
    """For each column: how many people have several values in it."""
    names = [name for name, column in look.columns.items() if column.kind != "other"]
    by = ", ".join(map(quoted, look.person.columns))
    ends = ", ".join(
        f"min({quoted(name)}) IS DISTINCT FROM max({quoted(name)}) AS v{i}"
        for i, name in enumerate(names)
    )
    counts = ", ".join(f"count(*) FILTER (v{i})" for i in range(len(names)))
    found = one(look.con, f"SELECT {counts} FROM (SELECT {ends} FROM looked GROUP BY {by})")
    return dict(zip(names, found, strict=True))


def _together(who: People, roles: Sequence[Role]) -> tuple[Role, ...]:
    """Keep as sensitive only what, all together, makes few people unique."""
    kept: list[str] = [r.column for r in roles if r.name == "sensitive" and r.confidence == "sure"]
    result = []
    for role in roles:
        if role.name == "sensitive" and role.confidence != "sure":
            share = who.unique([*kept, role.column]).share
            if kept and share > TELLING_TOGETHER:
                reason = (
                    f"with {', '.join(kept)} beside it, {share:.0%} of the people would be unique"
                )
                result.append(Role(role.column, "home", reason, "doubtful"))
                continue
            kept.append(role.column)
        result.append(role)
    return tuple(result)


def _method(look: _Look, given: str | None) -> tuple[str, str]:
    if given is not None:
        return given, "as you said"
    clock = next(iter(look.named("time")), None)
    series = [column.name for column in look.named("series")]
    secret = [column.name for column in look.named("sensitive")]
    return fitting(look.rows, look.person.count, clock, series, secret)


def _fitted(look: _Look, method: str) -> _Look:
    """Leave out what the method cannot publish."""
    promising: Promising = METHODS[method].proposal.load()
    roles, kept = [], 0
    for role in look.roles:
        reason = None
        if role.name == "series" and not promising.has_series:
            reason = "numbers of a series, which this method does not publish"
        if role.name == "quasi" and not promising.has_quasi:
            reason = "series are published without what outsiders know"
        if role.name == "time" and not promising.has_time:
            reason = "a register has no time: its releases have"
        if role.name == "sensitive" and promising.one_sensitive:
            kept += 1
            reason = "there is one sensitive column already" if kept > 1 else None
        roles.append(role if reason is None else Role(role.column, "home", reason))
    return replace(look, roles=tuple(roles))


def _schema(look: _Look, time_zone: str) -> Schema:
    clock = next(iter(look.named("time")), None)
    subject = look.person.columns
    return Schema(
        EACH_ROW if not subject else subject[0] if len(subject) == 1 else subject,
        clock.name if clock else None,
        [column.name for column in look.named("quasi")],
        [column.name for column in look.named("sensitive")],
        time_zone,
        unit_of(clock),
        [column.name for column in look.named("series")],
    )


def _promised(method: str, k: int, draft: Draft) -> tuple[Guarantee | None, str]:
    """A promise to begin with, or what is missing for one."""
    promising: Promising = METHODS[method].proposal.load()
    try:
        return promising.promise(k, draft), ""
    except InputError as error:
        return None, str(error)


def _draft(look: _Look) -> Draft:
    return Draft(
        look.con,
        "looked",
        look.source.name,
        look.rows,
        next(iter(look.named("time")), None),
        look.named("quasi"),
        look.named("sensitive"),
        look.named("series"),
    )
