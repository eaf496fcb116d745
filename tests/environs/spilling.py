"""A table that does not fit into the memory it is given, and a process that publishes it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 500_000
CONFIDED = "confided to the doctor, and to nobody else " * 3
PLAN = """
[source]
table = "visits.parquet"
[schema]
subject = "who"
time = "day"
quasi = ["ward"]
sensitive = ["note"]
[guarantee]
method = "granularity"
k = 5
granularities = ["month"]
"""


def prepare(root: Path, rows: int = ROWS) -> None:
    """Write the table and its plan. Notes are long, so that sorting them needs space."""
    draw = np.random.default_rng(1)
    number = draw.integers(0, 10**9, rows)
    pq.write_table(
        pa.table(
            {
                "who": pa.array(np.arange(rows) % (rows // 3)),
                "day": pa.array(draw.integers(19_000, 19_300, rows).astype("datetime64[D]")),
                "ward": pa.array(draw.integers(0, 3, rows)),
                "note": pa.array([f"{n:012d} {CONFIDED}" for n in number.tolist()]),
            }
        ),
        root / "visits.parquet",
    )
    (root / "plan.toml").write_text(PLAN)
    (root / "aside").mkdir()


def publishing(root: Path, *words: str) -> subprocess.Popen[str]:
    """Publish in a process of its own, with less memory than the rows need."""
    return subprocess.Popen(
        [sys.executable, "-m", "anachron", "publish", "plan.toml", *words],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "ANACHRON_MEMORY": "330MB",
            "ANACHRON_TMP": str(root / "aside"),
            "TMPDIR": str(root / "aside"),
        },
    )


def spilled(root: Path) -> list[Path]:
    """The files with people's data that lie aside."""
    return [file for file in (root / "aside").rglob("*") if "duckdb_temp" in file.name]


def wait_until(true: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Wait for something that a process does; it must not end before."""
    for _ in range(6_000):
        if true():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("it never came to that")
