"""What careful feeds cost: the same feed with and without care, by anatomy and by intervals.

    python -m benchmarks.careful QUERY --quasi A B -l 5 [--window 7] [--snapshot day] \\
        [--width A=0.01] [--solver recycle]

QUERY is what DuckDB shall read: a SELECT with the columns ``id``, ``day``, ``s`` (sensitive) and
quasi columns. ``error`` is that of 1,000 questions of :func:`anachron.utility`; ``width`` the mean
width of the intervals, as a share of the widest.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import anachron as an


def row(table: pa.Table, promise: an.Reposition, quasi: list[str]) -> str:
    """Publish the feed, and give a line of the table."""
    schema = an.Schema(subject="id", time="day", quasi=quasi, sensitive="s")
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder, "ledger")
        release = an.publish(table, schema, promise, ledger=ledger, to=Path(folder, "releases"))
        told = release.explanation or {}
        useful = str(an.utility(release, table=table, ledger=ledger)).splitlines()[0]
        wide = f"{width(release.table(), quasi):.2f}" if promise.then == "generalize" else ""
    return (
        f"| {promise.then}, {'careful' if promise.careful else 'not'} "
        f"| {told['moved'] / told['rows']:.2%} | {told['suppressed'] / told['rows']:.2%} "
        f"| {told['given_up']:,} | {told['groups']:,} "
        f"| {told['published'] / told['groups']:.1f} | {wide} | {useful} |"
    )


def width(published: pa.Table, quasi: list[str]) -> float:
    """The mean width of intervals, as a share of the widest, over all quasi columns."""
    shares = []
    for column in quasi:
        low, high = (published[f"{column}_{end}"].to_numpy() for end in ("low", "high"))
        shares.append(float(np.mean((high - low) / max(high.max() - low.min(), 1e-9))))
    return float(np.mean(shares))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("query")
    parser.add_argument("--quasi", nargs="+", required=True)
    parser.add_argument("--width", nargs="*", default=[])
    parser.add_argument("-l", default="5")
    parser.add_argument("--window", type=int, default=7)
    parser.add_argument("--snapshot", default="day")
    parser.add_argument("--solver", default="recycle")
    asked = parser.parse_args()
    table = duckdb.sql(asked.query).to_arrow_table()
    print("| feed | moved | left out | given up | groups | records in one | width | error |")
    print("|---|---|---|---|---|---|---|---|")
    for then in ("anatomy", "generalize"):
        widths = dict(given.split("=") for given in asked.width) if then == "generalize" else None
        for careful in (False, True):
            promise = an.Reposition(
                l=asked.l, window=asked.window, snapshot=asked.snapshot, then=then,
                careful=careful, widths=widths, solver=asked.solver,
            )  # fmt: skip
            print(row(table, promise, asked.quasi), flush=True)


if __name__ == "__main__":
    main()
