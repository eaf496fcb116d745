"""What to promise at first, method by method, from what is known of the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10
from typing import Any

import duckdb

from anachron.calendar.definitions import BUILT_IN
from anachron.errors import InputError
from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.ladders import Ladder
from anachron.proposing.columns import COUNTED, Facts
from anachron.proposing.roles import MANY
from anachron.proposing.words import says
from anachron.schema import CALENDAR_UNITS, TimeUnit
from anachron.source.base import quoted

__all__ = ["EVENTS", "FEED", "REGISTER", "SERIES", "Draft", "Promising", "unit_of"]

DAYS = dict(zip(BUILT_IN, (1 / 86_400, 1 / 1_440, 1 / 96, 1 / 24, 1 / 4, 1, 3.5, 7, 15, 30, 91, 182,
                           365, 3_652), strict=True))  # fmt: skip
"""About how many days a granule of each built-in granularity lasts."""
_ENOUGH = 100
"""So many records, about, make a snapshot worth publishing."""
_SNAPSHOTS = ("day", "week", "month", "quarter", "year")


@dataclass(frozen=True, eq=False)
class Draft:
    """What a promise is chosen by: the table in numbers, and the columns by role."""

    con: duckdb.DuckDBPyConnection
    relation: str
    name: str
    """How messages call the table."""
    rows: int
    people: int
    named: bool
    """Whether columns tell people apart; otherwise each row is a person."""
    time: Facts | None
    quasi: tuple[Facts, ...]
    sensitive: tuple[Facts, ...]
    series: tuple[Facts, ...]


@dataclass(frozen=True)
class Promising:
    """How a promise of one method is proposed."""

    promise: Callable[[int, Draft], Guarantee]
    """Takes k, if the promise has one."""
    notes: Mapping[str, str]
    """What the keys of the promise are about."""
    has_time: bool = True
    has_quasi: bool = True
    has_series: bool = False
    one_sensitive: bool = False
    is_feed: bool = False
    """Whether it can be published push by push."""


def unit_of(clock: Facts | None) -> TimeUnit:
    """The time_unit by which a column is read."""
    kind = clock.kind.removesuffix(" as text") if clock else ""
    return next((unit for unit in COUNTED if unit == kind), "auto")


def _recorded_by(clock: Facts) -> str:
    """The finest built-in granularity by which times are recorded."""
    unit = unit_of(clock)
    if unit in CALENDAR_UNITS:
        return unit
    return "second" if clock.recorded_by == "instant" else clock.recorded_by


def _days(clock: Facts) -> float:
    """How long the times span."""
    if clock.kind == "year":
        return clock.width * 365
    if clock.kind == "month":
        # 202401 less 202311 is 90: a year forth, ten months back.
        years = round(clock.width / 100)
        return (12 * years + clock.width - 100 * years) * DAYS["month"]
    per_second = {"ms": 1_000, "us": 1_000_000}.get(clock.kind, 1)
    return clock.width / per_second / 86_400


def _clock(draft: Draft) -> Facts:
    if draft.time is None:
        raise InputError("no column looks like a time.", draft.name, remedy="Name it with --time.")
    return draft.time


def _granularities(clock: Facts) -> tuple[str, ...]:
    """Built-in granularities not finer than recorded, and not coarser than twice the span."""
    names = BUILT_IN[BUILT_IN.index(_recorded_by(clock)) :]
    return tuple(n for n in names if DAYS[n] <= 2 * _days(clock)) or names[:1]


def _granularity(k: int, draft: Draft) -> TimeGranularity:
    ladders = {column.name: _ladder(column) for column in draft.quasi}
    return TimeGranularity(
        k=k,
        granularities=_granularities(_clock(draft)),
        ladders={name: Ladder.from_dict(of) for name, of in ladders.items() if of is not None},
    )


def _ladder(column: Facts) -> dict[str, Any] | None:
    """Bins for numbers; for many texts, as they are or left out; for a few values nothing.

    Numbers and few values are not offered to be left out: with time to be kept fine, they would
    be the first to go.
    """
    if says(column.name, "place") and column.kind == "number":
        return {"bins": ["0.01", "0.1", "1"], "raw": False, "drop": False}
    if column.different <= 10:
        return None
    if not column.is_number:
        return {}
    if column.kind != "number" and column.width < 20:
        return {"bins": [2, 10], "drop": False}
    # 5, 10, 20 for ages; the same digits, with as many zeros as the numbers are large.
    size = floor(log10(column.width / 20)) if column.width > 0 else 0
    return {"bins": [f"{width}e{size}" for width in (5, 10, 20)], "drop": False}


def _content(draft: Draft) -> Facts:
    """The one sensitive column."""
    if not draft.sensitive:
        raise InputError(
            "no column looks sensitive.", draft.name, remedy="Name it with --sensitive."
        )
    return draft.sensitive[0]


def _values(draft: Draft, column: Facts, purpose: str) -> dict[str, int]:
    """The different values of a column, as texts in ascending order, and how often each is."""
    if column.different > MANY:
        raise InputError(
            f"has {column.different:,} different values, too many to {purpose}.",
            draft.name,
            column.name,
            remedy="Publish classes of them instead.",
        )
    it = quoted(column.name)
    return dict(
        draft.con.execute(
            f"SELECT CAST({it} AS VARCHAR) AS text, count(*) FROM {draft.relation} "
            f"WHERE {it} IS NOT NULL GROUP BY 1 ORDER BY 1"
        ).fetchall()
    )


def _one_row_each(draft: Draft, what: str) -> None:
    if draft.people < draft.rows:
        raise InputError(
            "some people have several rows.",
            draft.name,
            remedy=f"{what} one row for each person: name another column with --subject, or, for "
            "events, their time with --time.",
        )


def _invariance(_k: int, draft: Draft) -> MInvariance:
    if not draft.named:
        raise InputError(
            "no column tells people apart, and a register is one of people who are known again.",
            draft.name,
            remedy="Name the column of the person with --subject; or, for events, their time with "
            "--time.",
        )
    _one_row_each(draft, "A register has")
    if not draft.quasi:
        raise InputError(
            "no column looks like what outsiders know.",
            draft.name,
            remedy="Name those that they may know with --quasi.",
        )
    counts = _values(draft, _content(draft), "declare")
    # Of the first people, at most one in m may have the same value.
    m = 3 if len(counts) >= 8 and 3 * max(counts.values(), default=0) <= draft.rows else 2
    texts = [column for column in draft.quasi if not column.is_number]
    return MInvariance(
        m=m,
        # With fewer values there may be no set for somebody whose value changes.
        mode="transparent" if len(counts) >= 3 * m - 1 else "paper",
        widths={c.name: _rounded(c.width, 2) for c in draft.quasi if c.kind == "number"},
        orders={c.name: tuple(_values(draft, c, "put in an order")) for c in texts},
        values=tuple(counts),
    )


def _rounded(width: float, digits: int) -> str:
    """A round number, so many digits below what a column spans."""
    return format(Decimal(10) ** (floor(log10(width or 1.0)) - digits), "f")


def _reposition(_k: int, draft: Draft) -> Reposition:
    clock, content = _clock(draft), _content(draft)
    offered = [n for n in _granularities(clock) if n in _SNAPSHOTS] or list(_SNAPSHOTS[:1])
    enough = (n for n in offered if draft.rows * DAYS[n] >= _ENOUGH * _days(clock))
    # A value with more than one in l of all records cannot be published often enough.
    l = max(2, min(3, content.filled // max(content.top, 1)))  # noqa: E741
    return Reposition(l=l, window=3, snapshot=next(enough, offered[-1]))


def _patterns(k: int, draft: Draft) -> KPAnonymity:
    wide = len(draft.series) > 1
    if wide:
        _one_row_each(draft, "Series that stand side by side have")
    elif draft.people == draft.rows:
        raise InputError("fewer than two columns look like the values of a series.", draft.name)
    elif not draft.series:
        raise InputError("no column looks like the values of a series.", draft.name)
    else:
        _clock(draft)
    width = max(column.width for column in draft.series)
    fractions = any(column.kind == "number" for column in draft.series) and width > 0
    return KPAnonymity(
        k=k,
        P=2,
        precision=_rounded(width, 3) if fractions else None,
        granularity=_recorded_by(draft.time) if draft.time else None,
    )


EVENTS = Promising(
    _granularity,
    {
        "k": "At least so many people share each published combination.",
        "granularities": "Not finer than the times are recorded, and not coarser than "
        "twice the span of the table.",
        "max_suppressed": "A share of the rows, such as 0.01, may be left out to stay finer.",
    },
)
REGISTER = Promising(
    _invariance,
    {
        "m": "So many sensitive values remain possible for each person, in all releases.",
        "mode": "paper needs the fewest counterfeits; transparent tells nothing to whoever knows "
        "the\nalgorithm, and wants 3 m - 1 values; sticky never regroups people.",
        "when_ineligible": "New people with too many of one value: refuse the release, or hold "
        "the fewest back\n(in mode paper).",
        "widths": "The least width of a published interval, for columns with fractions.",
        "orders": "Texts in the order in which neighbours are alike. They are in alphabetical "
        "order now.",
        "values": "All values that there can be. These occur in the table: add those that may "
        "come.\nThey are published with the guarantee.",
    },
    has_time=False,
    one_sensitive=True,
)
FEED = Promising(
    _reposition,
    {
        "l": "No sensitive value has more than one in l of the records of a published group.\n"
        "A value that has more of all records cannot be published often enough: choose a smaller "
        "l.",
        "window": "Records are published at most window - 1 snapshots late. 1 moves nothing.",
        "snapshot": "The finest, from a day on, that has records enough.",
        "mu": "What a delay costs: linear, quadratic, or a list such as [0, 1, 3].",
        "beta": "What it costs to leave a record out.",
        "late": "Records that arrive after their snapshot: refuse, recycle or drop.",
        "repeated": "Several records of a person in a snapshot: refuse, or publish one.",
        "then": "anatomy publishes the quasi columns as they are; generalize as intervals.",
        "careful": "false tells more, and promises less to those who are published on time.",
    },
    one_sensitive=True,
    is_feed=True,
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
