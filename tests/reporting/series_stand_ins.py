"""Hand-made releases of series, and records of how they came about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.auditing.verdict import Check, Verdict
from anachron.guarantees import KPAnonymity
from anachron.published.ways import Content, Envelope
from tests.reporting.made import made

TIMES = ("mon", "tue", "wed")
WORDS = [
    # group, level, pattern, rows
    (1, 3, "abc", 2), (1, 3, "cba", 2),
    (2, 1, "aaa", 5),
    (3, 2, "abb", 3), (3, 4, "dba", 2),
]  # fmt: skip


def rows(sensitive: str = "illness") -> pa.Table:
    """Three groups of four, five and five rows."""
    found = [(g, level, word) for g, level, word, many in WORDS for _ in range(many)]
    return pa.table(
        {
            "group": pa.array([g for g, _, _ in found], pa.int64()),
            "level": pa.array([level for _, level, _ in found], pa.int64()),
            "pattern": [word for _, _, word in found],
            sensitive: [f"secret {i}" for i in range(len(found))],
        }
    )


def envelopes(groups: int = 3, times: tuple[str, ...] = TIMES) -> pa.Table:
    """The envelope of the n-th group is n wide at each time, and begins at 10 n."""
    numbers = list(range(1, groups + 1))
    bounds = {
        f"{time}_{side}": pa.array([10.0 * n + wide * n for n in numbers], pa.float64())
        for time in times
        for side, wide in (("low", 0), ("high", 1))
    }
    return pa.table({"group": pa.array(numbers, pa.int64()), **bounds})


def release(
    folder: Path,
    data: pa.Table | None = None,
    bounds: pa.Table | None = None,
    times: dict[str, list[str]] | None = None,
    suppressed: int = 0,
    dropped: int = 0,
    **promised: Any,
) -> Any:
    """A release as the report reads it."""
    data = rows() if data is None else data
    tables = {"data": data, "envelopes": envelopes() if bounds is None else bounds}
    times = times or {"values": list(TIMES), "patterns": list(TIMES)}
    promise = KPAnonymity(**{"k": 4, "P": 2, "max_level": 5, "precision": "0.5", **promised})
    ways = [
        *(
            Envelope(t, t in times["values"], t in times["patterns"])
            for t in dict.fromkeys([*TIMES, *times["values"]])
        ),
        Content(data.column_names[-1]),
    ]
    return made(
        folder / "0001", promise, ways, tables, times=times, precision="0.5", break_points=1,
        highest_level=4, suppressed_series=suppressed, dropped_series=dropped,
    )  # fmt: skip


def verdict(
    holds: bool = True, scope: str = "with microdata", followed: bool = True, **figures: Any
) -> Verdict:
    checks = [Check("k", holds, "at least 4", "4" if holds else "3", "rows that share an envelope")]
    if followed:
        checks.append(Check("memory", True, "people", "14 people", "what the ledger remembers"))
    return Verdict("0001", "patterns(k=4, P=2)", scope, tuple(checks), {"rows": 14, **figures})


def record(**changes: Any) -> dict[str, Any]:
    """How the release came about, as the ledger keeps it."""
    return {
        "method": "patterns", "k": 4, "P": 2, "algorithm": "kapra", "series": 14, "times": 3,
        "suppressed": 0, "bad": 3, "dropped": 0, "trimmed": 0, "interpolated": 0, "groups": 3,
        "subgroups": 5, "value_loss": 28.0, "pattern_loss": 7.0,
        "levels": {"1": 5, "2": 3, "3": 4, "4": 2},
        "breach": {"by_count": 0.5, "by_formula": 0.5, "people": 14, "values": {}},
        "notes": ["2 values were guessed"],
        **changes,
    }  # fmt: skip
