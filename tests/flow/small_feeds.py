"""Feeds of a handful of records, as short as they are told: a day is a number, a value a letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

import anachron as an

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="value")

Rows = Sequence[tuple[object, int, str]]
"""Who, on which day, with which value."""


def table(rows: Rows) -> pa.Table:
    return pa.table(
        {
            "who": [str(who) for who, _, _ in rows],
            "day": [f"2024-05-{day:02d}" for _, day, _ in rows],
            "age": [20 + day + sum(map(ord, str(who))) % 50 for who, day, _ in rows],
            "value": [value for _, _, value in rows],
        }
    )


def day(number: int, values: str, who: str = "") -> list[tuple[object, int, str]]:
    """A day of people who come once, one for each letter."""
    return [(f"{who}{number}.{place}", number, value) for place, value in enumerate(values)]


def plan(folder: Path, promise: an.Reposition) -> an.Plan:
    return an.Plan(
        "feed.parquet", SCHEMA, promise, ledger=folder / "ledger", releases=folder / "releases"
    )


def push(folder: Path, promise: an.Reposition, rows: Rows) -> list[an.Release]:
    """Push as a new process would: nothing is kept but the ledger."""
    return an.open(plan(folder, promise)).push(table(rows))


def flush(folder: Path, promise: an.Reposition) -> list[an.Release]:
    return an.open(plan(folder, promise)).flush()


def entries(folder: Path) -> list[an.Release]:
    return [an.Release(entry.path) for entry in an.Ledger.open(folder / "ledger").entries()]


def values(releases: Sequence[an.Release]) -> Counter[str]:
    """How often each value is published, counterfeits taken off nowhere."""
    seen: Counter[str] = Counter()
    for release in releases:
        if "sensitive" in {resource["name"] for resource in release.description["resources"]}:
            shown = release.table("sensitive")
            for value, count in zip(shown["value"].to_pylist(), shown["count"].to_pylist(),
                                    strict=True):  # fmt: skip
                seen[value] += count
        else:
            seen.update(release.table()["value"].to_pylist())
    return seen
