"""Ladders: how far a quasi column may be generalised, step by step.

A ladder is a list of steps from fine to coarse. Step 0 is the column as it is.
Each further step must be a coarsening of the one before, so that a search may
stop climbing as soon as a step is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from anachron.errors import PlanError

__all__ = ["Bins", "Drop", "Ladder", "Parents", "Prefix", "Raw", "Step"]


@dataclass(frozen=True)
class Raw:
    """The column as it is."""


@dataclass(frozen=True)
class Bins:
    """Numbers in bins of equal width on a fixed grid."""

    width: Decimal
    origin: Decimal = Decimal(0)


@dataclass(frozen=True)
class Prefix:
    """The first characters of a text."""

    length: int


@dataclass(frozen=True)
class Parents:
    """Each value replaced by a parent."""

    parents: tuple[tuple[str, str], ...]
    """Pairs of (value as text, parent), sorted by value."""


@dataclass(frozen=True)
class Drop:
    """The column is left out."""


Step = Raw | Bins | Prefix | Parents | Drop


@dataclass(frozen=True)
class Ladder:
    """The steps by which one quasi column may be made coarser.

    Use :meth:`bins`, :meth:`prefix`, :meth:`hierarchy` or :meth:`drop`.

    Example
    -------
    >>> import anachron as an
    >>> len(an.Ladder.bins(5, 10, 20).steps)     # as it is, three widths, left out
    5
    >>> an.Ladder.prefix(3, 1, drop=False).describe()
    ['as it is', 'first 3 characters', 'first 1 characters']
    """

    steps: tuple[Step, ...]

    @classmethod
    def bins(
        cls,
        *widths: int | str | float | Decimal,
        origin: int | str | float | Decimal = 0,
        raw: bool = True,
        drop: bool = True,
    ) -> Ladder:
        """Bins of the given widths, each a multiple of the one before."""
        grid = [_decimal(width) for width in widths]
        if not grid or any(width <= 0 for width in grid):
            raise PlanError("bin widths must be positive numbers.")
        for fine, coarse in itertools.pairwise(grid):
            if coarse <= fine or coarse % fine:
                raise PlanError(
                    f"bin width {coarse} is not a larger multiple of {fine}, so the bins do "
                    "not nest. Choose widths such as 5, 10, 20."
                )
        start = _decimal(origin)
        return _ladder([Bins(width, start) for width in grid], raw, drop)

    @classmethod
    def prefix(cls, *lengths: int, raw: bool = True, drop: bool = True) -> Ladder:
        """The first characters of a text: longest first."""
        if not lengths or any(not isinstance(n, int) or n < 1 for n in lengths):
            raise PlanError("prefix lengths must be whole numbers of at least 1.")
        if any(b >= a for a, b in itertools.pairwise(lengths)):
            raise PlanError("prefix lengths must get shorter, as in 4, 3, 2.")
        return _ladder([Prefix(n) for n in lengths], raw, drop)

    @classmethod
    def hierarchy(
        cls, rows: Iterable[Iterable[Any]] | Mapping[Any, Any], raw: bool = True, drop: bool = True
    ) -> Ladder:
        """A hierarchy: each row holds a value, its parent, its grandparent, …"""
        if isinstance(rows, Mapping):
            rows = rows.items()
        table = [tuple(str(cell) for cell in row) for row in rows]
        depths = {len(row) for row in table}
        if len(depths) != 1 or min(depths) < 2:
            raise PlanError("a hierarchy needs rows of one length, at least two: value, parent, …")
        if len({row[0] for row in table}) != len(table):
            raise PlanError("a value stands in more than one row of the hierarchy.")
        depth = depths.pop()
        for level in range(1, depth - 1):
            _check_tree(table, level)
        steps = [
            Parents(tuple(sorted((row[0], row[level]) for row in table)))
            for level in range(1, depth)
        ]
        return _ladder(list(steps), raw, drop)

    @classmethod
    def drop(cls) -> Ladder:
        """The column as it is, or left out."""
        return cls((Raw(), Drop()))

    def describe(self) -> list[str]:
        """Name every step in plain words."""
        return [describe(step) for step in self.steps]

    def to_dict(self) -> dict[str, Any]:
        """Give the ladder as plain values, for plans and ledgers."""
        first, last = self.steps[0], self.steps[-1]
        values: dict[str, Any] = {}
        inner = [s for s in self.steps if not isinstance(s, Raw | Drop)]
        if inner and isinstance(inner[0], Bins):
            values["bins"] = [str(s.width) for s in inner if isinstance(s, Bins)]
            if inner[0].origin:
                values["origin"] = str(inner[0].origin)
        elif inner and isinstance(inner[0], Prefix):
            values["prefix"] = [s.length for s in inner if isinstance(s, Prefix)]
        elif inner:
            levels = [dict(s.parents) for s in inner if isinstance(s, Parents)]
            values["hierarchy"] = [[v, *(m[v] for m in levels)] for v in levels[0]]
        if not isinstance(first, Raw):
            values["raw"] = False
        if inner and not isinstance(last, Drop):
            values["drop"] = False
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Ladder:
        """Read back what :meth:`to_dict` gave."""
        rest = dict(values)
        options = {name: rest.pop(name) for name in ("raw", "drop") if name in rest}
        if any(not isinstance(option, bool) for option in options.values()):
            raise PlanError("raw and drop must be true or false.")
        kinds = [kind for kind in ("bins", "prefix", "hierarchy") if kind in rest]
        if len(kinds) > 1:
            raise PlanError(f"a ladder is of one kind, found {' and '.join(kinds)}.")
        if not kinds:
            _no_more(rest)
            return cls.drop()
        given = rest.pop(kinds[0])
        if kinds[0] == "bins":
            origin = rest.pop("origin", 0)
            _no_more(rest)
            return cls.bins(*given, origin=origin, **options)
        _no_more(rest)
        if kinds[0] == "prefix":
            return cls.prefix(*given, **options)
        return cls.hierarchy(given, **options)


def describe(step: Step) -> str:
    """Name a step in plain words."""
    if isinstance(step, Bins):
        return f"bins of {step.width}"
    if isinstance(step, Prefix):
        return f"first {step.length} characters"
    if isinstance(step, Parents):
        return f"{len({parent for _, parent in step.parents})} classes"
    return "as it is" if isinstance(step, Raw) else "left out"


def _ladder(steps: list[Any], raw: bool, drop: bool) -> Ladder:
    head = [Raw()] if raw else []
    tail = [Drop()] if drop else []
    return Ladder((*head, *steps, *tail))


def _decimal(value: int | str | float | Decimal) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise PlanError("a bin width or origin is not a number.") from None
    if not number.is_finite():
        raise PlanError("a bin width or origin is not finite.")
    return number


def _check_tree(table: list[tuple[str, ...]], level: int) -> None:
    parent: dict[str, str] = {}
    for row in table:
        if parent.setdefault(row[level], row[level + 1]) != row[level + 1]:
            raise PlanError(
                f"level {level} of the hierarchy is not a tree: one class has two parents."
            )


def _no_more(rest: Mapping[str, Any]) -> None:
    if rest:
        raise PlanError(
            f"unknown key {sorted(rest)[0]!r} in a ladder. "
            "Known: bins, origin, prefix, hierarchy, raw, drop."
        )
