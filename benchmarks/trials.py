"""What it costs to try twenty settings, against one search of the same table.

    python -m benchmarks.trials [--rows 3000000] [--runs 3]

The table and the promise are those of ``benchmarks.granularity``. Three pieces of work, each in a
process of its own: reading the table; reading it and one search, as ``publish`` does both; and
``trial`` over ten values of k and two shares of rows that may be left out, the reading of the table
included. The search alone is the second less the first, the trial alone the third less the first.
Every figure is the median of the runs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from contextlib import closing
from pathlib import Path

import anachron as an
from anachron.engines.local.load import load
from anachron.methods.granularity.choose import plan
from benchmarks.granularity import PROMISE, SCHEMA, generate
from benchmarks.timing import measure

OVER = {"k": [2, 3, 4, 5, 7, 10, 15, 20, 50, 100], "max_suppressed": [0, "0.01"]}


def read(path: Path) -> int:
    """Read the table."""
    with closing(load(path, SCHEMA)) as table:
        return table.rows


def search(path: Path) -> int:
    """Read the table, and search once."""
    with closing(load(path, SCHEMA)) as table:
        return len(plan(table, PROMISE).answers)


def trial(path: Path) -> int:
    """Read the table, and try all settings."""
    tried = an.trial(an.Plan(path, SCHEMA, PROMISE, ledger=path.parent / "none"), OVER)
    return len({(row.setting["k"], row.setting["max_suppressed"]) for row in tried})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=3_000_000)
    options.add_argument("--runs", type=int, default=3)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "events.parquet"
        generate(path, chosen.rows)
        # In turns, so that neighbours disturb all alike.
        runs = [[measure(work, path) for work in (read, search, trial)] for _ in range(chosen.runs)]
    print(f"\n{chosen.rows:,} rows, {runs[0][2].result} settings, load {os.getloadavg()[0]:.1f}\n")
    print("| work | seconds | processor | peak MB |\n|---|---|---|---|")
    middle = {}
    for at, name in enumerate(("read", "read and search", "trial")):
        some = [run[at] for run in runs]
        middle[name] = [_median([m.seconds for m in some]), _median([m.processor for m in some])]
        peak = _median([m.peak_mb for m in some])
        print(f"| {name} | {middle[name][0]:.2f} | {middle[name][1]:.2f} | {peak:,.0f} |")
    whole = [t / s for t, s in zip(middle["trial"], middle["read and search"], strict=True)]
    alone = [(t - r) / (s - r) for r, s, t in zip(*(middle[name] for name in middle), strict=True)]
    print(f"\ntrial against one search, the reading included: {_times(whole)}")
    print(f"trial against one search, without it: {_times(alone)}")


def _times(ratios: list[float]) -> str:
    return f"{ratios[0]:.2f} × by the clock, {ratios[1]:.2f} × of processors"


def _median(figures: list[float]) -> float:
    return sorted(figures)[len(figures) // 2]


if __name__ == "__main__":
    main()
