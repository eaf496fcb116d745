"""HTML that is escaped by construction: plain text stays text, whatever it holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["Markup", "join", "mark", "names", "table", "tag"]

SHORT = 14
VOID = frozenset({"col", "path", "rect", "use"})


class Markup(str):
    """Text that already is HTML. Any other text is escaped where it enters a page."""

    __slots__ = ()


def join(*parts: str) -> Markup:
    """Put parts one after the other, escaping those that are not HTML yet."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def tag(name: str, *parts: str, **attributes: str | int | float | None) -> Markup:
    """Write an element; ``class_`` stands for class, and ``_`` in a name for a hyphen."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(*parts)}</{name}>")


def mark(name: str, says: str) -> Markup:
    """Draw a small sign from the page's own set, with its meaning for those who cannot see it."""
    return Markup(
        f'<svg class="mark" role="img" aria-label="{escape(says)}">'
        f'<use href="#mark-{escape(name)}"/></svg>'
    )


def names(columns: Sequence[str], last: str = "and") -> Markup:
    """List names of columns, set apart from the words around them."""
    marked = [tag("em", column) for column in columns]
    if len(marked) < 2:
        return join(*marked)
    return Markup(f"{', '.join(marked[:-1])} {last} {marked[-1]}")


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Iterable[int] = (),
    class_: str | None = None,
) -> Markup:
    """Write a table; the columns whose positions are ``numeric`` are set flush right."""
    right = frozenset(numeric)

    def kind(i: int, cell: str) -> str | None:
        if i in right:
            return "number"
        # A few words are not broken over two lines; a long text may be, anywhere.
        return "short" if len(cell) <= SHORT and not isinstance(cell, Markup) else None

    def cells(name: str, row: Sequence[str]) -> Markup:
        scope = "col" if name == "th" else None
        return join(
            *(tag(name, cell, class_=kind(i, cell), scope=scope) for i, cell in enumerate(row))
        )

    top = tag("thead", tag("tr", cells("th", head)))
    body = tag("tbody", *(tag("tr", cells("td", row)) for row in rows))
    # A table wider than the page scrolls in its own box, so that the page never does.
    return tag("div", tag("table", top, body, class_=class_), class_="wide")


def _text(value: str | int | float) -> str:
    """Write numbers in one way, so that drawings have the same bytes everywhere."""
    return f"{value:g}" if isinstance(value, float) else str(value)
