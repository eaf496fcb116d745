"""How long the next release of a register takes, against one DuckDB sort of its rows.

    python -m benchmarks.invariance [--rows 50000 200000 800000 1600000] [--releases 4] [--long 81]

Generated data in the shape of the paper's OCC: four quasi columns (age, gender, education,
birthplace) and an occupation with 50 values, the most frequent held by 9 in 100 people; m = 10.
Each release replaces one person in forty. The yardstick, timed in the same run: DuckDB sorts the
same rows by the quasi columns. A release is everything: reading, planning, writing Parquet,
verifying, and the ledger.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import anachron as an
from benchmarks.timing import measure

SCHEMA = an.Schema(
    subject="person",
    quasi=["age", "gender", "education", "birthplace"],
    sensitive="occupation",
)
PROMISE = an.MInvariance(m=10)


def people(rng: np.random.Generator, first: int, count: int) -> dict[str, np.ndarray]:
    weights = 1 / np.arange(4, 54)
    age = np.clip(rng.normal(45, 17, count), 17, 97).astype(np.int64)
    return {
        "person": np.arange(first, first + count),
        "age": age,
        "gender": rng.integers(1, 3, count),
        "education": np.clip(rng.normal(12 + age / 20, 5, count), 1, 24).astype(np.int64),
        "birthplace": (57 * rng.beta(0.6, 2, count)).astype(np.int64),
        "occupation": rng.choice(50, count, p=weights / weights.sum()),
    }


def registers(rows: int, releases: int) -> Iterator[pa.Table]:
    """A register, and what it becomes as people leave and others come."""
    rng = np.random.default_rng(1)
    now, seen = people(rng, 0, rows), rows
    for _ in range(releases):
        yield pa.table(now)
        stay = np.sort(rng.permutation(rows)[rows // 40 :])
        come = people(rng, seen, rows // 40)
        seen += rows // 40
        now = {name: np.concatenate([now[name][stay], come[name]]) for name in now}


def sorting(table: pa.Table) -> float:
    """The yardstick, the median of three."""
    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    con.register("register", table)
    keys = ", ".join(SCHEMA.quasi)
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        con.sql(f"SELECT * FROM register ORDER BY {keys}").to_arrow_table()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


@dataclass(frozen=True)
class Released:
    seconds: float
    processor: float
    sort: float
    counterfeits: int


def history(rows: int, releases: int) -> list[Released]:
    """What each release of a history took, the first in the process included."""
    measured = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in registers(rows, releases):
            sort = sorting(table)
            start, busy = time.perf_counter(), time.process_time()
            release = an.publish(
                table, SCHEMA, PROMISE, ledger=folder / "ledger", to=folder / "releases"
            )
            seconds, processor = time.perf_counter() - start, time.process_time() - busy
            fake = int((release.explanation or {})["counterfeits"])
            measured.append(Released(seconds, processor, sort, fake))
    return measured


def row(rows: int, which: str, done: list[Released], peak: float) -> str:
    """The release in the middle of some."""
    one = sorted(done, key=lambda each: each.seconds)[len(done) // 2]
    return (
        f"| {rows:,} | {which} | {one.seconds:.2f} | {one.processor:.2f} | {one.sort:.3f} "
        f"| {one.seconds / one.sort:.1f} × | {peak:,.0f} |"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--rows", type=int, nargs="*", default=[50_000, 200_000, 800_000, 1_600_000]
    )
    options.add_argument("--releases", type=int, default=4)
    options.add_argument("--long", type=int, default=0)
    chosen = options.parse_args()
    print("| rows | release | seconds | processor | sort | ratio | peak MB |")
    print("|---|---|---|---|---|---|---|")
    for rows in chosen.rows:
        done = measure(history, rows, chosen.releases)
        print(row(rows, "first", done.result[:1], done.peak_mb))
        later = f"2 to {chosen.releases}, median"
        print(row(rows, later, done.result[1:], done.peak_mb), flush=True)
    if chosen.long:
        done = measure(history, 200_000, chosen.long)
        times = [each.seconds for each in done.result]
        fakes = [each.counterfeits for each in done.result]
        first, last = statistics.median(times[1:6]), statistics.median(times[-5:])
        print(
            f"\n{chosen.long} releases of 200,000 rows: releases 2 to 6 took {first:.2f} s each, "
            f"the last five {last:.2f} s ({last / first:.2f} ×; medians); counterfeits: mean "
            f"{sum(fakes) / len(fakes):.1f}, most {max(fakes)}; peak {done.peak_mb:,.0f} MB"
        )


if __name__ == "__main__":
    main()
