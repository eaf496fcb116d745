"""Propose roles for the columns of a table, each with the reason.

A proposal is a beginning for a person who knows the table. Nothing is decided here, and no
value of the table is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import floor, log10
from typing import Any

from anachron.calendar.definitions import BUILT_IN
from anachron.errors import InputError, Problem
from anachron.schema import CALENDAR_UNITS, TimeUnit
from anachron.source.column_words import DIRECT, PLACE, QUASI, SENSITIVE, SUBJECT, TIME, says
from anachron.source.look import Column, Look, look

__all__ = [
    "COUNTED",
    "DAYS",
    "MANY",
    "Proposal",
    "about_subject",
    "about_time",
    "find_subject",
    "find_time",
    "missing",
    "propose",
    "recorded_by",
    "unit_of",
]

DAYS = dict(zip(BUILT_IN, (1 / 86_400, 1 / 1_440, 1 / 96, 1 / 24, 1 / 4, 1, 3.5, 7, 15, 30, 91, 182,
                           365, 3_652), strict=True))  # fmt: skip
"""About how many days a granule of each built-in granularity lasts."""
COUNTED: tuple[TimeUnit, ...] = ("year", "month", "s", "ms", "us")
TIMES = ("time", "zoned time", "time as text", "month as text", *COUNTED)

_ID = re.compile("id")
_BIRTH = re.compile("birth|born|dob")
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
    who = found.subject
    problems = missing(found, given, when)
    if problems or who is None or when is None:
        raise InputError(problems)
    by_name = {column.name: column for column in found.columns}
    roles = dict.fromkeys(quasi, "quasi") | dict.fromkeys(sensitive, "sensitive")
    reasons = dict.fromkeys(roles, "as you said")
    reasons[who] = about_subject(by_name[who], found.rows, subject is not None)
    reasons[when] = about_time(by_name[when], time is not None)
    for column in found.columns:
        if column.name not in reasons:
            role, reasons[column.name] = _role(column, found)
            roles |= {column.name: role} if role else {}
    reasons.update(dict.fromkeys(found.unreadable, "left out: it cannot be read as it is"))
    return _proposal(found, by_name[when], roles, reasons)


def missing(found: Look, given: Sequence[str], when: str | None) -> list[Problem]:
    """Say which of the columns that are needed were not found."""
    known = {column.name for column in found.columns}
    problems = [
        Problem("is not in the table, or cannot be read.", found.name, name)
        for name in given
        if name not in known
    ]
    if not problems and found.subject is None:
        problems.append(
            Problem("no column looks like a person.", found.name, remedy="Name it with --subject.")
        )
    if not problems and when is None:
        problems.append(
            Problem("no column looks like a time.", found.name, remedy="Name it with --time.")
        )
    return problems


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
        _granularities(clock),
        {name: ladder for name, ladder in ladders.items() if ladder is not None},
        reasons,
        days=_days(clock),
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


def find_time(found: Look, given: Iterable[str]) -> str | None:
    """Find the column that looks most like the time of an event."""
    taken = {*given, found.subject}
    free = [c for c in found.columns if c.kind in TIMES and c.filled and c.name not in taken]
    free = [c for c in free if not says(c.name, _BIRTH)]
    # Whole numbers are times only if their name says so.
    sure = [c for c in free if c.kind not in COUNTED or says(c.name, TIME)]
    named = [c for c in sure if says(c.name, TIME)]
    return (named or sure)[0].name if sure else None


def about_subject(column: Column, rows: int, given: bool) -> str:
    """Why a column is the person."""
    mean = f"{rows / max(column.different, 1):,.1f}".removesuffix(".0")
    each = f"{column.different:,} different values, {mean} row{'' if mean == '1' else 's'} each"
    return f"{each}: {'as you said' if given else 'looks like the person'}"


def about_time(column: Column, given: bool) -> str:
    """Why a column is the time."""
    how = {
        "year": "whole numbers that look like years",
        "month": "whole numbers that look like months",
        "month as text": "months",
    }.get(column.kind, f"whole numbers that look like times in {column.kind} since 1970")
    if column.kind not in (*COUNTED, "month as text"):
        how = f"times recorded by {column.recorded_by}, over {column.width / 86_400:,.1f} days"
    return f"{how}: {'as you said' if given else 'looks like the time of the event'}"


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


def _granularities(clock: Column) -> tuple[str, ...]:
    """Built-in granularities not finer than recorded, and not coarser than twice the span."""
    names = BUILT_IN[BUILT_IN.index(recorded_by(clock)) :]
    return tuple(n for n in names if DAYS[n] <= 2 * _days(clock)) or names[:1]


def unit_of(clock: Column) -> TimeUnit:
    """The time_unit by which a column is read."""
    kind = clock.kind.removesuffix(" as text")
    return next((unit for unit in COUNTED if unit == kind), "auto")


def recorded_by(clock: Column) -> str:
    """The finest built-in granularity by which times are recorded."""
    unit = unit_of(clock)
    if unit in CALENDAR_UNITS:
        return unit
    return "second" if clock.recorded_by == "instant" else clock.recorded_by


def _days(clock: Column) -> float:
    """How long the times span."""
    if clock.kind == "year":
        return clock.width * 365
    if clock.kind == "month":
        # 202401 less 202311 is 90: a year forth, ten months back.
        years = round(clock.width / 100)
        return (12 * years + clock.width - 100 * years) * DAYS["month"]
    per_second = {"ms": 1_000, "us": 1_000_000}.get(clock.kind, 1)
    return clock.width / per_second / 86_400
