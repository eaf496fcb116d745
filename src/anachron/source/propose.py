"""Propose roles for the columns of a table of events, or of a feed, each with the reason.

A proposal is a beginning for a person who knows the table. Nothing is decided here, and no
value of the table is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import floor, log10
from typing import Any

from anachron.errors import InputError, Problem
from anachron.schema import TimeUnit
from anachron.source.clocks import (
    COUNTED,
    DAYS,
    TIMES,
    about_time,
    days,
    find_time,
    granularities,
    unit_of,
)
from anachron.source.column_words import DIRECT, PLACE, QUASI, SENSITIVE, SUBJECT, TIME, says
from anachron.source.look import Column, Look, look

__all__ = [
    "MANY",
    "NUMBERS",
    "Proposal",
    "about_subject",
    "find_subject",
    "propose",
    "propose_feed",
    "require",
]

NUMBERS = ("whole", "number", *COUNTED)
ENOUGH = 100
"""So many records, about, make a snapshot worth publishing."""
SNAPSHOTS = ("day", "week", "month", "quarter", "year")

_ID = re.compile("id")
MANY = 1_000
"""More different values than this are too many to publish without a ladder."""


@dataclass(frozen=True)
class Proposal:
    """Roles for the columns, ladders and granularities, and why."""

    rows: int
    subject: str
    time: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    time_unit: TimeUnit
    granularities: tuple[str, ...]
    ladders: Mapping[str, dict[str, Any]]
    """As plain values, in the form of a plan."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why, for every column of the table."""
    series: tuple[str, ...] = ()
    precision: str | None = None
    """For series with fractions: on what grid to publish them."""
    days: float = 0.0
    """How long the times span."""
    values: tuple[str, ...] = ()
    """For registers: the sensitive values that occur, as texts."""
    most: int = 0
    """For registers: how many people have the most frequent of them."""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For registers: the texts of quasi columns, ascending."""
    widths: Mapping[str, str] = field(default_factory=dict)
    """For registers: the least width of intervals, for columns with fractions."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns without a role."""
        roles = {self.subject, self.time, *self.quasi, *self.sensitive, *self.series}
        return tuple(column for column in self.reasons if column not in roles)


def propose(
    table: str,
    subject: str | None = None,
    time: str | None = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
) -> Proposal:
    """Look at a table and propose roles; columns that are given keep the role given."""
    found = look(table, partial(find_subject, given=subject, time=time))
    given = [c for c in (subject, time) if c is not None] + [*quasi, *sensitive]
    when = time if time is not None else find_time(found, given)
    by_name = require(found, given, timed=when is not None)
    who, clock = by_name[str(found.subject)], by_name[str(when)]
    roles = dict.fromkeys(quasi, "quasi") | dict.fromkeys(sensitive, "sensitive")
    reasons = dict.fromkeys(roles, "as you said")
    reasons[who.name] = about_subject(who, found.rows, subject is not None)
    reasons[clock.name] = about_time(clock, time is not None)
    for column in found.columns:
        if column.name not in reasons:
            role, reasons[column.name] = _role(column, found)
            roles |= {column.name: role} if role else {}
    reasons |= found.unread
    return _proposal(found, clock, roles, reasons)


def propose_feed(
    table: str,
    subject: str | None = None,
    time: str | None = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
) -> Proposal:
    """Propose roles for a feed: one sensitive column, and a granularity for the snapshots."""
    found = propose(table, subject, time, quasi, sensitive)
    if not found.sensitive:
        raise InputError("no column looks sensitive.", table, remedy="Name it with --sensitive.")
    named = [column for column in found.sensitive if says(column, SENSITIVE)]
    kept = ([*sensitive] or named or [*found.sensitive])[0]
    others = {
        column: "left out: a feed has one sensitive column; make it quasi if outsiders may know it"
        for column in found.sensitive
        if column != kept
    }
    return replace(
        found,
        sensitive=(kept,),
        granularities=(_snapshot(found),),
        reasons={**found.reasons, **others},
    )


def _snapshot(found: Proposal) -> str:
    """The finest of the usual granularities whose snapshots have enough records."""
    offered = [name for name in found.granularities if name in SNAPSHOTS] or list(SNAPSHOTS[:1])
    enough = (name for name in offered if found.rows * DAYS[name] >= ENOUGH * found.days)
    return next(enough, offered[-1])


def require(found: Look, given: Sequence[str], timed: bool) -> dict[str, Column]:
    """Give the columns by name, or say which of those that are needed were not found."""
    known = {column.name: column for column in found.columns}
    problems = [
        Problem("is not in the table, or cannot be read.", found.name, name)
        for name in given
        if name not in known
    ]
    if not problems and found.subject is None:
        problems.append(
            Problem("no column looks like a person.", found.name, remedy="Name it with --subject.")
        )
    if not problems and not timed:
        problems.append(
            Problem("no column looks like a time.", found.name, remedy="Name it with --time.")
        )
    if problems:
        raise InputError(problems)
    return known


def _proposal(
    found: Look, clock: Column, roles: Mapping[str, str], reasons: Mapping[str, str]
) -> Proposal:
    quasi = [column for column in found.columns if roles.get(column.name) == "quasi"]
    ladders = {column.name: _ladder(column) for column in quasi}
    return Proposal(
        found.rows,
        str(found.subject),
        clock.name,
        tuple(column.name for column in quasi),
        tuple(c.name for c in found.columns if roles.get(c.name) == "sensitive"),
        unit_of(clock),
        granularities(clock),
        {name: ladder for name, ladder in ladders.items() if ladder is not None},
        reasons,
        days=days(clock),
    )


def find_subject(
    rows: int, columns: Sequence[Column], given: str | None, time: str | None
) -> str | None:
    """Find the column that looks most like the person, or the one that is given."""
    if given is not None:
        return given if any(column.name == given for column in columns) else None

    def rank(column: Column) -> tuple[bool, bool, bool, int]:
        return (
            says(column.name, SUBJECT),
            says(column.name, _ID),
            column.different < rows,
            column.different,
        )

    possible = [
        c
        for c in columns
        if c.name != time
        and c.kind in ("text", "whole", *COUNTED)
        and c.different > 1
        and (says(c.name, SUBJECT) or says(c.name, _ID) or _returning(c, rows))
        and not any(says(c.name, other) for other in (QUASI, SENSITIVE, DIRECT))
    ]
    return max(possible, key=rank).name if possible else None


def _returning(column: Column, rows: int) -> bool:
    """Whether, name apart, there are about as many values as there would be people."""
    return max(50, rows // 100) <= column.different and 1.2 * column.different < rows


def about_subject(column: Column, rows: int, given: bool) -> str:
    """Why a column is the person."""
    mean = f"{rows / max(column.different, 1):,.1f}".removesuffix(".0")
    each = f"{column.different:,} different values, {mean} row{'' if mean == '1' else 's'} each"
    return f"{each}: {'as you said' if given else 'looks like the person'}"


def _role(column: Column, found: Look) -> tuple[str | None, str]:
    vary, values = found.varying.get(column.name, 0), f"{column.different:,} different values"
    if says(column.name, DIRECT):
        return None, "left out: the name says it may identify a person directly"
    if says(column.name, PLACE) and column.kind == "number":
        return "quasi", f"{values}: outsiders may know where it was; published in squares only"
    if column.kind == "other" or column.different <= 1:
        return None, "left out: it holds nothing to publish" + (
            ", or lists" if column.kind == "other" else ": it is the same in every row"
        )
    if says(column.name, QUASI) and column.kind not in TIMES:
        return "quasi", f"{values}: the name says that outsiders may know it"
    if says(column.name, SENSITIVE) and column.different <= MANY:
        return "sensitive", f"{values}: the name says that it is what the table is about"
    if (column.kind in TIMES and column.kind not in COUNTED) or says(column.name, TIME):
        return None, "left out: another column that tells the time would undo the granularity"
    if column.different > max(MANY, found.rows // 2) or 2 * column.different > found.rows:
        return None, f"left out: {values} would single people out"
    if not vary:
        return "quasi", f"{values}, the same in all rows of a person: outsiders may know it"
    if column.different > MANY:
        return None, f"left out: {values} would single people out"
    return "sensitive", (
        f"{values}, several for {vary:,} people: published as it is; "
        "make it quasi if outsiders may know it"
    )


def _ladder(column: Column) -> dict[str, Any] | None:
    """Bins for numbers; for many texts, as they are or left out; for a few values nothing.

    Numbers and few values are not offered to be left out: with time to be kept fine, they would
    be the first to go.
    """
    if says(column.name, PLACE) and column.kind == "number":
        return {"bins": ["0.01", "0.1", "1"], "raw": False, "drop": False}
    if column.different <= 10:
        return None
    if column.kind not in ("whole", "number", *COUNTED):
        return {}
    if column.kind != "number" and column.width < 20:
        return {"bins": [2, 10], "drop": False}
    # 5, 10, 20 for ages; the same digits, with as many zeros as the numbers are large.
    size = floor(log10(column.width / 20)) if column.width > 0 else 0
    return {"bins": [f"{width}e{size}" for width in (5, 10, 20)], "drop": False}
