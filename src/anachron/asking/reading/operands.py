"""What a test compares: a column of the release, and a literal as one of its values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
from sqlglot import exp

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.question import Number, Span
from anachron.asking.reading.dates import date_of, day_of, moment_of, time_of
from anachron.asking.reading.syntax import bare, function_name, said
from anachron.asking.suggest import quoted, refusal
from anachron.calendar.definitions import Granularity
from anachron.errors import QuestionError
from anachron.published.ways import LeftOut

__all__ = [
    "Operand",
    "column_of",
    "mismatch",
    "number",
    "operand",
    "spanned",
    "text",
    "truth",
    "window",
]

_DATES = ("DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPNTZ")
_LARGEST = 300
"""Numbers of more digits than this, before or behind the point, are not read."""


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
        meant = f"{what} Did you mean {quoted(near)}?"
        return refusal(catalogue, meant, catalogue.columns[near])
    listed = ", ".join(quoted(column) for column in shown)
    return refusal(
        catalogue,
        f"{what} It has {listed or 'none'}{times}; columns that name people, and those without a "
        "role, are never published.",
    )


def number(node: exp.Expr) -> Decimal | None:
    """The number that a literal is, exactly, or None."""
    sign = 1
    node = bare(node)
    while isinstance(node, exp.Neg):
        sign, node = -sign, bare(node.this)
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    try:
        found = sign * Decimal(str(node.this))
    except ArithmeticError:  # not a number, or far too large a one
        return None
    return found if found.is_finite() and abs(found.adjusted()) <= _LARGEST else None


def spanned(column: Column, low: Decimal | None, high: Decimal | None, ends: str) -> Span | None:
    """Numbers between two ends, as the column stores numbers; None if there are none.

    ``ends`` tells by brackets whether they belong to it: ``[]``, ``[)``, ``(]`` or ``()``.
    """
    opened, closed = ends[0] == "[", ends[1] == "]"
    if column.kind != "whole":
        span = Span(_stored(column, low), _stored(column, high), opened, closed)
        return span if _any(span) else None
    least, most = _limits(column)
    first = least if low is None else math.ceil(low) + (low == math.ceil(low) and not opened)
    last = most if high is None else math.floor(high) - (high == math.floor(high) and not closed)
    if first > last or first > most or last < least:
        return None
    return Span(first if first > least else None, last if last < most else None)


def text(node: exp.Expr, column: Column) -> str | None:
    """The text that a literal is; of a hierarchy also a number, for its values are texts."""
    node = bare(node)
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    found = number(node) if column.covers else None
    return None if found is None else format(found, "f")


def truth(node: exp.Expr) -> bool | None:
    """The boolean that a literal is, or None."""
    node = bare(node)
    return bool(node.this) if isinstance(node, exp.Boolean) else None


def window(
    node: exp.Expr,
    column: Column,
    catalogue: Catalogue,
    granularity: Granularity | None = None,
) -> tuple[int, int] | None:
    """The days or microseconds that a literal means, from the first up to before the second."""
    node = bare(node)
    kind = ""
    if isinstance(node, exp.Cast):
        kind, node = node.to.sql(dialect="duckdb").upper(), bare(node.this)
    year = number(node) if granularity is not None and granularity.name == "year" else None
    if year is not None:
        return moment_of(format(year, "f").zfill(4), column, catalogue, granularity)
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    given = str(node.this)
    if column.kind == "date":
        day = day_of(given) if kind in ("", "DATE") else None
        return None if day is None else (day, day + 1)
    if kind == "DATE" and granularity is None:
        return date_of(given, column, catalogue)
    if kind.startswith("TIMESTAMP") and granularity is None:
        return time_of(given, column, catalogue)
    return moment_of(given, column, catalogue, granularity) if not kind else None


def mismatch(node: exp.Expr, column: Column, catalogue: Catalogue) -> QuestionError:
    """An error that says what a column holds, and shows a condition on it that works."""
    name = quoted(column.name)
    others = ", a time or the label of a granule" if column.role == "time" else " or a time"
    holds = {
        "boolean": "holds TRUE and FALSE",
        "date": "holds dates such as DATE '2014-05-01'",
        "instant": f"holds times: compare it with a date{others}",
        "number": "holds numbers, which stand without quotation marks",
        "text": "holds text, which stands in quotation marks",
        "whole": "holds whole numbers, which stand without quotation marks",
    }.get(column.kind, "can only be tested with IS NULL and IS NOT NULL")
    if isinstance(bare(node), exp.Null):
        return refusal(
            catalogue,
            f"{name} cannot be compared with NULL: nothing equals it.",
            f"SELECT COUNT(*) WHERE {name} IS NULL",
        )
    return refusal(catalogue, f"{said(node)} does not fit {name}: it {holds}.", column)


def _stored(column: Column, given: Decimal | None) -> Number | None:
    """The nearest number that the column can hold, as SQL compares them."""
    storage = column.storage
    if given is None or storage is None or pa.types.is_decimal(storage):
        return given
    with np.errstate(over="ignore"):
        return float(np.float32(given)) if storage.bit_width == 32 else float(given)


def _any(span: Span) -> bool:
    if span.low is None or span.high is None or span.low < span.high:
        return True
    return span.low == span.high and span.low_closed and span.high_closed


def _limits(column: Column) -> tuple[int, int]:
    unsigned = column.storage is not None and pa.types.is_unsigned_integer(column.storage)
    return (-1, 2**64) if unsigned else (-(2**63), 2**63 - 1)
