"""The published intervals of a release as numbers, and whom they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats, Numbers
from anachron.attacking.known import Known
from anachron.attacking.members import Column, members_of
from anachron.attacking.members_series import series_view
from anachron.auditing.reading.columns import places, whole
from anachron.auditing.reading.description import feed_of, register_of, series_of
from anachron.auditing.reading.feed import feed_rows as published_feed
from anachron.auditing.reading.form import Interval
from anachron.auditing.reading.register import register_groups
from anachron.auditing.reading.series import series_rows as published_series

__all__ = ["Boxed", "boxed"]


@dataclass(frozen=True, eq=False)
class Boxed:
    """Groups that are published with intervals: for each axis one array, for each group a place."""

    real: Array
    """The real people of each group."""
    low: tuple[Floats, ...]
    high: tuple[Floats, ...]
    steps: tuple[float, ...]
    """The width of the grid of each axis."""
    ends: tuple[float, ...]
    """What must be added to an upper bound to come to the grid: 1 for whole numbers."""
    group: Array | None = None
    """The group of each person, if it is known,"""
    own: tuple[Floats, ...] | None = None
    """and the own value on each axis."""


def boxed(known: Known) -> Boxed | None:
    """Read the intervals of a release; None if it has none."""
    if known.release.form.layout.shapes:
        return _envelopes(known)
    shape = register_of(known.release)
    if shape is not None:
        groups = register_groups(shape)
        real = groups.size - groups.counterfeits
        return _intervals(known, shape.quasi, groups.low, groups.high, real)
    feed = feed_of(known.release)
    if feed is None or not feed.intervals:
        return None
    rows = published_feed(feed)
    return _intervals(known, feed.intervals, rows.low, rows.high, rows.size)


def _intervals(
    known: Known,
    intervals: Sequence[Interval],
    low: Sequence[Numbers],
    high: Sequence[Numbers],
    real: Array,
) -> Boxed:
    whole_numbers = [bounds.dtype == np.int64 for bounds in low]
    steps = tuple(float(i.width) if i.width is not None else 1.0 for i in intervals)
    members = members_of(known)
    own, group = None, None
    if members is not None:
        columns = {column.name: column for column in members.quasi}
        own = tuple(_own(i, columns[i.column]) for i in intervals)
        group = members.group
    return Boxed(
        real,
        tuple(np.asarray(bounds, dtype=np.float64) for bounds in low),
        tuple(np.asarray(bounds, dtype=np.float64) for bounds in high),
        steps,
        tuple(float(w) for w in whole_numbers),
        group,
        own,
    )


def _own(interval: Interval, column: Column) -> Floats:
    """Values as numbers: of ordered texts, their places in the order; NaN if missing."""
    if interval.order is None:
        numbers = column.numbers
        return np.full(len(column.code), np.nan) if numbers is None else numbers
    order = pa.array(interval.order, pa.string())
    place = whole(pc.index_in(column.domain.cast(pa.string()), value_set=order), -1)
    found = np.append(np.where(place < 0, np.nan, place.astype(np.float64)), np.nan)
    return found[column.code]


def _envelopes(known: Known) -> Boxed | None:
    shape = series_of(known.release)
    if shape is None:
        return None
    rows = published_series(shape)
    real = np.bincount(places(rows.number, rows.group), minlength=len(rows.number))
    view, times = series_view(known), range(rows.low.shape[1])
    own, group = None, None
    if view is not None and view.group is not None:
        people = np.flatnonzero(view.group > 0)
        group = places(rows.number, view.group[people])
        own = tuple(view.own.values[people, time] for time in times)
    return Boxed(
        real,
        tuple(rows.low[:, time] for time in times),
        tuple(rows.high[:, time] for time in times),
        (float(shape.precision),) * len(times),
        (0.0,) * len(times),
        group,
        own,
    )
