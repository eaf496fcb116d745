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

from anachron import steps
from anachron.engines.spark import table as tables
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
    parser.add_argument("--steps", action="store_true", help="kill a driver at each durable step")
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
    one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    with patch("anachron.ledger.keys.secrets", one_key):
        here = published(given, list(given.tables), asked.folder / "here")
        if asked.steps:
            told["steps"] = _killed(given, frames, asked.folder)
        there = published(given, frames, asked.folder / "there")
    told["files"] = sum(name.startswith("releases") for name in here)
    told["different"] = [n for n in sorted({*here, *there}) if here.get(n) != there.get(n)]
    if asked.steps:
        told["different"] += [
            f"{folder.name}: {name}"
            for folder in sorted(asked.folder.glob("step*"))
            for again in [published(given, frames, folder)]
            for name in sorted({*here, *again})
            if here.get(name) != again.get(name)
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


def _killed(given: Any, frames: list[Any], folder: Path) -> list[str]:
    """Publish in processes that are killed, each at another durable step; give the steps.

    Of steps that are alike, such as the writing of one file after the other, at the first and the
    last.
    """
    names: list[str] = []
    with patch.object(steps, "reached", names.append):
        published(given, list(given.tables), folder / "counted")
    at = {names.index(name) for name in names}
    at |= {len(names) - 1 - names[::-1].index(name) for name in names}
    passed = []
    for step in sorted(at):
        if not (child := os.fork()):
            _doomed(step, given, frames, folder / f"step{step:03d}")
        if os.waitpid(child, 0)[1] != signal.SIGKILL:
            raise RuntimeError(f"no process was killed at the step {names[step]}")
        passed.append(names[step])
    return passed


def _doomed(left: int, given: Any, frames: list[Any], folder: Path) -> None:
    def reached(_: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with patch.object(steps, "reached", reached), suppress(BaseException):
        published(given, frames, folder)
    os._exit(1)


if __name__ == "__main__":
    main()
