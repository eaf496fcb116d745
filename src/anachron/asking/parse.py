"""From SQL text to a question, by what was published."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.normal import Tangled, normal
from anachron.asking.question import EVERYTHING, Aggregate, Condition, Grouping, Question
from anachron.asking.reading.conditions import condition_of
from anachron.asking.reading.operands import column_of, operand
from anachron.asking.reading.series import series_time
from anachron.asking.reading.syntax import bare, function_name, said, statement
from anachron.asking.suggest import quoted, refusal
from anachron.errors import QuestionError

__all__ = ["in_normal_form", "parse"]

_NAMES = ("release", "data")
"""What a question may call the release: what it is, and what its table is called."""
_READ = {"expressions", "from", "where", "group", "kind", "operation_modifiers"}
_CLAUSES = {
    "distinct": "SELECT DISTINCT is not answered: GROUP BY tells values apart",
    "having": "HAVING is not answered: choose among the groups of the answer",
    "joins": "JOIN is not answered: a release is one table of records",
    "laterals": "JOIN is not answered: a release is one table of records",
    "limit": "LIMIT is not answered: the answer has one line for each group",
    "offset": "OFFSET is not answered: the answer has one line for each group",
    "order": "ORDER BY is not answered: groups come in the order of their values",
    "with": "WITH is not answered: a question is one SELECT",
}


def parse(text: str, catalogue: Catalogue) -> Question:
    """Read a question.

    Parameters
    ----------
    text
        ``SELECT COUNT(*) [, SUM(x), AVG(x), columns] [FROM release] [WHERE …] [GROUP BY …]``.
    catalogue
        What was published.

    Raises
    ------
    QuestionError
        If it is no question, or none that the release can answer; with one that it can.
    """
    select = statement(text, catalogue)
    _check_clauses(select, catalogue)
    named = [_item(item) for item in select.expressions]
    groupings = _groupings(select, named, catalogue)
    aggregates, titles = [], []
    for title, node in named:
        if _is_aggregate(node):
            aggregate = _aggregate(node, catalogue)
            aggregates.append(aggregate)
            titles.append(title or aggregate.title)
        elif _grouping(node, catalogue) not in groupings:
            raise _not_grouped(node, catalogue)
    if not aggregates:
        raise refusal(catalogue, "the question asks for no number: add COUNT(*).")
    where = select.args.get("where")
    condition = EVERYTHING if where is None else condition_of(where.this, catalogue)
    return Question(
        text, tuple(aggregates), in_normal_form(condition, catalogue), groupings, tuple(titles)
    )


def in_normal_form(condition: Condition, catalogue: Catalogue) -> Condition:
    """Bring a condition into normal form, or say that it cannot be answered exactly."""
    whole = frozenset(c.name for c in catalogue.columns.values() if c.kind == "whole")
    try:
        return normal(condition, whole)
    except Tangled as error:
        place = f"{quoted(error.column)}: " if error.column else ""
        raise refusal(
            catalogue,
            f"{place}{error.why}, so that no exact answer is known. Ask in several questions.",
        ) from None


def _check_clauses(select: exp.Select, catalogue: Catalogue) -> None:
    for name, given in select.args.items():
        clause = name.rstrip("_")
        if given and clause not in _READ:
            raise refusal(
                catalogue, _CLAUSES.get(clause, f"{clause.upper()} is not answered") + "."
            )
    source = select.args.get("from_") or select.args.get("from")
    if source is not None:
        _check_source(source.this, catalogue)


def _check_source(table: exp.Expr, catalogue: Catalogue) -> None:
    """Refuse to answer from the release what was asked of something else."""
    if not isinstance(table, exp.Table):
        raise refusal(catalogue, "questions within questions are not answered.")
    if any(table.args.get(part) for part in ("joins", "sample")):
        raise refusal(catalogue, _CLAUSES["joins"] + ".")
    named = isinstance(table.this, exp.Identifier) and not table.args.get("db")
    if not named or table.name.casefold() not in _NAMES:
        raise refusal(
            catalogue,
            "only the release itself can be asked: leave FROM out, or write FROM release.",
        )


def _item(node: exp.Expr) -> tuple[str, exp.Expr]:
    if isinstance(node, exp.Alias):
        return node.alias, bare(node.this)
    return "", bare(node)


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc | exp.Filter | exp.Window) or (
        not isinstance(node, exp.Column) and any(True for _ in node.find_all(exp.AggFunc))
    )


def _aggregate(node: exp.Expr, catalogue: Catalogue) -> Aggregate:
    if not isinstance(node, exp.Count | exp.Sum | exp.Avg):
        raise refusal(
            catalogue, f"{said(node)} is not answered: COUNT(*), SUM(column) and AVG(column) are."
        )
    inner = node.this
    if isinstance(inner, exp.Distinct):
        raise refusal(
            catalogue,
            f"{said(node)} is not answered: which records are of one person was not published, and "
            "GROUP BY tells values apart.",
        )
    if isinstance(node, exp.Count):
        if inner is None or isinstance(inner, exp.Star | exp.Literal):
            return Aggregate()
        return Aggregate("count", _target(node, bare(inner), catalogue).name)
    column = _target(node, bare(inner), catalogue)
    if not column.numeric and column.role != "series":
        numbers = [c for c in catalogue.with_role("quasi", "sensitive") if c.numeric]
        example = f"SELECT AVG({quoted(numbers[0].name)})" if numbers else None
        raise refusal(catalogue, f"{said(node)}: {quoted(column.name)} holds no numbers.", example)
    return Aggregate("sum" if isinstance(node, exp.Sum) else "avg", column.name)


def _target(node: exp.Expr, inner: exp.Expr, catalogue: Catalogue) -> Column:
    """The column that is added up; ``value('2006')`` is one, too."""
    if isinstance(inner, exp.Column):
        return column_of(inner.name, catalogue)
    if function_name(inner) == "value" and catalogue.times:
        given = [bare(part) for part in inner.args.get("expressions") or ()]
        if len(given) == 1 and isinstance(given[0], exp.Literal | exp.Column):
            return catalogue.columns[series_time(given[0].name, catalogue)]
    raise refusal(catalogue, f"{said(node)}: it is of one column as it is, without arithmetic.")


def _groupings(
    select: exp.Select, named: Sequence[tuple[str, exp.Expr]], catalogue: Catalogue
) -> tuple[Grouping, ...]:
    group = select.args.get("group")
    if group is None:
        return ()
    if any(group.args.get(part) for part in ("rollup", "cube", "grouping_sets", "totals")):
        raise refusal(catalogue, "GROUP BY takes columns here, no ROLLUP, CUBE or GROUPING SETS.")
    wanted = list(group.expressions)
    if group.args.get("all"):
        wanted = [node for _, node in named if not _is_aggregate(node)]
    found = [_grouping(_meant(bare(node), named, catalogue), catalogue) for node in wanted]
    return tuple(dict.fromkeys(found))


def _meant(node: exp.Expr, named: Sequence[tuple[str, exp.Expr]], catalogue: Catalogue) -> exp.Expr:
    """What GROUP BY 1, or GROUP BY with a name given in SELECT, stands for."""
    if isinstance(node, exp.Literal) and not node.is_string:
        places = [one for _, one in named]
        if not str(node.this).isdigit() or not 1 <= int(node.this) <= len(places):
            raise refusal(catalogue, f"GROUP BY {said(node)}: SELECT has {len(places)} columns.")
        return places[int(node.this) - 1]
    if isinstance(node, exp.Column) and catalogue.find(node.name) is None:
        return next((one for title, one in named if title == node.name), node)
    return node


def _grouping(node: exp.Expr, catalogue: Catalogue) -> Grouping:
    if isinstance(node, exp.Star):
        raise refusal(catalogue, "records themselves are not answered: read the published table.")
    if _is_aggregate(node):
        raise refusal(catalogue, f"GROUP BY {said(node)}: groups are of columns, not of numbers.")
    found = operand(node, catalogue)
    if found.column.role == "series":
        raise refusal(catalogue, f"{said(node)}: groups are not told apart by values of a series.")
    return Grouping(found.column.name, found.granularity.name if found.granularity else None)


def _not_grouped(node: exp.Expr, catalogue: Catalogue) -> QuestionError:
    name = said(node)
    return refusal(
        catalogue,
        f"{name} stands beside a number and must be in GROUP BY.",
        f"SELECT {name}, COUNT(*) GROUP BY {name}",
    )
