"""One small history for each method, told step by step: what an owner hands in, and when.

Everybody could tell them from the first version on: what came later is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

import anachron as an
from anachron.guarantees import Guarantee

ILLS = (
    "anaemia",
    "bronchitis",
    "colitis",
    "dengue",
    "eczema",
    "fracture",
    "gastritis",
    "hepatitis",
)
_DAY = date(2024, 5, 6)


@dataclass(frozen=True)
class Story:
    """Tables that are published one after the other, with one ledger."""

    schema: an.Schema
    promise: Guarantee
    table: Callable[[int], pa.Table]
    """What comes in the n-th step, from 1 on."""
    steps: int = 2
    """How many there are before the one that is looked at."""

    def step(self, root: Path, number: int) -> None:
        """Take the n-th step, into root/releases."""
        places = {"ledger": root / "ledger", "to": root / "releases"}
        if not isinstance(self.promise, an.Reposition):
            given = self.table(number)
            # Wide series are followed by those of other people only.
            accept = "strangers" if self.schema.series and number > 1 else ()
            an.publish(given, self.schema, self.promise, **places, csv=True, accept=accept)
            return
        feed = an.Plan(
            "none.csv", self.schema, self.promise, ledger=places["ledger"],
            releases=places["to"], csv=True,
        )  # fmt: skip
        an.open(feed).push(self.table(number))


def _people(first: int, many: int, **columns: list[object]) -> pa.Table:
    """So many people from one on, each with an age and an illness that are theirs for ever."""
    numbers = range(first, first + many)
    ill = [ILLS[(5 * i + i // 8) % 8] for i in numbers]
    ages = [23 + 7 * i % 61 for i in numbers]
    who = [f"patient-{i:04d}" for i in numbers]
    return pa.table({"who": who, "age": ages, "ill": ill, **columns})


def _visits(number: int) -> pa.Table:
    seen = [_DAY + timedelta(28 * number + i % 6) for i in range(24)]
    ward = pa.array([f"ward {i % 2}" for i in range(24)])
    visits = _people(24 * number, 24, seen=seen).drop_columns(["age"])
    return visits.append_column("ward", ward)


def _register(number: int) -> pa.Table:
    """Some leave, some come; nobody changes."""
    return _people(3 * number, 40)


def _admissions(number: int) -> pa.Table:
    """Most of a day have the same: some must wait."""
    day = _people(20 * number, 20, seen=[_DAY + timedelta(number)] * 20)
    crowded = pa.array([ILLS[0] if i < 9 else one for i, one in enumerate(day["ill"].to_pylist())])
    return day.set_column(2, "ill", crowded)


def _series(number: int) -> pa.Table:
    people = range(30 * number, 30 * number + 30)
    loads = {f"t{t}": [float((i * i + 3 * t * i) % 97) for i in people] for t in range(6)}
    return pa.table({"who": [f"patient-{i:04d}" for i in people], **loads})


_REGISTER = an.Schema(subject="who", quasi="age", sensitive="ill")
_FEED = an.Schema(subject="who", time="seen", quasi="age", sensitive="ill")
_FEEDS: Any = {"window": 3, "solver": "recycle", "budget": 0}
_PAPERS = an.KPAnonymity(k=6, P=2).max_level


def _register_of(mode: Literal["sticky", "transparent"]) -> an.MInvariance:
    return an.MInvariance(m=3, mode=mode, widths={"age": 10}, margins=None)


STORIES = {
    "visits": Story(
        an.Schema(subject="who", time="seen", quasi="ward", sensitive="ill"),
        an.TimeGranularity(k=2, granularities=["day", "week"]),
        _visits,
    ),
    "register": Story(_REGISTER, _register_of("sticky"), _register),
    "transparent": Story(_REGISTER, _register_of("transparent"), _register),
    "anatomy": Story(_FEED, an.Reposition(l=3, careful=False, **_FEEDS), _admissions, 4),
    "boxes": Story(
        _FEED,
        an.Reposition(l=3, then="generalize", careful=False, widths={"age": 10}, **_FEEDS),
        _admissions,
        4,
    ),
    "composed": Story(
        _FEED,
        an.Reposition(l=3, then=an.MInvariance(m=3, widths={"age": 10}, margins=None), **_FEEDS),
        _admissions,
        4,
    ),
    "series": Story(
        an.Schema(subject="who", series=[f"t{t}" for t in range(6)]),
        an.KPAnonymity(k=6, P=2, precision=5, tree_level=_PAPERS, segments="every"),
        _series,
    ),
}
