"""Real tables: how often does the truth lie within two standard errors of the answer?

    python -m benchmarks.honesty feed TABLE --time T --quasi A B --sensitive S [-l 2 3] \
        [--window 7] [--then anatomy generalize] [--rows 20000] [--parts 5]
    python -m benchmarks.honesty register TABLE --quasi A B --sensitive S [-m 4 10] [--parts 5]

Counts with a condition on one or two quasi columns and one or a few sensitive values, sums and
means of a quasi column of those who have some value: as SQL, through ``release.ask``. A feed of
which a record is left out is not asked, since its truth is that of the others. Answers that are
exact, or that say that no standard error is known, are counted apart.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import anachron as an

Found = dict[str, Counter[str]]


def microdata(options: argparse.Namespace, part: int = 0) -> pa.Table:
    """A stretch of the rows that have all columns, everybody once."""
    columns = [*options.quasi, options.sensitive, *([options.time] if options.time else [])]
    filled = " AND ".join(f'"{column}" IS NOT NULL' for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    order = f'ORDER BY "{options.time}"' if options.time else ""
    rows = duckdb.sql(
        f"SELECT {names} FROM '{options.table}' WHERE {filled} {order} "
        f"LIMIT {options.rows} OFFSET {part * options.rows}"
    ).to_arrow_table()
    return rows.append_column("record", pa.array(range(rows.num_rows)))


def _on(table: pa.Table, column: str, rng: np.random.Generator, share: float) -> str:
    """A condition that about so large a share of the different values meets."""
    values = sorted(set(table[column].to_pylist()))
    many = max(1, round(len(values) * share))
    if isinstance(values[0], str):
        chosen = rng.choice(len(values), many, replace=False)
        texts = ", ".join("'" + values[i].replace("'", "''") + "'" for i in chosen)
        return f'"{column}" IN ({texts})'
    first = int(rng.integers(len(values) - many + 1))
    return f'"{column}" BETWEEN {values[first]} AND {values[first + many - 1]}'


def questions(
    table: pa.Table, options: argparse.Namespace, rng: np.random.Generator
) -> Iterator[tuple[str, str]]:
    """What is asked, by kind."""
    numbers = [q for q in options.quasi if not pa.types.is_string(table.schema.field(q).type)]
    for _ in range(options.questions):
        some = list(rng.permutation(options.quasi)[: int(rng.integers(1, 3))])
        quasi = [_on(table, column, rng, float(rng.uniform(0.1, 0.6))) for column in some]
        value = _on(table, options.sensitive, rng, float(rng.uniform(0.02, 0.4)))
        yield "COUNT, quasi and sensitive", f"SELECT COUNT(*) WHERE {' AND '.join([*quasi, value])}"
        if numbers:
            number = str(rng.choice(numbers))
            yield "SUM", f'SELECT SUM("{number}") WHERE {value}'
            yield "AVG", f'SELECT AVG("{number}") WHERE {value}'


def asked(release: an.Release, table: pa.Table, options: argparse.Namespace, found: Found) -> None:
    rng = np.random.default_rng([options.seed, len(table), release.number])
    con = duckdb.connect()
    con.register("rows", table)
    for kind, question in questions(table, options, rng):
        [[truth]] = con.sql(question.replace(" WHERE", " FROM rows WHERE", 1)).fetchall()
        if truth is None:
            continue
        told = release.ask(question).rows[0].figures[0]
        if told.exact:
            found[kind]["exact"] += 1
        elif told.error is None:
            found[kind]["not known"] += 1
        else:
            found[kind]["stated"] += 1
            found[kind]["within"] += abs(float(truth) - told.estimate) <= 2 * told.error


def published(
    options: argparse.Namespace, schema: an.Schema, promise: an.Reposition | an.MInvariance
) -> None:
    """Publish each stretch, ask, and tell."""
    found: Found = defaultdict(Counter)
    left_out = 0
    for part in range(options.parts):
        table = microdata(options, part)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            release = an.publish(table, schema, promise, ledger=folder / "l", to=folder / "r")
            lost = (release.explanation or {}).get("suppressed", 0)
            left_out += lost > 0
            if not lost:
                asked(release, table, options, found)
    told = f", {left_out} of them not asked: records are left out" if left_out else ""
    print(f"    {options.parts} parts of {options.rows:,} records{told}")
    for kind, counts in found.items():
        share = counts["within"] / counts["stated"] if counts["stated"] else float("nan")
        print(f"    {kind:<28} {share:6.1%} of {counts['stated']:>5,}; {counts['exact']} exact, "
              f"{counts['not known']} not known", flush=True)  # fmt: skip


def feed(options: argparse.Namespace) -> None:
    schema = an.Schema(
        subject="record", time=options.time, quasi=options.quasi, sensitive=options.sensitive
    )
    for then in options.then:
        for ell in options.l:
            print(f"{Path(options.table).stem}, {options.sensitive}, {then}, l = {ell}")
            published(options, schema, an.Reposition(l=ell, window=options.window, then=then))


def register(options: argparse.Namespace) -> None:
    schema = an.Schema(subject="record", quasi=options.quasi, sensitive=options.sensitive)
    for m in options.m:
        print(f"{Path(options.table).stem}, {options.sensitive}, m = {m}")
        published(options, schema, an.MInvariance(m=m))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for name, work in (("feed", feed), ("register", register)):
        command = commands.add_parser(name)
        command.set_defaults(work=work)
        command.add_argument("table")
        command.add_argument("--time")
        command.add_argument("--quasi", nargs="+", required=True)
        command.add_argument("--sensitive", required=True)
        command.add_argument("--rows", type=int, default=20_000)
        command.add_argument("--parts", type=int, default=1)
        command.add_argument("--questions", type=int, default=200)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("-l", type=int, nargs="+", default=[2, 3])
        command.add_argument("-m", type=int, nargs="+", default=[4, 10])
        command.add_argument("--window", type=int, default=7)
        command.add_argument("--then", nargs="+", default=["anatomy", "generalize"])
    options = parser.parse_args()
    options.work(options)


if __name__ == "__main__":
    main()
