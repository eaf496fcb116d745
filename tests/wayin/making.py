"""Small tables of many kinds, made of columns that are drawn with a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa

__all__ = ["Making", "Table"]

Draw = Callable[["Making"], list[object]]


@dataclass(frozen=True)
class Table:
    """A table, and the roles that a careful person would give."""

    name: str
    columns: dict[str, Draw]
    person: tuple[str, ...]
    """None if each row is somebody."""
    time: str | None
    known: tuple[str, ...]
    """What identifies, or what neighbours know: never to be published as it is."""
    rows: int = 400
    people: int = 80
    method: str | None = None
    """The one that fits, where one does clearly."""

    def made(self) -> pa.Table:
        making = Making(self.rows, self.people)
        return pa.table({name: draw(making) for name, draw in self.columns.items()})


@dataclass
class Making:
    """Draws columns for some rows of some people."""

    rows: int
    people: int
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def __post_init__(self) -> None:
        everybody = np.arange(self.people)
        more = self.random.integers(0, self.people, max(0, self.rows - self.people))
        self.who = self.random.permutation(np.concatenate([everybody, more])[: self.rows])

    def of_people(self, values: Sequence[object]) -> list[object]:
        """The same in all rows of a person."""
        return [values[i % len(values)] for i in self.who]

    def of_rows(self, values: Sequence[object]) -> list[object]:
        return [values[i] for i in self.random.integers(0, len(values), self.rows)]


def ids(form: str = "{}", start: int = 1000) -> Draw:
    return lambda m: [form.format(start + int(i)) for i in m.who]


def numbers(start: int = 1000) -> Draw:
    return lambda m: [start + int(i) for i in m.who]


def serial(start: int = 1) -> Draw:
    return lambda m: list(range(start, start + m.rows))


def fixed(*values: object) -> Draw:
    return lambda m: m.of_people(
        [values[int(i)] for i in m.random.integers(0, len(values), m.people)]
    )


def any_of(*values: object) -> Draw:
    return lambda m: m.of_rows(values)


def ages(low: int = 18, high: int = 90) -> Draw:
    return lambda m: m.of_people([int(i) for i in m.random.integers(low, high, m.people)])


def amounts(scale: float = 100.0) -> Draw:
    return lambda m: [round(float(x), 2) for x in m.random.gamma(2.0, scale, m.rows)]


def times(step: timedelta = timedelta(minutes=1), span: int = 400_000) -> Draw:
    begin = datetime(2024, 1, 1)
    return lambda m: [begin + int(i) * step for i in m.random.integers(0, span, m.rows)]


def dates(form: str = "%Y-%m-%d", span: int = 360) -> Draw:
    begin = datetime(2024, 1, 1)
    return lambda m: [
        (begin + timedelta(days=int(i))).strftime(form) for i in m.random.integers(0, span, m.rows)
    ]


def born() -> Draw:
    begin = datetime(1940, 1, 1)
    return lambda m: m.of_people(
        [
            (begin + timedelta(days=int(i))).strftime("%Y-%m-%d")
            for i in m.random.integers(0, 25_000, m.people)
        ]
    )


def sentences(*words: str) -> Draw:
    return lambda m: [
        " ".join(words[int(i)] for i in m.random.integers(0, len(words), 9)) for _ in range(m.rows)
    ]


def within(*columns: str) -> Draw:
    """A number that begins anew for each person: which of their rows it is."""

    def draw(m: Making) -> list[object]:
        seen: dict[int, int] = {}
        found: list[object] = []
        for who in m.who:
            seen[int(who)] = seen.get(int(who), 0) + 1
            found.append(seen[int(who)])
        return found

    return draw


def coordinates(around: float) -> Draw:
    return lambda m: [round(around + float(x), 5) for x in m.random.normal(0, 0.05, m.rows)]
