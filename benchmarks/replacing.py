"""A register in which r people are replaced from release to release, as Xiao and Tao have it.

    python -m benchmarks.replacing TABLE --subject ID --quasi A B --sensitive S -m 10 \
        [--replaced 5000] [--releases 81] [--modes paper] [--questions 1000] [--never]

The first release has the first third of the table's rows, in an order drawn by lot. Each next
one loses r of them and gains r that were never published, until there are none left. Counts
counterfeits, release by release; every release is verified as it is published. With
--questions, the median error of so many counts to the last release. With --never it is declared
that no value changes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an


def registers(options: argparse.Namespace) -> Iterator[pa.Table]:
    rng = np.random.default_rng(options.seed)
    columns = [options.subject, *options.quasi, options.sensitive]
    table = pq.read_table(options.table, columns=columns)
    order = rng.permutation(table.num_rows)
    now, unused = order[: len(order) // 3], order[len(order) // 3 :]
    for _ in range(options.releases):
        yield table.take(now)
        if len(unused) < options.replaced:
            return
        stay = rng.permutation(now)[options.replaced :]
        now, unused = (
            np.concatenate([stay, unused[: options.replaced]]),
            unused[options.replaced :],
        )


def history(options: argparse.Namespace, mode: str, balance: str) -> tuple[list[int], str]:
    """The counterfeits of each release, and the error of questions to the last one."""
    schema = an.Schema(subject=options.subject, quasi=options.quasi, sensitive=options.sensitive)
    form: dict[str, Any] = {}
    if options.never:
        values = pq.read_table(options.table, columns=[options.sensitive])[options.sensitive]
        form["changes"] = {str(value): [] for value in values.unique().to_pylist()}
    promise = an.MInvariance(m=options.m, mode=mode, balance=balance, **form)
    found, error = [], "-"
    with tempfile.TemporaryDirectory() as name:
        for table in registers(options):
            release = an.publish(
                table, schema, promise, ledger=f"{name}/ledger", to=Path(name) / "releases"
            )
            found.append(int((release.explanation or {})["counterfeits"]))
        if options.questions:
            told = an.utility(
                release, table=table, ledger=f"{name}/ledger", questions=options.questions
            )
            error = f"{100 * told.measures[0].median:.1f} %"
    return found, error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    for name in ("subject", "sensitive"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--quasi", nargs="+", required=True)
    parser.add_argument("-m", type=int, default=10)
    parser.add_argument("--replaced", type=int, nargs="+", default=[5000])
    parser.add_argument("--releases", type=int, default=81)
    parser.add_argument("--modes", nargs="+", default=["paper"])
    parser.add_argument("--balances", nargs="+", default=["exact"])
    parser.add_argument("--questions", type=int, default=0)
    parser.add_argument("--never", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        "| r | mode | releases | mean | most | releases without | last | all in all | error "
        "| seconds |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for replaced in options.replaced:
        for mode in options.modes:
            for balance in options.balances:
                start = time.perf_counter()
                one = argparse.Namespace(**{**vars(options), "replaced": replaced})
                found, error = history(one, mode, balance)
                print(
                    f"| {replaced:,} | {mode}, {balance} | {len(found)} "
                    f"| {sum(found) / len(found):.2f} | {max(found)} | {found.count(0)} "
                    f"| {found[-1]:,} | {sum(found):,} | {error} "
                    f"| {time.perf_counter() - start:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
