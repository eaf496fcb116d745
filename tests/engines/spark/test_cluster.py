"""On a master and two workers of its own: all methods, lost executors, twins, a lost driver."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.spark.cluster import Cluster, cluster, ran
from tests.engines.spark.job import durable, killed_at
from tests.engines.spark.tables import METHODS

pytestmark = pytest.mark.campaign

JOB = ("tests.engines.spark.job", "--set", "spark.sql.shuffle.partitions=4")


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def job(workers: Cluster, folder: Path, *more: str) -> dict[str, Any]:
    done = ran(*JOB, "--master", workers.master, "--folder", str(folder), *more)
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert told["files"] >= 2
    return told


@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_the_same_from_two_workers(
    workers: Cluster, tmp_path: Path, method: str
) -> None:
    seed = "1" if method == "register" else "2"  # histories that are published to their end
    assert job(workers, tmp_path, "--method", method, "--seed", seed)["different"] == []


def test_executors_killed_while_a_stage_runs_change_nothing(
    workers: Cluster, tmp_path: Path
) -> None:
    told = job(workers, tmp_path, "--method", "register", "--seed", "1", "--lose",
               *map(str, workers.workers))  # fmt: skip
    # Before and after each kill, tasks of the same stage were running.
    assert told["killed"]
    assert all(before and after for _, before, after in told["killed"])
    assert told["different"] == []


def test_a_speculative_twin_of_a_task_changes_nothing(workers: Cluster, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    told = job(workers, tmp_path, "--seed", "1", "--late", "--set", "spark.eventLog.enabled=true",
               "--set", f"spark.eventLog.dir={(tmp_path / 'events').as_uri()}",
               "--set", "spark.eventLog.compress=false")  # fmt: skip
    twins = [
        (event["Stage ID"], event["Task Info"]["Index"])
        for log in (tmp_path / "events").rglob("events_*")
        for event in map(json.loads, log.read_text(encoding="utf-8").splitlines())
        if event["Event"] == "SparkListenerTaskEnd"
        and event["Task Info"]["Speculative"]
        and event["Task End Reason"]["Reason"] == "Success"
    ]
    assert twins
    assert told["different"] == []


@pytest.mark.parametrize("method", METHODS)
def test_a_driver_killed_at_its_durable_steps_leaves_nothing_torn(
    workers: Cluster, tmp_path: Path, method: str
) -> None:
    seed = "1" if method == "register" else "2"
    there = durable(method, int(seed), tmp_path / "counted")
    # To begin a ledger is the same for all methods.
    born = max(step for step, name in there.items() if name == "migrated")
    doomed = [step for step in sorted(there) if method == "events" or step > born]
    assert len(doomed) > 10
    for step in doomed:
        # Who is killed before the first step is done leaves an empty folder.
        (tmp_path / killed_at(step)).mkdir()
        done = ran(*JOB, "--master", workers.master, "--folder", str(tmp_path), "--method", method,
                   "--seed", seed, "--doomed", str(step))  # fmt: skip
        assert done.returncode == -signal.SIGKILL, (there[step], done.stderr[-3000:])
    told = job(workers, tmp_path, "--method", method, "--seed", seed, "--again")
    assert len(told["published"]) == len(doomed) + 1
    assert told["different"] == []
