"""The grid on which quasi columns are published as intervals: widths, orders and domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from anachron.errors import PlanError
from anachron.guarantees.reading import Exact, Reading, decimal, written

__all__ = ["Domains", "Orders", "Widths", "domains", "grid_dict", "lists", "orders", "widths"]

Widths = tuple[tuple[str, Decimal], ...]
Orders = tuple[tuple[str, tuple[str, ...]], ...]
Domains = tuple[tuple[str, tuple[Decimal, Decimal]], ...]


def widths(given: Mapping[str, Exact] | None, reading: Reading) -> Widths:
    """The least width of a published interval, by column."""
    read = {c: reading.take(_width, c, width) for c, width in sorted((given or {}).items())}
    return tuple((column, width) for column, width in read.items() if width is not None)


def orders(given: Mapping[str, Iterable[str]] | None, reading: Reading) -> Orders:
    """The values of columns of text, in the order in which neighbours are alike."""
    found = lists(given)
    for column, order in found:
        if not order or len(set(order)) != len(order):
            reading.add(f"orders.{column}: the order of its values is empty or names one twice.")
    return found


def domains(given: Mapping[str, Iterable[Exact]] | None, reading: Reading) -> Domains:
    """The lowest and the highest value, by column."""
    read = {c: reading.take(_ends, c, ends) for c, ends in sorted((given or {}).items())}
    return tuple((column, ends) for column, ends in read.items() if ends is not None)


def lists(given: Mapping[str, Iterable[str]] | None) -> Orders:
    """Lists of texts, by name."""
    return tuple(sorted((n, tuple(str(v) for v in vs)) for n, vs in (given or {}).items()))


def grid_dict(widths: Widths, orders: Orders, domains: Domains) -> dict[str, Any]:
    """Give the grid as plain values."""
    return {
        "widths": {column: written(width) for column, width in widths},
        "orders": {column: list(order) for column, order in orders},
        "domains": {column: [written(end) for end in ends] for column, ends in domains},
    }


def _width(column: str, given: Exact) -> Decimal:
    width = decimal(f"widths.{column}: a width", given)
    if width <= 0:
        raise PlanError(f"widths.{column}: widths must be positive.")
    return width


def _ends(column: str, given: Iterable[Exact]) -> tuple[Decimal, Decimal]:
    ends = [decimal(f"domains.{column}: an end", value) for value in given]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise PlanError(f"domains.{column}: a domain is a pair: the lowest and the highest value.")
    return ends[0], ends[1]
