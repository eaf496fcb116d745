"""Releases stay what they are, byte for byte, and so does what their owner is told.

With the key of the ledger fixed, nothing is left to chance. What a rule of publishing is meant to
change is written again: ``ANACHRON_PIN=write python -m pytest tests/golden``.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.demo import JOBS, Job, prepare
from anachron.plan import Plan
from tests.golden.stories import STORIES

ALONE = "are alone by what is published"
_FILE = Path(__file__).with_name("digests.json")
_PINNED = json.loads(_FILE.read_text()) if _FILE.exists() else {}


pytestmark = pytest.mark.usefixtures("one_key")


def digest(folder: Path) -> dict[str, str]:
    """One for what all versions of the libraries write alike, one for every byte."""
    plain, bytes_ = hashlib.sha256(), hashlib.sha256()
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        content = file.read_bytes()
        bytes_.update(content)
        if file.name == "datapackage.json":
            content = _without_sizes(content)
        if file.suffix != ".parquet":
            plain.update(f"{file.relative_to(folder)}\n".encode() + content)
    return {"content": plain.hexdigest()[:16], "bytes": bytes_.hexdigest()[:16]}


def heard(ledger: Path) -> str:
    """A digest of what the ledger tells the owner of all releases."""
    told = an.Ledger.open(ledger).entries()
    entries = [(entry.plan, _as_methods_tell(entry.explanation)) for entry in told]
    # Sums of many fractions differ in their last digits from processor to processor.
    rounded = json.loads(json.dumps(entries), parse_float=lambda text: f"{float(text):.9g}")
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()[:16]


def _as_methods_tell(explanation: dict[str, Any]) -> dict[str, Any]:
    """Less what is noted of any release, whatever made it: tests/flow/test_openness.py pins it."""
    told = {**explanation, "notes": [n for n in explanation["notes"] if ALONE not in n]}
    if "history" in told:
        past = told["history"]
        told["history"] = [{k: v for k, v in one.items() if k != "held"} for one in past]
    return told


def _without_sizes(description: bytes) -> bytes:
    """A description, less what it says of the bytes of files."""
    told = json.loads(description)
    for resource in told["resources"]:
        for key in ("bytes", "hash"):
            resource.pop(key, None)
    return json.dumps(told, sort_keys=True).encode()


def compare(name: str, folder: Path, ledger: Path) -> None:
    found = {**digest(folder), "told": heard(ledger)}
    if os.environ.get("ANACHRON_PIN") == "write":
        _PINNED[name] = found
        told = {**dict(sorted(_PINNED.items())), "pyarrow": pa.__version__}
        _FILE.write_text(json.dumps(told, indent=1) + "\n")
        return
    assert found["content"] == _PINNED[name]["content"]
    assert found["told"] == _PINNED[name]["told"]
    if pa.__version__ == _PINNED["pyarrow"]:
        assert found["bytes"] == _PINNED[name]["bytes"]


@pytest.mark.parametrize("name", STORIES)
def test_a_history_stays_as_it_is(name: str, tmp_path: Path) -> None:
    story = STORIES[name]
    for step in range(1, story.steps + 2):
        story.step(tmp_path, step)
    assert list((tmp_path / "releases").iterdir())
    compare(name, tmp_path / "releases", tmp_path / "ledger")


@pytest.mark.parametrize("job", JOBS, ids=[job.guarantee.method for job in JOBS])
def test_the_demo_stays_as_it_is(job: Job, tmp_path: Path) -> None:
    prepare(tmp_path)
    plan = Plan.read(tmp_path / job.plan)
    for table in job.tables:
        an.publish(tmp_path / table, plan.schema, plan.guarantee, ledger=tmp_path / job.ledger,
                   to=tmp_path / job.releases)  # fmt: skip
    compare(f"demo {job.guarantee.method}", tmp_path / job.releases, tmp_path / job.ledger)
