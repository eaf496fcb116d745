"""Commands as a person types them, and what they work on: nothing of it needs today's program."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PLAN = """
[source]
table = {table!r}
[schema]
subject = "who"
time = "day"
quasi = ["ward"]
sensitive = ["note"]
[guarantee]
method = "granularity"
k = 2
granularities = ["year"]
[destination]
releases = "releases"
ledger = "ledger"
csv = {csv}
"""
REGISTER = """
[source]
table = "people.csv"
[schema]
subject = "who"
quasi = ["age"]
sensitive = ["note"]
[guarantee]
method = "invariance"
m = 2
[destination]
releases = "releases"
ledger = "ledger"
"""
ROWS = "".join(f"p{i},2024-01-{1 + i % 28:02d},w,n{i % 2}\n" for i in range(40))


long = pytest.mark.campaign
"""Those that others try every day in a shorter way, in auditing, environs and ledger."""
MEMORY = os.environ.get("DEFECTS_MEMORY", "330MB")
"""So little that long notes are put aside; the old version took them from 120MB on."""
MANY = int(os.environ.get("DEFECTS_ROWS", "400000"))


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    said: str
    memory: int


def command(root: Path, *words: str, within: Callable[[], object] | None = None,
            settings: dict[str, str] | None = None) -> Ended:  # fmt: skip
    """Run a command as a person would, in a process of its own."""
    said = root / "said.txt"
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "anachron", *words], cwd=root, stdout=out, stderr=out,
            env={**os.environ, "TMPDIR": str(root), **(settings or {})}, preexec_fn=within,
        )  # fmt: skip
        timer = time.monotonic() + 100
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > timer:
                process.kill()
            time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    return Ended(process.returncode, said.read_text(), ended[2].ru_maxrss << 10)


def events(root: Path, rows: str = ROWS, table: str = "visits.csv", csv: str = "false") -> None:
    """Write a table of events, and its plan."""
    (root / "visits.csv").write_text("who,day,ward,note\n" + rows)
    (root / "plan.toml").write_text(PLAN.format(table=table, csv=csv))


def published(root: Path) -> Path:
    """Publish the plan, and say where."""
    ended = command(root, "publish", "plan.toml")
    assert ended.code == 0, ended
    return max((root / "releases").iterdir())


def described(release: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the description of a release."""
    file = release / "datapackage.json"
    about = json.loads(file.read_text())
    change(about)
    file.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n")


def resource_of(file: Path, like: dict[str, Any], name: str) -> dict[str, Any]:
    """Say of a file what the description says of another."""
    content = file.read_bytes()
    found = {**like, "name": name, "path": file.name, "bytes": len(content),
             "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}  # fmt: skip
    return {**found, "rows": pq.read_metadata(file).num_rows} if "rows" in like else found


def described_as_it_is(release: Path) -> None:
    """Let the description of a release say what its altered rows are now."""

    def change(about: dict[str, Any]) -> None:
        rows = about["resources"][0]
        about["resources"][0] = resource_of(release / "data.parquet", rows, "data")

    described(release, change)


def refused(ended: Ended) -> bool:
    """Whether a command said no in words of its own."""
    return ended.code in (1, 2) and "mistake of Anachron" not in ended.said


def long_notes(root: Path) -> None:
    """Write a table that does not fit into a little memory, and its plan."""
    number = np.random.default_rng(1).integers(0, 10**9, MANY)
    pq.write_table(pa.table({
        "who": np.arange(MANY) % (MANY // 3),
        "day": np.full(MANY, np.datetime64("2024-01-01")),
        "ward": number % 3,
        "note": [f"{n:012d} {'told to the doctor alone ' * 6}" for n in number.tolist()],
    }), root / "visits.parquet")  # fmt: skip
    (root / "plan.toml").write_text(PLAN.format(table="visits.parquet", csv="false"))


def mounted(root: Path, script: str, **settings: str) -> Ended:
    """Run a script that may mount what it likes, seen by itself alone."""
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"mount --make-rprivate / && {script}"], cwd=root,
        env={**os.environ, **settings, "PYTHON": sys.executable}, capture_output=True, text=True,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout + done.stderr, 0)


can_mount = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None or
    bool(subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode),
    reason="mounts for one process need root and unshare, which are not here",
)  # fmt: skip
