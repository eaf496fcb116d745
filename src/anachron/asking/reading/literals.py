"""A literal of a question as a value of the column it is compared with."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
from sqlglot import exp

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.question import Number, Span
from anachron.asking.reading.dates import date_of, day_of, moment_of, time_of
from anachron.asking.reading.syntax import bare, said
from anachron.asking.suggest import condition_on, quoted, refusal
from anachron.calendar.definitions import Granularity
from anachron.errors import QuestionError

__all__ = ["mismatch", "number", "spanned", "text", "truth", "window"]

_LARGEST = 300
"""Numbers of more digits than this, before or behind the point, are not read."""


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
    example = f"SELECT COUNT(*) WHERE {condition_on(column, catalogue.time_zone)}"
    if isinstance(bare(node), exp.Null):
        return refusal(
            catalogue,
            f"{name} cannot be compared with NULL: nothing equals it.",
            f"SELECT COUNT(*) WHERE {name} IS NULL",
        )
    return refusal(catalogue, f"{said(node)} does not fit {name}: it {holds}.", example)


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
