"""Series of invented meters, folders to publish them into, and a judge of what was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.guarantees import KPAnonymity

TIMES = ("mon", "tue", "wed", "thu", "fri", "sat")
WIDE = an.Schema(subject="meter", series=TIMES, sensitive="bill")
LONG = an.Schema(subject="meter", time="at", series="kwh", sensitive="bill")
MONDAY = date(2024, 5, 6)
DAYS = tuple((MONDAY + timedelta(i)).isoformat() for i in range(len(TIMES)))


def walks(people: int = 60, times: int = len(TIMES), seed: int = 1) -> np.ndarray:
    """Random walks in hundredths."""
    steps = np.random.default_rng(seed).integers(-300, 301, (people, times))
    return np.cumsum(steps, axis=1) / 100


def names(people: int) -> list[str]:
    return [f"canary-{i:04d}" for i in range(people)]


def wide(series: np.ndarray, times: Sequence[str] = TIMES, **columns: Any) -> pa.Table:
    """One row for each meter; bills are all different, and tell who is who."""
    table = {"meter": names(len(series)), "bill": list(range(len(series)))}
    return pa.table(table | {t: series[:, i] for i, t in enumerate(times)} | columns)


def long(series: np.ndarray, days: Sequence[str] = DAYS) -> pa.Table:
    """One row for each value; days in reverse, and NaN where there is no row."""
    rows = [
        {"meter": who, "at": day, "kwh": float(series[i, t]), "bill": i}
        for t, day in reversed(list(enumerate(days)))
        for i, who in enumerate(names(len(series)))
        if not np.isnan(series[i, t])
    ]
    return pa.Table.from_pylist(rows)


def promise(k: int = 6, P: int = 2, **settings: Any) -> KPAnonymity:
    return KPAnonymity(**{"k": k, "P": P, "precision": "0.5"} | settings)


def released(
    table: object,
    root: Path,
    guarantee: Any = None,
    schema: an.Schema = WIDE,
    csv: bool = False,
    accept: str = "",
) -> an.Release:
    guarantee = promise() if guarantee is None else guarantee
    places = {"ledger": root / "ledger", "to": root / "releases"}
    return an.publish(table, schema, guarantee, **places, csv=csv, accept=accept or ())


def groups_of(root: Path, people: Sequence[str], release: int = 1) -> dict[str, int]:
    """The group of everyone whom the ledger remembers of a release."""
    ledger = an.Ledger.open(root / "ledger")
    state = ledger.state(ledger.entries()[release - 1]).table()
    known = dict(zip(state["subject"].to_pylist(), state["group"].to_pylist(), strict=True))
    marks = ledger.pseudonyms(pa.array(people)).to_pylist()
    return {who: known[mark] for who, mark in zip(people, marks, strict=True) if mark in known}


def word(series: np.ndarray, level: int) -> str:
    """A pattern, straight from its definition."""
    spread = series.std(ddof=1)
    z = np.round((series - series.mean()) / spread, 9) if spread > 1e-9 else 0 * series
    cuts = [round(NormalDist().inv_cdf(i / level), 9) for i in range(1, level)]
    return "".join("abcdefghijklmnopqrstuvwxyz"[sum(cut <= x for cut in cuts)] for x in z)


def judge(
    release: an.Release,
    root: Path,
    series: np.ndarray,
    guarantee: KPAnonymity,
    times: Sequence[str] = TIMES,
) -> dict[str, int]:
    """Check a release of meters with different bills; give the groups of those in it."""
    data, envelopes = release.table().to_pylist(), release.table("envelopes").to_pylist()
    assert data == sorted(data, key=lambda r: tuple(r.values()))
    assert [r["group"] for r in envelopes] == list(range(1, len(envelopes) + 1))
    bounds = [tuple(r.values())[1:] for r in envelopes]
    assert bounds == sorted(bounds)
    assert min(Counter(r["group"] for r in data).values()) >= guarantee.k
    kinds = Counter((r["group"], r["level"], r["pattern"]) for r in data)
    assert min(kinds.values()) >= guarantee.P
    assert {r["group"] for r in data} == {r["group"] for r in envelopes}
    assert len({r["bill"] for r in data}) == len(data)
    people = groups_of(root, names(len(series)), release.number)
    shown = [times.index(t) for t in guarantee.values or times]
    shaped = [times.index(t) for t in guarantee.patterns or times]
    for row in data:
        own = series[row["bill"]]
        assert people[names(len(series))[row["bill"]]] == row["group"]
        assert word(own[shaped], row["level"]) == row["pattern"]
        envelope = envelopes[row["group"] - 1]
        assert all(
            envelope[f"{times[t]}_low"] <= own[t] <= envelope[f"{times[t]}_high"] for t in shown
        )
        assert len(envelope) == 1 + 2 * len(shown)
    assert len(people) == len(data) > len(series) - guarantee.P
    return people
