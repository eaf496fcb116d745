"""Are there enough rows in each group, and do their order and numbers tell nothing else?"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.check import Found, check, every, groups_named, measured, such_as, witnesses
from anachron.auditing.evidence.shown import Shown
from anachron.auditing.reading.columns import (
    combined,
    descends,
    misnumbered,
    one_each,
    some_groups,
)
from anachron.auditing.reading.events import Disorder, EventGroups
from anachron.auditing.reading.form import Events, Feed, Register, Series
from anachron.auditing.reading.register import Apart, RegisterGroups
from anachron.auditing.reading.series import SeriesRows
from anachron.auditing.reading.spelled import kinds_of
from anachron.guarantees import KPAnonymity, MInvariance, TimeGranularity

_order = check(
    "order", "order of the rows", "rows sorted by what is published, and by nothing else"
)


@check("rows", "published rows")
def of_events(form: Events, promise: TimeGranularity, groups: EventGroups) -> Found:
    """at least {promise.k:,} in each group, {form.rows:,} in all"""
    smallest, rows = int(groups.rows.min(initial=form.rows)), int(groups.rows.sum())
    small = groups.rows < promise.k
    text = f"{smallest:,} in the smallest group, {rows:,} in all{such_as(groups.number, small)}"
    right = rows == form.rows and rows > 0 and smallest >= promise.k
    return measured(text, right, witnesses(groups.number, small))


@_order
def order_of_events(disorder: Disorder) -> Found:
    """Find rows that should stand before the row above."""
    text = f"rows out of order, as in group {disorder.late_group}"
    return Found({text: disorder.late}, where=_group(disorder.late_group))


@check("groups", "group numbers")
def numbers_of_events(disorder: Disorder) -> Found:
    """1, 2, 3, … in the order of the rows, one for each published combination"""
    text = f"rows with another number, as in group {disorder.odd_group}"
    return Found({text: disorder.odd}, where=_group(disorder.odd_group))


def _group(number: int | None) -> tuple[str, ...]:
    return groups_named([] if number is None else [number])


@check("m-unique", "sensitive values in each group")
def unique_values(form: Register, promise: MInvariance, groups: RegisterGroups) -> Found:
    """at least {promise.m:,}, all different, in each group; {form.values:,} rows in all"""
    rows = len(groups.row_group)
    return Found(
        {
            "rows too few": groups.size < promise.m,
            "values repeated or missing": _repeating(groups),
            f"{rows:,} rows in all": rows != form.values,
        },
        f"{int(groups.size.min(initial=form.values)):,} in the smallest group",
        groups.number,
    )


def _repeating(groups: RegisterGroups) -> Flags:
    """Which groups have a value twice, in whatever spelling, or a missing one, which is none."""
    kinds = kinds_of(groups.domain, exact=groups.exact)
    found = np.zeros(len(groups.number), dtype=bool)
    for start, end in some_groups(groups.start, groups.size):
        value = groups.value[groups.start[start] : groups.start[end - 1] + groups.size[end - 1]]
        owner = np.repeat(np.arange(start, end), groups.size[start:end])
        again = ~one_each((owner, kinds[value])) | (value == len(groups.domain))
        found[owner[again]] = True
    return found


@check("counterfeits", "stated counterfeits")
def counterfeits(form: Register, groups: RegisterGroups) -> Found:
    """{form.counterfeits:,} in all, and at least one real row in each group"""
    table = groups.table
    place = groups.places(table.group)
    size = np.where(place >= 0, groups.size[place], 0) if len(groups.size) else 0 * place
    wrong = (place < 0) | (table.count < 1)
    full = ~wrong & (table.count >= size)
    disorder, total = int((table.group[1:] <= table.group[:-1]).sum()), int(table.count.sum())
    return Found(
        {
            "rows of no group or without counterfeits": int(wrong.sum()),
            f"nobody real{such_as(table.group, full)}": bool(full.any()),
            "rows out of order": disorder,
            f"{total:,} in all": total != form.counterfeits,
            "another number of rows": len(table.group) != form.counterfeit_rows,
        },
        f"{total:,}, in {len(table.group):,} groups",
        where=witnesses(table.group, wrong, full),
    )


@_order
def order_of_register(groups: RegisterGroups) -> Found:
    """Find what does not stand by what is published.

    Groups stand by their bounds, or by the rows of their people; then by their values, then by
    their counterfeits; the values of a group, and rows of people, in their own order.
    """
    early, _ = descends((groups.row_group, groups.row_value), len(groups.row_group))
    if groups.apart is None:
        bounds = (side for pair in zip(groups.low, groups.high, strict=True) for side in pair)
        late, tied = descends(bounds, len(groups.number))
        alike = np.flatnonzero(tied)
    else:
        of_people, late, alike = _by_people(groups, groups.apart)
        early = np.concatenate([early, of_people])
    alike = _by_each(groups.value, groups.start, groups.size, alike, late)
    late[alike[groups.counterfeits[alike + 1] < groups.counterfeits[alike]]] = True
    return _out_of_order(int(early.sum()), int(late.sum()))


def _by_people(groups: RegisterGroups, apart: Apart) -> tuple[Flags, Flags, Array]:
    """Which rows of people, and which groups by them, are out of order; and which are alike."""
    early, _ = descends([apart.group, *(one.rank for one in apart.quasi)], len(apart.group))
    late = np.zeros(max(len(groups.number) - 1, 0), dtype=bool)
    key, _ = combined((one.rank, len(one.domain) + 1) for one in apart.quasi)
    known = np.flatnonzero(apart.place >= 0)
    by = known[np.lexsort((key[known], apart.place[known]))]
    size = np.bincount(apart.place[known], minlength=len(groups.number))
    every = np.arange(len(late))
    return early, late, _by_each(key[by], np.cumsum(size) - size, size, every, late)


def _by_each(value: Array, start: Array, size: Array, tied: Array, later: Flags) -> Array:
    """Compare what groups hold with the next one's, one by one, and give those that are alike."""
    alike, nth = [tied[:0]], 0
    while len(tied):
        # Where a group has no more, it stands before one that has.
        here, following = (_nth(value, start, size, at, nth) for at in (tied, tied + 1))
        later[tied[following < here]] = True
        alike.append(tied[(here < 0) & (following < 0)])
        tied = tied[(here == following) & (here >= 0)]
        nth += 1
    return np.concatenate(alike)


def _nth(value: Array, start: Array, size: Array, place: Array, nth: int) -> Array:
    """The n-th of what these groups hold; -1 where there is less."""
    there = size[place] > nth
    at = np.where(there, start[place] + nth, 0)
    return np.where(there, np.append(value, -1)[at], -1)


def _out_of_order(rows: int, groups: int) -> Found:
    return Found({f"{rows:,} rows, {groups:,} groups out of order": bool(rows or groups)})


@check("groups", "group numbers")
def numbers_of_register(groups: RegisterGroups) -> Found:
    """1, 2, 3, … in the order of the rows"""
    people = np.zeros(0, dtype=np.int64) if groups.apart is None else groups.apart.group
    return _misnumbered(misnumbered(groups.row_group) + misnumbered(people))


def _misnumbered(wrong: int) -> Found:
    return Found({"rows with another number": wrong})


@check("counts", "people and sensitive values of each group")
def counts_of_people(form: Register, groups: RegisterGroups, apart: Apart) -> Found:
    """each value once, and as many as there are people and counterfeits; {form.rows:,} rows of
    people in all
    """
    known = apart.place >= 0
    people = np.bincount(apart.place[known], minlength=len(groups.number))
    rows = len(apart.group)
    return Found(
        {
            "rows of no group": int((~known).sum()),
            "values more often, or not at all": int((apart.count != 1).sum()),
            "not as many as values": people + groups.counterfeits != groups.size,
            f"{rows:,} rows in all": rows != form.rows,
        },
        f"{rows:,} rows",
        groups.number,
    )


@check("counts", "counts of sensitive values")
def counts_of_values(form: Feed, rows: Shown) -> Found | None:
    """for each group as many values as rows, sorted by group and value"""
    if form.value_files is None:
        return None
    found = rows.counts
    return Found(
        {
            "counts of no group, or of nothing": found.strange,
            "not as many as rows": every(found.unlike),
            "out of order or repeated": found.misplaced,
            "another number of counts": found.rows != form.value_rows,
        },
        f"{found.rows:,} counts",
        found.unlike,
    )


@_order
def order_of_feed(rows: Shown) -> Found:
    """Find what does not stand by what is published.

    Rows stand by snapshot, then by group, then by quasi values or by sensitive value; groups with
    intervals by these, so that no two groups of a snapshot have the same.
    """
    return _out_of_order(rows.late_rows, rows.late_groups)


@check("groups", "group numbers")
def numbers_of_feed(rows: Shown) -> Found:
    """1, 2, 3, … in the order of the rows, snapshot by snapshot"""
    return _misnumbered(rows.misnumbered)


@check("k", "rows that share an envelope")
def of_envelopes(form: Series, promise: KPAnonymity, rows: SeriesRows) -> Found:
    """at least {promise.k:,} in each; {form.rows:,} rows in all"""
    total = len(rows.group)
    number, size = np.unique(rows.group, return_counts=True)
    return Found(
        {
            "fewer rows": size < promise.k,
            f"{total:,} rows in all": total != form.rows,
            "no rows": not total,
        },
        f"{rows.smallest_group:,} in the smallest",
        number,
    )


@check("P", "rows of a group that share level and pattern")
def of_patterns(form: Series, promise: KPAnonymity, rows: SeriesRows) -> Found:
    """at least {promise.P:,}"""
    return Found(
        {"fewer rows": rows.groups_with(rows.size < promise.P)},
        f"{int(rows.size.min(initial=form.rows)):,} in the smallest case",
        rows.groups,
    )


@check("groups", "group numbers")
def numbers_of_series(rows: SeriesRows) -> Found:
    """1, 2, 3, …, with one envelope for each"""
    wanted = np.arange(1, len(rows.groups) + 1)
    gaps = int((rows.groups != wanted).sum())
    same = len(rows.number) == len(wanted) and bool((rows.number == wanted).all())
    return Found(
        {
            "groups with another number": gaps,
            "others than those of the rows, or in another order": not same,
        }
    )


@_order
def order_of_series(rows: SeriesRows) -> Found:
    """Find what does not stand by what is published.

    Groups stand by their bounds, from the first time to the last; rows by group, level, pattern
    and sensitive values.
    """
    keys = (rows.group, rows.level, rows.word, rows.value.code)
    sides = (side[:, at] for at in range(rows.low.shape[1]) for side in (rows.low, rows.high))
    early, _ = descends(keys, len(rows.group))
    late, _ = descends(sides, len(rows.number))
    return _out_of_order(int(early.sum()), int(late.sum()))
