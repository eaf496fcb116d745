"""The same release on Spark as on one machine: all bytes, states, explanations, and refusals."""

from __future__ import annotations

import random
import secrets
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import pyarrow as pa

import anachron as an
from anachron.engines.spark import load as tables
from anachron.engines.spark import rows as held
from anachron.errors import AnachronError
from tests.engines.spark.tables import Case, case

__all__ = ["Drawn", "different", "drawn", "kept", "published", "spread"]

PARTS = [1] * 4 + [2] * 7 + [3] * 6 + [5, 9, 17]
"""Numbers of partitions, most of them small: each is tasks, which take longer than small tables."""
ZONES = ["UTC", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu"]


def spread(spark: Any, table: pa.Table, rng: random.Random, parts: int | None = None) -> Any:
    """A table as a DataFrame: in any order, in as many partitions as it happens."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    schema = StructType([
        StructField(one.name, from_arrow_type(one.type, prefer_timestamp_ntz=True))
        for one in table.schema
    ])  # fmt: skip
    rows = [tuple(row.values()) for row in table.to_pylist()]
    rng.shuffle(rows)
    return spark.createDataFrame(rows, schema).repartition(parts or rng.choice(PARTS))


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


class Drawn(NamedTuple):
    """How a history is given to Spark, and in which session."""

    adaptive: str
    batch: str
    zone: str
    shuffle: str
    parts: int
    """Of rows that must come together: about so many."""
    few: int
    """So many rows are looked up, or added up, on the driver."""
    given: int
    """How many partitions a DataFrame has."""


def drawn(method: str, seed: int) -> Drawn:
    """Draw them by the seed of a history."""
    rng = random.Random(f"{method} {seed} on Spark")
    return Drawn(
        rng.choice(["true", "false"]),
        rng.choice(["7", "131072"]),
        rng.choice(ZONES),
        str(rng.choice(PARTS)),
        rng.choice(PARTS),
        rng.choice([0, 1 << 16]),
        rng.choice(PARTS),
    )


def different(spark: Any, method: str, seed: int) -> list[str]:
    """What is not the same on Spark: nothing, if all is well."""
    given, how = case(method, seed), drawn(method, seed)
    most = max(len(table) for table in given.tables)
    for name, value in {
        "adaptive.enabled": how.adaptive,
        "execution.arrow.maxRecordsPerBatch": how.batch,
        "session.timeZone": how.zone,
        "shuffle.partitions": how.shuffle,
    }.items():
        spark.conf.set(f"spark.sql.{name}", value)
    held.FEW = how.few
    tables._ROWS_A_PART = 1 + most // how.parts
    frames = [spread(spark, table, random.Random(seed), how.given) for table in given.tables]
    one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    with tempfile.TemporaryDirectory() as folder, patch("anachron.ledger.keys.secrets", one_key):
        here = published(given, list(given.tables), Path(folder) / "here")
        there = published(given, frames, Path(folder) / "there")
    return [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
