"""Propose roles for feeds and for time series, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from math import floor, log10

from anachron.errors import InputError
from anachron.source.column_words import DIRECT, PLACE, QUASI, SENSITIVE, says
from anachron.source.look import Column, Look, look
from anachron.source.propose import (
    COUNTED,
    DAYS,
    Proposal,
    about_subject,
    about_time,
    find_subject,
    find_time,
    missing,
    propose,
    recorded_by,
    unit_of,
)

__all__ = ["NUMBERS", "propose_feed", "propose_series"]

ENOUGH = 100
"""So many records, about, make a snapshot worth publishing."""
SNAPSHOTS = ("day", "week", "month", "quarter", "year")
NUMBERS = ("whole", "number", *COUNTED)


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


def propose_series(
    table: str,
    subject: str | None = None,
    time: str | None = None,
    sensitive: Sequence[str] = (),
) -> Proposal:
    """Propose roles for time series: wide if every person has one row, long otherwise."""
    found = look(table, partial(find_subject, given=subject, time=time))
    given = [c for c in (subject, time) if c is not None] + [*sensitive]
    who = next((c for c in found.columns if c.name == found.subject), None)
    wide = who is not None and who.different == found.rows and time is None
    when = "" if wide else time or find_time(found, given)
    problems = missing(found, given, when)
    if problems or who is None or when is None:
        raise InputError(problems)
    numbers = _numbers(found, (*given, who.name, when))
    series = numbers if wide else numbers[:1]
    if len(series) < (2 if wide else 1):
        what = "fewer than two columns look" if wide else "no column looks"
        raise InputError(f"{what} like the values of a series.", found.name)
    clock = next((c for c in found.columns if c.name == when), None)
    return Proposal(
        found.rows,
        who.name,
        when,
        (),
        tuple(sensitive),
        unit_of(clock) if clock else "auto",
        (recorded_by(clock),) if clock else (),
        {},
        _reasons(found, who, clock, series, given),
        tuple(column.name for column in series),
        _precision(series),
    )


def _numbers(found: Look, taken: Sequence[str]) -> list[Column]:
    """Numbers that vary and that no name explains; what is named for its content comes first."""
    free = [
        column
        for column in found.columns
        if column.kind in NUMBERS and column.different > 1 and column.name not in taken
    ]
    free = [c for c in free if not any(says(c.name, words) for words in (QUASI, DIRECT, PLACE))]
    if found.varying and any(found.varying.get(c.name) for c in free):
        return sorted(free, key=lambda c: (not says(c.name, SENSITIVE), -found.varying[c.name]))
    return free


def _reasons(
    found: Look, who: Column, clock: Column | None, series: list[Column], given: Sequence[str]
) -> Mapping[str, str]:
    reasons = {
        c.name: "left out: make it sensitive if it is to be published" for c in found.columns
    }
    reasons |= {c.name: f"numbers, {c.different:,} different values" for c in series}
    reasons |= dict.fromkeys(given, "as you said")
    reasons[who.name] = about_subject(who, found.rows, who.name in given)
    if clock:
        reasons[clock.name] = about_time(clock, clock.name in given)
    return reasons | dict.fromkeys(found.unreadable, "left out: it cannot be read as it is")


def _precision(series: Sequence[Column]) -> str | None:
    """For fractions: a round number, about a thousandth of what the widest column spans."""
    width = max(column.width for column in series)
    if all(column.kind != "number" for column in series) or width <= 0:
        return None
    return format(Decimal(10) ** (floor(log10(width)) - 3), "f")
