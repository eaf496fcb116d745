"""Small releases of every method, with what their owner holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.auditing.history import Past, remembered
from anachron.behind import Microdata, read
from anachron.ledger import Ledger

ZONE = "Europe/Rome"


@dataclass(frozen=True)
class Case:
    """A table, its roles and what is promised of it."""

    table: pa.Table
    schema: an.Schema
    promise: an.TimeGranularity | an.MInvariance | an.Reposition | an.KPAnonymity


@dataclass(frozen=True)
class Held:
    """What the owner has after publishing."""

    releases: list[an.Release]
    loaded: Microdata
    pasts: list[Past]


@contextmanager
def published(case: Case, folder: Path) -> Iterator[Held]:
    an.publish(case.table, case.schema, case.promise, ledger=folder / "l", to=folder / "r")
    ledger = Ledger.open(folder / "l", create=False)
    entries = ledger.entries()
    loaded = read(case.table, case.schema)
    try:
        yield Held(
            [an.Release(entry.path) for entry in entries],
            loaded,
            [remembered(ledger, entries[: i + 1]) for i in range(len(entries))],
        )
    finally:
        loaded.close()


def _events(rows: int, days: int, seed: int) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, days, rows))
    return {
        "who": rng.permutation(rows),
        "day": [str(np.datetime64("2024-03-25") + int(d)) for d in day],
        "age": rng.integers(20, 90, rows),
        "ward": rng.choice(["east", "north", "west"], rows),
        "ill": rng.choice(list("abcdef"), rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]),
    }


def events(rows: int = 600, seed: int = 1) -> Case:
    """Time granularity, with groups that are left out."""
    table = pa.table(_events(rows, 40, seed))
    schema = an.Schema(
        subject="who", time="day", quasi=["age", "ward"], sensitive="ill", time_zone=ZONE
    )
    ladders = {"age": an.Ladder.bins(10, 30)}
    return Case(table, schema, an.TimeGranularity(k=3, ladders=ladders, max_suppressed="1/5"))


def register(people: int = 300, seed: int = 1) -> Case:
    """A register of which some are held back."""
    rng = np.random.default_rng(seed)
    weights = np.array([6, 2, 2, 2, 2])
    table = pa.table({
        "who": np.arange(people),
        "age": rng.integers(20, 90, people),
        "ward": rng.choice(["east", "north", "west"], people),
        "ill": rng.choice(list("abcde"), people, p=weights / weights.sum()),
    })  # fmt: skip
    schema = an.Schema(subject="who", quasi=["age", "ward"], sensitive="ill")
    promise = an.MInvariance(
        m=3, orders={"ward": ["west", "north", "east"]}, when_ineligible="hold"
    )
    return Case(table, schema, promise)


def feed(then: object = "anatomy", repeated: str = "refuse", days: int = 14, seed: int = 1) -> Case:
    """A feed of which some records are moved and some left out."""
    columns = _events(days * 14, days, seed)
    if repeated == "one":
        columns["who"] = np.random.default_rng(seed).integers(0, 40, days * 14)
    schema = an.Schema(
        subject="who", time="day", quasi=["age", "ward"], sensitive="ill", time_zone=ZONE
    )
    orders = {} if then == "anatomy" else {"orders": {"ward": ["east", "north", "west"]}}
    if isinstance(then, an.MInvariance):
        orders = {}
    promise = an.Reposition(l=3, window=3, then=then, repeated=repeated, **orders)
    table = pa.table(columns)
    if repeated == "one":
        # Some rows are the same in all columns.
        table = pa.concat_tables([table, table.slice(0, 60)])
    return Case(table, schema, promise)


def series(people: int = 120, seed: int = 1, **more: object) -> Case:
    """Walks, rounded."""
    rng = np.random.default_rng(seed)
    walks = np.round(np.cumsum(rng.normal(size=(people, 6)), axis=1), 2)
    times = [f"t{i}" for i in range(6)]
    table = pa.table({"who": np.arange(people), **dict(zip(times, walks.T, strict=True))})
    promise = an.KPAnonymity(**{"k": 8, "P": 3, "precision": "0.01", **more})
    return Case(table, an.Schema(subject="who", series=times), promise)


CASES = {
    "granularity": events(),
    "invariance": register(),
    "anatomy": feed(),
    "anatomy, one each": feed(repeated="one"),
    "generalize": feed("generalize"),
    "generalize, one each": feed("generalize", "one"),
    "m-invariant feed": feed(an.MInvariance(m=3, orders={"ward": ["east", "north", "west"]})),
    "patterns": series(),
    "customized": series(values=["t0", "t1", "t2", "t3"], patterns=["t2", "t3", "t4", "t5"]),
}
