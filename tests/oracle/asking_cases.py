"""Small random tables, published by every method, with random questions and the true answers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any as Anything

import numpy as np

from anachron.asking.published import Published, opened
from anachron.asking.question import Aggregate, All, Among, Any, Begins, Condition, Ranges, Span
from anachron.errors import Refusal
from tests.oracle.asking import (
    Choice,
    Group,
    Head,
    Interval,
    Late,
    figures,
    meets,
    read,
)
from tests.oracle.asking_people import EVEN
from tests.oracle.asking_tables import MAKERS, Record

KINDS = tuple(MAKERS)


@dataclass(frozen=True)
class Case:
    """What was published, which records that were, and what is asked."""

    kind: str
    published: Published
    groups: list[Group]
    records: list[Record]
    conditions: list[Condition]
    sums: tuple[str, ...]


def draw(kind: str, seed: int, number: int, questions: int = 12) -> Case | None:
    """Publish a random table; None if nothing can be published."""
    rng = np.random.default_rng((seed, number))
    with tempfile.TemporaryDirectory() as name:
        try:
            releases, records = MAKERS[kind](rng, Path(name), EVEN)
        except Refusal:
            return None
        if not releases:
            return None
        published, groups = opened(releases), read(releases)
    cells = {column: some for group in groups for column, some in _all_cells(group)}
    conditions: list[Condition] = [All(())]
    apart = {column for group in groups for row in group.values or () for column in row}
    conditions += [_condition(rng, groups, list(cells), apart) for _ in range(questions)]
    numeric = tuple(c.name for c in published.catalogue.columns.values() if _summable(c))
    return Case(kind, published, groups, records, conditions, numeric)


def differences(case: Case) -> Iterator[str]:
    """What is wrong with the figures of a case."""
    found = case.published.figures(case.conditions, Aggregate())
    for at, condition in enumerate(case.conditions):
        truth = sum(meets(condition, record) for record in case.records)
        ours = [float(x[at]) for x in (found.estimate, found.low, found.high, found.variance)]
        theirs = [float(x) for x in figures(case.groups, condition)]
        if not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
            yield f"{ours} should be {theirs}: {condition}"
        if not ours[1] <= truth <= ours[2]:
            yield f"{truth} is not within {ours[1:3]}: {condition}"
        if condition == All(()) and ours != [truth, truth, truth, 0.0]:
            yield f"{ours} should be {truth}, all rows"
    for column in case.sums:
        yield from _sums(case, column)


def _sums(case: Case, column: str) -> Iterator[str]:
    simple = [c for c in case.conditions if not under_or(c)]
    for kind in ("sum", "avg"):
        found = case.published.figures(simple, Aggregate(kind, column))  # type: ignore[arg-type]
        for at, condition in enumerate(simple):
            numbers = [
                float(record[column])
                for record in case.records
                if record[column] is not None and meets(condition, record)
            ]
            low, high = float(found.low[at]), float(found.high[at])
            if kind == "avg" and not numbers:
                continue
            truth = sum(numbers) / (len(numbers) if kind == "avg" else 1)
            slack = 1e-9 * max(1.0, abs(truth))
            if not low - slack <= truth <= high + slack:
                yield f"{kind} of {column}: {truth} is not within {low}, {high}: {condition}"
            if not low - slack <= float(found.estimate[at]) <= high + slack:
                yield f"{kind} of {column}: estimate outside {low}, {high}: {condition}"


def under_or(condition: Condition) -> bool:
    return isinstance(condition, Any) or (
        isinstance(condition, All) and any(under_or(part) for part in condition.parts)
    )


def _summable(column: Anything) -> bool:
    return column.numeric


def _all_cells(group: Group) -> Iterator[tuple[str, Anything]]:
    for row in (*group.rows[:1], *(group.values or ())[:1]):
        yield from row.items()


def _condition(
    rng: np.random.Generator, groups: list[Group], columns: list[str], apart: set[str]
) -> Condition:
    """A random condition in which every column stands once at most."""
    some = [c for c in columns if rng.random() < 0.6] or columns[:1]
    rng.shuffle(some)
    leaves: list[Condition] = [_leaf(rng, groups, c) for c in some]
    beside = [leaf for leaf, c in zip(leaves, some, strict=True) if c in apart]
    rest = [leaf for leaf, c in zip(leaves, some, strict=True) if c not in apart]
    if len(rest) > 1 and rng.random() < 0.4:
        cut = int(rng.integers(1, len(rest)))
        one, other = All(tuple(rest[:cut])), Any(tuple(rest[cut:]))
        rest = [Any((one, other))] if rng.random() < 0.5 else [one, other]
    return All((*rest, *beside))


def condition_on(rng: np.random.Generator, groups: list[Group], columns: list[str]) -> Condition:
    """A random condition on some columns, sensitive values that stand apart beside the rest."""
    apart = {column for group in groups for row in group.values or () for column in row}
    return _condition(rng, groups, columns, apart)


def _leaf(rng: np.random.Generator, groups: list[Group], column: str) -> Condition:
    shown = [
        row[column]
        for group in groups
        for row in (*group.rows[:3], *(group.values or ())[:3])
        if column in row
    ]
    cells = [cell for cell in shown if cell != Choice((None,))] or shown
    cell = cells[int(rng.integers(len(cells)))]
    nulls = bool(rng.random() < 0.2)
    if isinstance(cell, Late):
        return _window(rng, groups, column)
    if isinstance(cell, Head):
        prefixes = (cell.text[: int(rng.integers(1, len(cell.text) + 1))],)
        return Begins(column, prefixes, bool(rng.random() < 0.7), nulls)
    if isinstance(cell, Interval):
        ends = sorted(float(x) for x in rng.choice([-2.0, -1.5, 0.0, 0.25, 1.0, 2.5, 4.0], 2))
        closed = rng.random(2) < 0.5 if ends[0] < ends[1] else (True, True)
        return Ranges(column, (Span(*ends, bool(closed[0]), bool(closed[1])),), nulls)
    values = [v for one in cells if isinstance(one, Choice) for v in one.values if v is not None]
    if not values or isinstance(values[0], str | bool):
        chosen = [v for v in sorted(set(values)) if rng.random() < 0.5]
        return Among(column, frozenset(chosen), bool(rng.random() < 0.7), nulls)
    low, high = sorted(values[int(rng.integers(len(values)))] for _ in range(2))
    if isinstance(low, int) and rng.random() < 0.3:
        other = high + 2 + int(rng.integers(3))
        return Ranges(column, (Span(low, high), Span(other, None)), nulls)
    return Ranges(column, (Span(low, high if rng.random() < 0.8 else None),), nulls)


def _window(rng: np.random.Generator, groups: list[Group], column: str) -> Ranges:
    spans = sorted({s for g in groups for s in g.rows[0][column].spans})  # type: ignore[union-attr]
    first, last = sorted(int(i) for i in rng.integers(0, len(spans), 2))
    low = None if rng.random() < 0.15 else spans[first][0]
    return Ranges(column, (Span(low, spans[last][1], high_closed=False),))
