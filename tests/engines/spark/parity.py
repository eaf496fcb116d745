"""The same release on Spark as on one machine: all bytes, states, explanations, and refusals.

``python -m tests.engines.spark.parity --cases 200 --method granularity``
"""

from __future__ import annotations

import argparse
import random
import secrets
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import anachron as an
from anachron.engines.spark import rows as held
from anachron.engines.spark import table as tables
from anachron.errors import AnachronError
from tests.engines.spark.sessions import session
from tests.engines.spark.tables import Case, case

__all__ = ["different", "published", "spread"]

METHODS = ("granularity", "invariance", "reposition")


def spread(spark: Any, table: pa.Table, rng: random.Random) -> Any:
    """A table as a DataFrame: in any order, in as many partitions as it happens."""
    from pyspark.sql import types as of

    kinds = {
        pa.int8(): of.ByteType(), pa.int32(): of.IntegerType(), pa.int64(): of.LongType(),
        pa.float64(): of.DoubleType(), pa.string(): of.StringType(), pa.bool_(): of.BooleanType(),
        pa.binary(): of.BinaryType(), pa.date32(): of.DateType(),
        pa.timestamp("us", "UTC"): of.TimestampType(), pa.timestamp("us"): of.TimestampNTZType(),
        pa.decimal128(9, 2): of.DecimalType(9, 2),
    }  # fmt: skip
    schema = of.StructType([of.StructField(f.name, kinds[f.type]) for f in table.schema])
    rows = [tuple(row.values()) for row in table.to_pylist()]
    rng.shuffle(rows)
    return spark.createDataFrame(rows, schema).repartition(rng.randint(1, 17))


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
    for file in sorted((folder / "releases").rglob("*.*")):
        told[str(file.relative_to(folder))] = file.read_bytes()
    if (folder / "ledger").exists():
        ledger = an.Ledger.open(folder / "ledger")
        for entry in ledger.entries():
            told[f"explained {entry.number}"] = entry.explanation
            told[f"snapshot {entry.number}"] = entry.snapshot
            told[f"state {entry.number}"] = _sorted(ledger.state(entry))
    return told


def _sorted(state: pa.Table | None) -> Any:
    if state is None or not len(state.column_names):
        return None
    return state.sort_by(state.column_names[0]).to_pydict(), state.schema.metadata


def different(spark: Any, method: str, seed: int) -> list[str]:
    """What is not the same on Spark: nothing, if all is well."""
    rng, given = random.Random(seed), case(method, seed)
    spark.conf.set("spark.sql.adaptive.enabled", str(rng.random() < 0.5).lower())
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", rng.choice(["7", "131072"]))
    held.FEW = rng.choice([0, 1 << 16])
    tables._ROWS_A_PART = rng.choice([50, 1 << 18])
    frames = [spread(spark, table, rng) for table in given.tables]
    one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    with tempfile.TemporaryDirectory() as folder, patch("anachron.ledger.keys.secrets", one_key):
        here = published(given, list(given.tables), Path(folder) / "here")
        there = published(given, frames, Path(folder) / "there")
    return [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]


def main() -> None:
    """Compare many tables, and tell of the first differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--method", choices=METHODS, default="granularity")
    parser.add_argument("--seconds", type=int, default=10**9)
    asked = parser.parse_args()
    spark, begin, wrong, done = session(), time.monotonic(), 0, 0
    for seed in range(asked.first, asked.first + asked.cases):
        if time.monotonic() - begin > asked.seconds:
            break
        found = different(spark, asked.method, seed)
        done += 1
        wrong += bool(found)
        if found:
            print(f"{asked.method} {seed}: {found}", flush=True)
        elif done % 5 == 0:
            print(f"{done} cases, {wrong} different, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{asked.method}: {done} cases, {wrong} different")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
