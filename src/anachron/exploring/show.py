"""How a frontier looks: as text, and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

from anachron.notebook import aligned, framed, rows
from anachron.trying.show import words

if TYPE_CHECKING:
    from anachron.exploring.frontier import Frontier
    from anachron.exploring.point import Point

__all__ = ["as_html", "as_text"]

_WIDTH = 80
_LEGEND = "= nothing beats it   * the plan's own   + one of several   x cannot be kept"
_WRITTEN = "Nothing was written. A frontier is for the owner of the table alone."


def as_text(found: Frontier) -> str:
    """Lay out the points in columns, with reasons below those that cannot be kept."""
    head = _head(found)
    lines = aligned([head, *(_cells(found, point) for point in found)], range(len(head)))
    told = [found.title, "", lines[0]]
    reason = ""
    for point, line in zip(found, lines[1:], strict=True):
        told.append(line)
        if point.reason:
            text = "as above" if point.reason == reason else point.reason
            told += [f"    {part}" for line in text.splitlines() for part in wrap(line, _WIDTH - 4)]
        reason = point.reason
    return "\n".join([*told, "", *wrap(_LEGEND, _WIDTH), *_below(found)])


def as_html(found: Frontier) -> str:
    """Show the drawing, all points, and why some cannot be kept."""
    head = _head(found)
    table = rows("", head, [_cells(found, point) for point in found], range(1, len(head)))
    why = (f"{point.number}: {point.reason}" for point in found if point.reason)
    said = "".join(f"<p>{escape(text)}</p>" for text in (_LEGEND, *why, *_notes(found)))
    title = f'<div class="head">{escape(found.title)}</div>'
    return framed(title + found.chart().svg() + table + said)


def _head(found: Frontier) -> list[str]:
    several = ["method"] if len(found.methods) > 1 else []
    named = [one.name for one in (*found.risks, *found.losses)]
    return ["", "point", *several, *found.parts, "time by", *named]


def _cells(found: Frontier, point: Point) -> list[str]:
    several = [point.method] if len(found.methods) > 1 else []
    parts = [words(point.setting[name]) if name in point.setting else "" for name in found.parts]
    risks = [one.write(point.risks.get(one.name)) for one in found.risks]
    losses = [one.write(point.losses.get(one.name)) for one in found.losses]
    return [
        _mark(found, point), str(point.number), *several, *parts, point.resolution.name, *risks,
        *losses,
    ]  # fmt: skip


def _mark(found: Frontier, point: Point) -> str:
    marks = {
        "=": point.number in found.line,
        "*": point.own,
        "+": bool(point.beside),
        "x": not point.kept,
    }
    return "".join(mark for mark, there in marks.items() if there)


def _notes(found: Frontier) -> Iterator[str]:
    for one in (*found.risks, *found.losses):
        yield f"{one.name}: {one.title}"
    yield from found.basis
    yield _WRITTEN


def _below(found: Frontier) -> list[str]:
    return [line for text in _notes(found) for line in wrap(text, _WIDTH)]
