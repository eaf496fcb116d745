"""A driver of its own, which tests lose things of: ``python -m tests.engines.spark.job --help``.

It publishes one history on Spark, and says in a line of JSON what came of it, beside what the local
engine makes of the same tables.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import anachron as an
from anachron import steps
from anachron.engines.spark import load as tables
from tests.engines.spark.cluster import Cluster
from tests.engines.spark.parity import published, spread
from tests.engines.spark.sessions import session
from tests.engines.spark.tables import case

SPECULATION = {
    "spark.speculation": "true", "spark.speculation.interval": "50ms",
    "spark.speculation.multiplier": "1.1", "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "50ms",
}  # fmt: skip


def main() -> None:
    """Publish, lose what is asked for, and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--method", default="events")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], help="a setting of Spark: name=value")
    parser.add_argument("--lose", type=int, nargs="*", help="workers of which executors are killed")
    parser.add_argument("--late", action="store_true", help="a task is slow where it is run first")
    parser.add_argument("--doomed", type=int, help="be killed at a durable step, from 0")
    parser.add_argument("--again", action="store_true", help="go on where drivers were killed")
    asked = parser.parse_args()
    more = dict(one.split("=", 1) for one in asked.set)
    spark = session(asked.master, **(SPECULATION if asked.late else {}), **more)
    tables._ROWS_A_PART = 60
    given = case(asked.method, asked.seed)
    frames = [spread(spark, table, random.Random(asked.seed)) for table in given.tables]
    if asked.late:
        frames = [one.repartition(4).mapInArrow(_late, one.schema) for one in frames]
    told: dict[str, Any] = {"killed": []}
    if asked.lose:
        watching = threading.Thread(
            target=_losing, args=(spark, asked.lose, told["killed"]), daemon=True
        )
        watching.start()
    there = asked.folder / "there"
    with patch("anachron.ledger.keys.secrets", one_key()):
        if asked.doomed is not None:
            _doom(asked.doomed)
            published(given, frames, asked.folder / killed_at(asked.doomed))
            raise SystemExit("nothing killed it")
        here = published(given, list(given.tables), asked.folder / "here")
        folders = [there, *sorted(asked.folder.glob(killed_at("*")))] if asked.again else [there]
        made = {
            folder.name: published(given, frames[_done(folder) :], folder) for folder in folders
        }
    told["files"] = sum(name.startswith("releases") for name in here)
    told["published"] = sorted(made)
    told["different"] = [
        f"{folder}: {name}"
        for folder, found in made.items()
        for name in sorted({*here, *found})
        if here.get(name) != found.get(name)
    ]
    print(json.dumps(told), flush=True)
    spark.stop()


def _late(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the same rows, of one part after a long time where it is run first."""
    from pyspark import TaskContext

    task = TaskContext.get()
    if task is not None and task.partitionId() == 0 and task.attemptNumber() == 0:
        time.sleep(20)
    yield from batches


def _losing(spark: Any, workers: list[int], killed: list[Any]) -> None:
    """Kill an executor that is running a task, twice, and say of which stage it was."""
    tracker, there = spark.sparkContext.statusTracker(), Cluster("", Path(), tuple(workers))
    while len(killed) < 2:
        for stage in tracker.getActiveStageIds():
            seen = tracker.getStageInfo(stage)
            executors = there.executors()
            if seen is None or not seen.numActiveTasks or len(executors) < len(workers):
                continue
            victim = random.choice(executors)
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            still = tracker.getStageInfo(stage)
            if still is not None and still.numActiveTasks:
                killed.append([stage, seen.numActiveTasks, still.numActiveTasks])
                time.sleep(5)
                break
        time.sleep(0.01)


def killed_at(step: object) -> str:
    """The folder of a driver that was killed at a step."""
    return f"step{step}"


def durable(method: str, seed: int, folder: Path) -> dict[int, str]:
    """The durable steps of a history: of those alike, as of many files, the first and the last."""
    given, names = case(method, seed), list[str]()
    # As for those who are killed: to make it would be more steps.
    folder.mkdir(parents=True)
    with (
        patch.object(steps, "reached", names.append),
        patch("anachron.ledger.keys.secrets", one_key()),
    ):
        published(given, list(given.tables), folder)
    last = {name: number for number, name in enumerate(names)}
    return {number: names[number] for number in {*map(names.index, last), *last.values()}}


def _done(folder: Path) -> int:
    """How many tables were published before, without the last: it is the same release again."""
    there = (folder / "ledger").exists()
    return max(len(an.Ledger.open(folder / "ledger").entries()) - 1, 0) if there else 0


def one_key() -> SimpleNamespace:
    """Every new ledger has the same key."""
    return SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)


def _doom(left: int) -> None:
    """Kill this process, and nothing before, when so many steps are behind it."""

    def reached(_: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.reached = reached


if __name__ == "__main__":
    main()
