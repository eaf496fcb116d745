"""How a trial looks: as text of 80 columns, and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from anachron.calendar.definitions import Granularity
from anachron.notebook import framed, rows
from anachron.parts.numbers import shortest, written
from anachron.trying.figures import Figure, figures_of

if TYPE_CHECKING:
    from anachron.trying.trial import Trial, Tried

__all__ = ["as_html", "as_text", "plain", "words"]

WIDTH = 80
_PARTS = 36
"""What is tried has columns of its own if they are no wider than that together."""
_LEGEND = "> would be published   * the plan's own   x cannot be kept"
_WRITTEN = "Nothing was written. A trial is for the owner of the table alone."


def plain(value: Any) -> Any:
    """A part of a promise as a value for tables: numbers are numbers, all others texts."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return float(value) if isinstance(value, Fraction | Decimal) else words(value)


def words(value: Any) -> str:
    """A part of a promise in a word or two."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return str(shortest(value))
    if isinstance(value, Decimal):
        return str(written(value))
    if isinstance(value, Granularity):
        return value.name
    if isinstance(value, tuple | list):
        return "|".join(words(one) for one in value)
    return str(value)


def as_text(trial: Trial) -> str:
    """Lay out the rows in columns; what does not fit into one stands above its row, or below."""
    parts = [["", name, *(words(row.setting[name]) for row in trial.rows)] for name in trial.parts]
    above = _width(parts) > _PARTS
    columns = [["", "", *map(_mark, trial.rows)], *([] if above else parts), *_told_in(trial)]
    while _width(columns) > WIDTH:
        columns.pop()  # the last ones matter least; tables have them all
    lines = [trial.title, "", *_head(columns)]
    for number, row in enumerate(trial.rows):
        before = trial.rows[number - 1] if number else None
        if above and (before is None or before.setting is not row.setting):
            lines += wrap(_named(row), WIDTH)
        cells = (_cell(texts[number + 2], width) for texts, width in _wide(columns))
        lines.append("  ".join(cells).rstrip())
        again = before is not None and row.reason and row.reason == before.reason
        lines += [
            f"    {line}"
            for text in (["as above"] if again else _below(trial, row))
            for line in wrap(text, WIDTH - 4)
        ]
    return "\n".join([*lines, "", _LEGEND, *_basis(trial)])


def as_html(trial: Trial) -> str:
    """Show the rows with all that is known of them."""
    shown = [f"{one.title} ({one.sort})" for one in figures_of(trial.kind).values()]
    head = [*trial.parts, "", *shown]
    body = [
        [*(words(row.setting[name]) for name in trial.parts), _standing(row), *_figures(trial, row)]
        for row in trial.rows
    ]
    why = (f"{_named(row)}: {row.reason}" for row in trial.rows if row.reason)
    said = "".join(f"<p>{escape(text)}</p>" for text in (*why, *trial.basis, _WRITTEN))
    right = (at for at in range(len(head)) if at != len(trial.parts))
    return framed(rows(trial.title, head, body, right) + said)


def _told_in(trial: Trial) -> list[list[str]]:
    """Columns of figures as texts, each with a title of two lines above."""
    narrow = [(name, one) for name, one in figures_of(trial.kind).items() if one.narrow]
    told = (
        [*_titled(one), *(_figure(row, name, one) for row in trial.rows)] for name, one in narrow
    )
    return [column for column in told if any(column[2:])]


def _titled(figure: Figure) -> tuple[str, str]:
    above, _, below = figure.title.rpartition(" ")
    return above, below


def _figure(row: Tried, name: str, figure: Figure) -> str:
    value = None if row.figures is None else getattr(row.figures, name)
    return "" if value is None else figure.write(value)


def _figures(trial: Trial, row: Tried) -> list[str]:
    return [_figure(row, name, one) for name, one in figures_of(trial.kind).items()]


def _mark(row: Tried) -> str:
    return (">" if row.chosen else " " if row.kept else "x") + ("*" if row.own else " ")


def _standing(row: Tried) -> str:
    told = "would be published" if row.chosen else "" if row.kept else "cannot be kept"
    return ", ".join(text for text in (told, "the plan's own" if row.own else "") if text)


def _below(trial: Trial, row: Tried) -> list[str]:
    """What a row says beside its columns: why not, and what is long."""
    if row.reason:
        return row.reason.splitlines()
    long = [
        getattr(row.figures, name)
        for name, one in figures_of(trial.kind).items()
        if one.sort == "answer" and not one.narrow
    ]
    return [text for text in long if text]


def _basis(trial: Trial) -> list[str]:
    return [line for text in (*trial.basis, _WRITTEN) for line in wrap(text, WIDTH)]


def _named(row: Tried) -> str:
    return (
        ", ".join(f"{name} = {words(value)}" for name, value in row.setting.items()) or "the plan"
    )


def _head(columns: Sequence[Sequence[str]]) -> list[str]:
    lines = ("  ".join(_cell(texts[at], width) for texts, width in _wide(columns)) for at in (0, 1))
    return [line.rstrip() for line in lines if line.strip()]


def _wide(columns: Sequence[Sequence[str]]) -> list[tuple[Sequence[str], int]]:
    return [(texts, max(map(len, texts))) for texts in columns]


def _width(columns: Sequence[Sequence[str]]) -> int:
    return sum(width + 2 for _, width in _wide(columns)) - 2


def _cell(text: str, width: int) -> str:
    return text.rjust(width)
