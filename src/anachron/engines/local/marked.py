"""From marked rows to a problem: how many rows, and which is the first."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Flags
from anachron.errors import Problem

__all__ = ["problem_at"]


def problem_at(wrong: Flags, what: str, remedy: str, column: str, file: str) -> Problem:
    """Say what is wrong with the marked rows; ``{n}`` stands for how many they are."""
    rows = np.flatnonzero(wrong)
    counted = f"{len(rows):,} row" if len(rows) == 1 else f"{len(rows):,} rows"
    return Problem(what.format(n=counted), file, column, int(rows[0]) + 1, remedy)
