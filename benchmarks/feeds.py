"""Feeds: what repositioning costs on real data, and how long it takes.

    python -m benchmarks.feeds measures TABLE --time T --sensitive S -l 5 [--subject ID] \
        [--snapshot day] [--windows 3 7 14] [--rolling 3 7] [--budget 60]
    python -m benchmarks.feeds planning [--values 1000] [--window 30] [--snapshots 5000]
    python -m benchmarks.feeds speed [--rows 400000 1300000 4100000] [--calls TABLE] \
        [--solver rolling]

``measures`` plans a feed on its counts and compares repositioning with suppression only, with
merging snapshots in time, and with what no plan of the same window can better, whatever it knows
(benchmarks/offline.py); with --subject, the first record of each subject in a snapshot counts.
*Careful* plans keep those on time eligible by themselves, as feeds do unless told otherwise.
``planning`` times the plan alone, with snapshots of small and of ten times as many rows.
``speed`` publishes a generated feed end to end (then="anatomy"), against what DuckDB needs in the
same run to read, group by (day, value), sort and write the same rows, medians of three runs. With
--calls, it is a real one: a table of counted calls (date, age, sex, site_type, nhs_region, count),
a row for each call.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import get_args

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron.arrays import Array
from anachron.guarantees.reposition import Solver
from anachron.methods.reposition.baselines import merging, suppression
from anachron.methods.reposition.measures import Measures, measure
from anachron.methods.reposition.plan import Due, Rule, arrive, begin, finish
from anachron.methods.reposition.rule import linear
from benchmarks.offline import bound
from benchmarks.timing import median

SCHEMA = an.Schema(subject="call", time="day", quasi=["age", "sex", "area"], sensitive="outcome")


def counts(options: argparse.Namespace) -> list[Array]:
    """Records of each value, snapshot by snapshot, from the first to the last."""
    unit = {"day": 1, "week": 7}[options.snapshot]
    at = f"""(CAST("{options.time}" AS DATE) - DATE '2001-01-01') // {unit} AS home"""
    value = f'"{options.sensitive}" AS s'
    source = f"""(SELECT * FROM '{options.table}' WHERE "{options.sensitive}" IS NOT NULL)"""
    weight = f'"{options.weight}"' if options.weight else "1"
    rows = f"SELECT {at}, {value}, {weight} AS n FROM {source}"
    if options.subject:
        first = f'arg_min("{options.sensitive}", "{options.time}") AS s'
        rows = f'SELECT {at}, {first}, 1 AS n FROM {source} GROUP BY home, "{options.subject}"'
    found = duckdb.sql(
        f"SELECT home, s, CAST(sum(n) AS BIGINT) AS n FROM ({rows}) WHERE home IS NOT NULL "
        "GROUP BY ALL ORDER BY ALL"
    ).to_arrow_table()
    at = found["home"].to_numpy().astype(np.int64)
    values = np.unique(found["s"].to_pylist(), return_inverse=True)[1]
    matrix = np.zeros((int(at.max() - at.min()) + 1, int(values.max()) + 1), dtype=np.int64)
    matrix[at - at.min(), values] = found["n"].to_numpy()
    return list(matrix)


def planned(arrived: list[Array], rule: Rule) -> tuple[list[Due], list[float]]:
    """What became due, and how long it took to plan at each arrival, and at the end."""
    window = begin(rule)
    dues: list[Due] = []
    clock = [time.perf_counter()]
    for row in arrived:
        window, due = arrive(window, rule, row)
        dues += due
        clock.append(time.perf_counter())
    dues += finish(window, rule)
    return dues, np.diff([*clock, time.perf_counter()]).tolist()


def rule_of(
    l: Fraction,  # noqa: E741
    window: int,
    beta: int,
    solver: str = "recycle",
    budget: int = 60,
) -> Rule:
    return Rule(l, window, linear(window), Fraction(beta), solver=solver, budget=budget)


def measures(options: argparse.Namespace) -> None:
    arrived, l = counts(options), Fraction(options.l)  # noqa: E741
    total = np.sum(arrived, axis=0)
    print(
        f"{options.table}: {int(total.sum()):,} records, {len(arrived):,} snapshots, "
        f"{len(total):,} values, the most frequent has {total.max() / total.sum():.1%}; l = {l}, "
        f"a record left out costs {max(options.windows)}, a snapshot of delay 1"
    )
    print(
        "| plan | moved | left out | loss | delay of the moved | longest | seconds | the longest |"
    )
    print("|---|---|---|---|---|---|---|---|")
    longest = max(options.windows)
    weigh = rule_of(l, longest, longest)
    show("suppression only", measure(suppression(arrived, l), arrived, weigh))
    merged = merging(arrived, l)
    far = max((int((due.position - due.home).max(initial=0)) for due in merged), default=0)
    show("merging in time", measure(merged, arrived, weigh, linear(max(far + 1, longest))))
    for window in options.windows:
        rules = {"recycle": rule_of(l, window, longest)}
        if window in (options.windows if options.rolling is None else options.rolling):
            rules["rolling"] = rule_of(l, window, longest, "rolling", options.budget)
        for solver, rule in rules.items():
            for name, strict in ((solver, False), (f"{solver}, careful", True)):
                asked = replace(rule, strict=strict)
                dues, seconds = planned(arrived, asked)
                unproved = sum(not due.proved for due in dues)
                told = f" ({unproved} unproved)" if unproved else ""
                show(f"{name}, window {window}{told}", measure(dues, arrived, asked), seconds)
        least = bound(arrived, float(l), window, float(longest))
        fewest = bound(arrived, float(l), window, 1.0, delay=0.0)
        print(
            f"| no plan is below, window {window} | | {least.left_out / total.sum():.2%} "
            f"| {least.loss:,.0f} | | | | |\n"
            f"| or below, were delay free | | {fewest.left_out / total.sum():.2%} | | | | | |",
            flush=True,
        )


def show(name: str, found: Measures, seconds: Sequence[float] = (0.0,)) -> None:
    delays = np.arange(len(found.distances))
    mean = float((delays * found.distances).sum()) / found.moved if found.moved else 0.0
    longest = int(np.flatnonzero(found.distances).max(initial=0))
    print(
        f"| {name} | {found.moved_share:.2%} | {found.suppressed_share:.2%} "
        f"| {float(found.loss):,.0f} | {mean:.2f} | {longest} | {sum(seconds):.2f} "
        f"| {max(seconds):.2f} |",
        flush=True,
    )


def snapshots(rows: int, values: int, number: int) -> list[Array]:
    """Skewed snapshots, in each of which a few values are twenty times as frequent as usual."""
    rng = np.random.default_rng(5)
    weights = np.tile(1 / np.arange(8, values + 8), (number, 1))
    for row in weights:
        row[rng.integers(0, values, 3)] *= 20
    weights /= weights.sum(axis=1, keepdims=True)
    return [rng.multinomial(rows, row).astype(np.int64) for row in weights]


def planning(options: argparse.Namespace) -> None:
    print("| rows a snapshot | values | window | snapshots | l | snapshots a second | moved |")
    print("|---|---|---|---|---|---|---|")
    for l in (Fraction(5), Fraction(12)):  # noqa: E741
        for rows in (2_000, 20_000, 200_000):
            arrived = snapshots(rows, options.values, options.snapshots)
            rule = replace(rule_of(l, options.window, options.window), first="cold")
            start = time.perf_counter()
            dues, _ = planned(arrived, rule)
            seconds = time.perf_counter() - start
            found = measure(dues, arrived, rule)
            print(
                f"| {rows:,} | {options.values:,} | {options.window} | {options.snapshots:,} | {l} "
                f"| {options.snapshots / seconds:,.0f} | {found.moved_share:.2%} |",
                flush=True,
            )


def calls(rows: int, file: Path) -> None:
    """Calls to a helpline: 70 days, skewed outcomes that change from day to day."""
    rng = np.random.default_rng(3)
    day = np.sort(rng.integers(0, 70, rows))
    shift = rng.normal(0, 0.25, (70, 12))
    weights = np.exp(np.log(1 / np.arange(3, 15)) + shift)
    chosen = (weights.cumsum(axis=1) / weights.sum(axis=1, keepdims=True))[day]
    outcome = (rng.random((rows, 1)) > chosen).sum(axis=1)
    shuffled = rng.permutation(rows)
    table = pa.table(
        {
            "call": rng.permutation(rows)[shuffled],
            "day": pa.array(np.datetime64("2020-03-18") + day[shuffled]),
            "age": pa.array(["0-18", "19-69", "70-120"]).take(rng.integers(0, 3, rows)),
            "sex": pa.array(["female", "male"]).take(rng.integers(0, 2, rows)),
            "area": rng.integers(0, 190, rows),
            "outcome": pa.array([f"outcome {i:02}" for i in range(12)]).take(outcome[shuffled]),
        }
    )
    pq.write_table(table, file)


def expanded(table: str, file: Path) -> None:
    """A row for each of the calls that a table counts, in no order."""
    duckdb.sql(
        f"""
        COPY (
            SELECT row_number() OVER () AS call, CAST(date AS DATE) AS day, age, sex,
                   site_type AS area, nhs_region AS outcome
            FROM (SELECT *, unnest(range(count)) FROM '{table}' WHERE nhs_region IS NOT NULL)
            ORDER BY hash(row_number() OVER ())
        ) TO '{file}'
        """
    )


def yardstick(file: Path) -> None:
    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    target = file.with_suffix(".sorted.parquet")
    con.sql(f"SELECT day, outcome, count(*) FROM '{file}' GROUP BY ALL").fetchall()
    con.sql(f"COPY (SELECT * FROM '{file}' ORDER BY day, outcome) TO '{target}'")


def publish(file: Path, folder: Path, solver: Solver) -> tuple[int, int]:
    """Records moved, and left out."""
    place = Path(tempfile.mkdtemp(dir=folder))
    release = an.publish(
        file,
        SCHEMA,
        an.Reposition(l=5, window=7, solver=solver),
        ledger=place / "ledger",
        to=place / "releases",
    )
    explained = release.explanation or {}
    return explained["moved"], explained["suppressed"]


def speed(options: argparse.Namespace) -> None:
    print("| rows | published in | processor | DuckDB | ratio | moved | left out | peak MB |")
    print("|" + "---|" * 8)
    for rows in [*options.rows, *([0] if options.calls else [])]:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "calls.parquet"
            if rows:
                calls(rows, file)
            else:
                expanded(options.calls, file)
                rows = pq.read_metadata(file).num_rows
            duck = median(yardstick, file)
            done = median(publish, file, Path(name), options.solver)
            moved, lost = done.result
            print(
                f"| {rows:,} | {done.seconds:.2f} s | {done.processor:.1f} s "
                f"| {duck.seconds:.2f} s | {done.against(duck)} | {moved:,} | {lost:,} "
                f"| {done.peak_mb:,.0f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    of = commands.add_parser("measures")
    of.add_argument("table")
    for name in ("time", "sensitive"):
        of.add_argument(f"--{name}", required=True)
    of.add_argument("--subject")
    of.add_argument("--weight", help="a column that says how many records a row stands for")
    of.add_argument("--snapshot", choices=["day", "week"], default="day")
    of.add_argument("-l", default="5")
    of.add_argument("--windows", type=int, nargs="*", default=[3, 7, 14])
    of.add_argument("--rolling", type=int, nargs="*", help="windows planned anew; all of them")
    of.add_argument("--budget", type=int, default=60)
    of = commands.add_parser("planning")
    for name, value in (("values", 1_000), ("window", 30), ("snapshots", 5_000)):
        of.add_argument(f"--{name}", type=int, default=value)
    of = commands.add_parser("speed")
    of.add_argument("--rows", type=int, nargs="*", default=[400_000, 1_300_000, 4_100_000])
    of.add_argument("--calls")
    of.add_argument("--solver", choices=get_args(Solver), default="recycle")
    options = parser.parse_args()
    {"measures": measures, "planning": planning, "speed": speed}[options.command](options)


if __name__ == "__main__":
    main()
