"""All worlds of a tiny release: which counts, sums and means are possible at all.

A world says which rows are counterfeits, or which row has which sensitive value; what each value
is within what was published of it; and when each record happened.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any as Anything

from anachron.asking.question import Condition
from tests.oracle.asking import Choice, Group, Late, Row, meets

Totals = set[tuple[int, int]]
"""How many records may meet a condition, together with the sum of a column over these."""


def extremes(
    groups: Sequence[Group], condition: Condition, column: str
) -> dict[str, tuple[Fraction, Fraction] | None]:
    """The smallest and the largest count, sum and mean; no mean if nothing can meet it."""
    found: Totals = {(0, 0)}
    for group in groups:
        here = set(_totals(group, condition, column))
        found = {(n + m, s + t) for (n, s), (m, t) in itertools.product(found, here)}
    means = [Fraction(s, n) for n, s in found if n]
    return {
        "count": _ends(Fraction(n) for n, _ in found),
        "sum": _ends(Fraction(s) for _, s in found),
        "avg": _ends(means) if means else None,
    }


def _ends(numbers: Iterable[Fraction]) -> tuple[Fraction, Fraction]:
    some = list(numbers)
    return min(some), max(some)


def _totals(group: Group, condition: Condition, column: str) -> Iterator[tuple[int, int]]:
    for rows in _real(group):
        possible = [set(_outcomes(row, condition, column)) for row in rows]
        for world in itertools.product(*possible):
            yield sum(met for met, _ in world), sum(number for _, number in world)


def _real(group: Group) -> Iterator[Sequence[Row]]:
    """Which rows are real, or those that people have; or the rows, each with a value of its own."""
    if group.values is None:
        real = len(group.rows) - group.fakes
        if group.candidates:
            yield from itertools.combinations_with_replacement(group.rows, real)
        else:
            yield from itertools.combinations(group.rows, real)
        return
    for values in itertools.permutations(group.values):
        yield [{**row, **value} for row, value in zip(group.rows, values, strict=True)]


def _outcomes(row: Row, condition: Condition, column: str) -> Iterator[tuple[int, int]]:
    names = list(row)
    for values in itertools.product(*(_possible(row[name]) for name in names)):
        record: dict[str, Anything] = dict(zip(names, values, strict=True))
        met = meets(condition, record)
        yield int(met), record[column] if met else 0


def _possible(cell: Anything) -> Sequence[Anything]:
    if isinstance(cell, Late):
        return [start for start, _ in cell.spans]
    assert isinstance(cell, Choice)
    return cell.values
