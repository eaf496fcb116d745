"""An answer as a drawing: each figure between its bounds, on one scale for all of the same name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anachron.asking.answer import Answer, Figure

__all__ = ["Drawn", "Scale", "drawn"]

WIDTH = 600
"""Of the drawing, in its own units; a page scales it."""
MOST = 200
"""So many lines are drawn; the table beside has all."""
_TICKS = 5


@dataclass(frozen=True)
class Drawn:
    """One figure, in units of the drawing."""

    name: str
    """What it is a figure of: the group, or all records."""
    said: str
    """The figure in words."""
    low: float | None
    """None if it has no bound on this side: the line is open there."""
    high: float | None
    at: float | None
    """The estimate; None if there is no value."""
    exact: bool


@dataclass(frozen=True)
class Scale:
    """All figures of one name, with marks of the scale below."""

    title: str
    lines: tuple[Drawn, ...]
    ticks: tuple[tuple[float, str], ...]
    more: int
    """How many lines are not drawn."""


def drawn(answer: Answer) -> tuple[Scale, ...]:
    """Lay out an answer; nothing if it has no rows.

    >>> from anachron.asking.answer import Answer, Figure, Row
    >>> one = Answer("…", (), (Row((), (Figure("n", 30.0, 20.0, 40.0, 5.0),)),), titles=("n",))
    >>> [scale] = drawn(one)
    >>> [(line.low, line.at, line.high) for line in scale.lines], scale.ticks[-1]
    ([(240.0, 360.0, 480.0)], (600.0, '50'))
    """
    if not answer.rows:
        return ()
    return tuple(_scale(answer, place) for place in range(len(answer.rows[0].figures)))


def _scale(answer: Answer, place: int) -> Scale:
    rows = answer.rows[:MOST]
    figures = [row.figures[place] for row in rows]
    first, last = _ends([value for figure in figures for value in _values(figure)])

    def at(value: float | None) -> float | None:
        return None if value is None else round(WIDTH * (value - first) / (last - first), 2)

    lines = tuple(
        Drawn(_named(answer, row.keys), str(figure), at(figure.low), at(figure.high),
                 at(figure.estimate), figure.exact)
        for row, figure in zip(rows, figures, strict=True)
    )  # fmt: skip
    step = (last - first) / _TICKS
    ticks = [first + step * i for i in range(_TICKS + 1)]
    marks = tuple((WIDTH * i / _TICKS, _short(tick)) for i, tick in enumerate(ticks))
    title = answer.titles[place] if place < len(answer.titles) else figures[0].name
    return Scale(title, lines, marks, len(answer.rows) - len(rows))


def _values(figure: Figure) -> Iterator[float]:
    for value in (figure.low, figure.estimate, figure.high):
        if value is not None:
            yield value


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Where the scale begins and ends: at nought if all is above it, and on round numbers."""
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high:
        return 0.0, 1.0
    rough = (high - low) / _TICKS
    ten = 10.0 ** math.floor(math.log10(rough))
    step = next(ten * nice for nice in (1, 2, 2.5, 4, 5, 10) if ten * nice >= rough * (1 - 1e-9))
    first = math.floor(low / step + 1e-9) * step
    return (first, first + step * _TICKS) if first + step * _TICKS >= high else (
        first, first + 2 * step * _TICKS,
    )  # fmt: skip


def _named(answer: Answer, keys: tuple[object, ...]) -> str:
    return ", ".join("(none)" if key is None else str(key) for key in keys) if answer.keys else ""


def _short(value: float) -> str:
    return f"{value:,.10g}" if value == int(value) else f"{value:,.4g}"
