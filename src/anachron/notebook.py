"""How results look: in a notebook small, plain, at home on a light or a dark page; else as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Sheet", "aligned", "facts", "framed", "rows"]

_MOST_LINES, _MOST_ROWS = 30, 200
"""So many rows are shown as text, and in a notebook."""
_WIDEST = 110
"""So wide is a line at most where a table is text: the longest cells are cut."""

_STYLE = """
.anachron.anachron{font:13px/1.5 "Helvetica Neue",Helvetica,Arial,"Liberation Sans",sans-serif;
max-width:60em}
.anachron.anachron .head{margin:0 0 6px;font-size:15px;font-weight:600}
.anachron.anachron p{margin:6px 0 0;opacity:.75}
.anachron.anachron table{border-collapse:collapse;margin:0;border:0;
font-variant-numeric:tabular-nums}
.anachron.anachron caption{caption-side:top;padding:0 0 6px;text-align:left;font-size:15px;
font-weight:600;color:inherit}
.anachron.anachron tr,.anachron.anachron tr:nth-child(even){background:none}
.anachron.anachron th,.anachron.anachron td{padding:3px 18px 3px 0;text-align:left;
vertical-align:top;border:0;border-bottom:1px solid rgba(128,128,128,.35)}
.anachron.anachron th{font-weight:600;opacity:.75}
.anachron.anachron .number{text-align:right;white-space:nowrap}
.anachron.anachron .progress{opacity:.75}
.anachron.anachron progress{width:16em;vertical-align:middle}
"""
"""Everything is below the one class, so that nothing else on the page changes; named twice, it
weighs more than what JupyterLab says of all tables."""


def framed(fragment: str) -> str:
    """Wrap HTML, which must be escaped already, in the look that all results share.

    >>> framed("<p>3 rows</p>").startswith('<div class="anachron">')
    True
    """
    return f'<div class="anachron"><style>{_STYLE}</style>{fragment}</div>'


def facts(title: str, said: Mapping[str, object]) -> str:
    """Write names and values one below the other; not framed yet.

    >>> facts("Release 3", {"rows": "1,234"})
    '<table><caption>Release 3</caption><tr><th scope="row">rows</th><td>1,234</td></tr></table>'
    """
    lines = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th><td>{escape(str(value))}</td></tr>'
        for name, value in said.items()
    )
    return f"<table><caption>{escape(title)}</caption>{lines}</table>"


def rows(
    title: str, head: Sequence[str], body: Iterable[Sequence[str]], numeric: Iterable[int] = ()
) -> str:
    """Write a table; columns whose positions are ``numeric`` are flush right. Not framed yet.

    >>> rows("", ["value", "rows"], [["flu", "3"]], numeric=[1]).count('class="number"')
    2
    """
    right = frozenset(numeric)

    def line(name: str, cells: Sequence[str]) -> str:
        looks = (' class="number"' if at in right else "" for at in range(len(cells)))
        written = (
            f"<{name}{look}>{escape(str(cell))}</{name}>"
            for look, cell in zip(looks, cells, strict=True)
        )
        return f"<tr>{''.join(written)}</tr>"

    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}{line('th', head)}{''.join(line('td', one) for one in body)}</table>"


@dataclass(frozen=True)
class Sheet:
    """A result laid out for people: a title, a table, and what is to be said below it.

    >>> print(Sheet("Two groups", ("ward", "people"), (("A", "12"), ("B", "7")), (1,)).text())
    Two groups
    ward  people
    A         12
    B          7
    """

    title: str
    head: Sequence[str]
    body: Sequence[Sequence[str]]
    numeric: Iterable[int] = ()
    """The positions of columns of numbers."""
    notes: Sequence[str] = ()
    brief: int | None = None
    """So many columns are enough where a table is text; all, if None."""

    def html(self) -> str:
        """Give it as a notebook shows it."""
        # Not the caption of the table: a long title would be as narrow as a small table.
        title = f'<div class="head">{escape(self.title)}</div>'
        table = rows("", self.head, self.body[:_MOST_ROWS], self.numeric)
        notes = (*_left(self.body, _MOST_ROWS), *self.notes)
        return framed(title + table + "".join(f"<p>{escape(note)}</p>" for note in notes))

    def text(self) -> str:
        """Give it as lines, with long cells cut."""
        table = [row[: self.brief] for row in (self.head, *self.body[:_MOST_LINES])]
        lines = aligned(_fitted(table), self.numeric) if self.body else []
        notes = (*_left(self.body, _MOST_LINES), *self.notes)
        return "\n".join([*([self.title] if self.title else []), *lines, *notes])


def aligned(table: Sequence[Sequence[str]], numeric: Iterable[int] = ()) -> list[str]:
    """Lay out cells in columns of equal width; those of numbers to the right."""
    right = frozenset(numeric)
    columns = [
        [cell.rjust(width) if at in right else cell.ljust(width) for cell in column]
        for at, column in enumerate(zip(*table, strict=True))
        for width in [max(map(len, column))]
    ]
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _left(body: Sequence[Sequence[str]], shown: int) -> tuple[str, ...]:
    """Say how many rows are not shown, if any are not."""
    return (f"… and {len(body) - shown:,} more",) if len(body) > shown else ()


def _fitted(table: Sequence[Sequence[str]]) -> list[list[str]]:
    """Cut the cells of the widest columns, until a line is short enough."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    while sum(widths) + 2 * (len(widths) - 1) > _WIDEST and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return [[_cut(cell, width) for cell, width in zip(row, widths, strict=True)] for row in table]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"
