"""Tests of series: ``value('2006') - value('2005') > 50``, ``feature(…)``, ``similar(…)``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from sqlglot import exp

from anachron.asking.catalogue import Catalogue
from anachron.asking.question import FeatureIn, SeriesLeaf, Similar, Span, ValueIn
from anachron.asking.reading.operands import number
from anachron.asking.reading.syntax import bare, function_name, said
from anachron.asking.suggest import examples, refusal
from anachron.errors import QuestionError

__all__ = ["on_series", "series_leaf", "series_time"]

Of = Literal["value", "feature"]
Terms = dict[tuple[str, str], Decimal]
"""Coefficients by (value or feature, time); the constant has no name and no time."""
_CONSTANT = ("", "")
_FUNCTIONS = ("value", "feature", "similar")


def on_series(node: exp.Expr, catalogue: Catalogue) -> bool:
    """Whether a condition speaks of values of a series."""
    return any(
        function_name(part) in _FUNCTIONS or _series_column(part, catalogue) for part in node.walk()
    )


def series_leaf(node: exp.Expr, catalogue: Catalogue) -> SeriesLeaf:
    """Read one test of a series."""
    if not catalogue.is_series:
        raise refusal(catalogue, f"{said(node)}: this release holds no series.")
    if function_name(node) == "similar":
        return _similar(node, catalogue)
    if isinstance(node, exp.Between):
        found = _terms(node.this, catalogue)
        low, high = (_bound(node.args[end], catalogue) for end in ("low", "high"))
        shift = found.pop(_CONSTANT, Decimal(0))
        span = Span(float(low - shift), float(high - shift))
        return _weighted(node, found, (span,) if low <= high else (), catalogue)
    if not isinstance(node, exp.EQ | exp.NEQ | exp.LT | exp.LTE | exp.GT | exp.GTE):
        raise refusal(
            catalogue,
            f"{said(node)} is no test of a series that can be answered: compare by <, <=, >, >=, = "
            "or BETWEEN.",
        )
    found = _terms(node.this, catalogue)
    for name, coefficient in _terms(node.args["expression"], catalogue).items():
        found[name] = found.get(name, Decimal(0)) - coefficient
    bound = -found.pop(_CONSTANT, Decimal(0))
    return _weighted(node, found, _side(node, float(bound)), catalogue)


def _side(node: exp.Expr, bound: float) -> tuple[Span, ...]:
    """The numbers on the side of a bound that a comparison means."""
    below, above = Span(None, bound, True, False), Span(bound, None, False)
    if isinstance(node, exp.EQ):
        return (Span(bound, bound),)
    if isinstance(node, exp.NEQ):
        return (below, above)
    if isinstance(node, exp.LT | exp.LTE):
        return (below if isinstance(node, exp.LT) else Span(None, bound),)
    return (above if isinstance(node, exp.GT) else Span(bound, None),)


def _weighted(
    node: exp.Expr, terms: Terms, spans: tuple[Span, ...], catalogue: Catalogue
) -> ValueIn | FeatureIn:
    kept = {name: coefficient for name, coefficient in terms.items() if coefficient}
    kinds = {of for of, _ in kept}
    if len(kinds) != 1:
        why = "mixes value and feature" if kinds else "tests no value of the series"
        raise refusal(catalogue, f"{said(node)} {why}.")
    if not all(math.isfinite(float(coefficient)) for coefficient in kept.values()):
        raise refusal(catalogue, f"{said(node)} has numbers that are too large.")
    order = {time: place for place, time in enumerate(catalogue.times)}
    weights = tuple(
        sorted(((time, float(c)) for (_, time), c in kept.items()), key=lambda w: order[w[0]])
    )
    return ValueIn(weights, spans) if kinds == {"value"} else FeatureIn(weights, spans)


def _terms(node: exp.Expr, catalogue: Catalogue, of: Of | None = None) -> Terms:
    """A sum of multiples of values, without a call for each of its parts.

    ``of`` is the function that the sum stands in, whose arguments are the names of times.
    """
    found: Terms = {}
    waiting = [(node, Decimal(1))]
    while waiting:
        given, factor = waiting.pop()
        part = bare(given)
        if isinstance(part, exp.Add | exp.Sub):
            sign = 1 if isinstance(part, exp.Add) else -1
            waiting += [(part.this, factor), (part.args["expression"], sign * factor)]
        elif isinstance(part, exp.Neg):
            waiting.append((part.this, -factor))
        elif isinstance(part, exp.Mul | exp.Div):
            waiting.append(_scaled(part, factor, catalogue))
        else:
            for name, coefficient in _term(part, catalogue, of):
                found[name] = found.get(name, Decimal(0)) + factor * coefficient
    return found


def _scaled(
    part: exp.Mul | exp.Div, factor: Decimal, catalogue: Catalogue
) -> tuple[exp.Expr, Decimal]:
    left, right = part.this, part.args["expression"]
    by = number(right)
    if isinstance(part, exp.Mul):
        if by is not None:
            return left, factor * by
        by = number(left)
        if by is not None:
            return right, factor * by
    elif by:
        return left, factor / by
    raise refusal(catalogue, f"{said(part)}: values are multiplied by numbers only.")


def _term(
    part: exp.Expr, catalogue: Catalogue, of: Of | None
) -> Iterator[tuple[tuple[str, str], Decimal]]:
    name = function_name(part)
    if of is None and name in ("value", "feature"):
        inner = part.expressions if isinstance(part, exp.Anonymous) else [part.this]
        if len(inner) != 1:
            raise refusal(catalogue, f"{said(part)} takes one argument, a time.")
        yield from _terms(inner[0], catalogue, "value" if name == "value" else "feature").items()
        return
    constant = number(part)
    if of is None and constant is not None:
        yield _CONSTANT, constant
    elif of is not None and isinstance(part, exp.Literal | exp.Column):
        yield (of, series_time(part.name, catalogue)), Decimal(1)
    elif _series_column(part, catalogue):
        yield ("value", series_time(part.name, catalogue)), Decimal(1)
    else:
        raise refusal(catalogue, f"{said(part)} is neither a number nor a value of the series.")


def series_time(name: str, catalogue: Catalogue) -> str:
    """The time of a series that is meant, if anything was published of it."""
    column = catalogue.find(name)
    if column is None or column.role != "series":
        near = catalogue.nearest(name)
        hint = f" Did you mean {near!r}?" if near in catalogue.times else ""
        first, last = catalogue.times[0], catalogue.times[-1]
        raise refusal(catalogue, f"{name!r} is no time of the series, {first!r} to {last!r}.{hint}")
    if column.name not in catalogue.times:
        raise refusal(catalogue, f"nothing was published of the time {column.name!r}.")
    return column.name


def _similar(node: exp.Expr, catalogue: Catalogue) -> Similar:
    given = [bare(part) for part in node.expressions]
    form = f"similar(series, [{len(catalogue.patterns)} numbers], distance)"
    if len(given) != 3 or not isinstance(given[1], exp.Array):
        raise _ill_formed(node, f"write {form}", catalogue)
    numbers = [number(part) for part in given[1].expressions]
    delta = number(given[2])
    if delta is None or delta < 0 or None in numbers:
        raise _ill_formed(node, f"write {form}", catalogue)
    if len(numbers) != len(catalogue.patterns):
        few = f"the pattern covers {len(catalogue.patterns)} times, and it has {len(numbers)}"
        raise _ill_formed(node, f"{few} numbers", catalogue)
    return Similar(tuple(float(one) for one in numbers if one is not None), float(delta))


def _ill_formed(node: exp.Expr, why: str, catalogue: Catalogue) -> QuestionError:
    shown = next((text for text in examples(catalogue) if "similar" in text), None)
    return refusal(catalogue, f"{said(node)}: {why}.", shown)


def _series_column(node: exp.Expr, catalogue: Catalogue) -> bool:
    if not isinstance(node, exp.Column):
        return False
    column = catalogue.find(node.name)
    return column is not None and column.role == "series"


def _bound(node: exp.Expr, catalogue: Catalogue) -> Decimal:
    found = number(node)
    if found is None:
        raise refusal(catalogue, f"{said(node)}: the ends of BETWEEN are numbers.")
    return found
