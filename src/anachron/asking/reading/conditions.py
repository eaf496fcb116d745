"""The WHERE of a question as a condition: ``NOT`` carried into the leaves, nothing merged yet."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from anachron.asking.catalogue import Catalogue
from anachron.asking.normal import opposite
from anachron.asking.question import EVERYTHING, NOTHING, All, Any, Condition, Leaf
from anachron.asking.reading.comparisons import Comparison, alike, compared, listed
from anachron.asking.reading.operands import mismatch, operand, truth
from anachron.asking.reading.series import on_series, series_leaf
from anachron.asking.reading.syntax import bare, chain, said
from anachron.asking.sets import intersection, negation, present
from anachron.asking.suggest import quoted, refusal

__all__ = ["condition_of"]

_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_TURNED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def condition_of(node: exp.Expr, catalogue: Catalogue, negated: bool = False) -> Condition:
    """Read a condition, or its negation."""
    node = bare(node)
    if isinstance(node, exp.And | exp.Or):
        parts = tuple(condition_of(part, catalogue, negated) for part in chain(node, type(node)))
        return All(parts) if isinstance(node, exp.And) is not negated else Any(parts)
    if isinstance(node, exp.Not):
        return condition_of(node.this, catalogue, not negated)
    if node.args.get("negate"):
        negated = not negated
    constant = truth(node)
    if constant is not None:
        return EVERYTHING if constant is not negated else NOTHING
    if on_series(node, catalogue):
        found = series_leaf(node, catalogue)
        return opposite(found) if negated else found
    if isinstance(node, exp.Is):
        return _is(node, catalogue, negated)
    leaf = _leaf(node, catalogue)
    # Where a comparison with null is unknown, so is its negation: neither counts.
    return replace(negation(leaf), nulls=False) if negated else leaf


def _leaf(node: exp.Expr, catalogue: Catalogue) -> Leaf:
    """Read one test of one column."""
    if type(node) in _COMPARISONS:
        return _comparison(node, _COMPARISONS[type(node)], catalogue)
    if isinstance(node, exp.In):
        if node.args.get("query") or node.args.get("unnest") or node.args.get("field"):
            raise refusal(catalogue, "IN takes a list of values here, and no other question.")
        if not node.expressions:
            raise refusal(catalogue, "IN needs at least one value.")
        return listed(operand(node.this, catalogue), node.expressions, catalogue)
    if isinstance(node, exp.Between):
        return _between(node, catalogue)
    if isinstance(node, exp.Like | exp.StartsWith):
        return alike(node, operand(node.this, catalogue), catalogue)
    if isinstance(node, exp.Column):
        found = operand(node, catalogue)
        if found.column.kind == "boolean":
            return compared(found, "=", exp.true(), catalogue)
        alone = f"{quoted(found.column.name)} stands alone where a condition is expected."
        raise refusal(catalogue, alone, found.column)
    raise refusal(catalogue, _strange(node))


def _comparison(node: exp.Expr, sign: Comparison, catalogue: Catalogue) -> Leaf:
    left, right = bare(node.this), bare(node.args["expression"])
    if _literal(left):
        left, right, sign = right, left, _TURNED.get(sign, sign)
    if _literal(left):
        raise refusal(catalogue, f"{said(node)} tests no column.")
    found = operand(left, catalogue)
    if not _literal(right):
        raise refusal(
            catalogue,
            f"{said(node)}: a column is compared with a value, not with {said(right)}.",
            found.column,
        )
    return compared(found, sign, right, catalogue)


def _between(node: exp.Between, catalogue: Catalogue) -> Leaf:
    if node.args.get("symmetric"):
        raise refusal(catalogue, "BETWEEN SYMMETRIC is not read: give the lower end first.")
    found = operand(node.this, catalogue)
    low = compared(found, ">=", node.args["low"], catalogue)
    return intersection(low, compared(found, "<=", node.args["high"], catalogue))


def _is(node: exp.Is, catalogue: Catalogue, negated: bool) -> Condition:
    """``IS`` is never unknown, so that its negation counts records without a value."""
    found, right = operand(node.this, catalogue), bare(node.args["expression"])
    if isinstance(right, exp.Null):
        leaf = present(found.column.name, found.column.kind)
        return leaf if negated else negation(leaf)
    if truth(right) is None or found.column.kind != "boolean":
        raise mismatch(right, found.column, catalogue)
    leaf = compared(found, "=", right, catalogue)
    return negation(leaf) if negated else leaf


def _literal(node: exp.Expr) -> bool:
    inner = bare(node)
    while isinstance(inner, exp.Neg | exp.Cast):
        inner = bare(inner.this)
    return isinstance(inner, exp.Literal | exp.Boolean | exp.Null)


def _strange(node: exp.Expr) -> str:
    if isinstance(node, exp.Subquery | exp.Exists | exp.Select):
        return f"{said(node)}: questions within questions are not answered."
    if isinstance(node, exp.ILike | exp.RegexpLike):
        return f"{said(node)}: of patterns only LIKE 'abc%' is read, letters as they are written."
    if isinstance(node, exp.AggFunc):
        return f"{said(node)}: a number of many records cannot stand in WHERE."
    return (
        f"{said(node)} is no condition that can be answered. Conditions are =, <>, <, <=, >, >=, "
        "IN, BETWEEN, LIKE 'abc%', IS NULL, joined by AND, OR and NOT."
    )
