"""From a register to rows that are planned on: people, values, quasi columns as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.engines.base import ROW, SUBJECT, Batch, Rows, Table, quasi, sensitive
from anachron.errors import PlanError, Problem, TableError
from anachron.guarantees import MInvariance
from anachron.methods.axes import Axis, axis, plain_axis
from anachron.methods.invariance.memory import digests
from anachron.methods.outcome import Past
from anachron.methods.vocabulary import Distinct, Vocabulary, distinct

__all__ = ["CheckedRegister", "register"]


@dataclass(frozen=True, eq=False)
class CheckedRegister:
    """A register that was checked: one row a person, one sensitive value each."""

    rows: Rows
    sensitive: str
    different: Distinct
    """The sensitive values."""
    axes: tuple[Axis, ...]
    """The quasi columns; numbers are those of their distinct values."""

    def people(self, past: Past, values: Vocabulary) -> Rows:
        """The rows as they are planned on: ``who``, ``value`` and ``quasi``."""
        name, different = sensitive(self.sensitive), self.different.values
        # A kernel goes where rows are: it must hold neither these nor the ledger.
        axes, pseudonyms = self.axes, past.pseudonyms

        def read(batch: Batch) -> Batch:
            numbers = [one.numbers[batch[quasi(one.column)]] for one in axes]
            known = pc.index_in(batch[name], different).to_numpy(zero_copy_only=False)
            return {
                "who": digests(pseudonyms(batch[SUBJECT])),
                "value": values.code[known],
                "quasi": np.stack(numbers, axis=1),
            }

        columns = [quasi(one.column) for one in axes]
        return self.rows.map(read).only(ROW, "who", "value", "quasi", *columns)


def register(table: Table, promise: MInvariance) -> CheckedRegister:
    """Check that a table is a register; all problems at once."""
    schema = table.schema
    if len(schema.sensitive) != 1 or not schema.quasi or schema.time:
        raise PlanError(
            "m-invariance is for a register with one sensitive column and at least one quasi "
            "column, and without a time column. Change the schema."
        )
    rows, [name] = table.held(), schema.sensitive
    different = distinct(rows, sensitive(name))
    problems = _missing(different.values, different.count, different.first, name)
    if pa.types.is_time(different.values.type):
        problems.append(
            Problem(
                "holds times of the day, which a history cannot remember.",
                column=name,
                remedy="Give it as text.",
            )
        )
    if table.subjects < table.rows:
        problems.append(_repeated(rows, schema.person))
    axes = []
    for column in schema.quasi:
        values, found = table.values(column), distinct(rows, quasi(column))
        count, first = (np.zeros(len(values), dtype=np.int64) for _ in range(2))
        count[found.values], first[found.values] = found.count, found.first
        problems += _missing(values, count, first, column)
        try:
            exact = promise.then == "anatomy"
            one = plain_axis(column, values) if exact else axis(column, values, promise, count)
            axes.append(one)
        except PlanError as error:
            problems += error.problems
    if problems:
        raise TableError(problems)
    return CheckedRegister(rows, name, different, tuple(axes))


def _repeated(rows: Rows, column: str) -> Problem:
    again = rows.map(_again, together=SUBJECT).where("again")
    first = again.counts((), {"first": ("least", ROW)}).collect("first")["first"]
    return Problem(
        f"holds a subject that stands in an earlier row too ({len(again):,} such rows).",
        column=column,
        row=int(first[0]) + 1,
        remedy="A register has one row for each person.",
    )


def _again(batch: Batch) -> Batch:
    """Which rows are of somebody who stands in an earlier one."""
    who = batch[SUBJECT].dictionary_encode().indices.to_numpy()
    order = np.lexsort((batch[ROW], who))
    again = np.zeros(len(who), dtype=bool)
    again[order[1:]] = who[order[1:]] == who[order[:-1]]
    return {"again": again}


def _missing(values: pa.Array, count: Array, first: Array, column: str) -> list[Problem]:
    if not values.null_count:
        return []
    [empty] = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False)).tolist()
    return [
        Problem(
            f"is empty in {count[empty]:,} rows.",
            column=column,
            row=int(first[empty]) + 1,
            remedy="Fill it in, or leave those people out.",
        )
    ]
