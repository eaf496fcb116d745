"""The columns of a time series: from numbers of any type to floating-point ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from anachron.arrays import Floats
from anachron.engines.local.kinds import is_text, limit, number
from anachron.engines.local.marked import Marked, problem_at
from anachron.engines.local.scan import Scan
from anachron.errors import Problem
from anachron.schema import Schema
from anachron.source.base import quoted

__all__ = ["CELL", "doubtful", "expressions", "in_turn", "read_series", "strange"]


CELL = 48
"""Bytes of a value of a series, in all the forms in which it is held."""
_CELLS = 1 << 21
"""How many values are fetched at a time."""
_WORDS = (
    "is text, not a number, in {n}.",
    "A series needs numbers. Correct those cells, or empty them.",
)
_INFINITE = (
    "is not a finite number (NaN or infinite) in {n}.",
    "Empty the cell where the value is not known; gaps says what is done then.",
)
_LARGE = (
    "has more digits than can be computed with exactly in {n}.",
    "Give it in a larger unit, or round it.",
)
_TURNS = [said for said, _ in (_WORDS, _INFINITE, _LARGE)]


def read_series(scan: Scan, schema: Schema, problems: list[Problem]) -> Floats:
    """Read all columns of a series in one pass; NaN where a value is missing.

    What is no finite number, or one that floating-point numbers cannot tell from its
    neighbours, is added to the problems.
    """
    columns, types = schema.series, scan.source.columns
    values = np.empty((scan.rows, len(columns)))
    if not columns:
        return values
    limits = [limit(types[name]) for name in columns]
    doubts = np.zeros(len(columns), dtype=np.bool_)
    at = 0
    for batch in scan.batches(expressions(schema, types), max(_CELLS // len(columns), 1024)):
        for i, column in enumerate(batch.columns):
            doubts[i] |= doubtful(column, limits[i])
            values[at : at + len(column), i] = column.to_numpy(zero_copy_only=False)
        at += batch.num_rows
    for i in np.flatnonzero(doubts).tolist():
        name, kind = columns[i], types[columns[i]]
        found = list(strange(scan.column, name, kind, scan.source.name))
        problems += found or strange(scan.column, name, kind, scan.source.name, texts=True)
    # Zeros of both signs are one value.
    values += 0.0
    return values


def expressions(schema: Schema, types: Mapping[str, str]) -> dict[str, str]:
    """SQL for the columns of a series as floating-point numbers; null where one is missing."""
    return {f"c{i}": _number(name, types[name]) for i, name in enumerate(schema.series)}


def doubtful(column: pa.Array, most: float) -> bool:
    """Whether some of such numbers cannot be computed with."""
    numbers = column.to_numpy(zero_copy_only=False)
    # Neither a missing value nor NaN compares as smaller.
    return bool(np.count_nonzero(~(np.abs(numbers) < most)) > column.null_count)


def in_turn(problem: Problem) -> int:
    """The order in which it is told what is wrong with a column."""
    return _TURNS.index(problem.said) if isinstance(problem, Marked) else len(_TURNS)


def _number(column: str, kind: str) -> str:
    if is_text(kind):
        return f"CASE WHEN {quoted(column)} IS NOT NULL THEN CAST('nan' AS DOUBLE) END"
    return number(column, kind)


def strange(
    fetch: Callable[[str], pa.ChunkedArray],
    column: str,
    kind: str,
    file: str,
    *,
    texts: bool = False,
) -> Iterator[Problem]:
    """Say where a column holds what cannot be worked with, as SQL fetches it.

    Of text, cells that no number could be read from; with ``texts`` all cells.
    """
    missing = fetch(f"{quoted(column)} IS NULL").to_numpy()
    if is_text(kind):
        read = fetch(f"TRY_CAST({quoted(column)} AS DOUBLE)").is_null().to_numpy()
        marked = [(~missing if texts else read & ~missing, _WORDS)]
    else:
        numbers = fetch(number(column, kind)).to_numpy()
        finite = np.isfinite(numbers)
        large = finite & ~(np.abs(numbers) < limit(kind))
        marked = [(~finite & ~missing, _INFINITE), (large, _LARGE)]
    for wrong, (said, remedy) in marked:
        if wrong.any():
            yield problem_at(wrong, said, remedy, column, file)
