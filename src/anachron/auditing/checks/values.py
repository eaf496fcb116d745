"""Are published times and quasi values what they are called?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anachron.arrays import Flags
from anachron.auditing.check import Found, check, every, witnesses
from anachron.auditing.evidence.breaches import crowded, people_in_crowds
from anachron.auditing.evidence.series import Own
from anachron.auditing.evidence.shown import Shown
from anachron.auditing.reading.events import EventGroups
from anachron.auditing.reading.feed import told
from anachron.auditing.reading.form import Events, Feed, Interval, Series
from anachron.auditing.reading.granules import WHOLE_UNITS, Times, cut, wrong_granules
from anachron.auditing.reading.intervals import GroupedRows, multiples, off_grid
from anachron.auditing.reading.series import SeriesRows
from anachron.auditing.reading.values import wrong_values
from anachron.behind import Large, Microdata
from anachron.guarantees import KPAnonymity, Reposition


@check("granules", "published times")
def granules(form: Events, groups: EventGroups) -> Found:
    """granules of {form.granularity.name} by the clock of {form.zone}"""
    start, end = groups.start, groups.end
    wrong = wrong_granules(form.granularity, form.zone, start, end, groups.label)
    counts = {
        "not granules of it, or under another label": int(wrong.sum()),
        "overlap": int((end[:-1] > start[1:]).sum()),
        "are empty": int((start >= end).sum()),
        "share a label": len(groups.label) - len(set(groups.label)),
    }
    found = ", ".join(f"{count:,} {how}" for how, count in counts.items() if count)
    return Found({found: bool(found)}, f"{len(start):,} granules as promised")


@check("values", "published quasi values")
def quasi_values(form: Events, groups: EventGroups) -> Found:
    """bins on the declared grid, prefixes no longer than declared, declared classes"""
    pairs = zip(form.quasi, groups.published, strict=True)
    wrong = {meaning.column: wrong_values(meaning, published) for meaning, published in pairs}
    found = ", ".join(f"{count:,} in {column!r}" for column, count in wrong.items() if count)
    return Found({f"not so: {found}": bool(found)})


@check("recorded times", "published times against how finely they are recorded")
def recorded_times(dated: Microdata | Large, zone: str, times: Times) -> Found | None:
    """whole {dated.recorded_by}s: times are recorded by {dated.recorded_by}

    Nothing may be told of times that their owner did not know: a day of what is recorded by year.
    """
    unit = dated.recorded_by
    if unit not in WHOLE_UNITS:
        return None
    wrong = cut(unit, zone, *times)
    return Found({f"published times that begin or end inside a {unit}": wrong})


@check("intervals", "published intervals")
def intervals(intervals: Sequence[Interval], boxed: GroupedRows) -> Found:
    """one for each group, with both bounds on the declared grid or in the declared order"""
    wrong = boxed.uneven.copy()
    for interval, low, high in zip(intervals, boxed.low, boxed.high, strict=True):
        wrong |= off_grid(interval, low, high)
    return Found({"not so": wrong}, groups=boxed.number)


@check("l-diverse", "largest share of one value in a group")
def diverse_groups(form: Feed, promise: Reposition, rows: Shown) -> Found:  # noqa: ARG001
    """at most one in {promise.l} in each group; {form.rows:,} rows in all"""
    found = rows.in_groups
    return Found(
        {
            "one value too often": every(found.groups),
            "missing values": rows.missing,
            f"{rows.rows:,} rows in all": rows.rows != form.rows or rows.rows == 0,
        },
        told(found.largest),
        found.groups,
    )


@check("l-eligible", "largest share of one value in a snapshot")
def eligible_snapshots(promise: Reposition, rows: Shown) -> Found:  # noqa: ARG001
    """at most one in {promise.l} in each snapshot"""
    found = rows.in_snapshots
    return Found(
        {f"more in {found.wrong:,} of {found.all:,} snapshots": bool(found.wrong)},
        told(found.largest),
        where=witnesses(found.groups, every(found.groups)),
    )


@check("snapshots", "published snapshots")
def snapshots(form: Feed, promise: Reposition, rows: Shown) -> Found:
    """a {promise.snapshot.name} each, with label, start and end that agree"""
    start, end, label = rows.snapshots.start, rows.snapshots.end, rows.snapshots.label
    wrong = int(wrong_granules(promise.snapshot, form.zone, start, end, label).sum())
    overlapping = int((start[1:] < end[:-1]).sum())
    return Found(
        {
            "that are none, or called otherwise": wrong,
            "that overlap": overlapping,
        },
        f"{len(label):,} snapshots",
    )


@check("one snapshot", "snapshots of a group")
def one_snapshot(rows: Shown) -> Found:
    """every group within one snapshot"""
    return Found({"not so": every(rows.torn)}, groups=rows.torn)


@check("snapshots", "the published snapshot")
def snapshot(snapshotted: bool) -> Found:
    """a snapshot of the calendar, with label, start and end that agree"""
    return Found({"none, or called otherwise": not snapshotted})


@check("words", "published levels and patterns")
def words(form: Series, rows: SeriesRows) -> Found:
    """levels from 1 to {form.promise.max_level}, {form.highest_level} at the most, and a letter of
    the level for each {form.lettered}
    """
    highest = int(rows.level.max(initial=0))
    return Found(
        {
            "not so": rows.groups_with(rows.misspelled),
            f"the highest level is {highest:,}": highest != form.highest_level,
        },
        groups=rows.groups,
    )


@check("envelopes", "published envelopes")
def envelopes(form: Series, rows: SeriesRows) -> Found:
    """both bounds multiples of the declared precision, the lower one first"""
    wrong: Flags = np.asarray(~(rows.low <= rows.high).all(axis=1))
    for side in (rows.low, rows.high):
        on_grid = multiples(form.precision, side.ravel()).reshape(side.shape)
        wrong |= ~on_grid.all(axis=1)
    return Found({"not so": wrong}, groups=rows.number)


@check("diversity", "rows of a pattern in a group with about the same sensitive value")
def diverse_patterns(form: Series, promise: KPAnonymity, rows: SeriesRows) -> Found | None:
    """at most one in {promise.l}"""
    if promise.l is None or promise.diversity != "subgroup":
        return None
    wrong = crowded(form, rows, float(promise.noise or 0))
    if len(form.sensitive) != 1 or rows.sensitive[0].null_count:
        wrong = np.ones(len(rows.size), dtype=bool)
    return Found({"not so": rows.groups_with(wrong)}, groups=rows.groups)


@check("diversity", "rows that fit a person with the same sensitive value")
def diverse_sets(form: Series, promise: KPAnonymity, rows: SeriesRows, own: Own) -> Found | None:
    """at most one in {promise.l}"""
    if promise.l is None or promise.diversity != "paper":
        return None
    wrong = people_in_crowds(form, rows, own)
    return Found({f"more for {wrong:,} people": bool(wrong)})
