"""Questions to releases: how fast they are answered, and how well.

    python -m benchmarks.asking speed TABLE --subject ID --quasi A B C D --sensitive S [-m 10] \
        [--margins 25 none] [--rows 200000] [--questions 10000] [--theta 0.1] [--times 3]
    python -m benchmarks.asking registers TABLE --subject ID --quasi A B --sensitive S … [-m 2 4] \
        [--replaced 5000 20000] [--margins 25 none anatomy]
    python -m benchmarks.asking sizes TABLE --subject ID --quasi A B --sensitive S [--rows 35000 …]
    python -m benchmarks.asking covered TABLE --subject ID --quasi A B --sensitive S … [-m 10]
    python -m benchmarks.asking causes TABLE --subject ID --quasi A B --sensitive S … [-m 10]
    python -m benchmarks.asking feeds TABLE --time T --sensitive S -l 5 [--drawn set|record]
    python -m benchmarks.asking windows TABLE --time T --quasi A B --sensitive S -l 5
    python -m benchmarks.asking learned TABLE --time T --quasi A B --sensitive S -l 5
    python -m benchmarks.asking series [TABLE[:COLUMNS] …] [--k 2 5 10 20] [--more]

``speed``: counts with a random range on every column, as Xiao and Tao ask them (§5.2), of an
m-invariant release of the table: SQL through ``release.ask``, one by one, as a person asks. The
yardstick, timed in the same run: DuckDB answers the same questions on the rows of the table, in
whichever way is fastest for it, all in memory; and one by one, as it would be asked. Medians of
three. *First* is the time from opening the release in a fresh process to its first answer. With
several steps of margins there is a release of each, and they are asked in turns.

The others compare answers with the truth. ``registers``: Figures 7 and 8 of Xiao and Tao, and
``sizes`` how the error depends on the size of the table; ``covered`` how often the truth is within
one and two standard errors; ``causes`` where the error comes from. ``feeds``: window questions for
three ways to make snapshots eligible, on counts; ``windows``: the same with quasi columns, of a
feed that is published; ``learned``: these by what groups teach, and by even chances. ``series``:
Figures 7, 9 and 10 of Shou et al.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from benchmarks import pattern_questions, usefulness
from benchmarks.timing import median

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


def where(ranges: list[Range]) -> str:
    return " AND ".join(f"{column} BETWEEN {low} AND {high}" for column, low, high in ranges)


def filtered(con: duckdb.DuckDBPyConnection, questions: list[list[Range]], many: int) -> list[int]:
    """Many filtered counts in one statement."""
    found: list[int] = []
    for at in range(0, len(questions), many):
        some = questions[at : at + many]
        counts = ", ".join(f"COUNT(*) FILTER (WHERE {where(one)})" for one in some)
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


def fastest(
    ways: dict[str, Callable[[list[list[Range]]], list[int]]], trial: list[list[Range]]
) -> str:
    """The quickest way for DuckDB, found on a few questions."""
    tried = {name: timed(lambda way=way: way(trial)) for name, way in ways.items()}
    for name, seconds in tried.items():
        print(f"DuckDB, {name}: {seconds:.2f} s for {len(trial):,} questions", flush=True)
    return min(tried, key=tried.__getitem__)


def first_answer(folder: Path, question: str) -> Generator[None, None, float]:
    """What a person waits for who opens a release and asks."""
    yield
    return an.ask(folder, question).estimate


def speed(options: argparse.Namespace) -> None:
    table = register(options)
    columns = [*options.quasi, options.sensitive]
    questions = workload(table, columns, options.theta, options.questions)
    asked = [f"SELECT COUNT(*) WHERE {where(one)}" for one in questions]
    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    con.register("source", table)
    con.execute(f"CREATE TABLE rows AS SELECT {', '.join(columns)} FROM source")
    ways: dict[str, Callable[[list[list[Range]]], list[int]]] = {
        f"{many} counts a statement": lambda some, many=many: filtered(con, some, many)
        for many in (1, 5, 20, 100, 500)
    }
    ways["a join"] = lambda some: joined(con, some)
    best = fastest(ways, questions[: max(1, options.questions // 50)])
    with tempfile.TemporaryDirectory() as name:
        schema = an.Schema(
            subject=options.subject, quasi=options.quasi, sensitive=options.sensitive
        )
        releases = {
            step: an.publish(
                table, schema, an.MInvariance(m=options.m, margins=step),
                ledger=Path(name) / f"ledger {step}", to=Path(name) / f"releases {step}",
            )
            for step in options.margins
        }  # fmt: skip
        first = {
            step: median(first_answer, release.path, asked[0], runs=options.times).seconds
            for step, release in releases.items()
        }
        ours: dict[object, list[float]] = {step: [] for step in releases}
        answers, theirs, alone, truth = {}, [], [], []
        for _ in range(options.times):
            for step, release in releases.items():
                release.ask(asked[0])
                start = time.perf_counter()
                answers[step] = [release.ask(one) for one in asked]
                ours[step].append(time.perf_counter() - start)
            start = time.perf_counter()
            truth = ways[best](questions)
            theirs.append(time.perf_counter() - start)
            alone.append(timed(lambda: ways["1 counts a statement"](questions)))
    print(f"rows {options.rows:,}, questions {options.questions:,}, theta {options.theta}")
    duck = (best, statistics.median(theirs), statistics.median(alone))
    print(f"DuckDB on the rows: {duck[1]:.2f} s ({best}), {duck[2]:.2f} s one by one")
    for step, found in answers.items():
        _told(options, step, duck, statistics.median(ours[step]), first[step])
        _errors(found, truth)


def _told(
    options: argparse.Namespace,
    step: object,
    duck: tuple[str, float, float],
    ours: float,
    first: float,
) -> None:
    _, theirs, alone = duck
    print(f"margins {step}: {ours:.2f} s: {ours / theirs:.2f} × and {ours / alone:.2f} ×")
    print(f"a question: {1000 * ours / options.questions:.1f} ms; the first: {first:.2f} s")


def _errors(answers: list[an.Answer], truth: list[int]) -> None:
    outside = sum(not a.low <= t <= a.high for a, t in zip(answers, truth, strict=True))
    error = [abs(a.estimate - t) / t for a, t in zip(answers, truth, strict=True) if t]
    print(f"median relative error {statistics.median(error):.1%}; outside the bounds: {outside}")


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
    one.add_argument("--margins", type=usefulness.step_of, nargs="+", default=[25])
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
