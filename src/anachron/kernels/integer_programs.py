"""Integer programs, solved by HiGHS: the one place that knows how it behaves.

HiGHS works in floating point and may write to standard output whatever it is told. Answers
are rounded to whole numbers here, but it is for the caller to check them exactly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags, Floats

__all__ = ["Program", "Solution", "get_ready", "quiet", "solve"]


_WHOLE = 1e-6
"""What a whole number may be off by in floating point: the solver's own tolerance."""
_LIMIT = 1
"""How scipy says that nodes or time ran out."""


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise cost·x with matrix·x ≤ most, 0 ≤ x ≤ top, x whole where asked."""

    cost: Floats
    row: Array
    column: Array
    entry: Floats
    """The matrix: ``entry`` at (``row``, ``column``), 0 elsewhere."""
    most: Floats
    top: Floats
    whole: Flags


@dataclass(frozen=True, eq=False)
class Solution:
    """The best x that was found, rounded, and a bound that no x is cheaper than."""

    x: Array
    bound: float
    rounded: bool
    """Whether some of x, of which it was not asked, were not whole."""
    nodes: int = 0
    """How many were searched."""


def get_ready() -> None:
    """Load the solver, which takes a while: better done while something else is going on."""
    import scipy.optimize  # noqa: F401


def solve(program: Program, nodes: int, seconds: float) -> Solution | None:
    """Search at most so many nodes; give nothing if none of them has a solution.

    When the nodes run out, the solution is the same everywhere, and its bound says how good it is.
    What is found when the time runs out depends on the machine: it is not given, and a
    TimeoutError is raised.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    shape = (len(program.most), len(program.cost))
    matrix = csr_array((program.entry, (program.row, program.column)), shape=shape)
    with quiet():
        solved = milp(
            program.cost,
            constraints=LinearConstraint(matrix, -np.inf, program.most),
            bounds=Bounds(0, program.top),
            integrality=program.whole.astype(np.int64),
            options={"node_limit": nodes, "time_limit": max(seconds, 0.0), "mip_rel_gap": 0.0},
        )
    searched = int(solved.mip_node_count or 0)
    if solved.status == _LIMIT and searched < nodes:
        raise TimeoutError
    if solved.x is None:
        return None
    x = np.rint(solved.x)
    rounded = bool((np.abs(solved.x - x)[~program.whole] > _WHOLE).any())
    return Solution(x.astype(np.int64), float(solved.mip_dual_bound), rounded, searched)


@contextmanager
def quiet() -> Iterator[None]:
    """Send what is written to the process's standard output nowhere.

    HiGHS writes a line from C that no option silences; it would be read as output of a command.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # no standard output at all
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(nowhere)
        os.close(kept)
