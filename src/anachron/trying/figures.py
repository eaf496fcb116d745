"""Risks and costs of a setting: how they are declared, written and found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from anachron.engines.local.table import LocalTable
from anachron.ledger.imagined import Imagined
from anachron.making.course import Work

__all__ = ["Figure", "Figures", "Try", "Trying", "answer", "cost", "figures_of", "risk"]

Sort = Literal["answer", "risk", "cost"]
Write = Callable[[Any], str]


@dataclass(frozen=True)
class Figure:
    """What one field of figures is, and how it looks in a table."""

    sort: Sort
    title: str
    write: Write
    narrow: bool = True
    """Whether it has a column where a table must be narrow."""


def _count(value: int) -> str:
    return f"{value:,}"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def _share(value: float) -> str:
    """A percentage that never rounds something to nothing."""
    percent = 100 * value
    return f"{percent:.3g} %" if percent >= 0.01 or not value else "< 0.01 %"


_WRITE: dict[str, Write] = {"int": _count, "float": _number, "str": str}


def _figure(sort: Sort, title: str, write: Write | None, narrow: bool) -> Any:
    return field(metadata={"figure": (sort, title, write, narrow)})


def answer(title: str, *, narrow: bool = True) -> Any:
    """Declare what of several answers it is."""
    return _figure("answer", title, None, narrow)


def risk(title: str, *, share: bool = False, narrow: bool = True) -> Any:
    """Declare what may be learned of somebody, at most."""
    return _figure("risk", title, _share if share else None, narrow)


def cost(title: str, *, share: bool = False, narrow: bool = True) -> Any:
    """Declare what is lost or added."""
    return _figure("cost", title, _share if share else None, narrow)


@dataclass(frozen=True)
class Figures:
    """What a setting comes to. Each method has a class of its own."""

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as plain values."""
        return {name: getattr(self, name) for name in figures_of(type(self))}


def figures_of(kind: type[Figures]) -> dict[str, Figure]:
    """What the fields of figures are, by name; a field that is not declared is no figure."""
    told = {}
    for one in fields(kind):
        if "figure" not in one.metadata:
            continue
        sort, title, write, narrow = one.metadata["figure"]
        plain = str(one.type).partition(" | ")[0]
        told[one.name] = Figure(sort, title, write or _WRITE[plain], narrow)
    return told


Try = Callable[[Work[Any]], Sequence[Figures]]
"""Plans one setting: gives the figures of every minimal answer, the one to publish first."""


@dataclass(frozen=True)
class Trying:
    """What the room has for one method."""

    figures: type[Figures]
    begin: Callable[[LocalTable, Sequence[Work[Any]], Imagined], Try]
    """Reads what all settings need of a table and a ledger."""
    draws: bool = True
    """Whether figures can depend on lots."""
