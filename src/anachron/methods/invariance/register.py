"""From a register to the arrays that are planned on: people, values, quasi columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Floats
from anachron.engines.base import Table
from anachron.errors import PlanError, Problem, TableError
from anachron.guarantees import MInvariance
from anachron.methods.axes import Axis, axis

__all__ = ["Register", "register"]


@dataclass(frozen=True, eq=False)
class Register:
    """A register that was checked: one row a person, one sensitive value each."""

    people: pa.Array
    sensitive: pa.Array
    axes: tuple[Axis, ...]

    @property
    def quasi(self) -> Floats:
        """All quasi columns side by side."""
        return np.stack([axis.numbers for axis in self.axes], axis=1)


def register(table: Table, promise: MInvariance) -> Register:
    """Check that a table is a register, and give it as arrays; all problems at once."""
    schema = table.schema
    if len(schema.sensitive) != 1 or not schema.quasi or schema.time:
        raise PlanError(
            "m-invariance is for a register with one sensitive column and at least one quasi "
            "column, and without a time column. Change the schema."
        )
    people, sensitive = table.people(), table.column(schema.sensitive[0])
    problems = _missing(sensitive, schema.sensitive[0])
    if pa.types.is_time(sensitive.type):
        problems.append(
            Problem(
                "holds times of the day, which a history cannot remember.",
                column=schema.sensitive[0],
                remedy="Give it as text.",
            )
        )
    if table.subjects < table.rows:
        problems += _repeated(people, schema.subject)
    axes = []
    for column in schema.quasi:
        values = table.column(column)
        problems += _missing(values, column)
        try:
            axes.append(axis(column, values, promise))
        except PlanError as error:
            problems += error.problems
    if problems:
        raise TableError(problems)
    return Register(people, sensitive, tuple(axes))


def _repeated(people: pa.Array, column: str) -> list[Problem]:
    codes = people.dictionary_encode().indices.to_numpy()
    first = np.unique(codes, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(codes)), first)
    return [
        Problem(
            f"holds a subject that stands in an earlier row too ({len(again):,} such rows).",
            column=column,
            row=int(again[0]) + 1,
            remedy="A register has one row for each person.",
        )
    ]


def _missing(values: pa.Array, column: str) -> list[Problem]:
    if not values.null_count:
        return []
    row = int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0]) + 1
    return [
        Problem(
            f"is empty in {values.null_count:,} rows.",
            column=column,
            row=row,
            remedy="Fill it in, or leave those people out.",
        )
    ]
