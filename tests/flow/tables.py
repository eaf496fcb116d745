"""Small tables, and folders to publish them into."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa

import anachron as an

PAPER = pa.table(
    {
        "uid": ["u1", "u2", "u1", "u4", "u5", "u6"],
        "q": ["q1", "q1", "q1", "q1", "q2", "q2"],
        "t": ["2006-01-03", "2006-01-03", "2006-01-11", "2006-01-12", "2006-02-07", "2006-02-10"],
        "data": ["d0", "d1", "d2", "d3", "d4", "d5"],
    }
)
PAPER_SCHEMA = an.Schema(subject="uid", time="t", quasi="q", sensitive="data")
DAY_WEEK_MONTH = ("day", "week", "month")

VISIT_SCHEMA = an.Schema(
    subject="person",
    time="seen",
    quasi=["age", "sex"],
    sensitive=["diagnosis", "cost"],
    time_zone="Europe/Rome",
)


def visits(rows: int = 400, people: int = 60, seed: int = 1, year: int = 2024) -> pa.Table:
    """Visits of invented people: strings, whole numbers, fractions, missing values."""
    rng = random.Random(seed)
    persons = [
        {"person": f"canary-{i:05d}", "age": rng.randint(20, 89), "sex": rng.choice("fm")}
        for i in range(people)
    ]
    start = datetime(year, 1, 1)
    return pa.Table.from_pylist(
        [
            {
                **rng.choice(persons),
                "seen": start + timedelta(minutes=30 * rng.randrange(48 * 80)),
                "diagnosis": rng.choice(["flu", "asthma", "=cmd()", None]),
                "cost": rng.choice([0.0, -0.0, 12.5, 1 / 3, None]),
            }
            for _ in range(rows)
        ]
    )


def published(
    table: object, schema: an.Schema, promise: an.TimeGranularity, root: Path, csv: bool = False
) -> an.Release:
    return an.publish(table, schema, promise, ledger=root / "ledger", to=root / "releases", csv=csv)


def states(root: Path) -> list[object]:
    """What a history remembers of its people: no two files with the same are alike."""
    ledger = an.Ledger.open(root / "ledger")
    found = [ledger.state(entry).table() for entry in ledger.entries()]
    return [(table.to_pydict(), table.schema.metadata) for table in found]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
