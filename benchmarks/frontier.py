"""What it costs to lay out sixty candidates, against one search and one publication.

    python -m benchmarks.frontier [--rows 1000000] [--runs 3]

The table and the promise are those of ``benchmarks.granularity``. Four pieces of work, each in a
process of its own: reading the table; reading it and one search, as ``publish`` does both; one
``publish``, verified and recorded; and ``frontier`` over fifteen values of k and four shares of
rows that may be left out, the reading of the table included. Of the frontier it is also noted when
its first point was ready. Every figure is the median of the runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from contextlib import closing
from pathlib import Path

import anachron as an
from anachron.engines.local.load import load
from anachron.exploring.point import Point
from anachron.methods.granularity.choose import plan
from benchmarks.granularity import PROMISE, SCHEMA, generate
from benchmarks.timing import measure

OVER = {
    "k": [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 75, 100],
    "max_suppressed": [0, "0.001", "0.01", "0.05"],
}
WORK = ("read and search", "publish", "frontier")


def search(path: Path) -> int:
    """Read the table, and search once."""
    with closing(load(path, SCHEMA)) as table:
        return len(plan(table, PROMISE).answers)


def publish(path: Path) -> int:
    """Publish the table, verified and recorded."""
    aside = Path(tempfile.mkdtemp(dir=path.parent))
    try:
        return an.publish(path, SCHEMA, PROMISE, ledger=aside / "l", to=aside / "r").rows
    finally:
        shutil.rmtree(aside)


def frontier(path: Path) -> tuple[int, int, float, float]:
    """Lay out all candidates: settings, points, and when the first was ready."""
    begun, busy = time.perf_counter(), time.process_time()
    first: list[tuple[float, float]] = []

    def hear(_: Point) -> None:
        first.append((time.perf_counter() - begun, time.process_time() - busy))

    wish = an.Plan(path, SCHEMA, PROMISE, ledger=path.parent / "none")
    found = an.frontier(wish, OVER, each=hear)
    settings = {tuple(point.setting.values()) for point in found}
    return len(settings), len(found), *first[0]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--runs", type=int, default=3)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "events.parquet"
        generate(path, chosen.rows)
        # In turns, so that neighbours disturb all alike.
        runs = [
            [measure(work, path) for work in (search, publish, frontier)]
            for _ in range(chosen.runs)
        ]
    settings, points, *_ = runs[0][2].result
    print(f"\n{chosen.rows:,} rows, {settings} settings, {points} points, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}\n")
    print("| work | seconds | processor | peak MB |\n|---|---|---|---|")
    middle: dict[str, list[float]] = {}
    for at, name in enumerate(WORK):
        some = [run[at] for run in runs]
        middle[name] = [_median([m.seconds for m in some]), _median([m.processor for m in some])]
        peak = _median([m.peak_mb for m in some])
        print(f"| {name} | {middle[name][0]:.2f} | {middle[name][1]:.2f} | {peak:,.0f} |")
    first = [_median([run[2].result[at] for run in runs]) for at in (2, 3)]
    print(f"| first point | {first[0]:.2f} | {first[1]:.2f} | |")
    print(f"\nfirst point against one search: {_times(first, middle['read and search'])}")
    print(f"all points against one publish: {_times(middle['frontier'], middle['publish'])}")


def _times(one: list[float], other: list[float]) -> str:
    seconds, busy = (a / b for a, b in zip(one, other, strict=True))
    return f"{seconds:.2f} × by the clock, {busy:.2f} × of processors"


def _median(figures: list[float]) -> float:
    return sorted(figures)[len(figures) // 2]


if __name__ == "__main__":
    main()
