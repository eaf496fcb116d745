"""A small publisher for the crash tests, and what must be true whatever happens to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.guarantees import TimeGranularity
from anachron.ledger import Ledger, Publication
from anachron.published import ways
from anachron.release import Release
from anachron.release.beside import with_commas
from anachron.release.write import write
from anachron.streamed import Streamed

FACTS: dict[str, Any] = {
    "guarantee": TimeGranularity(k=2, granularities=["day"]).to_dict(),
    "columns": {
        "ward": ways.AsItIs("ward"),
        "day": ways.Granules("day", an.Granularity.named("day")),
        "stay": ways.Content("stay"),
    },
    "time_zone": "UTC",
    "suppressed_rows": 0,
}
_DAY = datetime(2024, 5, 6, tzinfo=UTC)


def rows(number: int) -> pa.Table:
    """The rows of the n-th release: no two releases have the same."""
    many, instant = 2 * number, pa.timestamp("us", "UTC")
    return pa.table(
        {
            "group": pa.array([1, 2] * number),
            "ward": ["q1", "q2"] * number,
            "day": ["2024-05-06"] * many,
            "day_start": pa.array([_DAY] * many, instant),
            "day_end": pa.array([_DAY + timedelta(days=1)] * many, instant),
            "stay": [0.5 * number, 2.0] * number,
        }
    )


def subjects(number: int) -> pa.Array:
    return pa.array([f"person {number}", "everybody"])


def memory(push: int) -> pa.Table:
    """What a feed remembers after its n-th push: no two pushes leave the same."""
    records = pa.table({"who": [f"waiting {push}"] * push, "stay": pa.array(range(push))})
    return records.replace_schema_metadata({"anachron": json.dumps({"push": push})})


def publish(root: Path, number: int, *, csv: bool = True) -> Path:
    """Publish the n-th table into root/releases, or return the release it was made into."""
    ledger = Ledger.open(root / "ledger")
    with ledger.publishing(root / "releases") as publication:
        known = publication.find(f"snapshot {number}")
        return known.path if known is not None else release(publication, number, csv=csv)


def add_commas(root: Path, number: int) -> None:
    """Write CSV files beside the n-th release, if it has none."""
    with Ledger.open(root / "ledger").publishing(root / "releases") as publication:
        known = publication.entries[number - 1]
        if "data.csv" not in known.files:
            folder = publication.stage_copies(known)
            publication.add_copies(known, with_commas(Release(known.path), folder))


def push(root: Path, number: int) -> None:
    """Push the n-th snapshot of a feed, if it was not: every second one makes a release."""
    with Ledger.open(root / "ledger").publishing(root / "releases") as publication:
        if publication.push != number:
            return
        before = publication.feed()
        assert before == (memory(number - 1) if number > 1 else None)
        if number % 2:
            publication.keep(memory(number))
        else:
            release(publication, number // 2, feed=memory(number))


def release(
    publication: Publication,
    number: int,
    *,
    csv: bool = True,
    feed: pa.Table | None = None,
    state: Streamed | None = None,
) -> Path:
    """Stage and commit the n-th table."""
    table = rows(number)
    files = write(
        publication.stage(),
        {"data": (table.schema, iter(table.to_batches()))},
        {"number": publication.number, "previous": publication.previous, **FACTS},
        csv,
    )
    people = publication.pseudonyms(subjects(number))
    state = state or wanted(people, number, number + 1)
    return publication.commit(
        snapshot=f"snapshot {number}", plan={"n": number}, files=files, state=state,
        explanation={"why": "a test"}, feed=feed,
    )  # fmt: skip


def wanted(people: pa.Array, first: int, until: int) -> Streamed:
    """People from when to when, as a ledger is asked for them and told of them."""
    times = (np.full(len(people), time, dtype=np.int64) for time in (first, until))
    table = pa.table([people, *times], ["subject", "first", "until"])
    return Streamed.of(table.sort_by("subject"))


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
    assert states == [f"{entry.number:04d}.encrypted" for entry in entries]
    for entry in entries:
        release = Release(entry.path)
        release.check_digests()
        assert release.table().equals(rows(int(entry.plan["n"])))
        before = None if entry.number == 1 else entries[entry.number - 2].package_for(entry.number)
        assert release.description["anachron"]["previous"] == before
    assert {path.name for path in root.iterdir()} <= {"ledger", "releases"}
    return len(entries)


def check_feed(root: Path, acknowledged: int) -> int:
    """Recover, check releases and memory together, and return how many pushes there are."""
    releases = check_whole(root, acknowledged // 2)
    ledger = Ledger.open(root / "ledger")
    found = ledger.feed()
    pushed = 0 if found is None else json.loads(found.schema.metadata[b"anachron"])["push"]
    assert pushed >= acknowledged, "an acknowledged push was lost"
    assert pushed // 2 == releases, "releases and memory are of different pushes"
    if found is not None:
        assert found.equals(memory(pushed), check_metadata=True)
    kept = sorted(path.name for path in ledger.path.glob("feed/*"))
    assert kept == ([f"{pushed:04d}.encrypted"] if pushed else [])
    for name, content in contents(root).items():
        assert b"waiting" not in content, f"{name} holds records in clear"
    return pushed
