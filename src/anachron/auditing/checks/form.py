"""Are description, columns and roles those that they must be?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from anachron.auditing.check import Found, check
from anachron.auditing.evidence.shown import Shown
from anachron.auditing.reading.columns import is_number
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import (
    Events,
    Feed,
    Interval,
    Meaning,
    Register,
    Series,
    TableForm,
)
from anachron.auditing.reading.intervals import GroupedRows
from anachron.auditing.reading.spelled import alike, people_of
from anachron.behind import Large, Microdata
from anachron.guarantees import KPAnonymity, MInvariance, Reposition
from anachron.ladders import Bins, Drop, Parents, Prefix, Raw, Step


@check("package", "description of the release")
def package(described: bool) -> Found:
    """a description that states the promise, and nothing else"""
    return Found({MALFORMED: not described})


@check("columns", "columns of the file")
def columns(data: TableForm) -> Found:
    """the declared columns and no other"""
    return _columns(data)


@check("columns", "columns of the file ({second.name})")
def more_columns(second: TableForm) -> Found:
    """the declared columns and no other"""
    return _columns(second)


@check("columns", "columns of the file ({third.name})")
def columns_of_third(third: TableForm) -> Found:
    """the declared columns and no other"""
    return _columns(third)


def _columns(table: TableForm) -> Found:
    misfit = table.misfit
    return Found({misfit: bool(misfit)})


@check("names", "people of the microdata")
def names(microdata: Microdata | Large, exact: bool, each_row: bool) -> Found:
    """everyone under one name, whatever the spelling"""
    twice = microdata.people - people_of(microdata, exact=exact)
    # Whoever reads a release must know what was counted.
    hidden = each_row != microdata.schema.each_row
    return Found({"names too many": twice, "other people than the release says": hidden})


MALFORMED = "something is missing or malformed"


@check("roles", "schema of the microdata")
def roles_of_events(form: Events, offered: Microdata | Large) -> Found | None:
    """the roles of the published columns"""
    schema = offered.schema
    same = schema.time == form.time and schema.time_zone == form.zone
    same = same and set(schema.quasi) == {meaning.column for meaning in form.quasi}
    same = same and schema.sensitive == form.sensitive
    return None if same else Found({"other columns, roles or time zone": True})


@check("offer", "how columns were generalised")
def offer_of_events(form: Events) -> Found:
    """a granularity and steps of the guarantee"""
    ladders = dict(form.promise.ladders)
    wrong = [
        meaning.column
        for meaning in form.quasi
        if _step(meaning)
        not in (ladders[meaning.column].steps if meaning.column in ladders else (Raw(),))
    ]
    if form.granularity not in form.promise.granularities:
        wrong.append(form.time)
    return Found({f"not offered: {', '.join(map(repr, wrong))}": bool(wrong)})


def _step(meaning: Meaning) -> Step:
    if meaning.step == "bins":
        return Bins(meaning.width, meaning.origin)
    if meaning.step == "prefix":
        return Prefix(meaning.length)
    if meaning.step == "parents":
        covers = (meaning.covers or {}).items()
        return Parents(tuple(sorted((value, label) for label, held in covers for value in held)))
    return Drop() if meaning.step == "left out" else Raw()


@check("roles", "schema of the microdata")
def roles_of_register(form: Register, offered: Microdata | Large) -> Found:
    """the roles of the published columns"""
    schema = offered.schema
    same = schema.quasi == form.names and schema.sensitive == (form.sensitive,)
    same = same and _can_hold(form.intervals, offered)
    same = same and all(alike(offered.kind(n), form.kind(n)) for n in form.quasi)
    return Found({"other columns, roles or types": not same})


def _can_hold(intervals: Sequence[Interval], loaded: Microdata | Large) -> bool:
    """Whether intervals on a grid are those of columns of numbers."""
    kinds = ((i, loaded.kind(i.column)) for i in intervals)
    return all(interval.order is not None or is_number(kind) for interval, kind in kinds)


@check("offer", "how columns were generalised")
def offer_of_intervals(
    promise: MInvariance | Reposition, intervals: Sequence[Interval], boxed: GroupedRows
) -> Found:
    """the widths and orders of the guarantee"""
    widths, orders = dict(promise.widths), dict(promise.orders)
    wrong = []
    for interval, low in zip(intervals, boxed.low, strict=True):
        column = interval.column
        # Whole numbers need no width.
        width = widths.get(column, 1 if low.dtype == np.int64 else 0)
        if interval.order is not None:
            right = interval.order == orders.get(column)
        else:
            right = column not in orders and interval.width == Fraction(width)
        if not right:
            wrong.append(column)
    return Found({f"others: {', '.join(map(repr, wrong))}": bool(wrong)})


@check("roles", "schema of the microdata")
def roles_of_feed(form: Feed, offered: Microdata | Large, rows: Shown | FeedRows) -> Found:
    """the roles and types of the published columns"""
    schema = offered.schema
    same = schema.time == form.time and schema.time_zone == form.zone
    same = same and schema.quasi == form.names and schema.sensitive == (form.sensitive,)
    if same:
        kinds = [offered.sensitive_schema.field(0).type]
        kinds += [offered.kind(name) for name in form.quasi]
        same = all(alike(*both) for both in zip(kinds, rows.kinds, strict=True))
        same = same and _can_hold(form.intervals, offered)
    return Found({"other columns, roles, types or time zone": not same})


@check("roles", "schema of the microdata")
def roles_of_series(misfit: str) -> Found:
    """the series that were published, in the same roles"""
    return Found({misfit: bool(misfit)})


@check("offer", "what was published of the series")
def offer_of_series(form: Series, promise: KPAnonymity) -> Found:
    """the precision, the times and the segments of the guarantee"""
    wrong = []
    if form.precision != (1 if promise.precision is None else Fraction(promise.precision)):
        wrong.append("precision")
    for key, wanted, there in (
        ("values", promise.values, form.values),
        ("patterns", promise.patterns, form.patterns),
    ):
        if set(there) != (form.times if wanted is None else set(wanted)):
            wrong.append(key)
    if form.segments != _segments(promise, len(form.patterns)):
        wrong.append("segments")
    return Found({f"others: {', '.join(wrong)}": bool(wrong)})


def _segments(promise: KPAnonymity, times: int) -> tuple[int, ...]:
    """How many times share each letter: as many equal parts as the guarantee says, and each time
    in the part that its end falls into.
    """
    wanted = promise.segments
    if wanted is None:
        wanted = "every" if times <= 12 else 8
    parts = times if wanted == "every" else int(wanted)
    if parts > times:
        return ()
    found = [0] * parts
    for time in range(1, times + 1):
        found[-(-time * parts // times) - 1] += 1
    return tuple(found)
