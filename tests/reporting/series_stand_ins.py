"""Hand-made releases of series, and records of how they came about."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from anachron.auditing.verdict import Check, Verdict

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
    **guarantee: Any,
) -> SimpleNamespace:
    """A release as the report reads it."""
    tables = {
        "data": rows() if data is None else data,
        "envelopes": envelopes() if bounds is None else bounds,
    }
    promise = {
        "method": "patterns", "k": 4, "P": 2, "max_level": 5, "algorithm": "kapra",
        "objective": "level", "precision": "0.5", "l": None, "diversity": "subgroup",
        "noise": None, "values": None, "patterns": None, "granularity": None, "gaps": "refuse",
        **guarantee,
    }  # fmt: skip
    content = tables["data"].column_names[-1]
    description = {
        "title": "Release 1",
        "resources": [
            {
                "name": name, "path": f"{name}.parquet", "format": "parquet",
                "hash": "sha256:" + "0123456789abcdef" * 4, "bytes": 12_345,
                "schema": {"fields": [{"name": c, "type": "any"} for c in table.column_names]},
            }
            for name, table in tables.items()
        ],
        "anachron": {
            "guarantee": promise,
            "time_zone": "UTC",
            "times": times or {"values": list(TIMES), "patterns": list(TIMES)},
            "precision": "0.5",
            "suppressed_series": suppressed,
            "dropped_series": dropped,
            "columns": {time: {"role": "series"} for time in TIMES}
            | {content: {"role": "sensitive", "published": [content]}},
        },
    }  # fmt: skip
    path = folder / "0001"
    path.mkdir(parents=True, exist_ok=True)
    (path / "datapackage.json").write_text(json.dumps(description))
    return SimpleNamespace(
        path=path, number=1, description=description, guarantee=promise, table=tables.__getitem__
    )


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
