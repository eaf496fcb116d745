"""Series: what it costs to form groups in ranges of subgroups instead of among all of them.

    python -m benchmarks.ranges [TABLE:COLUMNS …] [--times 24] [--series 20000 100000 500000]

Of walks, and of tables whose columns match a regular expression, P-subgroups are planned as KAPRA
plans them, and groups formed once with all of them in sight and once in ranges: of as many as are
looked at together when there are more (``--ranges`` says into how many ranges, and 0 that they are
those of a publication, where it forms any). *More*: value loss over that of all in sight.
Columns of a table are cut into pieces of ``--times``, which are the series.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq

from anachron.kernels import formation
from anachron.kernels.envelopes import envelopes
from anachron.methods.patterns.losses import value_loss
from benchmarks.patterns import planned, walks

PLANS = ((10, 3), (50, 5))
"""k and P."""


def pieces(table: str, times: int) -> tuple[str, np.ndarray]:
    """The columns of a file, each cut into series."""
    file, _, columns = table.partition(":")
    held = pq.read_table(file)
    chosen = [name for name in held.column_names if re.search(columns, name)]
    long = np.stack([held[name].to_numpy().astype(float) for name in chosen])
    return Path(file).parent.name, long[:, : long.shape[1] // times * times].reshape(-1, times)


def loss(low: np.ndarray, high: np.ndarray, size: np.ndarray, group: np.ndarray) -> float:
    """The value loss of groups of subgroups."""
    order = np.argsort(group, kind="stable")
    heads = np.searchsorted(group[order], np.arange(group.max() + 1))
    lower = np.minimum.reduceat(low[order], heads)
    upper = np.maximum.reduceat(high[order], heads)
    return value_loss(lower, upper, np.add.reduceat(size[order], heads))


def formed(
    low: np.ndarray, high: np.ndarray, size: np.ndarray, k: int, most: int
) -> tuple[float, float]:
    """The value loss with so many subgroups in sight, and the seconds it took."""
    with patch.object(formation, "MOST", most):
        begin = time.process_time()
        group = formation.form(low, high, size, k)
        seconds = time.process_time() - begin
    return loss(low, high, size, group), seconds


def compared(name: str, series: np.ndarray, options: argparse.Namespace) -> Iterator[str]:
    """A line for each way to form groups in ranges."""
    for k, p in PLANS:
        part = planned(series, k, p).subgroup  # type: ignore[attr-defined]
        low, high = envelopes(series, part)
        size = np.bincount(part[part >= 0])
        whole, seconds = formed(low, high, size, k, len(size))
        for many in options.ranges:
            most = -(-len(size) // many) if many else formation.MOST
            if most >= len(size):
                continue
            found, took = formed(low, high, size, k, most)
            yield (
                f"| {name} | {len(series):,} | {k} | {p} | {len(size):,} "
                f"| {len(size) // -(-len(size) // most):,} | {found / whole - 1:+.3%} "
                f"| {took:.1f} s | {seconds:.1f} s |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", help="a Parquet file, and a colon with its columns")
    parser.add_argument("--times", type=int, default=24)
    parser.add_argument("--series", type=int, nargs="*", default=[20_000, 100_000, 500_000])
    parser.add_argument("--ranges", type=int, nargs="*", default=[0, 2, 4, 8, 16, 64])
    options = parser.parse_args()
    print("| data | series | k | P | subgroups | in a range | more | ranges | all in sight |")
    print("|" + "---|" * 9)
    for table in options.tables:
        for line in compared(*pieces(table, options.times), options):
            print(line, flush=True)
    for many in options.series:
        for line in compared("walks", walks(many, options.times), options):
            print(line, flush=True)


if __name__ == "__main__":
    main()
