"""Series: what (k,P)-anonymity costs, how long it takes, and how good its greedy groups are.

    python -m benchmarks.patterns findings [TABLE[:COLUMNS] …] [--times 10] [--rows 20000]
    python -m benchmarks.patterns dials [TABLE[:COLUMNS] …] [--times 10] [--rows 20000]
    python -m benchmarks.patterns transcription [--series 2000] [--times 143] [--k 16] [--P 6]
    python -m benchmarks.patterns speed [--rows 10000 100000 1000000] [--data walks|uniform]
    python -m benchmarks.patterns greedy [--series 20000]
    python -m benchmarks.patterns exchanges [TABLE[:COLUMNS] …] [--times 10] [--rows 20000]

``findings``: Figures 4 to 6 and Table 4 of the paper, on tables whose columns match a regular
expression (so many of them, evenly; all values brought to [0, 1]) and on generated walks: one long
walk cut into series, as in the paper, and walks of their own, with the dials and segments that are
used unless somebody says otherwise. Losses are means over the published series. ``dials``: the same
losses with the dials that the paper has not, and over segments, beside Naive's.
``transcription``: the plan against the paper written down in plain Python. ``speed``: the
whole publication, against one DuckDB sort of the same values; *grown* is its processor time
against that of a tenth of the series. ``greedy``: against a scan of all candidates for each choice.
``exchanges``: what a search over the groups would save (benchmarks/exchanges.py).
Work runs in fresh processes and is timed after a first call on a few series, which loads what is
compiled; times are medians of three.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import anachron as an
from benchmarks.exchanges import exchanges
from benchmarks.timing import median

MAX_LEVEL = 10
PLANS = ((10, 10), (50, 5))
"""k and P."""


def walks(count: int, times: int, seed: int = 1) -> np.ndarray:
    steps = np.random.default_rng(seed).normal(size=(count, times))
    return np.cumsum(steps, axis=1)


def uniform(count: int, times: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((count, times))


def planned(
    series: np.ndarray, k: int, p: int, algorithm: str = "kapra", **dials: int | np.ndarray | None
) -> object:
    from anachron.methods.patterns.kapra import kapra
    from anachron.methods.patterns.naive import naive
    from anachron.methods.patterns.planned import Task

    plan = {"kapra": kapra, "naive": naive}[algorithm]
    place = np.random.default_rng(2).permutation(len(series))
    return plan(Task(series, k, p, MAX_LEVEL, "level", place, **dials))


# What is lost


def tables(options: argparse.Namespace) -> Iterator[tuple[str, np.ndarray]]:
    for given in options.tables:
        file, _, pattern = given.partition(":")
        columns = duckdb.sql(f"SELECT * FROM '{file}' LIMIT 0").columns
        named = [column for column in columns if re.search(pattern, column)]
        times = min(options.times, len(named))
        chosen = [named[i] for i in np.linspace(0, len(named) - 1, times).round().astype(int)]
        quoted = ", ".join(f'CAST("{column}" AS DOUBLE)' for column in chosen)
        found = duckdb.sql(f"SELECT {quoted} FROM '{file}'").fetchnumpy()
        series = np.stack(list(found.values()), axis=1)
        rng = np.random.default_rng(3)
        yield Path(file).stem, series[rng.permutation(len(series))[: options.rows]]
    long = np.cumsum(np.random.default_rng(4).normal(size=6553 * options.times))
    yield "one walk, cut", long.reshape(6553, options.times)
    yield "walks", walks(6553, options.times)


def losses(
    series: np.ndarray, k: int, p: int, algorithm: str, **dials: int | np.ndarray | None
) -> tuple[float, float, int, int]:
    """Value loss, pattern loss, suppressed, and suppressed if nothing were recycled."""
    plan = planned(series, k, p, algorithm, **dials)
    found = plan.costs()  # type: ignore[attr-defined]
    published = len(series) - found.suppressed
    return (
        found.value_loss / published,
        found.pattern_loss / published,
        found.suppressed,
        plan.bad,  # type: ignore[attr-defined]
    )


def baseline_losses(series: np.ndarray, k: int) -> Iterator[str]:
    """Pattern loss of TGA and of BFP2KA, whose rows are as hard to find, and what they suppress."""
    from anachron.kernels.sax import normalised
    from anachron.methods.patterns.baselines import bfp2ka, tga

    rng = np.random.default_rng(5)
    for found in (tga(series, k, rng.permutation(len(series)), rng), bfp2ka(normalised(series), k)):
        lost = found.costs(series)
        published = len(series) - lost.suppressed
        if not published:
            yield "all suppressed"
            continue
        yield f"{lost.pattern_loss / published:.4f}" + (
            f" ({lost.suppressed:,} suppressed)" if lost.suppressed else ""
        )


def usual(series: np.ndarray, k: int, p: int, algorithm: str) -> tuple[float, float, int, int]:
    """The losses with the dials and segments of a promise that names none."""
    from anachron.methods.patterns.segments import lengths_of

    promise = an.KPAnonymity(k=k, P=p, max_level=MAX_LEVEL, algorithm=algorithm)  # type: ignore[arg-type]
    return losses(
        series, k, p, algorithm,
        tree_level=promise.tree_level, lengths=lengths_of(promise, series.shape[1]),
    )  # fmt: skip


def tuning(name: str, series: np.ndarray) -> list[str]:
    """Figures 4 and 5 and Table 4; gives the settings where Naive keeps shapes better."""
    print("| k | P | value loss: KAPRA | Naive | pattern loss: KAPRA | Naive | suppressed | not "
          "recycled |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    surprises = []
    settings = [(10, p) for p in (2, 4, 6, 8, 10)] + [(k, 5) for k in (5, 10, 20, 30, 40, 50)]
    for k, p in settings:
        ours, theirs = (usual(series, k, p, one) for one in ("kapra", "naive"))
        print(
            f"| {k} | {p} | {ours[0]:.4f} | {theirs[0]:.4f} | {ours[1]:.4f} | {theirs[1]:.4f} "
            f"| {ours[2]} | {ours[3]} |",
            flush=True,
        )
        if ours[1] >= theirs[1]:
            surprises.append(f"{name}, k={k}, P={p}: {ours[1]:.4f} and {theirs[1]:.4f}")
    return surprises


def findings(options: argparse.Namespace) -> None:
    surprises = []
    for name, raw in tables(options):
        series = (raw - raw.min()) / np.ptp(raw)
        print(f"\n{name}: {len(series):,} series of {series.shape[1]} times\n")
        surprises += tuning(name, series)
        print("\n| k = P | pattern loss: KAPRA | Naive | TGA | BFP2KA |\n|---|---|---|---|---|")
        for k in (2, 5, 10, 20):
            ours, theirs = (usual(series, k, k, one)[1] for one in ("kapra", "naive"))
            others = " | ".join(baseline_losses(series, k))
            print(f"| {k} | {ours:.4f} | {theirs:.4f} | {others} |", flush=True)
            if ours >= theirs:
                surprises.append(f"{name}, k=P={k}: {ours:.4f} and {theirs:.4f}")
    said = "; ".join(surprises) or "no setting"
    print(f"\nThe pattern loss of KAPRA is not below that of Naive for: {said}.")


DIALS: dict[str, dict[str, int | None]] = {
    "as in the paper": {},
    "tree of level 2": {"tree_level": 2},
    "with cells of 400": {"tree_level": 2, "cells": 400},
    "with cells of 50": {"tree_level": 2, "cells": 50},
}


def dials(options: argparse.Namespace) -> None:
    """Pattern loss and value loss of KAPRA by what its dials are, and of Naive.

    Of more than twelve times also over segments.
    """
    from anachron.kernels.sax import cut

    for name, raw in tables(options):
        series = (raw - raw.min()) / np.ptp(raw)
        print(f"\n{name}: {len(series):,} series of {series.shape[1]} times, k = 10\n")
        print("| | P = 2: patterns | values | P = 5: patterns | values |\n|---|---|---|---|---|")
        for segments in (None, 8, 12) if series.shape[1] > 12 else (None,):
            lengths = None if segments is None else cut(series.shape[1], segments)
            over = "" if segments is None else f", {segments} segments"
            for how, turned in {**DIALS, "Naive": {}}.items():
                algorithm = "naive" if how == "Naive" else "kapra"
                given = {**turned, "lengths": lengths}
                found = [losses(series, 10, p, algorithm, **given)[1::-1] for p in (2, 5)]
                cells = " | ".join(f"{lost:.3f}" for pair in found for lost in pair)
                print(f"| {how}{over} | {cells} |", flush=True)


# How long it takes


def warm() -> None:
    planned(walks(400, 10), 10, 5)
    planned(walks(400, 10), 5, 5)


def plan_walks(count: int, times: int, k: int, p: int) -> Iterator[None]:
    series = walks(count, times)
    warm()
    yield
    planned(series, k, p)


def transcribed(count: int, times: int, k: int, p: int) -> Iterator[None]:
    from tests.oracle.patterns import kapra

    place = np.random.default_rng(2).permutation(count).tolist()
    series = walks(count, times).tolist()
    yield
    kapra(series, k, p, MAX_LEVEL, place)


def transcription(options: argparse.Namespace) -> None:
    size = (options.series, options.times, options.k, options.P)
    ours, theirs = median(plan_walks, *size), median(transcribed, *size)
    print("| series | times | k | P | transcription | Anachron | faster |")
    print("|" + "---|" * 7)
    print(
        f"| {size[0]:,} | {size[1]} | {size[2]} | {size[3]} | {theirs.seconds:.1f} s "
        f"| {ours.seconds:.3f} s | {theirs.seconds / ours.seconds:,.0f} × |"
    )


def table_of(count: int, data: str) -> pa.Table:
    series = {"walks": walks, "uniform": uniform}[data](count, 10)
    return pa.table({f"t{i}": series[:, i] for i in range(10)} | {"who": np.arange(count)})


def sorting(count: int, data: str) -> Iterator[None]:
    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    con.register("series", table_of(count, data).drop_columns("who"))
    yield
    con.sql("SELECT * FROM series ORDER BY ALL").to_arrow_table()


def publishing(count: int, k: int, p: int, data: str) -> Iterator[None]:
    _publish(table_of(400, data), k, p)
    table = table_of(count, data)
    yield
    _publish(table, k, p)


def _publish(table: pa.Table, k: int, p: int) -> None:
    schema = an.Schema(subject="who", series=[f"t{i}" for i in range(10)])
    promise = an.KPAnonymity(k=k, P=p, precision="0.01")
    with tempfile.TemporaryDirectory() as name:
        an.publish(table, schema, promise, ledger=f"{name}/ledger", to=f"{name}/releases")


def speed(options: argparse.Namespace) -> None:
    print("| series | k | P | publish | processor | grown | sort | ratio | peak MB |")
    print("|" + "---|" * 9)
    for k, p in PLANS:
        before = None
        for rows in options.rows:
            sort = median(sorting, rows, options.data, runs=options.runs)
            whole = median(publishing, rows, k, p, options.data, runs=options.runs)
            grown = "" if before is None else f"{whole.processor / before.processor:.1f} ×"
            print(
                f"| {rows:,} | {k} | {p} | {whole.seconds:.2f} s | {whole.processor:.2f} s "
                f"| {grown} | {sort.seconds:.3f} s | {whole.against(sort)} "
                f"| {whole.peak_mb:,.0f} |",
                flush=True,
            )
            before = whole


# How good the groups are


def greedy(options: argparse.Namespace) -> None:
    from tests.oracle.formation import scanned

    from anachron.kernels.envelopes import envelopes
    from anachron.kernels.formation import form
    from anachron.methods.patterns.losses import value_loss

    print("| data | k | P | subgroups | value loss | of the scan | more | same groups | seconds "
          "| scan |")  # fmt: skip
    print("|" + "---|" * 10)
    for data in ("walks", "uniform"):
        series = {"walks": walks, "uniform": uniform}[data](options.series, 10)
        for k, p in ((50, 5), (10, 3)):
            part = planned(series, k, p).subgroup  # type: ignore[attr-defined]
            low, high = envelopes(series, part)
            size = np.bincount(part[part >= 0])
            start = time.perf_counter()
            ours = form(low, high, size, k)
            middle = time.perf_counter()
            theirs = scanned(low, high, size, k)
            end = time.perf_counter()
            found = []
            for group in (ours, theirs):
                of_series = np.where(part >= 0, group[part], -1)
                people = np.bincount(of_series[of_series >= 0])
                found.append(value_loss(*envelopes(series, of_series), people))
            print(
                f"| {data} | {k} | {p} | {len(size):,} | {found[0]:,.2f} | {found[1]:,.2f} "
                f"| {found[0] / found[1] - 1:+.3%} | {'yes' if (ours == theirs).all() else 'no'} "
                f"| {middle - start:.2f} | {end - middle:.1f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("findings", "dials", "exchanges"):
        of = commands.add_parser(name)
        of.add_argument("tables", nargs="*", help="a file, and a colon with the columns to take")
        of.add_argument("--times", type=int, default=10)
        of.add_argument("--rows", type=int, default=20_000)
    of = commands.add_parser("transcription")
    for name, value in (("series", 2_000), ("times", 143), ("k", 16), ("P", 6)):
        of.add_argument(f"--{name}", type=int, default=value)
    of = commands.add_parser("speed")
    of.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    of.add_argument("--data", choices=["walks", "uniform"], default="walks")
    of.add_argument("--runs", type=int, default=3)
    of = commands.add_parser("greedy")
    of.add_argument("--series", type=int, default=20_000)
    options = parser.parse_args()
    commands_by_name = {
        "findings": findings, "dials": dials, "transcription": transcription, "speed": speed,
        "greedy": greedy, "exchanges": exchanges,
    }  # fmt: skip
    commands_by_name[options.command](options)


if __name__ == "__main__":
    main()
