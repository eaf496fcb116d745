"""A small publisher for the crash tests, and what must be true whatever happens to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.ledger import Ledger
from anachron.release import Release
from anachron.release.write import write

FACTS: dict[str, Any] = {
    "guarantee": {"method": "granularity", "k": 2},
    "columns": {},
    "time_zone": "UTC",
}


def rows(number: int) -> pa.Table:
    """The rows of the n-th release: no two releases have the same."""
    return pa.table({"ward": ["q1", "q2"] * number, "stay": [0.5 * number, 2.0] * number})


def subjects(number: int) -> pa.Array:
    return pa.array([f"person {number}", "everybody"])


def publish(root: Path, number: int, *, csv: bool = True) -> Path:
    """Publish the n-th table into root/releases, or return the release it was made into."""
    table = rows(number)
    ledger = Ledger.open(root / "ledger")
    with ledger.publishing(root / "releases") as publication:
        known = publication.find(f"snapshot {number}")
        if known is not None:
            return known.path
        files = write(
            publication.stage(),
            {"data": (table.schema, iter(table.to_batches()))},
            {"number": publication.number, "previous": publication.previous, **FACTS},
            csv,
        )
        first = np.array([number, number], dtype=np.int64)
        state = pa.table(
            [ledger.pseudonyms(subjects(number)), first, first + 1], ["subject", "first", "until"]
        )
        return publication.commit(
            snapshot=f"snapshot {number}", plan={"n": number}, files=files, state=state,
            explanation={"why": "a test"},
        )  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file under a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def check_whole(root: Path, acknowledged: int) -> int:
    """Recover, check that everything is whole, and return how many releases there are."""
    ledger = Ledger.open(root / "ledger")
    ledger.recover()
    assert ledger.check() == []
    assert ledger.recover() == []
    entries = ledger.entries()
    assert len(entries) >= acknowledged, "an acknowledged release was lost"
    releases = root / "releases"
    found = sorted(path.name for path in releases.iterdir()) if releases.exists() else []
    assert found == [entry.path.name for entry in entries]
    states = sorted(path.name for path in (root / "ledger" / "state").iterdir())
    assert states == [f"{entry.number:04d}.parquet" for entry in entries]
    previous = None
    for entry in entries:
        release = Release(entry.path)
        release.check_digests()
        assert release.table().equals(rows(int(entry.plan["n"])))
        assert release.description["anachron"]["previous"] == previous
        previous = entry.package
    assert {path.name for path in root.iterdir()} <= {"ledger", "releases"}
    return len(entries)
