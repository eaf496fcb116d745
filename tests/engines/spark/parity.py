"""The same release on Spark as on one machine: all bytes, states, explanations, and refusals."""

from __future__ import annotations

import random
import secrets
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import anachron as an
from anachron.engines.spark import load as tables
from anachron.engines.spark import rows as held
from anachron.errors import AnachronError
from tests.engines.spark.tables import Case, case

__all__ = ["different", "kept", "published", "spread"]

PARTS = [1, 2, 2, 3, 3, 5, 17]
ZONES = ["UTC", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu"]


def spread(spark: Any, table: pa.Table, rng: random.Random) -> Any:
    """A table as a DataFrame: in any order, in as many partitions as it happens."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    schema = StructType([
        StructField(one.name, from_arrow_type(one.type, prefer_timestamp_ntz=True))
        for one in table.schema
    ])  # fmt: skip
    rows = [tuple(row.values()) for row in table.to_pylist()]
    rng.shuffle(rows)
    return spark.createDataFrame(rows, schema).repartition(rng.choice(PARTS))


def published(given: Case, tables_: list[Any], folder: Path) -> dict[str, Any]:
    """All that came of publishing some tables: files, states and explanations, or the refusal."""
    told: dict[str, Any] = {}
    for number, table in enumerate(tables_):
        try:
            an.publish(table, given.schema, given.promise, ledger=folder / "ledger",
                       to=folder / "releases", accept=given.accept)  # fmt: skip
        except AnachronError as error:
            problems = getattr(error, "problems", ())
            told[f"refused {number}"] = (type(error).__name__, [
                (p.what, p.file, p.column, p.remedy) for p in problems] or str(error))  # fmt: skip
    return told | kept(folder)


def kept(folder: Path) -> dict[str, Any]:
    """What lies in a folder afterwards: files of releases, states and explanations."""
    told: dict[str, Any] = {}
    for file in sorted((folder / "releases").rglob("*.*")):
        told[str(file.relative_to(folder))] = file.read_bytes()
    if (folder / "ledger").exists():
        ledger = an.Ledger.open(folder / "ledger")
        for entry in ledger.entries():
            told[f"explained {entry.number}"] = entry.explanation
            told[f"snapshot {entry.number}"] = entry.snapshot
            told[f"state {entry.number}"] = _sorted(ledger.state(entry).table())
    return told


def _sorted(state: pa.Table | None) -> Any:
    if state is None or not len(state.column_names):
        return None
    return state.sort_by(state.column_names[0]).to_pydict(), state.schema.metadata


def different(spark: Any, method: str, seed: int) -> list[str]:
    """What is not the same on Spark: nothing, if all is well."""
    rng, given = random.Random(seed), case(method, seed)
    most = max(len(table) for table in given.tables)
    for name, value in {
        "adaptive.enabled": rng.choice(["true", "false"]),
        "execution.arrow.maxRecordsPerBatch": rng.choice(["7", "131072"]),
        "session.timeZone": rng.choice(ZONES),
        "shuffle.partitions": str(rng.choice(PARTS)),
    }.items():
        spark.conf.set(f"spark.sql.{name}", value)
    held.FEW = rng.choice([0, 1 << 16, 1 << 16])
    tables._ROWS_A_PART = 1 + most // rng.choice(PARTS)
    frames = [spread(spark, table, rng) for table in given.tables]
    one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    with tempfile.TemporaryDirectory() as folder, patch("anachron.ledger.keys.secrets", one_key):
        here = published(given, list(given.tables), Path(folder) / "here")
        there = published(given, frames, Path(folder) / "there")
    return [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
