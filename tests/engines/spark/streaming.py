"""A stream that is stopped and killed on its way, and the same snapshots without any of it.

``python -m tests.engines.spark.streaming --snapshots 200 --stops 20``

Rows lie in Parquet files that end within snapshots. Processes of their own, with sessions of their
own, stream some of them into a feed. Each is killed with -9: once a batch is done but before Spark
has noted so, or at a durable step of the ledger; or it stops the query. The last one reaches the
end. Releases, states and explanations are then compared with those of a stream that nobody stopped,
and of a feed to which each snapshot was pushed on this machine.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron import steps
from tests.engines.spark.sessions import session
from tests.flow.tables import contents

__all__ = ["PROMISES", "copied", "feed", "files", "pushed", "snapshots", "stream", "told"]

SCHEMA = an.Schema(subject="who", time="at", quasi="age", sensitive="ill")
PROMISES = {
    "anatomy": an.Reposition(l=2, window=4, solver="recycle"),
    "at once": an.Reposition(l=2, window=1, then="generalize"),
    "m-invariant": an.Reposition(window=2, then=an.MInvariance(m=2)),
}
COLUMNS = "who string, at timestamp, age int, ill string"
AT_ONCE = 8
"""So many files are a batch."""
_HOUR = 3_600_000_000
_DAY = 24 * _HOUR
_BEGIN = 1_704_067_200_000_000
"""The first of January 2024."""
Rows = list[tuple[str, int, int, str]]


def snapshots(many: int, seed: int) -> list[Rows]:
    """The rows of each day, in the order in which they happen; some days have none."""
    rng = random.Random(seed)
    days = []
    for day in range(many):
        rows = rng.choice([0, 3, 6, 10, 14])
        hours = sorted(rng.randrange(24) for _ in range(rows))
        days.append([
            (f"p{day}.{n}", _BEGIN + day * _DAY + hour * _HOUR, rng.randrange(90),
             rng.choice("aabbcde")) for n, hour in enumerate(hours)
        ])  # fmt: skip
    return days


def table(rows: Rows) -> pa.Table:
    who, at, age, ill = (list(column) for column in zip(*rows, strict=True))
    kinds = {"who": pa.string(), "at": pa.timestamp("us", "UTC"), "age": pa.int32(),
             "ill": pa.string()}  # fmt: skip
    return pa.table([who, at, age, ill], schema=pa.schema(list(kinds.items())))


def files(days: Sequence[Rows], folder: Path, seed: int) -> int:
    """Drop all rows into files, one after the other, which end anywhere; say how many there are."""
    rng, rows = random.Random(seed), [row for day in days for row in day]
    folder.mkdir(parents=True)
    at = number = 0
    while at < len(rows):
        some = rows[at : at + rng.randint(1, 12)]
        file = folder / f"{number:05d}.parquet"
        pq.write_table(table(rng.sample(some, len(some))), file)
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
        at, number = at + len(some), number + 1
    return number


def feed(folder: Path, promise: an.Reposition) -> Any:
    return an.open(
        an.Plan("feed", SCHEMA, promise, ledger=folder / "ledger", releases=folder / "releases")
    )


def stream(
    spark: Any, folder: Path, source: Path, take: Callable[[Any, int], object], at_once: int
) -> None:
    """Stream all files that are not yet taken, so many at once."""
    rows = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", at_once)
    writer = rows.parquet(str(source)).writeStream.foreachBatch(take)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()


def pushed(folder: Path, promise: an.Reposition, days: Sequence[Rows]) -> None:
    """Push each snapshot on this machine."""
    for rows in days:
        if rows:
            feed(folder, promise).push(table(rows))


def told(folder: Path) -> dict[str, object]:
    """All that came of a feed: files, states and explanations."""
    ledger = an.Ledger.open(folder / "ledger")
    found: dict[str, object] = dict(contents(folder / "releases"))
    for entry in ledger.entries():
        found[f"explanation {entry.number}"] = entry.explanation
        found[f"state {entry.number}"] = ledger.state(entry).table().to_pydict()
    return found


def copied(folder: Path, names: Sequence[str]) -> list[Path]:
    """Folders with the same new ledger, so that all draw the same lots."""
    an.Ledger.open(folder / "new" / "ledger")
    return [Path(shutil.copytree(folder / "new", folder / name)) for name in names]


# A process that is stopped


def work(folder: Path, source: Path, promise: str, after: Sequence[int], end: str) -> None:
    """Stream until the end that is asked for, with queries that fail after some batches before."""
    from pyspark.errors import StreamingQueryException

    own, left = feed(folder, PROMISES[promise]), 0

    def killed(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    def fails(frame: Any, number: int) -> None:
        nonlocal left
        own.batch(frame, number)
        left -= 1
        if not left:  # the feed is done, and Spark is not
            raise InterruptedError

    def dies(frame: Any, number: int) -> None:
        own.batch(frame, number)
        if end == "batch":
            killed()

    spark = session()
    *queries, last = after
    for left in queries:
        with suppress(StreamingQueryException):
            stream(spark, folder, source, fails, AT_ONCE)
        if left:
            raise RuntimeError("a query that was to fail reached its end")
    left = last
    if end == "step":
        steps.reached = killed
    stream(spark, folder, source, dies, AT_ONCE if last else 5 * AT_ONCE)
    own.flush()


def process(folder: Path, source: Path, promise: str, after: Sequence[int], end: str) -> int:
    """Do it in a process of its own."""
    told = [folder, source, promise, ",".join(map(str, after)), end]
    command = [sys.executable, "-m", "tests.engines.spark.streaming", "--work"]
    return subprocess.run([*command, *map(str, told)], check=False).returncode


def interrupted(folder: Path, source: Path, promise: str, batches: int, stops: int) -> list[str]:
    """Stream with so many stops, every fourth of which kills the process; say which there were."""
    rng, ends = random.Random(stops), []
    share = max(1, batches // stops)
    while len(ends) < stops:
        end = rng.choice(["batch", "step"])
        # The first batch of a query is the last of the one before, once more.
        queries = [rng.randint(2, share + 1) for _ in range(min(3, stops - len(ends) - 1))]
        after = [*queries, rng.randint(2, share + 1) * (12 if end == "step" else 1)]
        if (code := process(folder, source, promise, after, end)) != -signal.SIGKILL:
            raise SystemExit(f"a stream that was to be killed ended with {code}")
        ends += [*(f"query after {n}" for n in queries), f"killed after {after[-1]} of {end}"]
    if code := process(folder, source, promise, [0], "none"):
        raise SystemExit(f"the last stream ended with {code}")
    return ends


def main() -> None:
    """Compare a stream that was stopped with others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--snapshots", type=int, default=200)
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--promise", choices=PROMISES, default="anatomy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", nargs=5)
    asked = parser.parse_args()
    if asked.work:
        folder, source, promise, after, end = asked.work
        work(Path(folder), Path(source), promise, [int(n) for n in after.split(",")], end)
        return
    begin, promise = time.monotonic(), PROMISES[asked.promise]
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        days = snapshots(asked.snapshots, asked.seed)
        many = files(days, room / "source", asked.seed)
        stopped, whole, here = copied(room, ["stopped", "whole", "here"])
        pushed(here, promise, days)
        feed(here, promise).flush()
        print(f"{many} files; here: {time.monotonic() - begin:.0f} s", flush=True)
        if process(whole, room / "source", asked.promise, [0], "none"):
            raise SystemExit("the stream that nobody stopped failed")
        print(f"without stops: {time.monotonic() - begin:.0f} s", flush=True)
        ends = interrupted(stopped, room / "source", asked.promise, many // AT_ONCE, asked.stops)
        print(f"stopped by {ends}: {time.monotonic() - begin:.0f} s", flush=True)
        all_told = told(here)
        for other in (whole, stopped):
            found = told(other)
            wrong = [key for key in {*found, *all_told} if found.get(key) != all_told.get(key)]
            print(f"{other.name}: {len(found)} files, states and explanations, {wrong} different")
            if wrong or not an.audit(other / "releases", ledger=other / "ledger").holds:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
