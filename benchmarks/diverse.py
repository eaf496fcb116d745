"""Series with l: what it costs that subgroups are diverse, and tell nothing by how they came about.

    python -m benchmarks.diverse TABLE[:COLUMNS][@SENSITIVE] … [--times 10] [--rows 20000]

For each table, whose columns match a regular expression (so many of them, evenly; all values
brought to [0, 1]), and for each sensitive column: a made-up one of twenty values, equally
frequent; a made-up one of which the most frequent value is that of four in ten; and those that
are named. Losses are means over the published series; *alone* is the share of series in a subgroup
of fewer than 2P, as fine as it gets; *level 1* the share whose pattern says nothing.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import anachron as an
from anachron.errors import GuaranteeError

SETTINGS = ((10, 5, None), (10, 5, 2), (10, 5, 3))
"""k, P and l."""


def tables(options: argparse.Namespace) -> Iterator[tuple[str, np.ndarray, dict[str, pa.Array]]]:
    for given in options.tables:
        file, _, rest = given.partition(":")
        pattern, *named = rest.split("@")
        names = duckdb.sql(f"SELECT * FROM '{file}' LIMIT 0").columns
        found = duckdb.sql(f"SELECT * FROM '{file}'").to_arrow_table()
        series = [n for n in names if pc.match_substring_regex(pa.scalar(n), pattern).as_py()]
        at = np.linspace(0, len(series) - 1, min(options.times, len(series))).round().astype(int)
        values = np.stack([found[series[i]].to_numpy().astype(np.float64) for i in at], axis=1)
        rng = np.random.default_rng(3)
        rows = rng.permutation(len(values))[: options.rows]
        values = (values - values.min()) / (values.max() - values.min())
        skewed = np.where(rng.random(len(rows)) < 0.4, 0, rng.integers(1, 20, len(rows)))
        columns = {
            "twenty values": pa.array(rng.integers(0, 20, len(rows)).astype(str)),
            "four in ten": pa.array(skewed.astype(str)),
            **{n: found[n].combine_chunks().take(pa.array(rows)).cast(pa.string()) for n in named},
        }
        yield Path(file).stem, values[rows], columns


def published(series: np.ndarray, content: pa.Array, k: int, p: int, l: int | None) -> str:  # noqa: E741
    names = [f"t{i}" for i in range(series.shape[1])]
    table = pa.table(
        {"who": np.arange(len(series)), **dict(zip(names, series.T, strict=True)), "is": content}
    )
    promise = an.KPAnonymity(k=k, P=p, l=l, precision="0.0001")
    with tempfile.TemporaryDirectory() as folder:
        try:
            release = an.publish(
                table, an.Schema("who", series=names, sensitive="is"), promise,
                ledger=f"{folder}/ledger", to=f"{folder}/releases",
            )  # fmt: skip
        except GuaranteeError:
            return "refused | | | | "
        told, data = release.explanation, release.table()
    shown = len(series) - told["suppressed"]
    sizes = data.group_by(["group", "level", "pattern"]).aggregate([([], "count_all")])
    small = pc.sum(pc.filter(sizes["count_all"], pc.less(sizes["count_all"], 2 * p))).as_py() or 0
    coarse = told["levels"].get("1", 0)
    return (
        f"{told['value_loss'] / shown:.4f} | {told['pattern_loss'] / shown:.4f} | "
        f"{small / shown:.0%} | {coarse / shown:.0%} | {told['suppressed']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--rows", type=int, default=20_000)
    options = parser.parse_args()
    print(
        "| series | content | k | P | l | value loss | pattern loss | alone | level 1 | left out |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, series, columns in tables(options):
        for what, content in columns.items():
            most = max(pc.value_counts(content).field("counts").to_pylist()) / len(content)
            for k, p, l in SETTINGS:  # noqa: E741
                if l is None and what != "twenty values":
                    continue  # without l the content makes no difference
                about = f"{name}, {len(series):,} | {what} ({most:.0%})" if l else f"{name} | any"
                told = published(series, content, k, p, l)
                print(f"| {about} | {k} | {p} | {l or '—'} | {told} |", flush=True)


if __name__ == "__main__":
    main()
