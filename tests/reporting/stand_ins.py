"""Hand-made releases and search records for the tests of the report."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.auditing.verdict import Check, Verdict
from anachron.calendar.definitions import Granularity
from anachron.guarantees import TimeGranularity
from anachron.published.ways import AsItIs, Bins, Content, Granules, LeftOut, Way
from tests.reporting.made import made

BUILT_IN = (
    "second", "minute", "quarter_hour", "hour", "part_of_day", "day", "week_part", "week",
    "half_month", "month", "quarter", "half_year", "year", "decade",
)  # fmt: skip
CHAIN = (
    ("second", "minute"), ("minute", "quarter_hour"), ("quarter_hour", "hour"),
    ("hour", "part_of_day"), ("part_of_day", "day"), ("day", "week_part"), ("day", "half_month"),
    ("week_part", "week"), ("half_month", "month"), ("month", "quarter"),
    ("quarter", "half_year"), ("half_year", "year"), ("year", "decade"),
)  # fmt: skip
WEEK = 7 * 86_400_000_000
MONDAY = 1_136_160_000_000_000  # 2006-01-02


def table(weeks: int = 60, groups: int = 3, sensitive: str = "diagnosis") -> pa.Table:
    """``groups`` groups in each week, of 5, 6, … rows."""
    rows: dict[str, list[Any]] = {"group": [], "age_low": [], "sex": [], "week": []}
    for week in range(weeks):
        for group in range(groups):
            for _ in range(5 + (week * 7 + group * 3) % 23):
                rows["group"].append(week * groups + group + 1)
                rows["age_low"].append(group * 10)
                rows["sex"].append("f" if group % 2 else "m")
                rows["week"].append(week)
    start = [MONDAY + week * WEEK for week in rows["week"]]
    moments = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "group": rows["group"],
            "age_low": rows["age_low"],
            "age_high": [low + 9 for low in rows["age_low"]],
            "sex": rows["sex"],
            "admitted": [f"week {week:04d}" for week in rows["week"]],
            "admitted_start": pa.array(start).cast(moments),
            "admitted_end": pa.array([s + WEEK for s in start]).cast(moments),
            sensitive: ["a secret that must not be printed"] * len(start),
        }
    )


def release(
    folder: Path,
    data: pa.Table | None = None,
    ways: Iterable[Way] | None = None,
    **promised: Any,
) -> Any:
    """A release as the report reads it, by the week unless the ways say otherwise."""
    data = table() if data is None else data
    suppressed = promised.pop("suppressed_rows", 0)
    zone = promised.pop("time_zone", "Europe/London")
    promise = TimeGranularity(**{"k": 5, "granularities": BUILT_IN, **promised})
    found = ways_of(data.column_names) if ways is None else list(ways)
    known = {way.column for way in found}
    found += [LeftOut(column) for column, _ in promise.ladders if column not in known]
    return made(folder / "0003", promise, found, {"data": data}, time_zone=zone,
                suppressed_rows=suppressed)  # fmt: skip


def ways_of(columns: list[str], granularity: str = "week") -> list[Way]:
    """Group, quasi columns, the three of the time, content: in the order of the table."""
    at = next(i for i, c in enumerate(columns) if columns[i + 1 : i + 2] == [f"{c}_start"])
    quasi = [
        Bins(c.removesuffix("_low"), Decimal(10), Decimal(0)) if c.endswith("_low") else AsItIs(c)
        for c in columns[1:at]
        if not c.endswith("_high")
    ]
    time = Granules(columns[at], Granularity(granularity))
    return [*quasi, time, *(Content(c) for c in columns[at + 3 :])]


def verdict(holds: bool = True, scope: str = "with microdata") -> Verdict:
    return Verdict(
        release="0003",
        guarantee="TimeGranularity(k=5)",
        scope=scope,
        checks=(
            Check("people", holds, "at least 5", "7" if holds else "2", "people in a group"),
            Check("order", True, "published columns only", "sorted", "the order of the rows"),
            Check("files", True, "as recorded", "2 of 2 digests agree", "files as published"),
        ),
        figures={"groups": 180, "rows": 2_880, "largest_share": "3/8"},
    )


def search(
    names: tuple[str, ...] = BUILT_IN,
    dropped: tuple[str, ...] = (),
    fails: tuple[str, ...] = BUILT_IN[:7],
    answers: tuple[str, ...] = ("week", "half_month"),
    ladders: dict[str, list[str]] | None = None,
    rows: int = 173_912,
) -> dict[str, Any]:
    """The record of a search over the built-in granularities."""
    ladders = ladders or {}
    kept = tuple(name for name in names if name not in dropped)
    edges = _edges(kept)
    ways: list[dict[str, int]] = [{}]
    for column, words in ladders.items():
        ways = [{**way, column: step} for way in ways for step in range(len(words))]
    nodes = [_node(name, way, name in fails, name in answers) for way in ways for name in kept]
    return {
        "method": "granularity", "rows": rows, "subjects": 23_369, "recorded_by": "day",
        "time_zone": "Europe/London", "first": "2013-02-01", "last": "2015-03-09",
        "order": {
            "names": list(kept), "edges": edges,
            "dropped": dict.fromkeys(dropped, "finer than the data are recorded (by day)"),
        },
        "ladders": ladders,
        "nodes": nodes,
        "answers": [
            {"granularity": name, "steps": ways[0], "gen_c": [5 + i, 81_234 - i],
             "mean_length_days": 7.0 + 8.2 * i, "suppressed_rows": 0, "suppressed_share": "0",
             "quasi_loss": "0"}
            for i, name in enumerate(answers)
        ],
        "notes": ["12 times fall in an hour that the clock shows twice"],
    }  # fmt: skip


record = search


def _node(name: str, steps: dict[str, int], fails: bool, answer: bool) -> dict[str, Any]:
    position = BUILT_IN.index(name)
    node = {"granularity": name, "steps": steps, "state": "fails" if fails else "holds"}
    if fails and position >= 4:
        people = 20_403 // (position - 3)
        counts = {"rows": 173_912, "outside": 0, "groups": 90_000, "smallest": 5, "people": 300_000,
                  "failing_groups": 4010, "failing_rows": 5020, "failing_people": people,
                  "length": 1}  # fmt: skip
        because = f"{people:,} people stand in 4,010 groups of fewer than 5 people"
        return {**node, "measured": True, "counts": counts, "because": because}
    if fails:
        return {**node, "measured": False, "because": "finer than part of day, which fails"}
    if answer or name == "month":
        counts = {"rows": 173_912, "outside": 0, "groups": 900, "smallest": 5 + position,
                  "people": 81_234, "failing_groups": 0, "failing_rows": 0, "failing_people": 0,
                  "length": 1}  # fmt: skip
        return {**node, "measured": True, "counts": counts, "because": ""}
    return {**node, "measured": False, "because": "coarser than week, which holds"}


def _edges(kept: tuple[str, ...]) -> list[list[str]]:
    """The edges that are left when granularities are taken out of the chain."""
    above: dict[str, set[str]] = {name: set() for name in BUILT_IN}
    for name in reversed(BUILT_IN):
        for fine, coarse in CHAIN:
            if fine == name:
                above[name] |= {coarse} | above[coarse]
    return [
        [fine, coarse]
        for fine in kept
        for coarse in kept
        if coarse in above[fine] and not any(b in above[fine] and coarse in above[b] for b in kept)
    ]
