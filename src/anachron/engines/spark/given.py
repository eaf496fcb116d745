"""The columns of a DataFrame as they were given: by place, since names of Spark fold capitals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.database import connected
from anachron.engines.base import ROW, Batch
from anachron.engines.spark.columns import Carried, Field
from anachron.engines.spark.driver import Driver, Frame
from anachron.engines.spark.rows import SparkRows, declared, placed
from anachron.engines.spark.task import Errand, Kept
from anachron.engines.spark.versions import versions
from anachron.errors import TableError
from anachron.schema import EACH_ROW, Schema, ambiguous
from anachron.source.read import open_source

__all__ = ["Given", "arrow_of", "given", "opened"]

_TYPES = {
    "boolean": pa.bool_(), "byte": pa.int8(), "short": pa.int16(), "integer": pa.int32(),
    "long": pa.int64(), "float": pa.float32(), "double": pa.float64(), "string": pa.string(),
    "varchar": pa.string(), "char": pa.string(), "binary": pa.binary(), "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"), "timestamp_ntz": pa.timestamp("us"),
    "time": pa.time64("us"), "void": pa.null(), "array": pa.list_(pa.int32()),
    "map": pa.map_(pa.int32(), pa.int32()), "struct": pa.struct([("of", pa.int32())]),
}  # fmt: skip
"""Types of Spark by name, as Python is handed them; of nested ones, enough to be named."""


@dataclass(frozen=True, eq=False)
class Given:
    """A DataFrame with the columns of a schema, and nothing of it computed yet."""

    driver: Driver
    name: str
    types: dict[str, str]
    """The columns with a role, and their types in DuckDB."""
    rows: SparkRows
    """The same columns under the names of :func:`given`, and ``ROW``."""


def given(column: str) -> str:
    """Name a column among the rows as it was given."""
    return f"given {column}"


def opened(frame: Frame, schema: Schema, name: str) -> Given:
    """Open a DataFrame; refuse columns that are not there, as for any other table."""
    driver = Driver(frame, name)
    with driver.working():
        fields = [(field.name, arrow_of(field.dataType)) for field in frame.schema.fields]
        plain = frame.toDF(*(f"g{place}" for place in range(len(fields))))
    wanted = schema.columns
    if schema.each_row and EACH_ROW in [column for column, _ in fields]:
        raise TableError(ambiguous(name))
    types = _types(fields, wanted)
    place = {column: at for at, (column, _) in enumerate(fields)}
    kinds = {given(column): Carried(arrow=fields[place[column]][1]) for column in wanted}
    cells = {given(c): Field(kinds[given(c)], (f"g{place[c]}",)) for c in wanted}
    if any(_is_nested(kind.arrow) for kind in kinds.values()):
        # What is wrong with them is said by their types alone: nobody looks at their rows.
        return Given(driver, name, types, SparkRows(driver, plain, {}))
    names = [part for one in cells.values() for part in one.names]
    with driver.working():
        chosen = plain.select(*(_readable(plain[part], kind) for part, kind in zip(
            names, kinds.values(), strict=True)))  # fmt: skip
    out = placed(kinds)
    task = Errand(versions(), cells, (), Kept(out))
    rows = SparkRows.settled(driver, driver.run(chosen, task, declared(out)), out)
    return Given(driver, name, types, rows.map(partial(_unnumbered, given(wanted[0]))))


def _unnumbered(some: str, batch: Batch) -> Batch:
    """Rows of a DataFrame have no numbers: it has no order."""
    return {ROW: np.zeros(len(batch[some]), dtype=np.int64)}


def _readable(column: Any, kind: Carried) -> Any:
    return column.cast("string") if pa.types.is_null(kind.arrow) else column


def arrow_of(kind: Any) -> pa.DataType:
    """The type of Arrow in which workers hand a type of Spark to Python."""
    name = kind.typeName().partition("(")[0].partition(" ")[0]
    if name == "decimal":
        return pa.decimal128(kind.precision, kind.scale)
    return _TYPES.get(name, pa.struct([("of", pa.int32())]))


def _is_nested(kind: pa.DataType | None) -> bool:
    return bool(pa.types.is_nested(kind))


def _types(fields: Sequence[tuple[str, pa.DataType]], wanted: Sequence[str]) -> dict[str, str]:
    """The types of DuckDB, asked of a table without rows; refuses what is not there."""
    columns = [pa.array([], kind) for _, kind in fields]
    empty = pa.Table.from_arrays(columns, names=[name for name, _ in fields])
    with connected() as con:
        return dict(open_source(empty, con, wanted).columns)
