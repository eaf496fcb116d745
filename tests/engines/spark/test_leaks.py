"""What Spark writes and shows while tables are published: no key, nobody's name, no value."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.spark.cluster import cluster
from tests.engines.spark.leaking import KEY, canaries
from tests.engines.spark.sessions import CONNECT, ROOT, missing
from tests.engines.spark.tables import METHODS


@pytest.mark.campaign
@pytest.mark.parametrize("where", ["local[2]", "cluster", CONNECT])
def test_nothing_that_spark_writes_or_shows_holds_a_key_a_name_or_a_value(
    tmp_path: Path, where: str
) -> None:
    if why := missing(where):
        pytest.skip(why)
    for name in ("events", "tmp"):
        (tmp_path / name).mkdir()
    if where == "cluster":
        with cluster(tmp_path / "cluster") as started:
            done = ran(tmp_path, started.master)
    else:
        done = ran(tmp_path, where)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.decode().split("\n")[:-1] == [f"{method} True" for method in METHODS]
    written = {"stdout": done.stdout, "stderr": done.stderr}
    for part in ("events", "local", "tmp", "cluster", "ui"):
        written |= {str(f): f.read_bytes() for f in (tmp_path / part).rglob("*") if f.is_file()}
    assert sum(len(text) for name, text in written.items() if "/events/" in name) > 100_000
    assert sum(len(text) for name, text in written.items() if "/ui/" in name) > 1_000_000
    if where == "cluster":
        logs = [text for name, text in written.items() if "/app-" in name and "stderr" in name]
        assert len(logs) >= 2
        assert all(b"Executor" in text for text in logs)
    if where != CONNECT:
        assert b"INFO" in done.stderr
    for name, text in written.items():
        for canary in canaries():
            assert canary not in text, (name, canary)
    # What is packed would not be found: nothing is left of rows on a disk.
    left = [name for name in written if {"local", "tmp"} & set(Path(name).parts)
            and Path(name).suffix not in (".log", ".txt")]  # fmt: skip
    assert not left


def test_the_key_is_looked_for_in_all_ways() -> None:
    import base64

    for text in (KEY, b"x" + base64.b64encode(b"ab" + KEY + b"c"), KEY[16:].hex().encode(),
                 repr(b"a" + KEY).encode(), str(list(KEY)).encode(), b"canary-7"):  # fmt: skip
        assert any(canary in text for canary in canaries())


def ran(folder: Path, master: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a driver of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tests.engines.spark.leaking", str(folder), master],
        cwd=ROOT, capture_output=True, check=False,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
    )  # fmt: skip
