"""Hand-made releases of a register, and records of how they came about."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.auditing.verdict import Check, Verdict
from anachron.guarantees import MInvariance
from anachron.published.ways import Content, Interval, Ordered
from tests.reporting.made import made

REGIONS = ["north", "centre", "south"]
SECRETS = ["a secret", "another secret", "a third secret", "a fourth secret"]


def rows(sizes: tuple[int, ...] = (2, 2, 3, 4, 2), sensitive: str = "illness") -> pa.Table:
    """Groups of these sizes; the n-th covers 2n ages and n regions, at most three."""
    group = [n for n, size in enumerate(sizes, 1) for _ in range(size)]
    return pa.table(
        {
            "group": pa.array(group, pa.int64()),
            "age_low": pa.array([10 * n for n in group], pa.int64()),
            "age_high": pa.array([10 * n + 2 * n - 1 for n in group], pa.int64()),
            "income_low": pa.array([0.5 * n for n in group], pa.float64()),
            "income_high": pa.array([0.5 * n + 1.5 for n in group], pa.float64()),
            "region_low": pa.array([REGIONS[0] for _ in group], pa.string()),
            "region_high": pa.array([REGIONS[min(n, 3) - 1] for n in group], pa.string()),
            sensitive: pa.array([s for size in sizes for s in SECRETS[:size]], pa.string()),
        }
    )


def counterfeits(of: dict[int, int] | None = None) -> pa.Table:
    found = {1: 1, 4: 2} if of is None else of
    kind = pa.int64()
    return pa.table(
        {"group": pa.array(found, kind), "counterfeits": pa.array(found.values(), kind)}
    )


def release(
    folder: Path,
    data: pa.Table | None = None,
    fake: pa.Table | None = None,
    as_of: str | None = None,
    **promised: Any,
) -> Any:
    """A release as the report reads it."""
    data = rows() if data is None else data
    fake = counterfeits() if fake is None else fake
    promise = MInvariance(
        **{
            "m": 2,
            "widths": {"income": "0.5"},
            "orders": {"region": REGIONS},
            "margins": None,
            **promised,
        }
    )
    ways = (
        Interval("age", Decimal(1)),
        Interval("income", Decimal("0.5")),
        Ordered("region", tuple(REGIONS)),
        Content(data.column_names[-1]),
    )
    named = {} if as_of is None else {"as_of": as_of}
    return made(folder / "0004", promise, ways, {"data": data, "counterfeits": fake},
                counterfeits=sum(fake["counterfeits"].to_pylist()), **named)  # fmt: skip


def verdict(holds: bool = True, scope: str = "with microdata", followed: bool = True) -> Verdict:
    candidates = Check("candidates", holds, "at least 2", "2" if holds else "1", "candidate sets")
    unique = Check("m-unique", True, "at least 2", "2", "sensitive values in each group")
    checks = (candidates, unique) if followed else (unique,)
    return Verdict("0004", "invariance(m=2)", scope, checks, {"groups": 5, "rows": 13})


def record(**changes: Any) -> dict[str, Any]:
    """How the fourth release came about, as the ledger keeps it."""
    return {
        "method": "invariance", "rows": 10, "subjects": 10, "known": 7, "new": 3, "changed": 1,
        "filled": 2, "counterfeits": 3, "held": 0, "refused": 0, "groups": 5, "signatures": 3,
        "smallest_signature": 2, "mode": "paper", "m": 2,
        "history": [
            {"release": n, "rows": 9 + n, "counterfeits": n - 1, "groups": 5} for n in (1, 2, 3, 4)
        ],
        "notes": ["2 ages were guessed"],
        **changes,
    }  # fmt: skip
