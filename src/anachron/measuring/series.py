"""How useful is a release of series?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.published import Published, opened
from anachron.asking.question import Condition
from anachron.auditing.evidence.series import Misfit, Own, own_series
from anachron.auditing.evidence.standing import listed_people
from anachron.auditing.history import TablePast
from anachron.auditing.reading.description import series_of
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.series import series_rows
from anachron.behind import Microdata
from anachron.errors import InputError, ReleaseError
from anachron.measuring.asked import answers, refuse_none
from anachron.measuring.levels import levels_of
from anachron.measuring.present import Past
from anachron.measuring.sequences import Sequences, distances, rebuilt, satisfied
from anachron.measuring.series_workloads import SeriesWorkload
from anachron.measuring.utility import Measure, measured
from anachron.measuring.wanted import Tell, Wanted
from anachron.measuring.workloads import drawn
from anachron.release.read import Release

__all__ = ["People", "counts", "measure_series", "people_of", "precisions"]


@dataclass(frozen=True, eq=False)
class People:
    """The series of everyone, and what the release makes of them."""

    series: Sequences
    published: Flags | None
    """Who is in the release; None if nobody knows."""
    found: Sequences | None
    """The series as they are rebuilt from the published patterns, if the ledger is at hand."""

    @property
    def tolerance(self) -> float | None:
        """The mean distance of a pattern from what is rebuilt of it."""
        if self.found is None:
            return None
        apart = distances(self.series.z, self.found.z)
        return float(np.nanmean(apart)) if np.isfinite(apart).any() else None


def measure_series(
    releases: Sequence[Release],
    microdata: Microdata,
    pasts: Sequence[Past],
    wanted: Wanted,
    tell: Tell,
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """Ask a release of series; give a measure for each workload, and notes on them."""
    release, past = releases[-1], pasts[-1]
    tell("reading the series", 0.0)
    people = people_of(release, microdata, past if isinstance(past, TablePast) else None)
    workload = SeriesWorkload(people.series, people.tolerance, wanted.theta, wanted.dimensions)
    published, found = opened([release]), []
    for place, kind in enumerate(workload.kinds):
        share = 1 / len(workload.kinds)
        found.append(
            _measured(kind, workload, published, people, wanted, tell, (place * share, share))
        )
    return tuple(found), tuple(_notes(people))


def _measured(
    kind: str,
    workload: SeriesWorkload,
    published: Published,
    people: People,
    wanted: Wanted,
    tell: Tell,
    work: tuple[float, float],
) -> Measure:
    done, share = work
    tell(f"drawing questions: {kind}", done)

    def count(conditions: Sequence[Condition]) -> Array:
        return counts(conditions, people.series)

    some = drawn(lambda rng: workload.draw(kind, rng), count, wanted.questions, wanted.seed)
    refuse_none(len(some.conditions))
    figures = answers(published, some.conditions, tell, done + share / 4, done + share)
    inside = None
    if people.published is not None:
        inside = counts(some.conditions, people.series, people.published).astype(np.float64)
    measure = measured(
        kind, some.truth.astype(np.float64), figures.estimate, figures.low, figures.high,
        inside=inside, empty=some.empty,
    )  # fmt: skip
    if inside is None:
        measure = replace(measure, outside=None)
    if people.found is None or kind not in ("pattern range", "similarity"):
        return measure
    precision = precisions(some.conditions, people.series, people.found)
    known = precision[~np.isnan(precision)]
    return replace(
        measure,
        precision=float(known.mean()) if len(known) else None,
        unmatched=len(precision) - len(known),
    )


def precisions(conditions: Sequence[Condition], series: Sequences, found: Sequences) -> Floats:
    """Of the series that each condition finds among the published ones: the share it should find.

    |A ∩ E| / |E| in the paper's letters; NaN where nothing is found.
    """
    precision = np.full(len(conditions), np.nan)
    for place, condition in enumerate(conditions):
        published = np.flatnonzero(satisfied(condition, found))
        if len(published):
            precision[place] = satisfied(condition, series.take(published)).mean()
    return precision


def counts(conditions: Sequence[Condition], series: Sequences, among: Flags | None = None) -> Array:
    """Count the series that meet each condition: all, or those that are marked."""
    found = np.zeros(len(conditions), dtype=np.int64)
    for place, condition in enumerate(conditions):
        there = satisfied(condition, series)
        found[place] = np.count_nonzero(there if among is None else there & among)
    return found


def people_of(release: Release, microdata: Microdata, past: TablePast | None) -> People:
    """Read the series behind a release and, if the ledger is at hand, what is published of each."""
    shape = series_of(release)
    if shape is None:
        raise ReleaseError(f"{release.path} cannot be read as a release of series.")
    try:
        own = own_series(shape, microdata)
    except Misfit as misfit:
        raise InputError(
            f"the table is not the one that the release was made from: it has {misfit}."
        ) from None
    series = Sequences(own.values, own.z, shape.values, shape.patterns)
    if past is None:
        everyone = np.ones(len(own), dtype=np.bool_)
        return People(series, everyone if len(own) == release.rows else None, None)
    return _known(shape, own, series, microdata, past)


def _known(
    shape: Series, own: Own, series: Sequences, microdata: Microdata, past: TablePast
) -> People:
    """Find the row of everyone: the ledger remembers the group."""
    group = listed_people(own, microdata, past).group
    level = levels_of(series_rows(shape), own.z, group)
    found = replace(series, z=rebuilt(own.z, level))
    return People(series, group > 0, found)


def _notes(people: People) -> Iterator[str]:
    if people.found is None:
        yield (
            "Without the ledger nobody knows whose row is whose: there is no precision, and no "
            "question about similarity, whose tolerance depends on it."
        )
    if people.published is not None and not people.published.all():
        yield (
            f"{int((~people.published).sum()):,} of {len(people.series):,} series are not in the "
            "release. Errors are against the table, bounds speak of the release."
        )
