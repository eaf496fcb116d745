"""Temporal questions against plain Python: rows day by day, weekdays, lags, windows."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from statistics import mean, median

import numpy as np
import pytest

import anachron as an
from anachron.asking.published import opened
from anachron.behind import read
from anachron.exploring.temporal import Curves, curves_of
from tests.trying import cases

SCHEMA = an.Schema(subject="who", time="day", quasi="ward", sensitive="age")


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Curves, list[date], an.Release]:
    folder: Path = tmp_path_factory.mktemp("temporal")
    table, _, _ = cases.events(3)
    promise = an.TimeGranularity(k=2, granularities=["week"], max_suppressed="0.5")
    release = an.publish(table, SCHEMA, promise, ledger=folder / "l", to=folder / "r")
    with closing(read(table, SCHEMA)) as rows:
        found = curves_of(opened([release]), [release], rows)
    assert found is not None
    return found, [date.fromisoformat(one) for one in table["day"].to_pylist()], release


def test_rows_day_by_day(curves: tuple[Curves, list[date], an.Release]) -> None:
    found, days, release = curves
    true = Counter(days)
    told: Counter[date] = Counter()
    for start in release.table()["day_start"].to_pylist():
        for later in range(7):
            told[start.date() + timedelta(days=later)] += 1 / 7  # type: ignore[assignment]
    span = [min(days) + timedelta(days=at) for at in range((max(days) - min(days)).days + 1)]
    assert found.name == "day"
    assert found.label == tuple(map(str, span))
    assert found.truth[0].tolist() == [true[day] for day in span]
    assert found.told[0].tolist() == pytest.approx([told[day] for day in span])
    assert found.weekday is not None
    assert found.weekday.tolist() == [day.weekday() for day in span]


def test_weekdays_and_lags(curves: tuple[Curves, list[date], an.Release]) -> None:
    found = curves[0]
    true, told = found.truth[0].tolist(), found.told[0].tolist()
    assert found.weekday is not None
    weekday = found.weekday.tolist()

    def profile(line: list[float]) -> list[float]:
        whole = sum(line)
        return [sum(n for n, w in zip(line, weekday, strict=True) if w == d) / whole
                for d in range(7)]  # fmt: skip

    def resembling(line: list[float], lag: int) -> float:
        centre = mean(line)
        spread = sum((n - centre) ** 2 for n in line)
        return sum((a - centre) * (b - centre) for a, b in zip(line, line[lag:], strict=False)
                   ) / spread  # fmt: skip

    apart = sum(abs(a - b) for a, b in zip(profile(true), profile(told), strict=True)) / 2
    assert found.weekdays() == pytest.approx(apart)
    lags = range(1, min(14, len(true) // 4) + 1)
    off = mean(abs(resembling(told, lag) - resembling(true, lag)) for lag in lags)
    assert found.lags() == pytest.approx(off)


def test_windows_and_trends(curves: tuple[Curves, list[date], an.Release]) -> None:
    found = curves[0]
    true, told = found.truth[0].tolist(), found.told[0].tolist()
    rng, many = np.random.default_rng(0), len(true)
    counts, changes = [], []
    for length in (n for n in (1, 7, 30, 90) if 2 * n <= many):
        for at in rng.integers(many - 2 * length + 1, size=250).tolist():
            first, last = slice(at, at + length), slice(at + length, at + 2 * length)
            one, other = sum(true[first]), sum(true[last])
            if one:
                counts.append(abs(sum(told[first]) - one) / one)
            if one + other:
                off = sum(told[last]) - sum(told[first]) - (other - one)
                changes.append(abs(off) / (one + other))
    assert found.windows() == pytest.approx(median(counts))
    assert found.trends() == pytest.approx(median(changes))
