"""Series: what two times are apart, to which precision, and what becomes of gaps."""

from __future__ import annotations

from anachron.errors import InputError, Problem
from anachron.guarantees import KPAnonymity
from anachron.guarantees.patterns import Gaps
from anachron.proposing.columns import Facts, one
from anachron.proposing.ladders import DAYS, days, recorded_by
from anachron.proposing.look import Look
from anachron.proposing.promises import Promising, clock, one_row_each, rounded
from anachron.source.base import quoted

__all__ = ["SERIES"]

_ENOUGH = 0.5
"""At least this share of the series, or of the times, must be left where there are gaps."""


def _patterns(k: int, found: Look) -> KPAnonymity:
    series = found.named("series")
    if len(series) > 1:
        one_row_each(found, "Series that stand side by side have")
    elif found.person.count == found.rows:
        raise InputError("fewer than two columns look like the values of a series.", found.name)
    elif not series:
        raise InputError("no column looks like the values of a series.", found.name)
    else:
        _one_value_each(found, clock(found))
    width = max(column.width for column in series)
    fractions = any(column.kind == "number" for column in series) and width > 0
    return KPAnonymity(
        k=k,
        P=2,
        precision=rounded(width, 3) if fractions else None,
        granularity=recorded_by(found.time) if found.time else None,
        gaps=_wide(k, found, series) if len(series) > 1 else _long(k, found, series[0]),
    )


def _one_value_each(found: Look, time: Facts) -> None:
    """Ask for another time where somebody has several values at once."""
    by = ", ".join(map(quoted, (*found.person.columns, time.name)))
    values = one(found.con, f"SELECT count(*) FROM (SELECT DISTINCT {by} FROM {found.relation})")[0]
    if values < found.rows:
        raise InputError(
            f"some people have several values at one time ({found.rows - values:,} rows).",
            found.name,
            time.name,
            remedy="A series has one value at each time: make one of them, or name another time "
            "with --time.",
        )


def _wide(k: int, found: Look, series: tuple[Facts, ...]) -> Gaps:
    """What to do with gaps in rows: fill between values, or leave some series or times out."""
    if all(column.filled == found.rows for column in series):
        return "refuse"
    if series[0].filled == series[-1].filled == found.rows:
        return "interpolate"
    whole = " AND ".join(f"{quoted(column.name)} IS NOT NULL" for column in series)
    left = one(found.con, f"SELECT count(*) FILTER ({whole}) FROM {found.relation}")[0]
    if left >= max(k, _ENOUGH * found.rows):
        return "drop"
    times = sum(column.filled == found.rows for column in series)
    if times >= max(2, _ENOUGH * len(series)):
        return "trim"
    raise _too_many_gaps(found, series[0], found.rows - left)


def _long(k: int, found: Look, values: Facts) -> Gaps:
    """The same, where a row is a value: what is there has to be counted."""
    time = clock(found)
    times = round(days(time) / DAYS[recorded_by(time)]) + 1
    by = ", ".join(map(quoted, found.person.columns))
    end = one(found.con, f"SELECT min({time.read}), max({time.read}) FROM {found.relation}")
    whole, ends = one(
        found.con,
        f"SELECT count(*) FILTER (n = {times}), count(*) FILTER (a = $a AND b = $b) FROM (SELECT "
        f"count(*) AS n, min(t) AS a, max(t) AS b FROM (SELECT *, {time.read} AS t FROM "
        f"{found.relation} WHERE {quoted(values.name)} IS NOT NULL) GROUP BY {by})",
        {"a": end[0], "b": end[1]},
    )
    people = found.person.count
    if whole == people:
        return "refuse"
    if ends == people and times <= _INVENTED * found.rows / people:
        return "interpolate"
    if whole >= max(k, _ENOUGH * people):
        return "drop"
    raise _too_many_gaps(found, values, people - whole)


_INVENTED = 10
"""Of each value, no more than this many are proposed to be made by interpolation."""


def _too_many_gaps(found: Look, column: Facts, lacking: int) -> InputError:
    return InputError(
        Problem(
            f"{lacking:,} of {found.person.count:,} series lack values.",
            found.name,
            column.name,
            remedy="Fill them in, or publish them as events, with --for granularity.",
        )
    )


SERIES = Promising(
    _patterns,
    {
        "k": "At least so many people share each published envelope of values.",
        "P": "At least so many people of a group share each published pattern.",
        "precision": "Published bounds are multiples of it.",
        "granularity": "What two neighbouring times are apart.",
        "gaps": "Series that miss a value: refuse, interpolate, trim or drop.",
    },
    has_quasi=False,
    has_series=True,
)
