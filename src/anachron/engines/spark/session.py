"""Sessions that a plan asks for, and the files that they read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.engines.spark.driver import Frame
from anachron.engines.spark.given import arrow_of
from anachron.errors import PlanError, Problem, TableError
from anachron.schema import Schema
from anachron.source.base import extra, reading

__all__ = ["read_parquet"]


def read_parquet(path: str, schema: Schema, master: str) -> tuple[Frame, str]:
    """Let Spark read a Parquet file, or a folder of such; and how messages call it."""
    where = Path(path).expanduser()
    name = where.name or str(where)
    files = sorted(where.glob("*.parquet")) if where.is_dir() else [where]
    if not files or not all(file.is_file() and file.suffix == ".parquet" for file in files):
        raise TableError(
            "is not a Parquet file, nor a folder of such.",
            name,
            remedy="Spark reads Parquet only: write the table as such, give a DataFrame, or leave "
            "the engine out.",
        )
    session = _session(master)
    frame = session.read.parquet(str(where.absolute()))
    with reading(files[0].name):
        kinds = {field.name: field.type for field in pq.read_schema(files[0])}
    problems = [
        Problem(
            "is of a type that Spark reads as another one: the release would not be the same.",
            name,
            field.name,
            remedy="Write it in a type that both have, or leave the engine out.",
        )
        for field in frame.schema.fields
        if field.name in schema.columns
        and not _same(kinds.get(field.name), arrow_of(field.dataType))
    ]
    if problems:
        raise TableError(problems)
    return frame, name


def _same(there: pa.DataType | None, here: pa.DataType) -> bool:
    """Whether a column of a file is of the type that Spark takes it for."""
    if there is not None and pa.types.is_dictionary(there):
        there = there.value_type
    if there is not None and pa.types.is_timestamp(there) and there.tz is not None:
        there = pa.timestamp(there.unit, "UTC")
    alike = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
    found = alike.get(there, there)
    # Milliseconds become microseconds on both ways.
    return bool(found == here or (found == pa.timestamp("ms") and here == pa.timestamp("us")))


def _session(master: str) -> Frame:
    with extra("spark", "Tables that Spark holds"):
        from pyspark.sql import SparkSession
    # Workers would take whichever Python comes first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    if master.startswith("sc://"):
        builder = builder.remote(master)
    elif master:
        builder = builder.master(master)
    try:
        return builder.getOrCreate()
    except Exception as error:  # noqa: BLE001 - whatever Spark cannot start for
        raise PlanError(
            f"Spark cannot be started ({type(error).__name__}).",
            remedy="Check the engine's master, and that Java is there.",
        ) from None
