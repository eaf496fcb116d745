"""Tiny random releases, laid out and as an oracle reads them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any as Anything

import numpy as np

from anachron.asking.layout import CellLayout
from anachron.asking.question import All, Any, Condition
from tests.asking.made import between, days, made, one_of, sensitive, text, time, whole, window_of
from tests.oracle.asking import Choice, Group, Late, day_span

FIRST = date(2024, 3, 29)
TOWNS = ("bari", "como", "lodi")
ZONE = "Europe/Rome"


def boxes(rng: np.random.Generator) -> tuple[CellLayout, list[Group]]:
    """Groups of rows with intervals, a day, and counterfeits; rows of some are candidates."""
    rows: dict[str, list[Anything]] = {}
    groups, fakes, loose = [], [], []
    window = int(rng.integers(1, 3))
    for number in range(int(rng.integers(1, 4))):
        n = int(rng.integers(1, 4))
        low = int(rng.integers(-1, 3))
        age = list(range(low, low + int(rng.integers(1, 3))))
        one, other = sorted(int(x) for x in rng.integers(0, 3, 2))
        day = FIRST + timedelta(int(rng.integers(0, 4)))
        ill = rng.integers(-1, 3, n).tolist()
        fakes.append(int(rng.integers(0, n)) if rng.random() < 0.5 else 0)
        added = {
            "group": [number] * n,
            "age_low": [age[0]] * n,
            "age_high": [age[-1]] * n,
            "town_low": [TOWNS[one]] * n,
            "town_high": [TOWNS[other]] * n,
            **days("at", [day] * n),
            "ill": ill,
        }
        for name, cells in added.items():
            rows.setdefault(name, []).extend(cells)
        cell = {
            "age": Choice(tuple(age)),
            "town": Choice(TOWNS[one : other + 1]),
            "at": late(day, window),
        }
        shown = tuple({**cell, "ill": Choice((value,))} for value in ill)
        loose.append(int(rng.random() < 0.3))
        groups.append(Group(shown, fakes[-1], None, bool(loose[-1])))
    columns = [
        whole("age"), text("town", "ordered", order=TOWNS), time("at", "snapshots"),
        sensitive("ill", "whole"),
    ]  # fmt: skip
    return made(columns, rows, fakes, window=window, candidates=loose), groups


def apart(rng: np.random.Generator) -> tuple[CellLayout, list[Group]]:
    """Groups of exact rows, a day, and sensitive values in a table of their own."""
    rows: dict[str, list[Anything]] = {}
    values: dict[str, list[Anything]] = {}
    groups = []
    window = int(rng.integers(1, 3))
    for number in range(int(rng.integers(1, 3))):
        n = int(rng.integers(1, 5))
        day = FIRST + timedelta(int(rng.integers(0, 4)))
        age, ill = rng.integers(-1, 3, n).tolist(), rng.integers(-1, 3, n).tolist()
        town = rng.choice(TOWNS, n).tolist()
        shown = {"group": [number] * n, "age": age, "town": town, **days("at", [day] * n)}
        for name, cells in shown.items():
            rows.setdefault(name, []).extend(cells)
        for value in sorted(set(ill)):
            one = {"group": number, "ill": value, "count": ill.count(value)}
            for name, cell in one.items():
                values.setdefault(name, []).append(cell)
        at = late(day, window)
        groups.append(
            Group(
                tuple({"age": Choice((a,)), "town": Choice((t,)), "at": at}
                      for a, t in zip(age, town, strict=True)),
                0,
                tuple({"ill": Choice((value,))} for value in ill),
            )
        )  # fmt: skip
    columns = [
        whole("age", "exact"), text("town"), time("at", "snapshots"), sensitive("ill", "whole")
    ]  # fmt: skip
    return made(columns, rows, None, values, window), groups


def late(day: date, window: int) -> Late:
    """The days on which what is published on one may have happened."""
    return Late(tuple(day_span(day - timedelta(b), ZONE) for b in reversed(range(window))))


def condition(rng: np.random.Generator, beside: bool = False) -> Condition:
    """A conjunction mostly; sensitive values beside the rest, if they must be."""
    low = int(rng.integers(-1, 3))
    age = between("age", low, low + int(rng.integers(0, 2)))
    town = one_of("town", *rng.choice(TOWNS, 2), inside=bool(rng.random() < 0.7))
    first = FIRST + timedelta(int(rng.integers(-1, 4)))
    at = window_of("at", first, first + timedelta(int(rng.integers(0, 3))))
    ill = between("ill", int(rng.integers(-1, 2)), int(rng.integers(1, 3)))
    rest = [leaf for leaf in (age, town, at) if rng.random() < 0.6]
    if len(rest) > 1 and rng.random() < 0.3:
        rest = [Any(tuple(rest))]
    if rng.random() < 0.6:
        if not beside and rest and rng.random() < 0.3:
            return Any((All(tuple(rest)), ill))
        rest.append(ill)
    return All(tuple(rest))
