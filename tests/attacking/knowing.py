"""What attacks start from, gathered from a folder that something was published into."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron.attacking.known import Known
from anachron.auditing.history import remembered
from anachron.behind import read
from anachron.ledger import Ledger
from tests.release.forging import reseal, write_parquet


def publish(
    root: Path, table: pa.Table | Mapping[str, Any], schema: an.Schema, promise: Any
) -> an.Release:
    given = table if isinstance(table, pa.Table) else pa.table(dict(table))
    return an.publish(given, schema, promise, ledger=root / "ledger", to=root / "releases")


def known_of(
    root: Path,
    release: an.Release,
    table: pa.Table | Mapping[str, Any] | None,
    schema: an.Schema,
    *,
    ledger: bool = True,
    **more: Any,
) -> Known:
    """All that the owner knows; without the table or the ledger, less."""
    held = Ledger.open(root / "ledger", create=False)
    past = remembered(held, held.entries()[: release.number]) if ledger else None
    given = table if table is None or isinstance(table, pa.Table) else pa.table(dict(table))
    microdata = None if given is None else read(given, schema)
    return Known(release, microdata=microdata, schema=schema, past=past, **more)


def tampered(
    release: an.Release,
    to: Path,
    change: Callable[[pa.Table], pa.Table],
    name: str = "data",
    *,
    notes: bool = False,
) -> an.Release:
    """The same release with a table changed, and a description that agrees with it."""
    shutil.copytree(release.path, to, dirs_exist_ok=True)
    file = to / f"{name}.parquet"
    changed = change(pq.read_table(release.path / file.name))
    write_parquet(file, changed, "notes" if notes else "")
    reseal(to)
    return an.Release(to)
