"""What Spark writes while a table is published: no key, nobody's name, no sensitive value."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.spark.cluster import cluster
from tests.engines.spark.sessions import ROOT, missing

KEY = bytes(range(32))
PROGRAM = """
import secrets, sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch
import pyarrow as pa
import anachron as an
from tests.engines.spark.sessions import session

folder = Path(sys.argv[1])
spark = session(sys.argv[2], **{
    "spark.eventLog.enabled": "true", "spark.eventLog.dir": (folder / "events").as_uri(),
    "spark.eventLog.compress": "false", "spark.local.dir": str(folder / "local"),
    "spark.sql.maxPlanStringLength": "10000000",
})
spark.sparkContext.setLogLevel("INFO")
rows = [(f"canary-{n % 9}", f"2024-01-0{1 + n % 3}", "w", f"secret-{n % 5}") for n in range(60)]
frame = spark.createDataFrame(rows, "who string, day string, ward string, ill string")
one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
with patch("anachron.ledger.keys.secrets", one_key):
    an.publish(frame, an.Schema(subject="who", time="day", quasi="ward", sensitive="ill"),
               an.TimeGranularity(k=2, granularities=["day", "week"]),
               ledger=folder / "ledger", to=folder / "releases")
    register = spark.createDataFrame([(f"canary-{n}", n, f"secret-{n % 5}") for n in range(40)],
                                     "who string, age int, ill string")
    an.publish(register, an.Schema(subject="who", quasi="age", sensitive="ill"),
               an.MInvariance(m=2, mode="paper"), ledger=folder / "ledger2",
               to=folder / "releases2")
spark.stop()
"""


@pytest.mark.campaign
@pytest.mark.parametrize("where", ["here", "on a cluster"])
def test_nothing_that_spark_writes_holds_a_key_a_name_or_a_value(
    tmp_path: Path, where: str
) -> None:
    if why := missing():
        pytest.skip(why)
    (tmp_path / "events").mkdir()
    if where == "here":
        done = ran(tmp_path, "local[2]")
    else:
        with cluster(tmp_path / "cluster") as started:
            done = ran(tmp_path, started.master)
    assert done.returncode == 0, done.stderr[-2000:]
    written = {"stdout": done.stdout, "stderr": done.stderr}
    for part in ("events", "local", "cluster"):
        written |= {str(f): f.read_bytes() for f in (tmp_path / part).rglob("*") if f.is_file()}
    assert any("events" in name and len(text) > 10_000 for name, text in written.items())
    if where != "here":
        logs = [text for name, text in written.items() if "/app-" in name and "stderr" in name]
        assert len(logs) >= 2
        assert all(b"Executor" in text for text in logs)
    assert b"INFO" in done.stderr
    for name, text in written.items():
        for canary in (b"canary-", b"secret-", KEY, KEY.hex().encode()):
            assert canary not in text, (name, canary)


def ran(folder: Path, master: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a driver of its own."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), master],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
