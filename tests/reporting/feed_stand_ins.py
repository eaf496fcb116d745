"""Hand-made releases of a feed, and records of how they came about."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.auditing.verdict import Check, Verdict
from anachron.calendar.definitions import Granularity
from anachron.guarantees import MInvariance, Reposition
from anachron.published.ways import AsItIs, Content, Interval, Snapshots, Way
from tests.reporting.made import made

DAY = 86_400_000_000
MONDAY = 1_136_160_000_000_000  # 2006-01-02
SECRETS = ["a secret", "another secret", "a third secret", "a fourth secret"]
INSTANT = pa.timestamp("us", "UTC")


def label(day: int) -> str:
    return f"2006-01-{day + 2:02d}" if day < 29 else f"day {day}"


def anatomy(days: int = 4, sensitive: str = "illness") -> dict[str, pa.Table]:
    """Two groups in each day, of 3 and 4 rows with as many values."""
    groups = [(day * 2 + half + 1, day, 3 + half) for day in range(days) for half in (0, 1)]
    rows = [(group, day) for group, day, size in groups for _ in range(size)]
    day_of = [day for _, day in rows]
    return {
        "data": pa.table(
            {
                "group": pa.array([group for group, _ in rows], pa.int64()),
                **_times(day_of),
                "age": pa.array([20 + i for i in range(len(rows))], pa.int64()),
                "ward": pa.array(["east" if i % 2 else "west" for i in range(len(rows))]),
            }
        ),
        "sensitive": pa.table(
            {
                "group": [group for group, _, size in groups for _ in range(size)],
                sensitive: [value for _, _, size in groups for value in SECRETS[:size]],
                "count": [1 for _, _, size in groups for _ in range(size)],
            }
        ),
    }


def generalized(days: int = 4) -> dict[str, pa.Table]:
    """One group in each day: two rows of the first value, one of each other."""
    values = [SECRETS[0], *SECRETS]
    day_of = [day for day in range(days) for _ in values]
    many = len(day_of)
    return {
        "data": pa.table(
            {
                "group": pa.array([day + 1 for day in day_of], pa.int64()),
                **_times(day_of),
                "age_low": pa.array([20] * many, pa.int64()),
                "age_high": pa.array([20 + 5 * (day + 1) - 1 for day in day_of], pa.int64()),
                "illness": values * days,
            }
        )
    }


def invariant() -> dict[str, pa.Table]:
    """One snapshot of two groups, of which one has a counterfeit."""
    return {
        "data": pa.table(
            {
                "group": pa.array([1, 1, 2, 2], pa.int64()),
                "age_low": pa.array([20, 20, 40, 40], pa.int64()),
                "age_high": pa.array([29, 29, 41, 41], pa.int64()),
                "illness": SECRETS[:2] * 2,
            }
        ),
        "counterfeits": pa.table({"group": pa.array([2]), "counterfeits": pa.array([1])}),
    }


def _times(day_of: list[int]) -> dict[str, pa.Array]:
    return {
        "seen": pa.array([label(day) for day in day_of]),
        "seen_start": pa.array([MONDAY + day * DAY for day in day_of], INSTANT),
        "seen_end": pa.array([MONDAY + (day + 1) * DAY for day in day_of], INSTANT),
    }


def release(folder: Path, tables: dict[str, pa.Table] | None = None, **promised: Any) -> Any:
    """A release as the report reads it."""
    tables = anatomy() if tables is None else tables
    then: Any = "generalize" if len(tables) == 1 else "anatomy"
    facts: dict[str, Any] = {}
    if "counterfeits" in tables:
        then = MInvariance(m=2, when_ineligible="hold", margins=None)
        snapshot = {"label": label(0), "start": MONDAY, "end": MONDAY + DAY}
        facts = {"counterfeits": 1, "snapshot": snapshot}
    ell = 3 if isinstance(then, str) else then.m
    promise = Reposition(**{"l": ell, "window": 4, "then": then, "careful": False, **promised})
    return made(folder / "0002", promise, _ways(tables), tables, time_zone="Europe/Rome", **facts)


def _ways(tables: dict[str, pa.Table]) -> list[Way]:
    data = tables["data"].column_names
    content = tables["sensitive"].column_names[1] if "sensitive" in tables else "illness"
    quasi = [AsItIs("age"), AsItIs("ward")] if "age" in data else [Interval("age", Decimal(1))]
    time = [Snapshots("seen", Granularity("day"))] if "seen" in data else []
    return [Content(content), *time, *quasi]


def verdict(holds: bool = True, scope: str = "with microdata") -> Verdict:
    check = Check(
        "l-diverse", holds, "at most one in 3", "1/3" if holds else "1/2", "largest share"
    )
    return Verdict("0002", "reposition(l=3)", scope, (check,), {"groups": 8})


def record(days: int = 4, **changes: Any) -> dict[str, Any]:
    """How the release came about: 8 arrive each day, one is moved to the next, one is lost."""
    return {
        "method": "reposition", "l": "3", "window": 4, "then": "anatomy", "rows": 8 * days,
        "published": 7 * days, "moved": days - 1, "suppressed": days + 1, "conflicts": 0,
        "loss": "9", "proved": True, "distances": [6 * days + 1, days - 2, 1, 0],
        "snapshots": [
            {
                "snapshot": label(day), "arrived": 8, "published": 7, "moved_in": min(day, 1),
                "left": 2, "share_before": 0.5, "largest_share": 0.285714,
            }
            for day in range(days)
        ],
        "too_frequent": None, "uncovered": 2 * days, "groups": 2 * days,
        "notes": ["1 record was late"], **changes,
    }  # fmt: skip


PEOPLE = {
    "subjects": 3, "known": 1, "new": 2, "changed": 0, "filled": 0, "held": 0, "refused": 0,
    "counterfeits": 1, "groups": 2, "m": 2, "mode": "paper", "notes": [],
}  # fmt: skip
"""What m-invariance says of its people."""
