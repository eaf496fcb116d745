"""Names in a question, as columns of the release."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.reading.syntax import bare, function_name, said
from anachron.asking.suggest import condition_on, quoted, refusal
from anachron.calendar.definitions import Granularity
from anachron.errors import QuestionError
from anachron.published.ways import LeftOut

__all__ = ["Operand", "column_of", "operand"]

_DATES = ("DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPNTZ")


@dataclass(frozen=True)
class Operand:
    """A column, or the granule of a granularity that holds its time."""

    column: Column
    granularity: Granularity | None = None


def operand(node: exp.Expr, catalogue: Catalogue) -> Operand:
    """Read ``age``, ``month(admitted)`` or ``DATE_TRUNC('month', admitted)``."""
    node = bare(node)
    if isinstance(node, exp.Column):
        return Operand(column_of(node.name, catalogue))
    named = _granule(node)
    if named is None:
        raise refusal(catalogue, f"{said(node)} is no column of this release.")
    name, inner = named
    column = column_of(inner.name, catalogue)
    if column.role != "time":
        raise refusal(catalogue, f"{said(node)}: {quoted(column.name)} is not the time column.")
    if name in ("date", "timestamp"):
        # Dates mean whole days already.
        return Operand(column)
    if name not in catalogue.granularities:
        known = ", ".join(catalogue.granularities)
        raise refusal(catalogue, f"{name!r} is no granularity. Known: {known}.")
    return Operand(column, catalogue.granularities[name])


def column_of(name: str, catalogue: Catalogue) -> Column:
    """The column that is meant, if anything was published of it."""
    column = catalogue.find(name)
    if column is None:
        raise _unknown(name, catalogue)
    if isinstance(column.way, LeftOut):
        raise refusal(
            catalogue, f"{quoted(name)} was not published: the release leaves this column out."
        )
    return column


def _granule(node: exp.Expr) -> tuple[str, exp.Column] | None:
    """The name of a function of time, and the column it is given."""
    inner = bare(node.this) if isinstance(node.this, exp.Expr) else None
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) and isinstance(inner, exp.Column):
        return str(node.args["unit"].name).lower(), inner
    if isinstance(node, exp.Cast) and isinstance(inner, exp.Column):
        kind = node.to.sql(dialect="duckdb").upper()
        return ("date", inner) if kind in _DATES else None
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        inner = bare(node.expressions[0])
    if isinstance(node, exp.Func) and isinstance(inner, exp.Column):
        return function_name(node), inner
    return None


def _unknown(name: str, catalogue: Catalogue) -> QuestionError:
    near = catalogue.nearest(name)
    shown = [c.name for c in catalogue.with_role("quasi", "time", "sensitive")]
    times = f" and the values of {len(catalogue.times)} times" if catalogue.times else ""
    what = f"{quoted(name)} is no column of this release."
    if near is not None:
        example = (
            f"SELECT COUNT(*) WHERE {condition_on(catalogue.columns[near], catalogue.time_zone)}"
        )
        return refusal(catalogue, f"{what} Did you mean {quoted(near)}?", example)
    listed = ", ".join(quoted(column) for column in shown)
    return refusal(
        catalogue,
        f"{what} It has {listed or 'none'}{times}; columns that name people, and those without a "
        "role, are never published.",
    )
