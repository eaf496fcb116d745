"""For the owner: how a release of series came about, in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Floats
from anachron.engines.base import Table
from anachron.guarantees import KPAnonymity
from anachron.methods.outcome import Explanation, Record
from anachron.methods.patterns.breach import breach
from anachron.methods.patterns.losses import value_loss
from anachron.methods.patterns.planned import Planned
from anachron.methods.patterns.sensitive import coded
from anachron.methods.patterns.series import Aligned

__all__ = ["SeriesExplained", "explain"]

LOOKED_AT = 5_000
"""The breach of so many people is measured; of more, of those drawn first."""


@dataclass(frozen=True)
class Largest(Record):
    """The largest chance to find something out, counted and by the paper's formula."""

    by_count: float
    by_formula: float


@dataclass(frozen=True)
class Breach(Largest):
    """The largest chance to find a person's row, and the person's value in each column."""

    people: int
    """How many were looked at."""
    values: Mapping[str, Largest]


@dataclass(frozen=True)
class SeriesExplained(Explanation):
    """How a release of series came about, in numbers."""

    k: int
    P: int
    algorithm: str
    series: int
    times: int
    letters: int
    """How many a pattern has."""
    suppressed: int
    bad: int
    dropped: int
    trimmed: int
    interpolated: int
    groups: int
    subgroups: int
    value_loss: float
    pattern_loss: float
    levels: Mapping[str, int]
    breach: Breach


def explain(
    table: Table,
    promise: KPAnonymity,
    aligned: Aligned,
    plan: Planned,
    bounds: tuple[Floats, Floats],
    sensitive: Mapping[str, pa.Array],
) -> SeriesExplained:
    """Tell what a plan comes to; value loss is that of ``bounds``, as they are published."""
    costs = plan.costs()
    level, count = np.unique(plan.level[plan.kept], return_counts=True)
    return SeriesExplained(
        method=promise.method,
        notes=[*table.notes, *_notes(aligned)],
        k=promise.k,
        P=promise.P,
        algorithm=promise.algorithm,
        series=len(plan.group),
        times=len(aligned.times),
        letters=plan.task.z.shape[1],
        suppressed=costs.suppressed,
        bad=plan.bad,
        dropped=aligned.dropped,
        trimmed=aligned.trimmed,
        interpolated=aligned.interpolated,
        groups=costs.groups,
        subgroups=costs.subgroups,
        value_loss=value_loss(*bounds, np.bincount(plan.group[plan.kept])),
        pattern_loss=costs.pattern_loss,
        levels={str(one): many for one, many in zip(level.tolist(), count.tolist(), strict=True)},
        breach=_breach(plan, bounds, sensitive),
    )


def _breach(
    plan: Planned, bounds: tuple[Floats, Floats], sensitive: Mapping[str, pa.Array]
) -> Breach:
    people = len(plan.group)
    rows = np.arange(min(people, LOOKED_AT))

    def largest(codes: np.ndarray[Any, Any]) -> tuple[float, float]:
        found = breach(plan, bounds, codes, rows)
        # Equation 1 counts equal values as if they were different people's.
        return float(found.by_count.max()), min(float(found.by_equation.max()), 1.0)

    return Breach(
        *largest(np.arange(people)),
        people=len(rows),
        values={name: Largest(*largest(coded(column))) for name, column in sensitive.items()},
    )


def _notes(aligned: Aligned) -> Iterator[str]:
    told = (
        (aligned.dropped, "series with gaps were left out."),
        (aligned.trimmed, "times were left out, because somebody has no value there."),
        (aligned.interpolated, "missing values were interpolated between their neighbours."),
    )
    yield from (f"{many:,} {what}" for many, what in told if many)
