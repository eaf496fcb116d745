"""The columns of a time series: from numbers of any type to floating-point ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anachron.arrays import Floats
from anachron.engines.local.kinds import is_text, limit, number
from anachron.engines.local.marked import problem_at
from anachron.engines.local.scan import Scan
from anachron.errors import Problem
from anachron.schema import Schema
from anachron.source.base import quoted

__all__ = ["read_series"]


_CELLS = 1 << 21
"""How many values are fetched at a time."""


def read_series(scan: Scan, schema: Schema, problems: list[Problem]) -> Floats:
    """Read all columns of a series in one pass; NaN where a value is missing.

    What is no finite number, or one that floating-point numbers cannot tell from its
    neighbours, is added to the problems.
    """
    columns, types = schema.series, scan.source.columns
    values = np.empty((scan.rows, len(columns)))
    if not columns:
        return values
    expressions = {f"c{i}": _number(name, types[name]) for i, name in enumerate(columns)}
    limits = [limit(types[name]) for name in columns]
    doubtful = np.zeros(len(columns), dtype=np.bool_)
    at = 0
    for batch in scan.batches(expressions, max(_CELLS // len(columns), 1024)):
        for i, column in enumerate(batch.columns):
            numbers = column.to_numpy(zero_copy_only=False)
            # Neither a missing value nor NaN compares as smaller.
            doubtful[i] |= np.count_nonzero(~(np.abs(numbers) < limits[i])) > column.null_count
            values[at : at + len(column), i] = numbers
        at += batch.num_rows
    for i in np.flatnonzero(doubtful).tolist():
        problems += _strange(scan, columns[i])
    # Zeros of both signs are one value.
    values += 0.0
    return values


def _number(column: str, kind: str) -> str:
    if is_text(kind):
        return f"CASE WHEN {quoted(column)} IS NOT NULL THEN CAST('nan' AS DOUBLE) END"
    return number(column, kind)


def _strange(scan: Scan, column: str) -> Iterator[Problem]:
    """Say where a column holds what cannot be worked with."""
    kind, file = scan.source.columns[column], scan.source.name
    missing = scan.column(f"{quoted(column)} IS NULL").to_numpy()
    if is_text(kind):
        read = scan.column(f"TRY_CAST({quoted(column)} AS DOUBLE)")
        words = read.is_null().to_numpy() & ~missing
        yield problem_at(
            words if words.any() else ~missing,
            "is text, not a number, in {n}.",
            "A series needs numbers. Correct those cells, or empty them.",
            column,
            file,
        )
        return
    numbers = scan.column(number(column, kind)).to_numpy()
    infinite = ~np.isfinite(numbers) & ~missing
    if infinite.any():
        yield problem_at(
            infinite,
            "is not a finite number (NaN or infinite) in {n}.",
            "Empty the cell where the value is not known; gaps says what is done then.",
            column,
            file,
        )
    large = np.isfinite(numbers) & ~(np.abs(numbers) < limit(kind))
    if large.any():
        yield problem_at(
            large,
            "has more digits than can be computed with exactly in {n}.",
            "Give it in a larger unit, or round it.",
            column,
            file,
        )
