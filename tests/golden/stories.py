"""Histories over all methods and options, whose releases are pinned byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

import anachron as an
from tests.ledger.stories import ILLS, Story
from tests.ledger.stories import STORIES as PLAIN

__all__ = ["STORIES"]

_DAY = date(2024, 1, 29)
_REGISTER = an.Schema(subject="who", quasi=["age", "region"], sensitive="ill")
_FEED = an.Schema(subject="who", time="seen", quasi=["age", "region"], sensitive="ill")
_WIDE = an.Schema(subject="who", series=[f"t{t}" for t in range(8)], sensitive="ill")
_REGIONS = ("north", "east", "south", "west")
_NEVER: dict[str, list[str]] = {ill: [] for ill in ILLS}
_FORM = {"widths": {"age": 5}, "orders": {"region": _REGIONS}}


def _drawn(number: int, size: int, first: int = 0) -> dict[str, object]:
    """People with ages, regions and illnesses, the same in every run."""
    rng = np.random.default_rng([number, size])
    return {
        "who": [f"p{first + i:04d}" for i in range(size)],
        "age": rng.integers(0, 95, size),
        "region": rng.choice(_REGIONS, size),
        "ill": rng.choice(ILLS, size, p=[0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05]),
    }


def _events(number: int) -> pa.Table:
    """Some have several visits; wards have floors."""
    rng = np.random.default_rng(number)
    people = _drawn(number, 120, 1000 * number)
    who = rng.choice(people["who"], 400)
    return pa.table(
        {
            "who": who,
            "seen": [_DAY + timedelta(60 * number + int(d)) for d in rng.integers(0, 45, 400)],
            "age": rng.integers(0, 95, 400),
            "zip": [f"{n:05d}" for n in rng.integers(0, 300, 400) * 7],
            "ward": rng.choice(["eye", "ear", "heart", "lung"], 400),
            "ill": rng.choice(ILLS, 400),
            "cost": rng.integers(10, 900, 400) / 4,
        }
    )


def _years(number: int) -> pa.Table:
    rng = np.random.default_rng(number)
    who = [f"p{100 * number + i % 60}" for i in range(90)]
    year = 1970 + 5 * number + rng.integers(0, 3, 90)
    return pa.table({"who": who, "year": year, "ward": rng.choice(["a", "b"], 90)})


def _register(changes: bool) -> Callable[[int], pa.Table]:
    def table(number: int) -> pa.Table:
        rows = _drawn(0, 160)
        ill = list(rows["ill"])  # type: ignore[call-overload]
        if changes:
            ill = [ILLS[(ILLS.index(v) + number) % 8] if i % 9 == 4 else v
                   for i, v in enumerate(ill)]  # fmt: skip
        keep = [i for i in range(160) if (i + number) % 5 and i // 30 <= number + 2]
        return pa.table({**rows, "ill": ill}).take(keep)

    return table


def _day(number: int) -> pa.Table:
    rows = _drawn(number, 40, 35 * number)
    crowded = [ILLS[0] if number % 2 and i < 22 else v for i, v in enumerate(rows["ill"])]  # type: ignore[arg-type,var-annotated]
    return pa.table({**rows, "ill": crowded, "seen": [_DAY + timedelta(number)] * 40})


def _days(number: int) -> pa.Table:
    return pa.concat_tables([_day(5 * number + i) for i in range(5)])


def _wide(number: int) -> pa.Table:
    rng = np.random.default_rng(number)
    loads = rng.integers(0, 6, (60, 8)) + np.cumsum(rng.integers(-9, 10, (60, 8)), axis=1)
    people = _drawn(number, 60, 100 * number)
    return pa.table({"who": people["who"], "ill": people["ill"],
                     **{f"t{t}": loads[:, t] for t in range(8)}})  # fmt: skip


def _long(number: int) -> pa.Table:
    rng = np.random.default_rng(number)
    rows = [
        (f"p{100 * number + i}", _DAY + timedelta(7 * number + d), int(rng.integers(0, 40)) / 2)
        for i in range(30)
        for d in range(7)
        if rng.random() < 0.95 or d in (0, 6)
    ]
    who, day, load = zip(*rows, strict=True)
    return pa.table({"who": list(who), "day": list(day), "load": list(load)})


_LADDERS = {
    "age": an.Ladder.bins(10, 20),
    "zip": an.Ladder.prefix(3, 2),
    "ward": an.Ladder.hierarchy({"eye": "head", "ear": "head", "heart": "body", "lung": "body"}),
}
STORIES: dict[str, Story] = {
    **PLAIN,
    "ladders": Story(
        an.Schema(subject="who", time="seen", quasi=["age", "zip", "ward"],
                  sensitive=["ill", "cost"], time_zone="Europe/Rome"),
        an.TimeGranularity(k=4, granularities=["day", "week", "month"], max_suppressed="1/4",
                           max_share="1/2", ladders=_LADDERS),
        _events, 1,
    ),
    "years": Story(
        an.Schema(subject="who", time="year", quasi="ward", time_unit="year"),
        an.TimeGranularity(k=3, granularities=["year"]), _years, 1,
    ),
    "paper": Story(
        _REGISTER, an.MInvariance(m=3, when_ineligible="hold", **_FORM), _register(True), 3
    ),
    "declared": Story(
        _REGISTER, an.MInvariance(m=2, mode="transparent", values=ILLS, **_FORM),
        _register(True), 3,
    ),
    "pooled": Story(
        _REGISTER,
        an.MInvariance(m=2, mode="transparent", balance="pooled", values=ILLS, **_FORM),
        _register(True), 3,
    ),
    "standing": Story(
        _REGISTER, an.MInvariance(m=2, mode="sticky", values=ILLS, **_FORM), _register(True), 3
    ),
    "never": Story(
        _REGISTER, an.MInvariance(m=2, mode="sticky", changes=_NEVER, **_FORM),
        _register(False), 3,
    ),
    "no margins": Story(_REGISTER, an.MInvariance(m=3, margins=None, **_FORM), _register(False), 2),
    "apart": Story(
        _REGISTER, an.MInvariance(m=3, when_ineligible="hold", then="anatomy"), _register(True), 3
    ),
    "apart, standing": Story(
        _REGISTER, an.MInvariance(m=2, mode="sticky", values=ILLS, then="anatomy"),
        _register(True), 3,
    ),
    "careful": Story(_FEED, an.Reposition(l=2, window=3), _day, 6),
    "cells": Story(
        _FEED, an.Reposition(l=2, window=3, then="generalize", solver="rolling", **_FORM), _day, 6
    ),
    "recycled": Story(_FEED, an.Reposition(l=2, window=3, solver="recycle"), _day, 6),
    "hardly planned": Story(_FEED, an.Reposition(l=2, window=3, budget=1), _day, 6),
    "several": Story(_FEED, an.Reposition(l="5/2", window=2, late="drop"), _days, 2),
    "in time": Story(
        _FEED,
        an.Reposition(window=1, then=an.MInvariance(m=2, mode="transparent", values=ILLS, **_FORM)),
        _day, 4,
    ),
    "in time, apart": Story(
        _FEED,
        an.Reposition(window=1, then=an.MInvariance(m=2, mode="transparent", values=ILLS,
                                                    then="anatomy")),
        _day, 4,
    ),
    "diverse": Story(_WIDE, an.KPAnonymity(k=8, P=4, l=2, precision=2), _wide, 1),
    "naive": Story(
        replace(_WIDE, sensitive=()), an.KPAnonymity(k=5, P=2, algorithm="naive"), _wide, 1
    ),
    "turned": Story(
        replace(_WIDE, sensitive=()), an.KPAnonymity(k=5, P=2, tree_level=3, cells=12), _wide, 1
    ),
    "segments": Story(
        replace(_WIDE, sensitive=()), an.KPAnonymity(k=5, P=2, segments=3), _wide, 1
    ),
    "customized": Story(
        replace(_WIDE, sensitive=()),
        an.KPAnonymity(k=5, P=2, values=["t0", "t1", "t2", "t3", "t4"],
                       patterns=["t3", "t4", "t5", "t6", "t7"]),
        _wide, 1,
    ),
    "long": Story(
        an.Schema(subject="who", time="day", series="load"),
        an.KPAnonymity(k=4, P=2, granularity="day", precision="0.5", gaps="interpolate"),
        _long, 1,
    ),
}  # fmt: skip
"""How a history goes on, by what is special about it."""
