"""One test of one column as a leaf, by what the column holds."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Literal

from sqlglot import exp

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.question import Among, Begins, Leaf, Ranges, Span
from anachron.asking.reading.operands import Operand, mismatch, number, spanned, text, truth, window
from anachron.asking.reading.syntax import said
from anachron.asking.sets import merged, negation, present, union
from anachron.asking.suggest import quoted, refusal
from anachron.errors import QuestionError

__all__ = ["Comparison", "alike", "compared", "listed"]

Comparison = Literal["=", "<>", "<", "<=", ">", ">="]


def compared(found: Operand, sign: Comparison, value: exp.Expr, catalogue: Catalogue) -> Leaf:
    """Compare a column with a literal."""
    if sign == "<>":
        equal = compared(found, "=", value, catalogue)
        return replace(negation(equal), nulls=False)
    column = found.column
    if column.numeric:
        return _numbers(column, sign, value, catalogue)
    if column.kind in ("date", "instant"):
        return _times(found, sign, value, catalogue)
    if column.kind == "boolean":
        given = truth(value)
        if given is None or sign != "=":
            raise mismatch(value, column, catalogue)
        return Among(column.name, frozenset({given}))
    if column.kind == "text":
        return _texts(column, sign, value, catalogue)
    raise mismatch(value, column, catalogue)


def listed(found: Operand, values: Sequence[exp.Expr], catalogue: Catalogue) -> Leaf:
    """The column is one of a list."""
    return merged((compared(found, "=", value, catalogue) for value in values), union)


def alike(node: exp.Expr, found: Operand, catalogue: Catalogue) -> Leaf:
    """``LIKE 'abc%'``."""
    column, value = found.column, node.args["expression"]
    given = text(value, column) if column.kind == "text" else None
    if given is None:
        raise mismatch(value, column, catalogue)
    if isinstance(node, exp.StartsWith):
        head, rest = given, "%"
    else:
        head, rest = given.rstrip("%"), "%" if given.endswith("%") else ""
        if "%" in head or "_" in head:
            raise refusal(
                catalogue,
                f"{said(node)}: of LIKE only the form 'abc%' is read, a beginning and one % at "
                "the end.",
                column,
            )
    if not rest:
        return compared(found, "=", value, catalogue)
    if column.domain:
        return Among(column.name, frozenset(v for v in column.domain if v.startswith(head)))
    if not head:
        return present(column.name, column.kind)
    return Begins(column.name, (head,))


def _numbers(column: Column, sign: Comparison, value: exp.Expr, catalogue: Catalogue) -> Leaf:
    given = number(value)
    if given is None:
        raise mismatch(value, column, catalogue)
    low = given if sign in ("=", ">", ">=") else None
    high = given if sign in ("=", "<", "<=") else None
    ends = ("(" if sign == ">" else "[") + (")" if sign == "<" else "]")
    span = spanned(column, low, high, ends)
    return Ranges(column.name, () if span is None else (span,))


def _times(found: Operand, sign: Comparison, value: exp.Expr, catalogue: Catalogue) -> Leaf:
    """A date or label is a whole day or granule: ``<`` ends before it, ``>`` starts after it."""
    meant = window(value, found.column, catalogue, found.granularity)
    if meant is None:
        raise mismatch(value, found.column, catalogue)
    start, end = meant
    span = {
        "=": Span(start, end, True, False),
        "<": Span(None, start, True, False),
        "<=": Span(None, end, True, False),
        ">": Span(end, None),
        ">=": Span(start, None),
    }[sign]
    return Ranges(found.column.name, (span,))


def _texts(column: Column, sign: Comparison, value: exp.Expr, catalogue: Catalogue) -> Leaf:
    given = text(value, column)
    if sign != "=":
        return _ordered(column, sign, value, catalogue)
    if given is None:
        raise mismatch(value, column, catalogue)
    if column.length is not None and given.endswith("*"):
        return _label_of_prefix(column.name, column.length, given)
    if column.domain and given not in column.domain:
        if given in column.covers:
            return Among(column.name, frozenset(column.covers[given]))
        raise _not_in_domain(column, given, catalogue)
    return Among(column.name, frozenset({given}))


def _label_of_prefix(name: str, length: int, label: str) -> Leaf:
    """What was published of a text is its beginning and a star; a shorter text is whole."""
    head = label.removesuffix("*")
    return Among(name, frozenset({head})) if len(head) < length else Begins(name, (head,))


def _ordered(column: Column, sign: Comparison, value: exp.Expr, catalogue: Catalogue) -> Leaf:
    """Texts with an order of their own, and numbers in a hierarchy, can be compared."""
    given = text(value, column)
    if column.order:
        if given is None:
            raise mismatch(value, column, catalogue)
        if given not in column.order:
            raise _not_in_domain(column, given, catalogue)
        places: dict[str, Decimal] = {v: Decimal(i) for i, v in enumerate(column.order)}
        return _chosen(column, places, sign, places[given])
    numbers, wanted = _as_numbers(column.domain), number(value)
    if numbers and wanted is not None:
        return _chosen(column, numbers, sign, wanted)
    raise refusal(
        catalogue,
        f"{quoted(column.name)} holds text, which has no order here: {sign} cannot be answered.",
        column,
    )


def _chosen(column: Column, places: dict[str, Decimal], sign: Comparison, wanted: Decimal) -> Leaf:
    holds = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    chosen = (value for value, place in places.items() if holds(place, wanted))
    return Among(column.name, frozenset(chosen))


def _as_numbers(texts: Iterable[str]) -> dict[str, Decimal]:
    """Texts that are all numbers, as such; else nothing."""
    try:
        found = {value: Decimal(value) for value in texts}
    except InvalidOperation:
        return {}
    return found if all(one.is_finite() for one in found.values()) else {}


def _not_in_domain(column: Column, given: str, catalogue: Catalogue) -> QuestionError:
    known = [*column.domain, *column.covers]
    close = difflib.get_close_matches(given, known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return refusal(
        catalogue,
        f"{given!r} is not among the values that {quoted(column.name)} can have.{hint}",
        column,
    )
