"""A cluster on this machine: a master and two workers, each a process, on two hosts of loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.engines.spark.sessions import ROOT, missing

__all__ = ["Cluster", "cluster", "free", "ran"]

_HOSTS = ("127.0.0.1", "127.0.0.2")
"""A task never has its speculative twin on its own host."""
_PATIENCE = 180
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass(frozen=True)
class Cluster:
    """A master and its workers."""

    master: str
    folder: Path
    """Where they and their executors write."""
    workers: tuple[int, ...]
    """Their processes."""

    def executors(self) -> list[int]:
        """The processes that run tasks now."""
        return [child for worker in self.workers for child in _children(worker)]


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Start a cluster, and leave nothing of it behind."""
    if why := missing():
        pytest.skip(why)
    folder.mkdir(parents=True, exist_ok=True)
    port, shown = free(), free()
    master = f"spark://127.0.0.1:{port}"
    started = []
    try:
        started.append(_begun(folder / "master.log", _HOSTS[0], "master.Master", "--host",
            _HOSTS[0], "--port", str(port), "--webui-port", str(shown)))  # fmt: skip
        started += [
            _begun(folder / f"worker{number}.log", host, "worker.Worker", "--host", host,
                   "-d", str(folder / f"work{number}"), "-c", "1", "-m", "1g",
                   "--webui-port", "0", master)
            for number, host in enumerate(_HOSTS)
        ]  # fmt: skip
        _awaited(f"http://127.0.0.1:{shown}/json/", len(_HOSTS))
        yield Cluster(master, folder, tuple(one.pid for one in started[1:]))
    finally:
        for one in started:
            with suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()


def ran(*command: str, seconds: int = 3600) -> subprocess.CompletedProcess[bytes]:
    """Run a module of the tests as a driver of its own, and leave nothing of it behind."""
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    ) as started:  # fmt: skip
        try:
            out, told = started.communicate(timeout=seconds)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, started.returncode, out, told)


def _begun(log: Path, host: str, of: str, *more: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    settings = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": host, "SPARK_DAEMON_MEMORY": "256m",
                "SPARK_DAEMON_JAVA_OPTS": _OPTIONS, "SPARK_LOG_DIR": str(log.parent)}  # fmt: skip
    with log.open("wb") as out:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{of}", *more],
            env={**os.environ, **settings}, stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip


def _awaited(address: str, workers: int) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        with suppress(OSError, ValueError), urlopen(address, timeout=5) as answer:
            if json.load(answer)["aliveworkers"] == workers:
                return
        time.sleep(0.3)
    raise TimeoutError("no cluster after three minutes")


def free() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _children(of: int) -> list[int]:
    told = Path(f"/proc/{of}/task/{of}/children")
    return [int(one) for task in told.parent.parent.glob("*/children")
            for one in task.read_text().split()]  # fmt: skip
