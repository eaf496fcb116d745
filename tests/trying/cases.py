"""Small random tables of every kind, and promises to try on them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

import anachron as an

ILLS = ("asthma", "bronchitis", "colitis", "diabetes", "flu")
EVENTS = an.Schema(subject="who", time="day", quasi=["age", "ward"])
REGISTER = an.Schema(subject="who", quasi=["age"], sensitive="ill")
FEED = an.Schema(subject="who", time="day", quasi=["age"], sensitive="ill")
TIMES = tuple(f"t{i}" for i in range(5))
SERIES = an.Schema(subject="who", series=TIMES, sensitive="ill")
Over = Mapping[str, list[Any]]


def planned(schema: an.Schema, promise: Any, folder: Path) -> an.Plan:
    return an.Plan("table.csv", schema, promise, ledger=folder / "ledger", releases=folder / "out")


def rows(rng: random.Random, many: int, people: int, days: int) -> list[dict[str, Any]]:
    first = date(2024, 1, 1)
    return [
        {
            "who": f"canary-{i % people:04d}",
            "age": rng.randrange(20, 30),
            "ward": rng.choice("ab"),
            "day": str(first + timedelta(days=rng.randrange(days))),
            "ill": rng.choice((*ILLS, "flu")),
        }
        for i in range(many)
    ]


def events(seed: int) -> tuple[pa.Table, an.TimeGranularity, Over]:
    rng = random.Random(seed)
    table = pa.Table.from_pylist(rows(rng, rng.randrange(60, 160), rng.randrange(20, 60), 70))
    ladders = {"age": an.Ladder.bins(5, 10)} if seed % 2 else None
    promise = an.TimeGranularity(
        k=3, granularities=["day", "week", "month", "half_year"], ladders=ladders
    )
    over: Over = {
        "k": [2, 4, 30],
        "max_suppressed": [0, "0.1"],
        "max_share": [None, "1/2"],
        "metric": ["paper", "resolution"],
        "granularities": [["day", "week", "month"], ["week", "half_month", "year"]],
    }
    return table, promise, over


def register(seed: int, begin: int = 0) -> pa.Table:
    rng = random.Random(seed)
    some = rows(random.Random(seed), 40, 40, 1)
    return pa.Table.from_pylist(
        [
            {"who": f"canary-{begin + i:04d}", "age": row["age"], "ill": ILLS[i % len(ILLS)]}
            for i, row in enumerate(some)
            if rng.random() < 0.9
        ]
    )


def feed(seed: int) -> pa.Table:
    return pa.Table.from_pylist(rows(random.Random(seed), 60, 60, 8))


def series(seed: int) -> pa.Table:
    rng = random.Random(seed)
    return pa.Table.from_pylist(
        [
            {
                "who": f"canary-{i:04d}",
                **{time: rng.randrange(60) for time in TIMES},
                "ill": rng.choice(ILLS),
            }
            for i in range(50)
        ]
    )
