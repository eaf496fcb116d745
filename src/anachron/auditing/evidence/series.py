"""The series behind a release: read from the microdata a second time, gaps included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Floats
from anachron.auditing.evidence.records import homes_of
from anachron.auditing.reading.columns import coded, of_loaded, whole
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.granules import cut, wrong_granules
from anachron.auditing.reading.letters import averaged, normalised
from anachron.auditing.reading.spelled import kinds_of
from anachron.auditing.reading.succession import succession
from anachron.behind import Microdata
from anachron.calendar.definitions import Granularity
from anachron.calendar.realise import realise, span
from anachron.release.describe import published_schema

__all__ = ["Misfit", "Own", "own_series"]

_MOST = 64
"""For each value of a table, at most so many places of a series are looked at."""
_AT_ONCE = 1 << 20
"""So many values of people are looked at together."""


class Misfit(ValueError):
    """The microdata cannot be those of the release; says why, in counts only."""


@dataclass(frozen=True, eq=False)
class Own:
    """The series of everyone who can be in the release, one row each."""

    subject: Array
    """The code of each person."""
    values: Floats
    """At the times whose values are published."""
    z: Floats
    """Normalised, at the times whose shape is published: the mean of those that share a letter."""
    times: int
    """At how many times the shape is published."""
    last: Floats
    """The last value of each series."""
    sensitive: tuple[pa.ChunkedArray, ...]
    dropped: int
    """Series that are left out for their gaps."""
    span: tuple[int, int] | None
    """From when to when the series go, if times are known."""
    _shaped: Floats = field(repr=False)
    """The series at the times whose shape is published."""

    def __len__(self) -> int:
        return len(self.subject)

    @cached_property
    def shape(self) -> Floats:
        """Normalised, at each time whose shape is published."""
        return self.z if self.z.shape[1] == self.times else normalised(self._shaped)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Which values there are, and how to gather them; subjects go by their codes."""

    names: tuple[str, ...]
    of_subject: Array
    of_time: Array
    gather: Callable[[Flags, Flags], Callable[[slice], Floats]]
    """The series of some subjects at some times, some of these at a time."""
    span: Callable[[Array], tuple[int, int] | None]


def own_series(form: Series, loaded: Microdata) -> Own:
    """Read the series, and treat their gaps as the release says it did."""
    schema = loaded.schema
    if schema.quasi or schema.sensitive != form.sensitive or not schema.series:
        raise Misfit("other columns or roles")
    if bool(schema.time) != (form.promise.granularity is not None):
        raise Misfit("other columns or roles")
    granularity = form.promise.granularity
    cells = _wide(loaded) if granularity is None else _long(form, granularity, loaded)
    subjects, times = _kept(cells, form.promise.gaps)
    names = tuple(name for name, kept in zip(cells.names, times, strict=True) if kept)
    in_order = (
        tuple(name for name in names if name in wanted) == some
        for some, wanted in ((some, set(some)) for some in (form.values, form.patterns))
    )
    if set(names) != form.times or not all(in_order):
        raise Misfit("other times")
    laid = _laid(form, names, cells.gather(subjects, times), int(subjects.sum()))
    return Own(
        subject=np.flatnonzero(subjects),
        values=laid.values,
        z=laid.z,
        times=len(form.patterns),
        last=laid.last,
        sensitive=_sensitive(form, loaded, np.flatnonzero(subjects)),
        dropped=int((~subjects).sum()),
        span=cells.span(np.flatnonzero(times)),
        _shaped=laid.shaped,
    )


@dataclass(frozen=True, eq=False)
class _Laid:
    """What is looked at of the series, a column for each time."""

    values: Floats
    shaped: Floats
    z: Floats
    last: Floats


def _laid(
    form: Series, names: tuple[str, ...], gather: Callable[[slice], Floats], people: int
) -> _Laid:
    """Lay out the series of so many people, some people at a time: nothing is held twice."""
    place = {name: i for i, name in enumerate(names)}
    at = [[place[name] for name in some] for some in (form.values, form.patterns)]
    values = np.empty((people, len(at[0])), order="F")
    shaped = values if at[1] == at[0] else np.empty((people, len(at[1])))
    z, last = np.empty((people, len(form.segments))), np.empty(people)
    gaps, fractions = 0, False
    step = max(_AT_ONCE // len(names), 1)
    for some in (slice(first, first + step) for first in range(0, people, step)):
        series = gather(some)
        missing = _interpolated(series) if form.promise.gaps == "interpolate" else np.isnan(series)
        gaps += int(missing.any(axis=1).sum())
        fractions |= bool((series != np.rint(series)).any())
        values[some], last[some] = series[:, at[0]], series[:, -1]
        if shaped is not values:
            shaped[some] = series[:, at[1]]
        if not gaps:
            z[some] = averaged(normalised(series[:, at[1]]), form.segments)
    if gaps:
        raise Misfit(f"{gaps:,} series with gaps")
    if form.whole and fractions:
        raise Misfit("fractions, where whole numbers are published")
    return _Laid(values, shaped, z, last)


def _wide(loaded: Microdata) -> _Cells:
    people = len(loaded.subject_values)
    if people < loaded.rows:
        raise Misfit(f"{loaded.rows - people:,} rows of people who have another")
    there = ~np.isnan(loaded.series)
    row = np.empty(people, dtype=np.int64)
    row[loaded.subject] = np.arange(people)

    def gather(subjects: Flags, times: Flags) -> Callable[[slice], Floats]:
        rows = row[subjects]
        return lambda some: loaded.series[rows[some]][:, times]

    return _Cells(
        loaded.schema.series, there.sum(axis=1)[row], there.sum(axis=0), gather, lambda _: None
    )


def _long(form: Series, granularity: Granularity, loaded: Microdata) -> _Cells:
    start, end, names = _granules(form.zone, granularity, loaded.instants)
    if cut(loaded.recorded_by, form.zone, start, end):
        raise Misfit(f"times that are recorded by {loaded.recorded_by}, and published finer")
    there = ~np.isnan(loaded.series[:, 0])
    subject, value = loaded.subject.astype(np.int64), loaded.series[:, 0]
    time = homes_of(loaded.instants, start, end)
    if (time < 0).any() or (time >= len(start)).any():
        raise Misfit("times outside of the granularity")
    cell = np.sort(subject * len(start) + time)
    again = int((cell[1:] == cell[:-1]).sum())
    if again:
        raise Misfit(f"{again:,} rows of a person and a time that have another")

    def gather(subjects: Flags, times: Flags) -> Callable[[slice], Floats]:
        if int(subjects.sum()) * int(times.sum()) > _MOST * len(there):
            raise Misfit("too many gaps")
        found = np.full((int(subjects.sum()), int(times.sum())), np.nan)
        taken = there & subjects[subject] & times[time]
        rank, column = np.cumsum(subjects) - 1, np.cumsum(times) - 1
        found[rank[subject[taken]], column[time[taken]]] = value[taken]
        return lambda some: found[some]

    return _Cells(
        names,
        np.bincount(subject[there], minlength=len(loaded.subject_values)),
        np.bincount(time[there], minlength=len(start)),
        gather,
        lambda times: (int(start[times[0]]), int(end[times[-1]])),
    )


def _granules(
    zone: str, granularity: Granularity, instants: Array
) -> tuple[Array, Array, tuple[str, ...]]:
    """All granules from the first time to the last, as two ways to read calendars tell them."""
    first, last = int(instants.min()), int(instants.max())
    granules = realise(granularity, span(zone, first, last))
    ends = granules.index(np.array([first, last]))
    if ends.min() < 0 or ends[1] - ends[0] > 4 * len(instants) + 1000:
        raise Misfit("times outside of the granularity")
    index = np.arange(ends[0], ends[1] + 1)
    start, end = granules.bounds(index)
    label = granules.label(index)
    walked = succession(granularity, zone, first, last + 1)
    wrong = wrong_granules(granularity, zone, start, end, label)
    if walked is not None:
        same = len(walked[0]) == len(start)
        same = same and bool((walked[0] == start).all() and (walked[1] == end).all())
        wrong |= not same
    if wrong.any():
        raise Misfit("times that cannot be told apart with certainty")
    return start, end, tuple(label)


def _kept(cells: _Cells, gaps: str) -> tuple[Flags, Flags]:
    """Which subjects and which times remain."""
    subjects = np.ones(len(cells.of_subject), dtype=bool)
    times = np.ones(len(cells.of_time), dtype=bool)
    if gaps == "trim":
        times = cells.of_time == len(subjects)
    if gaps == "drop":
        subjects = cells.of_subject == len(times)
    return subjects, times


def _interpolated(series: Floats) -> Flags:
    """Fill gaps by straight lines, and tell what cannot be filled."""
    holes = np.isnan(series)
    rows = np.flatnonzero(holes.any(axis=1))
    if len(rows):
        some, gap = series[rows], holes[rows]
        time = np.arange(series.shape[1])
        last = series.shape[1] - 1
        before = np.maximum.accumulate(np.where(gap, 0, time), axis=1)
        after = np.minimum.accumulate(np.where(gap, last, time)[:, ::-1], axis=1)[:, ::-1]
        low = np.take_along_axis(some, before, axis=1)
        high = np.take_along_axis(some, after, axis=1)
        share = (time - before) / np.maximum(after - before, 1)
        series[rows] = np.where(gap, low + (high - low) * share, some)
    return np.isnan(series)


def _sensitive(form: Series, loaded: Microdata, people: Array) -> tuple[pa.ChunkedArray, ...]:
    """The sensitive columns of some people."""
    if not form.sensitive:
        return ()
    rows = np.empty(len(loaded.subject_values), dtype=np.int64)
    rows[loaded.subject[::-1]] = np.arange(loaded.rows)[::-1]
    there = published_schema(loaded.sensitive_schema)
    table = of_loaded(loaded)
    for column in table.columns:
        found = coded(column)
        code = whole(found.indices, -1)
        code = code if form.exact else kinds_of(found.dictionary, exact=False)[code]
        if (code != code[rows][loaded.subject]).any():
            raise Misfit("people with more than one sensitive value")
    return tuple(table.take(rows[people]).cast(there).columns)
