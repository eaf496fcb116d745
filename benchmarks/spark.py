"""What a publication on Spark takes, beside a plain Spark job on the same rows.

    python -m benchmarks.spark --method events --rows 1000000 3000000 [--master "local[2]"]

The plain job reads the table, shuffles it once by the same key, sorts it and writes it as Parquet:
what nobody who moves the rows can do without. Each of the two is a process of its own, with Spark
under it. Told are the seconds of processor and the peaks of memory of the driver's Python, of the
workers' (the largest of them) and of the JVM, and the seconds of the whole tree; the session, which
both need, is in both. Needs Linux (``/proc``), pyspark and Java.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

import anachron as an
from anachron.guarantees.promise import Promise
from benchmarks.granularity import SCHEMA as EVENTS
from benchmarks.granularity import generate

_TICK = os.sysconf("SC_CLK_TCK")
_MEGABYTE = 1 << 20
_REGISTER = an.Schema(subject="person", quasi=["age", "area"], sensitive="diagnosis")
_FEED = an.Schema(subject="person", time="day", quasi=["age", "sex"], sensitive="diagnosis")
_HOURS = [f"h{hour:02}" for hour in range(24)]
_HOUR = """round(hash(i * 3) % 20 + 4 * sin({place} / 4.0 + hash(i * 5) % 6)
           + (hash(i * 97 + {place}) % 100) / 40.0, 1)::DOUBLE AS {name}"""
"""A load curve: a level, a wave and a little noise."""


@dataclass(frozen=True)
class Work:
    """A table of a method, its promise, and the plain job beside it."""

    schema: an.Schema
    promise: Promise
    key: str
    order: tuple[str, ...]
    rows: str = ""
    """How a row is made of its number ``i``, in SQL."""


WORKS = {
    "events": Work(
        EVENTS,
        an.TimeGranularity(k=5, granularities=["day", "month", "year"]),
        "person",
        ("age_band", "sex", "region", "seen", "diagnosis"),
    ),
    "register": Work(
        _REGISTER,
        an.MInvariance(m=5),
        "person",
        ("age", "area", "diagnosis"),
        """'P' || i AS person, (hash(i * 3) % 90)::INTEGER AS age,
           (hash(i * 5) % 400)::INTEGER AS area, 'D' || (hash(i * 7) % 40) AS diagnosis""",
    ),
    "feed": Work(
        _FEED,
        an.Reposition(l=5, window=7, then="anatomy"),
        "day",
        ("day", "age", "sex", "diagnosis"),
        """'P' || i AS person, DATE '2024-01-01' + (hash(i * 11) % 30)::INTEGER AS day,
           (hash(i * 3) % 90)::INTEGER AS age, CASE WHEN hash(i * 5) % 2 = 0 THEN 'f' ELSE 'm' END
           AS sex, 'D' || (sqrt(hash(i * 7) % 1600))::INTEGER AS diagnosis""",
    ),
    "series": Work(
        an.Schema(subject="meter", series=_HOURS, sensitive="tariff"),
        an.KPAnonymity(k=10, P=5, precision="0.1"),
        "meter",
        ("tariff", *_HOURS),
        "'M' || i AS meter, 'T' || (hash(i * 7) % 40) AS tariff, "
        + ", ".join(_HOUR.format(place=place, name=name) for place, name in enumerate(_HOURS)),
    ),
}


def publish(path: str, method: str, master: str) -> None:
    """Publish the table from Spark."""
    work, place = WORKS[method], Path(path).parent / "made"
    frame = _session(master).read.parquet(path)
    an.publish(frame, work.schema, work.promise, ledger=place / "l", to=place / "r",
               progress=lambda what, share: _told(what, share))  # fmt: skip


def plain(path: str, method: str, master: str) -> None:
    """Read, shuffle by the key, sort, write."""
    work = WORKS[method]
    frame = _session(master).read.parquet(path)
    parts = max(2, -(-frame.count() // (1 << 18)))
    made = frame.repartition(parts, work.key).sortWithinPartitions(*work.order)
    made.write.parquet(str(Path(path).parent / "plain"))


_STEPS: dict[str, float] = {}


def _told(what: str, share: float) -> None:
    """With what its driver was busy when it grew."""
    del share
    if what not in _STEPS:
        _STEPS[what] = time.perf_counter()
        print(f"    {what}: {_figures(os.getpid())[1] / _MEGABYTE:.0f} MB before", flush=True)


def _session(master: str):  # type: ignore[no-untyped-def]
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    for name, value in {"driver.memory": "2g", "ui.showConsoleProgress": "false",
                        "driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1",
                        "sql.session.timeZone": "UTC"}.items():  # fmt: skip
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


@dataclass
class Measured:
    """A tree of processes, looked at again and again."""

    seconds: float = 0.0
    busy: dict[int, float] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)

    def look(self, root: int) -> None:
        """See who is there, and how much each has used."""
        for pid in _tree(root):
            with suppress(OSError, ValueError, IndexError):
                busy, memory, name = _figures(pid)
                is_worker = name.startswith("python")
                kind = "driver" if pid == root else "worker" if is_worker else "JVM"
                self.busy[pid] = max(self.busy.get(pid, 0.0), busy)
                self.kinds[pid] = kind
                self.peak[kind] = max(self.peak.get(kind, 0), memory)

    def __str__(self) -> str:
        told = ", ".join(
            f"{kind} {self._busy(kind):.0f} s, {size // _MEGABYTE} MB"
            for kind, size in sorted(self.peak.items())
        )
        return f"{sum(self.busy.values()):.0f} s of processor, {self.seconds:.0f} s; {told}"

    def _busy(self, kind: str) -> float:
        return sum(busy for pid, busy in self.busy.items() if self.kinds[pid] == kind)


def _figures(pid: int) -> tuple[float, int, str]:
    """Seconds of processor, the peak of memory in bytes, and the name of a process."""
    place = Path(f"/proc/{pid}")
    name, rest = (place / "stat").read_text().partition("(")[2].rsplit(")", 1)
    times = rest.split()
    status = (place / "status").read_text()
    peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0")
    return (int(times[11]) + int(times[12])) / _TICK, int(peak.split()[1]) * 1024, name


def _tree(root: int) -> list[int]:
    found, next_ = [], [root]
    while next_:
        pid = next_.pop()
        found.append(pid)
        with suppress(OSError):
            for told in Path(f"/proc/{pid}/task").glob("*/children"):
                next_ += map(int, told.read_text().split())
    return found


def measured(job: str, path: Path, method: str, master: str) -> Measured:
    """Run a job in a process of its own, and look at it until it ends."""
    begin, seen = time.perf_counter(), Measured()
    code = f"from benchmarks import spark; spark.{job}({str(path)!r}, {method!r}, {master!r})"
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    while child.poll() is None:
        seen.look(child.pid)
        time.sleep(0.2)
    if child.returncode:
        raise SystemExit(f"{job} failed")
    seen.seconds = time.perf_counter() - begin
    return seen


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=sorted(WORKS), default="events")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--master", default="local[2]")
    asked = parser.parse_args()
    for rows in asked.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            if of := WORKS[asked.method].rows:
                duckdb.sql(f"COPY (SELECT {of} FROM range({rows}) t(i)) TO '{path}'")
            else:
                generate(path, rows)
            base = measured("plain", path, asked.method, asked.master)
            print(f"{asked.method}, {rows:,} rows, plain job: {base}", flush=True)
            ours = measured("publish", path, asked.method, asked.master)
            times = sum(ours.busy.values()) / sum(base.busy.values())
            print(f"{asked.method}, {rows:,} rows, published: {ours}; {times:.1f} x", flush=True)


if __name__ == "__main__":
    main()
