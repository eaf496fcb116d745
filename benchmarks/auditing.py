"""How long an audit with the table and the ledger takes, against the publication itself.

    python -m benchmarks.auditing [--scale 1.0] [--only granularity feed …] [--runs 3]

The generated tables of the other benchmarks, each published and then audited in processes of their
own: rows of time granularity, the third release of a register (audited with its whole history), a
feed by anatomy and one by intervals, series of ten times. What is compiled is loaded before the
clock starts, for both. Publishing includes an audit, before the release is exposed; the one that is
timed here reads everything again, table and history included. The aim is half the time. Processor
time is told beside it: on a busy machine it is the steadier of the two. Times are medians of three.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pyarrow.parquet as pq

import anachron as an
from benchmarks import feeds, granularity, invariance, patterns
from benchmarks.timing import median

WARM = 20_000
"""Rows of the table that loads what is compiled."""
SERIES = an.Schema(subject="who", series=[f"t{i}" for i in range(10)])


def events(folder: Path, rows: int) -> None:
    granularity.generate(folder / "1.parquet", rows)


def registers(folder: Path, rows: int) -> None:
    for number, table in enumerate(invariance.registers(rows, 3), 1):
        pq.write_table(table, folder / f"{number}.parquet")


def calls(folder: Path, rows: int) -> None:
    feeds.calls(rows, folder / "1.parquet")


def walks(folder: Path, rows: int) -> None:
    pq.write_table(patterns.table_of(rows, "walks"), folder / "1.parquet")


ORDERS = {"age": ["0-18", "19-69", "70-120"], "sex": ["female", "male"]}
WORK: dict[str, tuple[Callable[[Path, int], None], int, an.Schema, object]] = {
    "granularity": (events, 3_000_000, granularity.SCHEMA, granularity.PROMISE),
    "register": (registers, 200_000, invariance.SCHEMA, invariance.PROMISE),
    "feed, anatomy": (calls, 1_300_000, feeds.SCHEMA, an.Reposition(l=5, window=7)),
    "feed, intervals": (
        calls,
        400_000,
        feeds.SCHEMA,
        an.Reposition(l=5, window=7, then="generalize", orders=ORDERS),
    ),
    "series": (walks, 100_000, SERIES, an.KPAnonymity(k=10, P=5, precision="0.01")),
}
"""How each table is made, its rows, and what is promised of it."""


def publish(name: str, folder: Path) -> Generator[None, None, Path]:
    """Publish the newest table; those before it, of a register, are published first."""
    _, _, schema, promise = WORK[name]
    _warm(name)
    place = Path(tempfile.mkdtemp(dir=folder))
    *earlier, newest = sorted(folder.glob("*.parquet"))
    for table in earlier:
        an.publish(table, schema, promise, ledger=place / "ledger", to=place / "releases")
    yield
    an.publish(newest, schema, promise, ledger=place / "ledger", to=place / "releases")
    return place


def audit(name: str, folder: Path, place: Path) -> Iterator[None]:
    """Audit the newest release with its table and its ledger."""
    _warm(name)
    table, release = max(folder.glob("*.parquet")), max(place.glob("releases/*"))
    yield
    verdict = an.audit(release, table=table, ledger=place / "ledger")
    if not verdict.holds:
        raise SystemExit(f"{name}: {verdict}")


def _warm(name: str) -> None:
    make, _, schema, promise = WORK[name]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        make(place, WARM)
        release = an.publish(
            place / "1.parquet", schema, promise, ledger=place / "ledger", to=place / "releases"
        )
        an.audit(release, table=place / "1.parquet", ledger=place / "ledger")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the rows of each table")
    parser.add_argument("--only", nargs="*", choices=list(WORK), default=list(WORK))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| method | rows | publish | audit | ratio | processor time | ratio | peak MB |")
    print("|" + "---|" * 8)
    for name in options.only:
        rows = int(WORK[name][1] * options.scale)
        with tempfile.TemporaryDirectory() as given:
            folder = Path(given)
            WORK[name][0](folder, rows)
            made = median(publish, name, folder, runs=options.runs)
            done = median(audit, name, folder, made.result, runs=options.runs)
            print(
                f"| {name} | {rows:,} | {made.seconds:.2f} s | {done.seconds:.2f} s "
                f"| {done.against(made)} | {made.processor:.2f} and {done.processor:.2f} s "
                f"| {done.processor / made.processor:.2f} × | {done.peak_mb:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
