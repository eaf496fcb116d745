"""How useful is a release of series?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.published import Published, opened
from anachron.asking.question import Condition
from anachron.auditing.evidence.series import Misfit
from anachron.auditing.history import Past
from anachron.behind import Microdata
from anachron.errors import InputError, ReleaseError
from anachron.measuring.asked import Measures, Task, answered
from anachron.measuring.sequences import Sequences, distances, rebuilt, satisfied
from anachron.measuring.series_workloads import SeriesWorkload
from anachron.measuring.utility import Measure
from anachron.placing.series import levels_of, series_view
from anachron.release.read import Release

__all__ = ["Everyone", "counts", "everyone_of", "measure_series", "precisions"]


@dataclass(frozen=True, eq=False)
class Everyone:
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


def measure_series(task: Task) -> Measures:
    """Ask a release of series; give a measure for each workload, and notes on them."""
    task.tell("reading the series", 0.0)
    everyone = everyone_of(task.releases[-1], task.microdata, task.pasts[-1])
    wanted = task.wanted
    workload = SeriesWorkload(everyone.series, everyone.tolerance, wanted.theta, wanted.dimensions)
    published, share = opened(task.releases[-1:]), 1 / len(workload.kinds)
    found = [
        _measured(task, kind, workload, published, everyone, (place * share, share))
        for place, kind in enumerate(workload.kinds)
    ]
    return tuple(found), tuple(_notes(everyone))


def _measured(
    task: Task,
    kind: str,
    workload: SeriesWorkload,
    published: Published,
    everyone: Everyone,
    part: tuple[float, float],
) -> Measure:
    task.tell(f"drawing questions: {kind}", part[0])
    measure, some = answered(
        task, kind, published, lambda rng: workload.draw(kind, rng),
        lambda asked, among: counts(asked, everyone.series, among), everyone.published, part,
    )  # fmt: skip
    if everyone.found is None or kind not in ("pattern range", "similarity"):
        return measure
    precision = precisions(some.conditions, everyone.series, everyone.found)
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


def everyone_of(release: Release, microdata: Microdata, past: Past) -> Everyone:
    """Read the series behind a release and, if the ledger is at hand, what is published of each."""
    try:
        view = series_view(release, microdata, past)
    except Misfit as misfit:
        raise InputError(
            f"the table is not the one that the release was made from: it has {misfit}."
        ) from None
    if view is None:
        raise ReleaseError(f"{release.place} cannot be read as a release of series.")
    own, segments = view.own, view.shape.segments
    means = None if own.z is own.shape else np.repeat(np.round(own.z, 9), segments, axis=1)
    series = Sequences(own.values, own.shape, view.shape.values, view.shape.patterns, means)
    if view.group is None:
        complete = len(series) == release.rows
        return Everyone(series, np.ones(len(series), dtype=np.bool_) if complete else None, None)
    shape = rebuilt(own.z, levels_of(view, view.group))
    if means is not None:
        shape = np.repeat(shape, segments, axis=1)
    found = replace(series, z=shape, means=None)
    return Everyone(series, view.group > 0, found)


def _notes(everyone: Everyone) -> Iterator[str]:
    if everyone.found is None:
        yield (
            "Without the ledger nobody knows whose row is whose: there is no precision, and no "
            "question about similarity, whose tolerance depends on it."
        )
    there = everyone.published
    if there is not None and not there.all():
        yield (
            f"{int((~there).sum()):,} of {len(there):,} series are not in the "
            "release. Errors are against the table, bounds speak of the release."
        )
