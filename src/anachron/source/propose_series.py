"""Propose roles for time series, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from math import floor, log10

from anachron.errors import InputError
from anachron.source.clocks import about_time, find_time, recorded_by, unit_of
from anachron.source.column_words import DIRECT, PLACE, QUASI, SENSITIVE, says
from anachron.source.look import Column, Look, look
from anachron.source.propose import NUMBERS, Proposal, about_subject, find_subject, require

__all__ = ["propose_series"]


def propose_series(
    table: str,
    subject: str | None = None,
    time: str | None = None,
    sensitive: Sequence[str] = (),
) -> Proposal:
    """Propose roles for time series: wide if every person has one row, long otherwise."""
    found = look(table, partial(find_subject, given=subject, time=time))
    given = [c for c in (subject, time) if c is not None] + [*sensitive]
    wide = time is None and any(
        c.name == found.subject and c.different == found.rows for c in found.columns
    )
    when = None if wide else time or find_time(found, given)
    by_name = require(found, given, timed=wide or when is not None)
    who, clock = by_name[str(found.subject)], None if when is None else by_name[when]
    numbers = _numbers(found, (*given, who.name, when or ""))
    series = numbers if wide else numbers[:1]
    if len(series) < (2 if wide else 1):
        what = "fewer than two columns look" if wide else "no column looks"
        raise InputError(f"{what} like the values of a series.", found.name)
    return Proposal(
        found.rows,
        who.name,
        when or "",
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
    return reasons | found.unread


def _precision(series: Sequence[Column]) -> str | None:
    """For fractions: a round number, about a thousandth of what the widest column spans."""
    width = max(column.width for column in series)
    if all(column.kind != "number" for column in series) or width <= 0:
        return None
    return format(Decimal(10) ** (floor(log10(width)) - 3), "f")
