"""One screen: 24 lines of 80 columns, and more columns where a terminal has them."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

import click

__all__ = ["LINES", "columns", "cut", "fitted", "wrapped"]

LINES = 23
"""So many lines a summary has at most: the last of a terminal is for what is typed next."""
_NARROW, _WIDE = 80, 160


def columns() -> int:
    """How many columns there are: those of the terminal, and 80 where there is none."""
    return min(max(shutil.get_terminal_size((_NARROW, LINES + 1)).columns, _NARROW), _WIDE)


def cut(text: str, width: int) -> str:
    """Cut a text that is too long, and show that it was.

    >>> cut("the promise is kept", 12), cut("short", 12)
    ('the promise…', 'short')
    """
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def wrapped(text: str, most: int = 4, indent: str = "    ") -> list[str]:
    """Break a text into lines, of which all but the first are indented; not more than so many."""
    return textwrap.wrap(
        text,
        columns(),
        subsequent_indent=indent,
        max_lines=most,
        placeholder=" …",
        break_on_hyphens=False,
    )


def fitted(rows: Sequence[Sequence[str]], gives: int = -1, indent: str = "  ") -> list[str]:
    """Lay out rows of texts in columns that fit the screen; one column gives way where it must."""
    if not rows:
        return []
    plain = [[click.unstyle(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
    room = columns() - len(indent) - 2 * (len(widths) - 1) - sum(widths)
    widths[gives] = max(widths[gives] + min(room, 0), 1)
    return [
        (indent + "  ".join(map(_padded, row, bare, widths))).rstrip()
        for row, bare in zip(rows, plain, strict=True)
    ]


def _padded(cell: str, bare: str, width: int) -> str:
    short = cut(bare, width)
    shown = cell if short == bare else short
    return shown + " " * (width - len(short))
