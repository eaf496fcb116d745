"""From a table of series to the array that is planned on: a row a subject, a column a time.

What becomes of series with gaps, ``gaps`` says:

===============  =========================================================================
``refuse``       nothing is published
``interpolate``  a value between two others lies on the straight line between them. Before the
                 first and after the last value nothing is known: such series are refused
``trim``         only times at which everyone has a value remain
``drop``         only subjects with a value at every time remain
===============  =========================================================================

A time of a long table is a gap of everyone if nobody has a value at it: times are all granules
from the first to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Floats
from anachron.engines.base import Table
from anachron.errors import GuaranteeError, PlanError, Problem, TableError
from anachron.guarantees import KPAnonymity
from anachron.kernels.sax import shapeless
from anachron.methods.patterns.cells import Cells, cells

__all__ = ["Aligned", "align", "chosen", "constant", "refuse_shapeless"]

_MOST_INVENTED = 20
"""Interpolation may make of each value this many, and no more."""
_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Aligned:
    """Series of the same times, without gaps."""

    subjects: pa.Array
    row: Array
    """The first row of the table with each subject."""
    gather: Callable[[Array], Floats]
    """The series of subjects, by their places and in their order, of what the table holds now."""
    times: tuple[str, ...]
    span: tuple[int, int] | None
    """From when to when the series go; None if nobody knows."""
    dropped: int
    """Series that were left out for their gaps."""
    trimmed: int
    """Times that were left out for gaps in them."""
    interpolated: int
    """Values that were computed from their neighbours."""


def align(table: Table, promise: KPAnonymity) -> Aligned:
    """Read the series of a table, and treat gaps as the promise says."""
    found = cells(table, promise.granularity)
    subjects, times = _kept(found, promise.gaps, table)
    if np.count_nonzero(times) < 2:
        raise TableError(
            Problem(
                f"there is {np.count_nonzero(times) or 'no'} time at which all series have a "
                "value, and a shape needs two.",
                column=table.schema.time or None,
                remedy="Publish a longer time, or a finer granularity, or treat gaps otherwise.",
            )
        )
    if np.count_nonzero(subjects) < promise.k:
        raise GuaranteeError(
            f"there are {np.count_nonzero(subjects):,} series"
            + f" without gaps, of {len(subjects):,}" * (not subjects.all())
            + f", fewer than k = {promise.k}. Nothing was published. Lower k, or publish more "
            "people together."
        )
    codes, is_filled = np.flatnonzero(subjects), promise.gaps == "interpolate"

    def gather(wanted: Array) -> Floats:
        values = found.dense(codes[wanted], times)
        if is_filled:
            _interpolate(values)
        return values

    number = np.flatnonzero(times)
    start, end = found.instants(number) if found.instants else (None, None)
    return Aligned(
        table.people().dictionary.filter(pa.array(subjects)),
        found.row[subjects],
        gather,
        tuple(found.names(number)),
        None if start is None or end is None else (int(start[0]), int(end[-1])),
        int(np.count_nonzero(~subjects)),
        int(np.count_nonzero(~times)),
        len(subjects) * len(times) - int(found.of_subject.sum()) if is_filled else 0,
    )


def _kept(found: Cells, gaps: str, table: Table) -> tuple[Flags, Flags]:
    """Which subjects and which times remain."""
    subjects = np.ones(len(found.of_subject), dtype=np.bool_)
    times = np.ones(len(found.of_time), dtype=np.bool_)
    if gaps == "trim":
        times = found.of_time == len(subjects)
    elif gaps == "drop":
        subjects = found.of_subject == len(times)
    elif gaps == "interpolate":
        _check_ends(found, table)
    else:
        _refuse_gaps(found, table)
    return subjects, times


def _refuse_gaps(found: Cells, table: Table) -> None:
    short = found.of_subject < len(found.of_time)
    if not short.any():
        return
    lack = len(found.of_time) - found.of_subject[short]
    least = f"{lack.min():,} to " if lack.min() < lack.max() else ""
    column, row = _gap(found, table, short, range(len(found.of_time)))
    raise TableError(
        Problem(
            f"{short.sum():,} of {len(short):,} series lack a value at {least}{lack.max():,} of "
            f"{len(found.of_time):,} times.",
            column=column,
            row=row,
            remedy='Fill them in, or set gaps to "interpolate", "trim" or "drop".',
        )
    )


def _check_ends(found: Cells, table: Table) -> None:
    if not found.has_ends.all():
        short = ~found.has_ends
        column, row = _gap(found, table, short, (0, len(found.of_time) - 1))
        raise TableError(
            Problem(
                f"{short.sum():,} of {len(short):,} series lack a value at the first or at the "
                "last time, where there are no two values to interpolate between.",
                column=column,
                row=row,
                remedy='Fill them in, or set gaps to "trim" or "drop".',
            )
        )
    there, wanted = int(found.of_subject.sum()), len(found.of_subject) * len(found.of_time)
    if wanted > _MOST_INVENTED * there:
        raise TableError(
            Problem(
                f"{wanted - there:,} of {wanted:,} values are missing, too many to interpolate.",
                column=table.schema.time or None,
                remedy="Choose a coarser granularity, or treat gaps otherwise.",
            )
        )


def _gap(found: Cells, table: Table, short: Flags, times: Iterable[int]) -> tuple[str, int]:
    """The first of some columns with a gap, in whatever order rows come, and its first row."""
    rows = found.row[short]
    if table.schema.time:
        return table.schema.series[0], int(rows.min()) + 1
    missing = np.isnan(table.series()[rows])
    time = next(time for time in times if missing[:, time].any())
    return table.schema.series[time], int(rows[missing[:, time]].min()) + 1


def _interpolate(values: Floats) -> None:
    """Fill gaps in place, some series at a time."""
    for first in range(0, len(values), _AT_ONCE):
        _fill(values[first : first + _AT_ONCE].reshape(-1))


def _fill(flat: Floats) -> None:
    missing = np.isnan(flat)
    hole, known = np.flatnonzero(missing), np.flatnonzero(~missing)
    # The first and the last value of each row are known: no neighbour is of another row.
    after = np.searchsorted(known, hole)
    a, b = known[after - 1], known[after]
    # Exact where both neighbours are the same.
    flat[hole] = flat[a] + (flat[b] - flat[a]) * ((hole - a) / (b - a))


def chosen(times: Sequence[str], wanted: Sequence[str] | None, key: str) -> Array:
    """The places of the wanted times, in the order of time; all if none are named."""
    if wanted is None:
        return np.arange(len(times))
    place = {time: number for number, time in enumerate(times)}
    problems = [
        Problem(
            f"is named in {key}, but the series have no value at such a time.",
            column=time,
            remedy="Name times as they are published: columns, or labels of granules.",
        )
        for time in wanted
        if time not in place
    ]
    if problems:
        raise PlanError(problems)
    return np.array(sorted(place[time] for time in wanted), dtype=np.int64)


def refuse_shapeless(shapes: Floats, row: Array, table: Table) -> None:
    """Refuse series whose shape is lost to the rounding of floating-point numbers.

    ``row`` is the first row of each in the table.
    """
    lost = shapeless(shapes)
    if lost.any():
        raise TableError(
            Problem(
                f"{lost.sum():,} series vary by less than a trillionth of their mean, so that "
                "their shape cannot be computed.",
                column=table.schema.series[0] if table.schema.time else None,
                row=int(row[lost].min()) + 1,
                remedy="Subtract a constant from all values, or leave those series out.",
            )
        )


def constant(table: Table, row: Array, column: str, values: pa.Array) -> pa.Array:
    """Give the sensitive value of the subjects with these first rows; each may have only one.

    ``values`` has that of each row of the table.
    """
    if table.subjects < table.rows:
        code = values.dictionary_encode().indices.fill_null(-1).to_numpy()
        subject = table.people().indices.to_numpy()
        own = np.empty(table.subjects, dtype=code.dtype)
        own[subject[::-1]] = code[::-1]
        other = np.flatnonzero(code != own[subject])
        if len(other):
            raise TableError(
                Problem(
                    f"is not the same in all rows of a subject ({len(other):,} rows differ from "
                    "the subject's first one).",
                    column=column,
                    row=int(other[0]) + 1,
                    remedy="One value is published for each series: choose one, or leave the "
                    "column out.",
                )
            )
    return values.take(pa.array(row))
