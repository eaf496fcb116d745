"""The door of the engines: a table is held by the one that its kind asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from anachron.engines.base import Table
from anachron.engines.local import load as local
from anachron.engines.local.scan import Scan
from anachron.errors import InputError, PlanError
from anachron.plan.engine import Engine, engine_of
from anachron.plan.source import source_of
from anachron.schema import Schema

__all__ = ["is_of_spark", "opened"]


def is_of_spark(table: object) -> bool:
    """Whether a table is a DataFrame of Spark, of the classic kind or of Connect."""
    kind = type(table)
    return kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"


@contextmanager
def opened(
    table: object,
    schema: Schema,
    each: int = 260,
    engine: Engine | str | None = None,
    *,
    is_aside: bool = False,
) -> Iterator[Table]:
    """Read a table of any accepted kind, and let go of it at the end of the block.

    ``each`` is how many bytes of memory a row takes with all that is made of it, but its series.
    Whether rows that do not fit into memory may lie aside is for the method to say.
    """
    asked = engine_of(engine)
    if not is_of_spark(table) and asked.name == "local":
        with closing(local.load(table, schema, each, *([_aside] if is_aside else []))) as held:
            yield held
        return
    from anachron.engines.spark.load import load
    from anachron.engines.spark.session import read_parquet

    try:
        if is_of_spark(table):
            read = load(table, schema, each)
        else:
            place = source_of(table)
            if place is None:
                raise PlanError(
                    "Spark holds Parquet files and its own DataFrames: leave the engine out."
                )
            frame, name = read_parquet(place.table, schema, asked.master)
            read = load(frame, schema, each, name, table)
        with closing(read) as held:
            yield held
    except InputError as error:
        if all(one.row is None for one in error.problems):
            raise
        # A DataFrame has no order, and its rows no numbers.
        raise type(error)([replace(one, row=None) for one in error.problems]) from None


def _aside(scan: Scan, schema: Schema, table: object) -> Table:
    from anachron.engines.aside.load import load

    return load(scan, schema, table)
