"""Questions to releases: how fast they are answered, and how well.

    python -m benchmarks.asking speed TABLE --subject ID --quasi A B C D --sensitive S [-m 10] \
        [--rows 200000] [--questions 10000] [--theta 0.1] [--times 3]
    python -m benchmarks.asking registers TABLE --subject ID --quasi A B --sensitive S … [-m 2 4] \
        [--replaced 5000 20000]
    python -m benchmarks.asking sizes TABLE --subject ID --quasi A B --sensitive S [--rows 35000 …]
    python -m benchmarks.asking feeds TABLE --time T --sensitive S -l 5 [--drawn set|record]
    python -m benchmarks.asking windows TABLE --time T --quasi A B --sensitive S -l 5
    python -m benchmarks.asking series [TABLE[:COLUMNS] …] [--k 2 5 10 20] [--more]

``speed``: counts with a random range on every column, as Xiao and Tao ask them (§5.2), on an
m-invariant release of the table. The yardstick, timed in the same run: DuckDB answers the same
questions on the rows of the table, in whichever way is fastest for it, all in memory.

The others compare answers with the truth. ``registers``: Figures 7 and 8 of Xiao and Tao, and
``sizes`` how the error depends on the size of the table. ``feeds``: window questions for three
ways to make snapshots eligible, on counts; ``windows``: the same with quasi columns, of a feed that
is published. ``series``: Figures 7, 9 and 10 of Shou et al.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron.asking.figures import nothing
from anachron.asking.published import opened
from anachron.asking.question import Aggregate, All, Condition, Ranges, Span
from benchmarks import pattern_questions, usefulness

Range = tuple[str, int, int]


def register(options: argparse.Namespace) -> pa.Table:
    """The table, repeated under other names until it has as many rows as wanted."""
    columns = [options.subject, *options.quasi, options.sensitive]
    table = pq.read_table(options.table, columns=columns)
    many = -(-options.rows // table.num_rows)
    people = pa.array(np.arange(many * table.num_rows))
    table = pa.concat_tables([table] * many)
    return table.set_column(0, options.subject, people).slice(0, options.rows)


def workload(table: pa.Table, columns: list[str], theta: float, many: int) -> list[list[Range]]:
    """Ranges of |A| θ^(1/d) on each of d columns, wherever they fall in its domain."""
    rng = np.random.default_rng(1)
    ranges = []
    for column in columns:
        low, high = (int(end.as_py()) for end in pa.compute.min_max(table[column]).values())
        length = max(1, round((high - low + 1) * theta ** (1 / len(columns))))
        first = rng.integers(low, high - length + 2, many).tolist()
        ranges.append([(column, start, start + length - 1) for start in first])
    return [list(one) for one in zip(*ranges, strict=True)]


def condition(ranges: list[Range]) -> Condition:
    return All(tuple(Ranges(column, (Span(low, high),)) for column, low, high in ranges))


def filtered(con: duckdb.DuckDBPyConnection, questions: list[list[Range]], many: int) -> list[int]:
    """Many filtered counts in one statement."""
    found: list[int] = []
    for at in range(0, len(questions), many):
        wheres = [
            " AND ".join(f"{column} BETWEEN {low} AND {high}" for column, low, high in one)
            for one in questions[at : at + many]
        ]
        counts = ", ".join(f"COUNT(*) FILTER (WHERE {where})" for where in wheres)
        found += con.sql(f"SELECT {counts} FROM rows").fetchall()[0]
    return found


def joined(con: duckdb.DuckDBPyConnection, questions: list[list[Range]]) -> list[int]:
    """The questions as a table, joined with the rows."""
    columns = [column for column, _, _ in questions[0]]
    ends: dict[str, list[int]] = {"question": list(range(len(questions)))}
    for at, column in enumerate(columns):
        ends[f"{column}_from"] = [one[at][1] for one in questions]
        ends[f"{column}_to"] = [one[at][2] for one in questions]
    con.register("asked", pa.table(ends))
    on = " AND ".join(f"rows.{c} BETWEEN asked.{c}_from AND asked.{c}_to" for c in columns)
    counts = con.sql(
        f"SELECT question, COUNT(rows.{columns[0]}) FROM asked LEFT JOIN rows ON {on} "
        "GROUP BY question ORDER BY question"
    ).fetchall()
    return [count for _, count in counts]


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def speed(options: argparse.Namespace) -> None:
    table = register(options)
    columns = [*options.quasi, options.sensitive]
    questions = workload(table, columns, options.theta, options.questions)
    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    con.register("source", table)
    con.execute(f"CREATE TABLE rows AS SELECT {', '.join(columns)} FROM source")
    ways: dict[str, Callable[[list[list[Range]]], list[int]]] = {
        f"{many} counts a statement": lambda some, many=many: filtered(con, some, many)
        for many in (1, 5, 20, 100, 500)
    }
    ways["a join"] = lambda some: joined(con, some)
    trial = questions[: max(1, options.questions // 50)]
    tried = {name: timed(lambda way=way: way(trial)) for name, way in ways.items()}
    for name, seconds in tried.items():
        print(f"DuckDB, {name}: {seconds:.2f} s for {len(trial):,} questions", flush=True)
    best = min(tried, key=tried.__getitem__)
    with tempfile.TemporaryDirectory() as name:
        schema = an.Schema(
            subject=options.subject, quasi=options.quasi, sensitive=options.sensitive
        )
        folder = Path(name)
        release = an.publish(
            table, schema, an.MInvariance(m=options.m), ledger=folder / "l", to=folder / "r"
        )
        load = timed(lambda: opened([release]))
        published = opened([release])
        conditions = [condition(one) for one in questions]
        one = [timed(lambda c=c: published.figures([c], Aggregate())) for c in conditions[:50]]
        ours, theirs, figures, truth = [], [], nothing(0), np.zeros(0)
        for _ in range(options.times):
            start = time.perf_counter()
            figures = published.figures(conditions, Aggregate())
            between = time.perf_counter()
            truth = np.array(ways[best](questions), dtype=float)
            ours.append(between - start)
            theirs.append(time.perf_counter() - between)
    outside = int(((truth < figures.low) | (truth > figures.high)).sum())
    some = truth > 0
    error = np.abs(figures.estimate[some] - truth[some]) / truth[some]
    print(f"rows {release.rows:,}, questions {len(questions):,}, theta {options.theta}")
    print(f"DuckDB on the rows ({best}): {min(theirs):.2f} s")
    print(f"the release: {min(ours):.2f} s, {min(ours) / min(theirs):.2f} times as long")
    print(f"one question: {statistics.median(one) * 1000:.1f} ms, load {load * 1000:.0f} ms")
    print(f"median relative error {np.median(error):.1%}; outside the bounds: {outside}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("speed")
    one.add_argument("table")
    for name in ("subject", "sensitive"):
        one.add_argument(f"--{name}", required=True)
    one.add_argument("--quasi", nargs="+", required=True)
    one.add_argument("-m", type=int, default=10)
    one.add_argument("--rows", type=int, default=200_000)
    one.add_argument("--questions", type=int, default=10_000)
    one.add_argument("--theta", type=float, default=0.1)
    one.add_argument("--times", type=int, default=3)
    one.set_defaults(run=speed)
    usefulness.add_commands(commands)
    pattern_questions.add_commands(commands)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
