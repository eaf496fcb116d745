"""A DataFrame on the driver: a micro-batch of a stream, which is small."""

from __future__ import annotations

import pyarrow as pa

from anachron.engines.local.kinds import type_problems
from anachron.engines.spark.driver import Frame
from anachron.engines.spark.given import given, opened
from anachron.errors import TableError
from anachron.memory import held
from anachron.schema import Schema
from anachron.source.frames import NAME

__all__ = ["gathered"]


def gathered(frame: Frame, schema: Schema, each: int) -> pa.Table:
    """The columns with a role, in any order of rows, of which each takes so many bytes."""
    read = opened(frame, schema, NAME)
    try:
        if problems := list(type_problems(schema, read.types, read.name)):
            raise TableError(problems)
        with held(len(read.rows), each, read.name):
            columns = read.rows.collect(*map(given, schema.columns))
    finally:
        read.driver.close()
    return pa.table({column: columns[given(column)] for column in schema.columns})
