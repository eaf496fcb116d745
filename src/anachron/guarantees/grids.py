"""The grid on which quasi columns are published as intervals: widths, orders and domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from anachron.errors import PlanError
from anachron.parts.kinds import by_name, texts
from anachron.parts.numbers import Exact, decimal
from anachron.parts.part import Lasting, Part, freely
from anachron.parts.shapes import Holds, Number, Text

__all__ = ["DOMAINS", "ORDERED", "ORDERS", "WIDTHS", "Domains", "Widths"]

Widths = tuple[tuple[str, Decimal], ...]
Domains = tuple[tuple[str, tuple[Decimal, Decimal]], ...]


def _width(name: str, given: Exact) -> Decimal:
    width = decimal(f"{name}: a width", given)
    if width <= 0:
        raise PlanError(f"{name}: widths must be positive.")
    return width


def _order(name: str, given: Iterable[str]) -> tuple[str, ...]:
    order = texts(name, given)
    if not order or len(set(order)) != len(order):
        raise PlanError(f"{name}: the order of its values is empty or names one twice.")
    return order


def _ends(name: str, given: Iterable[Exact]) -> tuple[Decimal, Decimal]:
    ends = [decimal(f"{name}: an end", value) for value in given]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise PlanError(f"{name}: a domain is a pair: the lowest and the highest value.")
    return ends[0], ends[1]


def _multiples(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Every width is a whole number of times what it was; whole numbers have 1 by themselves."""
    widths = {c: (Decimal(before.get(c, 1)), Decimal(after.get(c, 1))) for c in {*before, *after}}
    return all(new >= old and new % old == 0 for old, new in widths.values())


def _extended(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> bool:
    """Every order begins with what it was."""
    return before.keys() == after.keys() and all(
        after[column][: len(order)] == order for column, order in before.items()
    )


ORDERED = by_name(
    _order,
    Holds(
        "a table with a list of values, or the path of a file, for each column",
        dict[str, Text | list[str]],
        "a list of texts, or the path of a file",
    ),
)
WIDTHS = Part(
    by_name(
        _width,
        Holds("a table with a number for each column", dict[str, Number], "a number above 0"),
    ),
    Lasting(
        "to a whole multiple",
        "then every bound lies on the grid of before, and no two releases together are finer",
        _multiples,
        planned=False,
    ),
    by_column="entry",
    remark="For example, `age = 5`.",
)
ORDERS = Part(
    ORDERED,
    Lasting(
        "values may be added at the end",
        "each value keeps its place, so that an interval means the same in all releases",
        _extended,
        planned=False,
    ),
    by_column="entry",
    remark="A file, relative to the plan, has one value in each line; a hierarchy file does too, "
    "by its first column.",
)
DOMAINS = Part(
    by_name(
        _ends,
        Holds(
            "a table with [lowest, highest] for each column",
            dict[str, tuple[Number, Number]],
            "a list of two numbers, the lowest and the highest",
        ),
    ),
    freely("they weigh intervals, and move no bound: grids begin at 0 whatever they are"),
    by_column="entry",
    remark="For example, `age = [0, 120]`.",
)
