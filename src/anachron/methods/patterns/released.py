"""What is published of a plan: envelopes of groups, and level, pattern and value of people.

Envelopes are rounded outwards to a fixed public grid: exact bounds would be somebody's values.
Rows are sorted by what they show, groups numbered by their envelopes. Between equal envelopes
the drawn lots decide, which nobody can repeat without the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats
from anachron.errors import PlanError, Problem
from anachron.kernels.sax import letters, words
from anachron.methods.axes import Axis
from anachron.methods.boxes import points
from anachron.methods.patterns.planned import Planned
from anachron.published.ways import bounds
from anachron.schema import check_published

__all__ = ["Released", "check_names", "keeps_whole", "outwards", "released", "step_of"]

_EXACT = 2**53
GROUP, LEVEL, PATTERN = "group", "level", "pattern"

Resources = dict[str, tuple[pa.Schema, Iterator[pa.RecordBatch]]]


@dataclass(frozen=True, eq=False)
class Released:
    """The tables of a release."""

    resources: Resources
    group: Array
    """The published number of each series' group; 0 if it is not published."""
    subgroups: int
    """Different patterns in groups. Subgroups of one pattern in one group are one to the reader."""


def check_names(times: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse columns that would be published under the same name, or be described as one."""
    named = [name for time in times for name in bounds(time)]
    for names in ([GROUP, LEVEL, PATTERN, *sensitive], [GROUP, *named], [*times, *sensitive]):
        check_published(names, f"{LEVEL!r}, {PATTERN!r}, _low and _high")


def step_of(declared: Decimal | None, whole: bool, values: Floats) -> Decimal:
    """Give the step of the grid: as declared, or 1 for whole numbers."""
    if declared is None and not whole:
        raise PlanError(
            Problem(
                "the series hold fractions, and precision is missing.",
                remedy="Say of what published bounds are multiples, for instance 0.1.",
            )
        )
    step = Decimal(1) if declared is None else declared
    if Decimal(repr(max(float(values.max()), -float(values.min())))) / step >= _EXACT:
        raise PlanError(
            Problem(
                "the series hold numbers too large for the precision.",
                remedy="Declare a larger precision.",
            )
        )
    return step


def keeps_whole(step: Decimal, high: Floats) -> bool:
    """Whether whole numbers, rounded outwards to multiples of a step, are whole numbers."""
    return 1 in step.as_integer_ratio() and float(np.abs(high).max(initial=0.0)) < _EXACT


def outwards(low: Floats, high: Floats, step: Decimal) -> tuple[Floats, Floats]:
    """Round lower bounds down and upper bounds up to multiples of a step, decimal by decimal."""
    floor = points([_axis(column, step) for column in low.T]).first
    ceiling = points([_axis(column, step) for column in high.T]).end
    return _multiples(floor, step), _multiples(ceiling, step)


def _axis(numbers: Floats, step: Decimal) -> Axis:
    return Axis("", np.ascontiguousarray(numbers), step, False, (), (0.0, 0.0))


def _multiples(counts: Array, step: Decimal) -> Floats:
    known, which = np.unique(counts, return_inverse=True)
    edges = np.array([float(count * step) for count in known.tolist()], dtype=np.float64)
    multiples: Floats = edges[which].reshape(counts.shape)
    return multiples


def released(
    plan: Planned,
    envelope: tuple[Floats, Floats],
    times: Sequence[str],
    sensitive: Mapping[str, pa.Array],
    whole: bool,
) -> Released:
    """Lay out the tables of a release.

    ``envelope`` are the bounds of each group as they are published, at ``times``. Of a series of
    whole numbers bounds have the type of whole numbers, so that a reader knows.
    """
    low, high = envelope
    ends = np.stack([low, high], axis=2).reshape(len(low), -1)
    order = np.lexsort(ends.T[::-1])
    number = np.empty(len(order) + 1, dtype=np.int64)
    number[order] = np.arange(1, len(order) + 1)
    # Group −1, of those who are not published, finds the last place.
    number[-1] = 0
    group = number[plan.group]
    names = [name for time in times for name in bounds(time)]
    envelopes = {GROUP: pa.array(np.arange(1, len(order) + 1))}
    kind = pa.int64() if whole else pa.float64()
    envelopes |= {name: pa.array(ends[order, i]).cast(kind) for i, name in enumerate(names)}
    seen = _seen(plan, group)
    data = _data(plan, group, seen, sensitive)
    subgroups = int(seen.rank.max(initial=0))
    return Released({"data": _batches(data), "envelopes": _batches(envelopes)}, group, subgroups)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Of each subgroup the word of its people, and its place among the different ones."""

    word: npt.NDArray[np.str_]
    rank: Array
    """From 1. Subgroups with the same word in the same group are one to the reader."""


def _seen(plan: Planned, group: Array) -> _Seen:
    subgroup = plan.subgroup[plan.kept]
    one = np.empty(int(subgroup.max()) + 1, dtype=np.int64)
    one[subgroup] = plan.kept
    level, word = plan.level[one], _words(plan, one)
    order = np.lexsort((word, level, group[one]))
    same = np.ones(len(order), dtype=np.bool_)
    same[0] = False
    for part in (group[one][order], level[order], word[order]):
        same[1:] &= part[1:] == part[:-1]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(~same)
    return _Seen(word, rank)


def _data(
    plan: Planned, group: Array, seen: _Seen, sensitive: Mapping[str, pa.Array]
) -> dict[str, pa.Array]:
    """One row for each published series, sorted by all columns."""
    kept = plan.kept
    keys = {"0": pa.array(seen.rank[plan.subgroup[kept]])}
    for i, values in enumerate(sensitive.values()):
        keys[str(i + 1)] = values.take(pa.array(kept))
    by = pc.sort_indices(pa.table(keys), sort_keys=[(key, "ascending") for key in keys])
    row = kept[by.to_numpy()]
    found = {
        GROUP: pa.array(group[row]),
        LEVEL: pa.array(plan.level[row]),
        PATTERN: pa.array(seen.word, pa.string()).take(pa.array(plan.subgroup[row])),
    }
    return found | {name: values.take(pa.array(row)) for name, values in sensitive.items()}


def _words(plan: Planned, rows: Array) -> npt.NDArray[np.str_]:
    """The word of each of some series at its own level."""
    found = np.empty(len(rows), dtype=f"U{plan.task.z.shape[1]}")
    level = plan.level[rows]
    for one in np.unique(level).tolist():
        here = np.flatnonzero(level == one)
        found[here] = words(letters(plan.task.z, one, rows[here]))
    return found


def _batches(columns: Mapping[str, pa.Array]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    table = pa.table(dict(columns))
    return table.schema, iter(table.to_batches(max_chunksize=1 << 17))
