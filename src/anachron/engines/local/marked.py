"""From marked rows to a problem: how many rows, and which is the first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from anachron.arrays import Flags
from anachron.errors import Problem

__all__ = ["Marked", "gathered", "problem_at"]


@dataclass(frozen=True)
class Marked(Problem):
    """A problem of some rows."""

    said: str = ""
    """What is wrong; ``{n}`` stands for how many rows have it."""
    rows: int = 0

    def of(self, rows: int, first: int) -> Marked:
        """The same problem of other rows, of which the first is given, counted from 0."""
        counted = f"{rows:,} row" if rows == 1 else f"{rows:,} rows"
        return replace(self, what=self.said.format(n=counted), row=first + 1, rows=rows)


def problem_at(wrong: Flags, what: str, remedy: str, column: str, file: str) -> Problem:
    """Say what is wrong with the marked rows; ``{n}`` stands for how many they are."""
    rows = np.flatnonzero(wrong)
    return Marked(what, file, column, remedy=remedy, said=what).of(len(rows), int(rows[0]))


def gathered(pieces: Iterable[Iterable[Problem]]) -> list[Problem]:
    """The problems of a whole table, from those of all its pieces.

    What is wrong with rows adds up; what is wrong with a table is so in all of its pieces. The
    order does not depend on which piece comes first.
    """
    marked: dict[tuple[str, str | None], Marked] = {}
    every = [list(piece) for piece in pieces]
    for one in (one for piece in every for one in piece if isinstance(one, Marked)):
        known = marked.get((one.said, one.column))
        if known is not None:
            rows = (known.row or 1, one.row or 1)
            one = known.of(known.rows + one.rows, min(rows) - 1)
        marked[one.said, one.column] = one
    whole = [one for one in (every[0] if every else ()) if all(one in piece for piece in every)]
    ordered = sorted(marked.items(), key=lambda one: (one[0][1] or "", one[0][0]))
    return [*(one for _, one in ordered), *(one for one in whole if not isinstance(one, Marked))]
