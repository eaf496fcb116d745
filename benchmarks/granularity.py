"""How long a publication and its audit take, against one DuckDB group-by.

    python -m benchmarks.granularity [--rows 1000000 3000000 10000000] [--runs 3]

Generated data: ten rows per subject on average, three quasi columns, times to the second over
three years, all fourteen built-in granularities on offer. The yardstick, timed in the same run:
``COUNT(DISTINCT subject)`` grouped by the quasi columns and the second, in DuckDB, from the same
Parquet file. Every figure is the median of three runs, each in a process of its own.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import duckdb

import anachron as an
from benchmarks.timing import Measured, median

SCHEMA = an.Schema(
    subject="person", time="seen", quasi=["age_band", "sex", "region"], sensitive="diagnosis"
)
PROMISE = an.TimeGranularity(k=5)


def generate(path: Path, rows: int) -> None:
    """Rows from hashes of their number: the same on every machine."""
    duckdb.connect().execute(
        f"""
        COPY (
          SELECT 'P' || lpad((hash(i * 7 + 1) % ({rows} // 10))::VARCHAR, 8, '0') AS person,
                 (20 + 5 * (hash(i * 3 + 5) % 12))::INTEGER AS age_band,
                 CASE WHEN hash(i * 11) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
                 'R' || (hash(i * 13) % 20) AS region,
                 TIMESTAMP '2020-01-01' + to_seconds((hash(i * 17) % 94608000)::BIGINT) AS seen,
                 'D' || (hash(i * 19) % 50) AS diagnosis
          FROM range({rows}) AS t(i)
        ) TO '{path}' (COMPRESSION zstd)
        """
    )


def yardstick(path: Path) -> int:
    """One group-by of the same rows at the finest granularity."""
    query = f"""
        SELECT count(*), min(people) FROM (
          SELECT count(DISTINCT person) AS people FROM '{path}'
          GROUP BY age_band, sex, region, date_trunc('second', seen))
        """
    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    return int(con.execute(query).fetchall()[0][0])


def publish(path: Path, folder: Path) -> str:
    """Read, search, recode, write Parquet, verify, record."""
    place = Path(tempfile.mkdtemp(dir=folder))
    release = an.publish(path, SCHEMA, PROMISE, ledger=place / "ledger", to=place / "releases")
    return str(release.path)


def check(release: str, path: Path) -> bool:
    """Audit a release with its microdata."""
    return an.audit(release, table=path, schema=SCHEMA).holds


def line(name: str, measured: Measured, reference: Measured) -> str:
    return (
        f"| {name} | {measured.seconds:.2f} | {measured.processor:.2f} "
        f"| {measured.against(reference)} | {measured.peak_mb:,.0f} |"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 3_000_000, 10_000_000])
    options.add_argument("--runs", type=int, default=3)
    chosen = options.parse_args()
    for rows in chosen.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / "events.parquet"
            generate(path, rows)
            reference = median(yardstick, path, runs=chosen.runs)
            published = median(publish, path, folder, runs=chosen.runs)
            audited = median(check, published.result, path, runs=chosen.runs)
            print(f"\n{rows:,} rows\n")
            print("| work | seconds | processor | against the group-by | peak MB |")
            print("|---|---|---|---|---|")
            print(line("group-by (yardstick)", reference, reference))
            print(line("publish", published, reference))
            print(line("audit", audited, reference), flush=True)


if __name__ == "__main__":
    main()
