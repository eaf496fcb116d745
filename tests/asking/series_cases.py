"""Random series, published for real, and random questions about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.asking.question import (
    All,
    Among,
    Condition,
    FeatureIn,
    Ranges,
    Similar,
    Span,
    ValueIn,
)
from anachron.asking.series import PublishedSeries
from tests.flow.series import groups_of, names
from tests.oracle.asking_series import Person, Row, person

TIMES = ("mon", "tue", "wed", "thu", "fri", "sat")
DAYS = tuple(f"2024-05-0{day}" for day in range(1, 7))
KINDS: dict[str, dict[str, Any]] = {
    "kapra": {},
    "naive": {"algorithm": "naive", "precision": "0.1"},
    "coarse": {"k": 12, "P": 5, "precision": 5, "objective": "loss", "max_level": 10},
    "fine": {"k": 3, "P": 1, "precision": "0.01", "max_level": 10},
    "values within patterns": {"values": TIMES[1:4]},
    "patterns within values": {"patterns": TIMES[2:5]},
    "overlap": {"values": TIMES[:4], "patterns": TIMES[2:]},
    "two letters": {"values": TIMES, "patterns": TIMES[:2], "algorithm": "naive"},
    "diverse": {"P": 4, "l": 2},
    "noisy": {"P": 4, "l": 3, "diversity": "paper", "noise": 6},
    "long": {"long": True, "granularity": "day"},
    "long overlap": {
        "long": True, "granularity": "day", "values": DAYS[:4], "patterns": DAYS[2:],
    },
}  # fmt: skip
"""Ways to publish series."""


@dataclass(frozen=True)
class Case:
    """A release, and those who are in it."""

    release: an.Release
    people: list[Person]
    value_times: tuple[str, ...]
    pattern_times: tuple[str, ...]

    @cached_property
    def series(self) -> PublishedSeries:
        return PublishedSeries(self.release)

    def rows(self) -> list[Row]:
        envelopes = {r["group"]: r for r in self.release.table("envelopes").to_pylist()}
        return [
            Row(
                tuple(
                    (t, envelopes[r["group"]][f"{t}_low"], envelopes[r["group"]][f"{t}_high"])
                    for t in self.value_times
                ),
                r["level"],
                r["pattern"],
                self.pattern_times,
            )
            for r in self.release.table().to_pylist()
        ]


def walks(rng: np.random.Generator, n: int) -> np.ndarray:
    """Random walks, constant ones among them, some twice."""
    series = np.round(rng.normal(size=(n, 6)).cumsum(axis=1) * 4, int(rng.integers(0, 3)))
    series[:5] = series[:5, :1]
    series[5:9] = series[9:13]
    return series


def loads(rng: np.random.Generator, n: int) -> np.ndarray:
    """Load curves: a few habits, of households that are mostly small; whole numbers."""
    habits = rng.gamma(2.0, 1.0, (int(rng.integers(3, 7)), 6)) + 0.2
    habit = habits[np.minimum(rng.geometric(0.4, n) - 1, len(habits) - 1)]
    size = rng.lognormal(2.0, rng.uniform(0.3, 0.9), (n, 1))
    return np.rint(habit * size * rng.lognormal(0.0, rng.uniform(0.1, 0.4), (n, 6)))


def published(
    root: Path,
    seed: int,
    long: bool = False,
    people: int = 60,
    drawn: Callable[[np.random.Generator, int], np.ndarray] = walks,
    **settings: Any,
) -> Case:
    """Publish random series."""
    rng = np.random.default_rng(seed)
    n, times = people, DAYS if long else TIMES
    series = drawn(rng, n)
    bills = rng.integers(0, 25, n)
    if drawn is loads:
        bills = np.rint(series.mean(axis=1) * rng.lognormal(0.0, 0.2, n)).astype(int)
        series = series.astype(np.int64)
    kinds = rng.choice(["a", "b", "cé"], n).tolist()
    columns = {"bill": bills.tolist(), "kind": kinds}
    if settings.get("l"):
        del columns["kind"]
    else:
        columns["kind"][0] = None
    table = pa.table({"meter": names(n)} | columns | dict(zip(times, series.T, strict=True)))
    schema = an.Schema(subject="meter", series=times, sensitive=tuple(columns))
    if long:
        rows = [
            {"meter": who, "at": day, "kwh": series[i, t].item()}
            | {name: column[i] for name, column in columns.items()}
            for i, who in enumerate(names(n))
            for t, day in enumerate(times)
        ]
        table = pa.Table.from_pylist(rows)
        schema = an.Schema(subject="meter", time="at", series="kwh", sensitive=tuple(columns))
    promise = an.KPAnonymity(**{"k": 6, "P": 2, "precision": "0.5", "max_level": 6} | settings)
    # The same key makes the same release in every run.
    with mock.patch("anachron.ledger.keys.secrets.token_bytes", rng.bytes):
        release = an.publish(table, schema, promise, ledger=root / "ledger", to=root / "releases")
    values, patterns = promise.values or times, promise.patterns or times
    inside = groups_of(root, names(n))
    included = [
        person(
            dict(zip(times, map(float, series[i]), strict=True)),
            {name: column[i] for name, column in columns.items()},
            tuple(patterns),
        )
        for i, who in enumerate(names(n))
        if who in inside
    ]
    return Case(release, included, tuple(values), tuple(patterns))


def span(rng: np.random.Generator, numbers: np.ndarray) -> tuple[Span, ...]:
    """One or two spans; ends often are numbers that are there."""
    kind = rng.integers(5)
    ends = np.sort(rng.choice(numbers, 4) + rng.choice([0.0, 0.0, 1.0]) * rng.normal(size=4))
    a, b, c, d = ends.tolist()
    closed = [bool(x) for x in rng.integers(0, 2, 4)]
    if kind == 0:
        return (Span(a, None, low_closed=closed[0]),)
    if kind == 1:
        return (Span(None, d, high_closed=closed[1]),)
    if kind == 2 and b < c:
        return (Span(a, b, closed[0], closed[1]), Span(c, d, closed[2], closed[3]))
    return (Span(a, d, closed[0] or a == d, closed[1] or a == d),)


def leaf(rng: np.random.Generator, case: Case, simple: bool = False) -> Condition:
    """A random condition on series; a simple one is about one value, or times of the pattern."""
    known = case.pattern_times if simple else tuple(case.people[0].values)
    shown = {*case.value_times, *case.pattern_times}
    known = tuple(t for t in known if t in shown)
    kind = rng.integers(3)
    count = int(rng.integers(1, min(4, len(known) + 1)))
    chosen = sorted(rng.choice(len(known), count, replace=False).tolist())
    weights = tuple((known[i], float(rng.choice([1, -1, 2, 0.3]))) for i in chosen)
    if count == 2 and rng.random() < 0.7:
        weights = ((known[chosen[0]], -1.0), (known[chosen[1]], 1.0))
    if kind == 0:
        if simple or rng.random() < 0.5:
            # The obvious way solves a program for each time.
            at = chosen[0] if not simple else (0, -1)[chosen[0] % 2]
            weights = ((known[at], 1.0),)
        sums = [sum(w * p.values[t] for t, w in weights) for p in case.people]
        return ValueIn(weights, span(rng, np.array(sums)))
    if kind == 1:
        sums = [sum(w * p.z[t] for t, w in weights) for p in case.people]
        numbers = np.array([*sums, 0.0, 0.0]) if not simple else rng.normal(size=9)
        return FeatureIn(weights, span(rng, numbers))
    who = case.people[int(rng.integers(len(case.people)))]
    sequence = [who.values[t] for t in case.pattern_times]
    if rng.random() < 0.5:
        sequence = rng.normal(size=len(sequence)).tolist()
    return Similar(tuple(sequence), float(rng.random() * 12), bool(rng.random() < 0.8))


def question(rng: np.random.Generator, case: Case) -> Condition:
    """A random conjunction."""
    parts = [leaf(rng, case) for _ in range(int(rng.integers(0, 3)))]
    if rng.random() < 0.4:
        low = int(rng.integers(-1, 24))
        parts.append(Ranges("bill", (Span(low, low + int(rng.integers(0, 9))),)))
    if "kind" in case.people[0].columns and rng.random() < 0.3:
        inside, nulls = bool(rng.integers(2)), bool(rng.integers(2))
        parts.append(Among("kind", frozenset(["a", "cé"]), inside, nulls))
    return parts[0] if len(parts) == 1 else All(tuple(parts))
