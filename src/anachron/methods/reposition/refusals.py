"""What a push is refused for: records that could not be published, or not as they come."""

from __future__ import annotations

import pyarrow as pa

from anachron.engines.base import COUNT, ROW, Rows, Table, quasi, sensitive
from anachron.errors import AlreadyPublished, PlanError, Problem, TableError
from anachron.guarantees import MInvariance, Reposition
from anachron.methods.axes import axis
from anachron.methods.vocabulary import distinct

__all__ = [
    "first_of",
    "refuse_late",
    "refuse_twice",
    "refuse_twice_in_all",
    "refuse_unpublishable",
]


def first_of(rows: Rows) -> int:
    """The first of some rows, as messages name it, from 0."""
    told = rows.counts((), {"first": ("least", ROW)}).collect("first")
    return int(told["first"][0])


def refuse_unpublishable(table: Table, rows: Rows, promise: Reposition) -> None:
    """Refuse now what could not be published when it is due, with records that could."""
    grid = promise.then if isinstance(promise.then, MInvariance) else promise
    problems = []
    for column in table.schema.quasi:
        values = table.values(column)
        if values.null_count:  # an interval cannot hold a value that is missing
            many, first = _missing(rows, column, len(values) - 1)
            problems.append(
                Problem(
                    f"is empty in {many:,} rows.",
                    column=column,
                    row=first + 1,
                    remedy='Fill it in, or leave those rows out. A new feed with then = "anatomy" '
                    "takes them.",
                )
            )
        try:
            if grid.then != "anatomy":
                axis(column, values, grid)
        except PlanError as error:
            problems += error.problems
    [name] = table.schema.sensitive
    if grid is not promise and pa.types.is_time(distinct(rows, sensitive(name)).values.type):
        problems.append(
            Problem(
                "holds times of the day, which a history cannot remember.",
                column=name,
                remedy="Give it as text.",
            )
        )
    if problems:
        raise TableError(problems)


def _missing(rows: Rows, column: str, code: int) -> tuple[int, int]:
    """How many rows have the value with a code, and the first of them."""
    told = rows.counts((quasi(column),), {"first": ("least", ROW)})
    found = told.collect(quasi(column), COUNT, "first")
    [at] = (found[quasi(column)] == code).nonzero()[0]
    return int(found[COUNT][at]), int(found["first"][at])


def refuse_late(promise: Reposition, column: str, rows: Rows, again: int) -> None:
    """Refuse rows of snapshots that arrived before, of which so many were pushed then, too."""
    if promise.late != "refuse":
        return
    if again:
        raise AlreadyPublished(
            f"{again:,} snapshots of this push were pushed before, with other records. What "
            "was planned with the first must not be planned again with the second. Push each "
            'snapshot once, when it is complete; or let late records join, with late = "recycle".'
        )
    raise TableError(
        Problem(
            f"lies before the last snapshot that was pushed ({len(rows):,} such rows).",
            column=column,
            row=first_of(rows) + 1,
            remedy='Push snapshots in order; or set late to "recycle" or "drop".',
        )
    )


def refuse_twice(promise: Reposition, column: str, doubles: Rows) -> None:
    """Refuse rows of people who have another in the same snapshot of a push."""
    if promise.repeated != "refuse" or not len(doubles):
        return
    raise TableError(
        Problem(
            f"holds a person who is in the same snapshot twice ({len(doubles):,} rows).",
            column=column,
            row=first_of(doubles) + 1,
            remedy='A snapshot has one record of each person. Set repeated to "one" to '
            "publish one of them, or choose shorter snapshots for a new feed.",
        )
    )


def refuse_twice_in_all(promise: Reposition, others: Rows) -> None:
    """Refuse late rows of people of whom another of that snapshot came before."""
    if promise.repeated == "refuse" and len(others):
        raise AlreadyPublished(
            "this push repeats people of a snapshot that was pushed before, among other records "
            f"({len(others):,} rows). A snapshot has one record of each person. Leave those "
            'rows out; to have the first of several published, set repeated to "one".'
        )
